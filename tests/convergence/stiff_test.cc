#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "methods.h"
#include "stiff_problems.h"

namespace chi::testing {
namespace {

double relative_error(const Method& method, const StiffProblem& p, double tolerance) {
  StiffOde ode(p);
  Made s = method.make(
      ode, {.tolerances = {.relative = tolerance, .absolute = p.small * tolerance / 1e-6}});
  restart(s, ode, 0, p.start);
  EXPECT_TRUE(run(s, p.t_end)) << method.name << ' ' << p.name << " stopped at " << s->t();
  double worst = 0;
  for (std::size_t i = 0; i < p.reference.size(); ++i) {
    worst = std::max(worst, std::abs(s->y()[i] - p.reference[i]) / std::abs(p.reference[i]));
  }
  return worst;
}

// Four problems of the test set, all implicit methods, against its published digits. The relaxation
// oscillations turn each error into one of phase, so the bound is wider than in tolerance_test.cc.
TEST(Stiff, MeetsTheReferenceSolutions) {
  for (const Method& method : methods()) {
    if (!method.stiff) continue;
    for (const StiffProblem& p : stiff_problems()) {
      for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
        EXPECT_LT(relative_error(method, p, tolerance), 30 * tolerance)
            << method.name << ' ' << p.name << ' ' << tolerance;
      }
    }
  }
}

// Radau and the published solutions were computed independently: all digits but the last agree.
TEST(Stiff, RadauReproducesTheReferenceToTheLastDigits) {
  for (const Method& method : methods()) {
    if (method.name != "radau") continue;
    for (const StiffProblem& p : stiff_problems()) {
      EXPECT_LT(relative_error(method, p, 1e-12), 1e-12) << p.name;
    }
  }
}

// Robertson's first component falls like t^(-1); a negative one would grow without bound.
TEST(Stiff, RobertsonConservesMassToTheEnd) {
  const StiffProblem& p = stiff_problems()[0];
  for (const Method& method : methods()) {
    if (!method.stiff) continue;
    StiffOde ode(p);
    Made s = method.make(ode, {.tolerances = {.relative = 1e-6, .absolute = p.small}});
    restart(s, ode, 0, p.start);
    while (s->t() < p.t_end) {
      ASSERT_EQ(s->step(p.t_end), numerics::StepStatus::Stepped) << method.name;
      ASSERT_NEAR(s->y()[0] + s->y()[1] + s->y()[2], 1, 1e-9) << method.name;
    }
  }
}

}  // namespace
}  // namespace chi::testing
