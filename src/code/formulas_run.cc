#include "code/formulas_run.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace chi::code {
namespace {

using Code = FormulaCode;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

bool unordered(double x, double y) { return __builtin_isunordered(x, y) != 0; }

}  // namespace

FormulaWorkspace::FormulaWorkspace(const FormulaProgram& program)
    : scratch(at(program.places)), demanded(at(program.shared)), returns(at(program.shared) + 1) {
  std::copy(program.constants.begin(), program.constants.end(), scratch.begin());
  std::int32_t most = 0;
  for (const FormulaCall& call : program.calls) most = std::max(most, call.count);
  arguments.resize(at(most));
  moved.resize(at(most));
}

double call_box(const Box& box, FormulaWorkspace& work, std::size_t count, Boxes& boxes) {
  const std::span<double> arguments = std::span(work.arguments).first(count);
  const auto m = static_cast<std::uint32_t>(box.by.size());
  if (m == 0) return 0 + 1.0 * boxes.call(box.function, arguments);
  const std::span<double> moved = std::span(work.moved).first(count);
  double sum = 0;
  for (std::uint32_t signs = 0; signs < 1u << m; ++signs) {
    std::copy(arguments.begin(), arguments.end(), moved.begin());
    double weight = 1;
    for (std::uint32_t k = 0; k < m; ++k) {
      const double sign = (signs >> k & 1u) != 0 ? -1 : 1;
      const std::size_t i = at(box.by[k]);
      const double step = box.relative_step * std::max(1.0, std::fabs(arguments[i]));
      moved[i] += sign * step;
      weight *= sign / (2 * step);
    }
    const double value = boxes.call(box.function, moved);
    if (value != value) return value;
    sum += weight * value;
  }
  return sum;
}

bool run_fast(const FormulaProgram& program, FormulaWorkspace& work, const double* f,
              Boxes* boxes) {
  double* const s = work.scratch.data();
  const FormulaInstruction* const code = program.code.data();
  const FormulaInstruction* in = code;
  const std::uint64_t run = ++work.run;
  std::int32_t* returns = work.returns.data();
  const auto read = [s, f](std::int32_t place) { return place >= 0 ? s[place] : f[~place]; };
  while (true) {
    switch (in->code) {
#define CHI_FOUR(NAME, EFFECT)                 \
  case Code::NAME##SS: {                       \
    const double x = s[in->a], y = s[in->b];   \
    EFFECT;                                    \
    break;                                     \
  }                                            \
  case Code::NAME##SF: {                       \
    const double x = s[in->a], y = f[~in->b];  \
    EFFECT;                                    \
    break;                                     \
  }                                            \
  case Code::NAME##FS: {                       \
    const double x = f[~in->a], y = s[in->b];  \
    EFFECT;                                    \
    break;                                     \
  }                                            \
  case Code::NAME##FF: {                       \
    const double x = f[~in->a], y = f[~in->b]; \
    EFFECT;                                    \
    break;                                     \
  }
      CHI_FOUR(Add, s[in->dst] = x + y)
      CHI_FOUR(Sub, s[in->dst] = x - y)
      CHI_FOUR(Mul, s[in->dst] = x * y)
      CHI_FOUR(Div, if (y == 0) return false; s[in->dst] = x / y)
#undef CHI_FOUR
      case Code::Neg: s[in->dst] = -read(in->a); break;
      case Code::Abs: s[in->dst] = std::fabs(read(in->a)); break;
      case Code::Sqrt: s[in->dst] = std::sqrt(read(in->a)); break;
      case Code::Exp: s[in->dst] = std::exp(read(in->a)); break;
      case Code::Sin: s[in->dst] = std::sin(read(in->a)); break;
      case Code::Cos: s[in->dst] = std::cos(read(in->a)); break;
      case Code::Square: {
        const double x = read(in->a);
        s[in->dst] = x * x;
        break;
      }
      case Code::Cube: {
        const double x = read(in->a);
        s[in->dst] = x * x * x;
        break;
      }
      case Code::IntPower: {
        const double x = read(in->a);
        if ((in->b < 0 && x == 0) || (in->b == 0 && x != x)) return false;
        s[in->dst] = expr::int_power(x, in->b);
        break;
      }
      case Code::Unary: {
        const expr::Applied r = expr::apply_unary(in->op, read(in->a));
        if (r.fault != expr::Fault::None) return false;
        s[in->dst] = r.value;
        break;
      }
      case Code::Binary: {  // a power or a relation hides a NaN
        const double x = read(in->a), y = read(in->b);
        if (unordered(x, y)) return false;
        const expr::Applied r = expr::apply_binary(in->op, x, y);
        if (r.fault != expr::Fault::None) return false;
        s[in->dst] = r.value;
        break;
      }
      case Code::Min: {
        const double x = read(in->a), y = read(in->b);
        s[in->dst] = x <= y || x != x ? x : y;
        break;
      }
      case Code::Max: {
        const double x = read(in->a), y = read(in->b);
        s[in->dst] = x >= y || x != x ? x : y;
        break;
      }
#define CHI_RELATION(NAME, SIGN)                   \
  case Code::NAME: {                               \
    const double x = read(in->a), y = read(in->b); \
    if (unordered(x, y)) return false;             \
    s[in->dst] = x SIGN y;                         \
    break;                                         \
  }
        CHI_RELATION(Less, <)
        CHI_RELATION(LessEqual, <=)
        CHI_RELATION(Greater, >)
        CHI_RELATION(GreaterEqual, >=)
#undef CHI_RELATION
      case Code::Not: s[in->dst] = read(in->a) == 0; break;
      case Code::Copy: s[in->dst] = read(in->a); break;
      case Code::Select:
        s[in->dst] = read(read(in->a) != 0 ? in[1].a : in[1].b);
        ++in;
        break;
      case Code::Pair: break;
      case Code::Jump: in = code + in->b; continue;
      case Code::Branch:
        if (read(in->a) != 0) break;
        in = code + in->b;
        continue;
      case Code::AndThen: {
        const double x = s[in->dst] = read(in->a);
        if (x != 0) break;
        in = code + in->b;
        continue;
      }
      case Code::OrElse: {
        const double x = s[in->dst] = read(in->a);
        if (x == 0) break;
        in = code + in->b;
        continue;
      }
      case Code::Demand: {
        std::uint64_t& last = work.demanded[at(in->a)];
        if (last == run) break;
        last = run;
        *returns++ = static_cast<std::int32_t>(in - code) + 1;
        in = code + in->b;
        continue;
      }
      case Code::Return: in = code + *--returns; continue;
      case Code::Call: {
        const FormulaCall& call = program.calls[at(in->a)];
        for (std::int32_t i = 0; i < call.count; ++i) {
          const double x = read(program.arguments[at(call.first + i)]);
          if (x != x) return false;
          work.arguments[at(i)] = x;
        }
        const double value = call_box(program.boxes[at(call.box)], work, at(call.count), *boxes);
        if (value != value) return false;
        s[in->dst] = value;
        break;
      }
      case Code::NoAlternative: return false;
      case Code::End: return true;
    }
    ++in;
  }
}

}  // namespace chi::code
