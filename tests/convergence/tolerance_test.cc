#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "known_problems.h"
#include "methods.h"

namespace chi::testing {
namespace {

using numerics::IntegratorOptions;
using numerics::StepStatus;

const std::vector<double> kTolerances{1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};

// The largest |y_i(t)| of the solution: an oscillation is not expected to be accurate relative to
// its zeros.
std::vector<double> sizes(const KnownProblem& p) {
  std::vector<double> largest(static_cast<std::size_t>(p.size));
  for (int k = 0; k <= 200; ++k) {
    const std::vector<double> y = p.at(p.t_start + (p.t_end - p.t_start) * k / 200);
    for (std::size_t i = 0; i < y.size(); ++i) largest[i] = std::max(largest[i], std::abs(y[i]));
  }
  return largest;
}

// The largest error, in units of the tolerance, at the steps and between them.
double worst_error(const Method& method, const KnownProblem& p, double tolerance) {
  KnownOde ode(p);
  const double absolute = 1e-3 * tolerance;
  Made s = method.make(ode, {.tolerances = {.relative = tolerance, .absolute = absolute}});
  restart(s, ode, p.t_start, p.at(p.t_start));
  const std::vector<double> scale = sizes(p);
  std::vector<double> y(static_cast<std::size_t>(p.size));
  double worst = 0;
  while (s->t() < p.t_end) {
    EXPECT_EQ(s->step(p.t_end), StepStatus::Stepped) << method.name << ' ' << p.name;
    for (const double part : {0.25, 0.5, 0.75, 1.0}) {
      const double t = s->t_old() + part * (s->t() - s->t_old());
      s->interpolate(t, y);
      const std::vector<double> exact = p.at(t);
      for (std::size_t i = 0; i < y.size(); ++i) {
        worst = std::max(worst, std::abs(y[i] - exact[i]) / (tolerance * scale[i] + absolute));
      }
    }
  }
  return worst;
}

class Tolerance : public ::testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, Tolerance, ::testing::ValuesIn(methods()),
                         [](const auto& method) { return method.param.name; });

// "Solutions meet their tolerance": a factor ten over six decades, on thirteen problems. A Kepler
// orbit magnifies early errors, and those of multistep methods most: there they get a hundred, and
// half of that again for chance.
TEST_P(Tolerance, ErrorsStayWithinTenTimesTheToleranceAndFallWithIt) {
  const Method& method = GetParam();
  const bool multistep = !method.one_step;
  for (const KnownProblem& p : known_problems()) {
    if (p.stiff && !method.stiff) continue;
    const double allowed = multistep && p.name == "kepler" ? 150 : 10;
    std::vector<double> errors;
    for (const double tolerance : kTolerances) {
      const double worst = worst_error(method, p, tolerance);
      EXPECT_LT(worst, allowed) << p.name << " at " << tolerance;
      errors.push_back(worst * tolerance);
    }
    for (std::size_t k = 0; k + 2 < errors.size(); ++k) {  // two decades at a time
      EXPECT_LT(errors[k + 2], errors[k] / 4) << p.name << " below " << kTolerances[k];
    }
    EXPECT_LT(errors.back(), errors.front() * 1e-4) << p.name;
  }
}

}  // namespace
}  // namespace chi::testing
