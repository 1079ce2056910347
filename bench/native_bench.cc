// What the evaluation of equations costs: ns per equation, interpreted and native, and what making
// them costs. Three kinds of equations, each over its own few of 1000 variables.
#include <algorithm>
#include <cstdio>
#include <time.h>
#include <vector>

#include "code/formulas.h"
#include "expr/build.h"

namespace {

using namespace chi;

// Of this thread: others on the machine do not count.
struct Clock {
  static double now() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }
};

constexpr int kEquations = 1000;

// x[i]' = (x[i-1] - x[i]) / T
std::vector<expr::ExprId> lags(expr::Pool& pool) {
  std::vector<expr::ExprId> roots;
  for (int i = 1; i <= kEquations; ++i) {
    const expr::ExprId flow =
        expr::sub(pool, expr::variable(pool, {i - 1}), expr::variable(pool, {i}));
    const expr::ExprId rate = expr::div(pool, flow, expr::constant(pool, 0.5 + i));
    roots.push_back(expr::sub(pool, expr::variable(pool, {i}, 1), rate));
  }
  return roots;
}

// x[i]' = a x[i-1] x[i] - b x[i] + x[i+1]^2
std::vector<expr::ExprId> products(expr::Pool& pool) {
  std::vector<expr::ExprId> roots;
  for (int i = 1; i <= kEquations; ++i) {
    const expr::ExprId x = expr::variable(pool, {i});
    const expr::ExprId growth = expr::mul(
        pool, expr::mul(pool, expr::constant(pool, 1.5 + i), expr::variable(pool, {i - 1})), x);
    const expr::ExprId decay = expr::mul(pool, expr::constant(pool, 0.25 + i), x);
    const expr::ExprId rest = expr::int_power(pool, expr::variable(pool, {i + 1}), 2);
    roots.push_back(expr::sub(pool, expr::variable(pool, {i}, 1),
                              expr::add(pool, expr::sub(pool, growth, decay), rest)));
  }
  return roots;
}

// x[i]' = if x[i] > c then sqrt(x[i]) sin(x[i-1]) else -exp(x[i])
std::vector<expr::ExprId> choices(expr::Pool& pool) {
  std::vector<expr::ExprId> roots;
  for (int i = 1; i <= kEquations; ++i) {
    const expr::ExprId x = expr::variable(pool, {i});
    const expr::ExprId then =
        expr::mul(pool, expr::unary(pool, expr::Op::Sqrt, x),
                  expr::unary(pool, expr::Op::Sin, expr::variable(pool, {i - 1})));
    const expr::ExprId otherwise = expr::neg(pool, expr::unary(pool, expr::Op::Exp, x));
    const expr::ExprId above =
        expr::binary(pool, expr::Op::Greater, x, expr::constant(pool, 0.001 * i));
    roots.push_back(expr::sub(pool, expr::variable(pool, {i}, 1),
                              expr::if_else(pool, expr::IfKind::Plain, above, then, otherwise)));
  }
  return roots;
}

double seconds(double from, double to) { return to - from; }

void measure(const char* name, std::vector<expr::ExprId> (*make)(expr::Pool&)) {
  expr::Pool pool;
  const std::vector<expr::ExprId> roots = make(pool);
  code::FormulaLeaves leaves;
  const auto start = Clock::now();
  code::Formulas formulas(pool, roots, leaves);
  const auto made = Clock::now();
  std::vector<double> frame(static_cast<std::size_t>(leaves.size())), out(roots.size());
  for (std::size_t i = 0; i < frame.size(); ++i)
    frame[i] = 0.1 + 0.001 * static_cast<double>(i % 7);
  const auto per_equation = [&](int rounds) {
    double best = 1e9;
    for (int k = 0; k < 5; ++k) {
      const auto begin = Clock::now();
      for (int r = 0; r < rounds; ++r) formulas.evaluate(frame.data(), out.data());
      best = std::min(best, seconds(begin, Clock::now()) / rounds / kEquations);
    }
    return best * 1e9;
  };
  const double interpreted = per_equation(200);
  std::printf("%-10s making %6.3f us/equation, interpreted or by loops %5.2f ns/equation", name,
              seconds(start, made) / kEquations * 1e6, interpreted);
  const auto compile = [&](const char* how, bool (code::Formulas::*make_it)()) {
    const auto begin = Clock::now();
    if (!(formulas.*make_it)()) return;
    const double compiling = seconds(begin, Clock::now()) / kEquations * 1e6;
    std::printf(", %s %6.2f us/equation, then %5.2f ns/equation", how, compiling,
                per_equation(200));
  };
  compile("compiling", &code::Formulas::make_native);
  compile("optimising", &code::Formulas::make_optimised);
  std::printf("\n");
}

}  // namespace

int main() {
  measure("first", lags);  // the compiler is loaded
  measure("lags", lags);
  measure("products", products);
  measure("choices", choices);
}
