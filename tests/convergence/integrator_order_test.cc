#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "known_problems.h"
#include "methods.h"
#include "order.h"

namespace chi::testing {
namespace {

using numerics::DenseOutput;
using numerics::IntegratorOptions;
using numerics::StepStatus;

// Errors with fixed steps: at the end, and the largest inside any step.
struct Errors {
  std::vector<double> end, inside, slope;
};

Errors fixed_step_errors(const Method& method, const KnownProblem& p, std::vector<int> counts) {
  Errors errors;
  for (const int steps : counts) {
    KnownOde ode(p);
    IntegratorOptions options{.tolerances = {.relative = 1e-11, .absolute = 1e-12},
                              .fixed_step = (p.t_end - p.t_start) / steps};
    Made s = method.make(ode, options);
    restart(s, ode, p.t_start, p.at(p.t_start));
    double inside = 0, slope = 0;
    std::vector<double> f(static_cast<std::size_t>(p.size));
    while (s->t() < p.t_end) {
      const StepStatus status = s->step(p.t_end);
      EXPECT_EQ(status, StepStatus::Stepped);
      if (status != StepStatus::Stepped) return errors;
      const DenseOutput& d = s->dense_output();
      for (int k = 1; k < 8; ++k) {
        const double t = d.t_old() + k / 8.0 * (d.t_new() - d.t_old());
        const std::vector<double> y = p.at(t);
        p.f(t, y, f);
        for (int i = 0; i < p.size; ++i) {
          const auto c = static_cast<std::size_t>(i);
          inside = std::max(inside, std::abs(d.value(t, i) - y[c]));
          slope = std::max(slope, std::abs(d.derivative(t, i) - f[c]));
        }
      }
    }
    const std::vector<double> y = p.at(p.t_end);
    double end = 0;
    for (std::size_t i = 0; i < y.size(); ++i) end = std::max(end, std::abs(s->y()[i] - y[i]));
    errors.end.push_back(end);
    errors.inside.push_back(inside);
    errors.slope.push_back(slope);
  }
  return errors;
}

// y' = y cos t is non-autonomous and the rigid body is nonlinear and coupled, on purpose: a wrong
// stage time or weight then lowers the order, which y' = λy would not show.
//
// An interpolant of order q errs by O(h^(q+1)) inside a step. So the explicit ones, of order 4,
// keep up with their method of order 5; Radau's, of order 3, does not, and its slopes lose one
// more.
TEST(IntegratorOrder, ExplicitRungeKuttaIsFifthOrderAtTheStepsAndInside) {
  for (const char* name : {"dopri5", "rkf45"}) {
    for (const char* what : {"breathing", "rigid_body"}) {
      const Errors e = fixed_step_errors(method(name), problem(what), {80, 160, 320});
      EXPECT_NEAR(observed_order(e.end), 5, 0.25) << name << ' ' << what;
      EXPECT_NEAR(observed_order(e.inside), 5, 0.25) << name << ' ' << what;
      EXPECT_NEAR(observed_order(e.slope), 4, 0.25) << name << ' ' << what;
    }
  }
}

TEST(IntegratorOrder, RadauIsFifthOrderAtTheStepsAndFourthInside) {
  for (const char* name : {"radau", "radau_dae"}) {
    for (const char* what : {"breathing", "rigid_body"}) {
      const Errors e = fixed_step_errors(method(name), problem(what), {80, 160, 320});
      EXPECT_NEAR(observed_order(e.end), 5, 0.3) << name << ' ' << what;
      EXPECT_NEAR(observed_order(e.inside), 4, 0.2) << name << ' ' << what;
      EXPECT_NEAR(observed_order(e.slope), 3, 0.2) << name << ' ' << what;
    }
  }
}

// In the stiff limit Radau's values at the steps lie on the slow manifold, so that only the order 4
// of the interpolation is seen, and no order is lost between.
TEST(IntegratorOrder, RadauKeepsItsOrderInsideStiffSteps) {
  const Errors e =
      fixed_step_errors(method("radau"), problem("prothero_robinson"), {20, 40, 80, 160});
  EXPECT_NEAR(observed_order(e.inside), 4, 0.2);
}

}  // namespace
}  // namespace chi::testing
