#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "known_problems.h"
#include "methods.h"

namespace chi::testing {
namespace {

using numerics::DenseOutput;
using numerics::IntegratorOptions;
using numerics::StepStatus;

// What a run did in the second half of its time, behind the start at order 1.
struct Ran {
  double steps = 0;
  double held = 0;                             // steps of the highest order allowed
  double at_steps = 0, inside = 0, slope = 0;  // the largest errors
};

// Values and slopes of one step against the solution.
void judge(const DenseOutput& d, const KnownProblem& p, Ran& ran) {
  std::vector<double> f(static_cast<std::size_t>(p.size));
  for (int k = 1; k <= 8; ++k) {
    const double t = k == 8 ? d.t_new() : d.t_old() + k / 8.0 * (d.t_new() - d.t_old());
    const std::vector<double> y = p.at(t);
    p.f(t, y, f);
    double& worst = k == 8 ? ran.at_steps : ran.inside;
    for (int i = 0; i < p.size; ++i) {
      const auto c = static_cast<std::size_t>(i);
      worst = std::max(worst, std::abs(d.value(t, i) - y[c]));
      ran.slope = std::max(ran.slope, std::abs(d.derivative(t, i) - f[c]));
    }
  }
}

Ran run_once(const Method& method, const KnownProblem& p, int order, double tolerance) {
  KnownOde ode(p);
  const IntegratorOptions options{
      .tolerances = {.relative = tolerance, .absolute = tolerance}, .max_order = order, .share = 1};
  Made s = method.make(ode, options);
  restart(s, ode, p.t_start, p.at(p.t_start));
  Ran ran;
  while (s->t() < p.t_end) {
    const StepStatus status = s->step(p.t_end);
    EXPECT_EQ(status, StepStatus::Stepped);
    if (status != StepStatus::Stepped) return ran;
    const DenseOutput& d = s->dense_output();
    EXPECT_LE(d.degree(), order);
    if (s->t() < (p.t_start + p.t_end) / 2) continue;
    ++ran.steps;
    if (d.degree() == order) ++ran.held;
    judge(d, p, ran);
  }
  return ran;
}

// Runs over tolerances for which steps get up to sixteen times as short; those that hold the order.
std::vector<Ran> runs_of(const Method& method, const KnownProblem& p, int order) {
  constexpr int kRuns = 30;
  const double loose = std::log(1e-4);
  const double tight = std::max(std::log(1e-13), loose - (order + 1) * std::log(16.0));
  std::vector<Ran> runs;
  for (int k = 0; k < kRuns; ++k) {
    const Ran ran = run_once(method, p, order, std::exp(loose + (tight - loose) * k / (kRuns - 1)));
    if (ran.held >= 0.95 * ran.steps) runs.push_back(ran);
  }
  return runs;
}

// q in error ~ C steps^-q, by least squares. How long steps are depends on chance, and so does the
// error; over many runs that evens out.
double fitted_order(const std::vector<Ran>& runs, double Ran::*error) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const Ran& ran : runs) {
    const double a = std::log(ran.steps), b = -std::log(ran.*error);
    n += 1, x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

// Of order q at the steps; and so is the polynomial between them, which has degree q and goes
// through q values of the past, and its slope, which errs by O(h^q).
void expect_orders(const char* name, const char* what, int first, int last) {
  constexpr double kMargin = 0.5;
  for (int q = first; q <= last; ++q) {
    const std::vector<Ran> runs = runs_of(method(name), problem(what), q);
    ASSERT_GE(runs.size(), 6u) << what << ", order " << q;
    EXPECT_NEAR(fitted_order(runs, &Ran::at_steps), q, kMargin) << what << ", order " << q;
    EXPECT_NEAR(fitted_order(runs, &Ran::inside), q, kMargin) << what << ", order " << q;
    EXPECT_NEAR(fitted_order(runs, &Ran::slope), q, kMargin) << what << ", order " << q;
    for (const Ran& ran : runs) EXPECT_LT(ran.inside, 2 * ran.at_steps) << what << ", order " << q;
  }
}

TEST(MultistepOrder, Bdf) {
  for (const char* what : {"breathing", "circle", "lags"}) expect_orders("bdf", what, 1, 5);
}

TEST(MultistepOrder, CvodeBdf) {
  for (const char* what : {"breathing", "circle", "lags"}) expect_orders("cvode_bdf", what, 1, 5);
}

TEST(MultistepOrder, Ida) {
  for (const char* what : {"lags", "rigid_body"}) expect_orders("ida", what, 1, 5);
}

// Beyond order 8 nothing but round-off is left before the method has risen to it.
TEST(MultistepOrder, CvodeAdams) {
  expect_orders("cvode_adams", "circle", 1, 6);
  expect_orders("cvode_adams", "breathing", 6, 8);
}

}  // namespace
}  // namespace chi::testing
