#include <cmath>
#include <limits>

#include "base/check.h"
#include "code/formulas_run.h"

namespace chi::code {
namespace {

using expr::Applied;
using expr::Fault;
using expr::Op;
using Code = FormulaCode;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// The same code with a fault beside each value. Not hot: it runs when something has gone wrong.
class CheckedRun {
 public:
  CheckedRun(const FormulaProgram& program, FormulaWorkspace& work, const double* frame,
             Boxes* boxes)
      : program_(program), work_(work), frame_(frame), boxes_(boxes) {}

  void run() {
    work_.faults.assign(work_.scratch.size(), {});
    ++work_.run;
    while (program_.code[at(pc_)].code != Code::End) step(program_.code[at(pc_)]);
  }

 private:
  struct Known {
    double value = 0;
    FormulaFault fault;
    bool faulty() const { return fault.fault != Fault::None; }
  };

  Known read(std::int32_t place) const {
    if (place < 0) return {frame_[~place], {}};
    return {work_.scratch[at(place)], work_.faults[at(place)]};
  }
  void write(std::int32_t place, const Known& known) {
    work_.scratch[at(place)] = known.faulty() ? kNan : known.value;
    work_.faults[at(place)] = known.fault;
  }
  Known made(const Applied& r, double argument) const {
    if (r.fault == Fault::None) return {r.value, {}};
    return {kNan, {r.fault, program_.where[at(pc_)], argument, -1}};
  }

  void step(const FormulaInstruction& in) {
    std::int32_t next = pc_ + 1;
    switch (in.code) {
      case Code::Return: next = returns_.back(), returns_.pop_back(); break;
      case Code::Demand: {
        std::uint64_t& last = work_.demanded[at(in.a)];
        if (last == work_.run) break;
        last = work_.run;
        returns_.push_back(next);
        next = in.b;
        break;
      }
      case Code::Jump: next = in.b; break;
      case Code::Branch: {
        const Known a = read(in.a);
        if (a.faulty()) {
          write(in.dst, a);
          next = program_.code[at(in.b - 1)].b;  // where the jump after `then` goes
        } else if (a.value == 0) {
          next = in.b;
        }
        break;
      }
      case Code::AndThen:
      case Code::OrElse: {
        const Known a = read(in.a);
        write(in.dst, a);
        if (a.faulty() || (a.value != 0) == (in.code == Code::OrElse)) next = in.b;
        break;
      }
      case Code::Copy: write(in.dst, read(in.a)); break;
      case Code::Select: {
        const FormulaInstruction& pair = program_.code[at(pc_ + 1)];
        const Known a = read(in.a);
        write(in.dst, a.faulty() ? a : read(a.value != 0 ? pair.a : pair.b));
        ++next;
        break;
      }
      case Code::Call: write(in.dst, call(program_.calls[at(in.a)])); break;
      case Code::NoAlternative: write(in.dst, made({kNan, Fault::NoAlternative}, 0)); break;
      default: write(in.dst, operation(in)); break;
    }
    pc_ = next;
  }

  Known operation(const FormulaInstruction& in) const {
    const Known a = read(in.a);
    if (a.faulty()) return a;
    if (in.op == Op::Not) return {a.value != 0 ? 0.0 : 1.0, {}};
    if (in.op == Op::IntPower) return made(expr::apply_int_power(a.value, in.b), a.value);
    if (expr::is_unary(in.op)) return made(expr::apply_unary(in.op, a.value), a.value);
    const Known b = read(in.b);
    return b.faulty() ? b : made(expr::apply_binary(in.op, a.value, b.value), a.value);
  }

  Known call(const FormulaCall& call) {
    for (std::int32_t i = 0; i < call.count; ++i) {
      const Known x = read(program_.arguments[at(call.first + i)]);
      if (x.faulty()) return x;
      work_.arguments[at(i)] = x.value;
    }
    const double value = call_box(program_.boxes[at(call.box)], work_, at(call.count), *boxes_);
    return made({value, value != value ? Fault::NotANumber : Fault::None},
                call.count > 0 ? work_.arguments[0] : 0);
  }

  const FormulaProgram& program_;
  FormulaWorkspace& work_;
  const double* frame_;
  Boxes* boxes_;
  std::int32_t pc_ = 0;
  std::vector<std::int32_t> returns_;
};

}  // namespace

void run_checked(const FormulaProgram& program, FormulaWorkspace& work, const double* frame,
                 Boxes* boxes) {
  CheckedRun(program, work, frame, boxes).run();
}

}  // namespace chi::code
