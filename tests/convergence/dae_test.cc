#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "known_problems.h"
#include "numerics/ida_integrator.h"
#include "numerics/radau.h"
#include "order.h"

namespace chi::testing {
namespace {

using numerics::DaeProblem;
using numerics::Integrator;
using numerics::IntegratorOptions;
using numerics::Restart;
using numerics::StepStatus;

std::unique_ptr<Integrator> make(const std::string& name, DaeProblem& p,
                                 const IntegratorOptions& o) {
  return name == "ida" ? numerics::make_ida_integrator(p, o) : numerics::make_radau(p, o);
}

// The largest error of any component that counts, at the steps and between.
double worst_error(const std::string& name, const KnownDae& dae, const IntegratorOptions& o) {
  KnownDaeProblem problem(dae);
  const std::unique_ptr<Integrator> s = make(name, problem, o);
  std::vector<double> y(dae.differential.size()), yp(y), exact(y), slope(y);
  dae.exact(0, y, yp);
  s->restart(0, y, yp, Restart::Cold);
  double worst = 0;
  while (s->t() < dae.t_end) {
    EXPECT_EQ(s->step(dae.t_end), StepStatus::Stepped) << name << ' ' << dae.name;
    for (const double part : {0.3, 0.7, 1.0}) {
      const double t = s->t_old() + part * (s->t() - s->t_old());
      s->interpolate(t, y);
      dae.exact(t, exact, slope);
      for (std::size_t i = 0; i < y.size(); ++i) {
        if (o.suppress_algebraic && !dae.differential[i]) continue;
        worst = std::max(worst, std::abs(y[i] - exact[i]) / std::max(1.0, std::abs(exact[i])));
      }
    }
  }
  return worst;
}

TEST(Dae, IndexOneProblemsMeetTheirTolerance) {
  for (const char* name : {"ida", "radau"}) {
    for (const KnownDae& dae : known_daes()) {
      for (const bool suppress : {false, true}) {
        for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
          const IntegratorOptions o{
              .tolerances = {.relative = tolerance, .absolute = tolerance * 1e-3},
              .suppress_algebraic = suppress};
          EXPECT_LT(worst_error(name, dae, o), 10 * tolerance)
              << name << ' ' << dae.name << ' ' << tolerance << (suppress ? " suppressed" : "");
        }
      }
    }
  }
}

// The fully implicit form of Radau keeps order 5, also for y'³ and a mass that depends on the
// state.
TEST(Dae, RadauIsFifthOrderOnImplicitProblems) {
  for (const KnownDae& dae : known_daes()) {
    if (dae.name == "stiff_sum") continue;  // its stiff part shows another order
    std::vector<double> errors;
    for (const int steps : {40, 80, 160}) {
      KnownDaeProblem problem(dae);
      const std::unique_ptr<Integrator> s = numerics::make_radau(
          problem,
          {.tolerances = {.relative = 1e-11, .absolute = 1e-12}, .fixed_step = dae.t_end / steps});
      std::vector<double> y(dae.differential.size()), yp(y);
      dae.exact(0, y, yp);
      s->restart(0, y, yp, Restart::Cold);
      while (s->t() < dae.t_end) {
        ASSERT_EQ(s->step(dae.t_end), StepStatus::Stepped) << dae.name << ' ' << steps;
      }
      dae.exact(dae.t_end, y, yp);
      double error = 0;
      for (std::size_t i = 0; i < y.size(); ++i)
        error = std::max(error, std::abs(s->y()[i] - y[i]));
      errors.push_back(error);
    }
    EXPECT_NEAR(observed_order(errors), 5, 0.4) << dae.name;
  }
}

// Algebraic equations hold at every accepted step, to the accuracy of the Newton iteration, and do
// not drift.
TEST(Dae, ConstraintsHoldAtEveryStep) {
  for (const char* name : {"ida", "radau"}) {
    const KnownDae& dae = known_daes()[0];
    KnownDaeProblem problem(dae);
    const std::unique_ptr<Integrator> s = make(name, problem, {});
    std::vector<double> y(2), yp(2);
    dae.exact(0, y, yp);
    s->restart(0, y, yp, Restart::Cold);
    while (s->t() < 10) {
      ASSERT_EQ(s->step(10), StepStatus::Stepped);
      ASSERT_NEAR(s->y()[0] + s->y()[1], std::cos(s->t()), 1e-7) << name;
    }
  }
}

}  // namespace
}  // namespace chi::testing
