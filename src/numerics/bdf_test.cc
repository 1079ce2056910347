#include "numerics/bdf.h"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "numerics/callable_problem.h"
#include "numerics/cvode_integrator.h"
#include "numerics/nordsieck.h"

namespace chi::numerics {
namespace {

// y = t^p, from steps of changing size: at order p the prediction needs no correction.
TEST(Nordsieck, FollowsAPolynomialOfItsOrder) {
  const auto power = [](double t, int p) { return std::pow(t, p); };
  for (int p = 1; p <= BdfCoefficients::kMaxOrder; ++p) {
    Nordsieck history(1);
    std::array<double, BdfCoefficients::kMaxOrder + 2> tau{};
    double t = 1, h = 0.1;
    history.start(std::array{power(t, p)}, std::array{p * power(t, p - 1)}, h);
    std::vector<double> y(1), slope(1), correction(1);
    for (int k = 0; k < 40; ++k) {
      h = 0.1 + 0.02 * (k % 4);
      const BdfCoefficients c(history.order(), h, tau);
      history.predict(h, c.l[1], y, slope);
      correction[0] = power(t + h, p) - y[0];
      if (k > 35) {
        EXPECT_NEAR(correction[0], 0, 1e-9 * y[0]) << p;
      }
      history.advance(h, c, correction);
      t += h;
      EXPECT_NEAR(history.row(0)[0], power(t, p), 1e-12 * power(t, p));
      for (std::size_t i = tau.size() - 1; i > 1; --i) tau[i] = tau[i - 1];
      tau[1] = h;
      if (k % 6 == 5 && history.order() < p) history.raise_order(tau, correction);
    }
    EXPECT_EQ(history.order(), p);
    EXPECT_NEAR(history.row(1)[0] / h, p * power(t, p - 1), 1e-6 * p * power(t, p - 1));
    // One order less it still goes through the same point.
    if (p == 1) continue;
    history.lower_order(tau);
    EXPECT_NEAR(history.row(0)[0], power(t, p), 1e-12 * power(t, p));
  }
}

int steps(Integrator& s, double end) {
  while (s.t() < end) {
    if (s.step(end) != StepStatus::Stepped) return -1;
  }
  return static_cast<int>(s.stats().steps);
}

// The formulas and the control are those of CVODE: so are the steps, but for a few.
TEST(Bdf, TakesTheStepsOfCvode) {
  const int n = 200;
  const auto rod = [&](double, std::span<const double> y, std::span<double> d) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double left = i > 0 ? y[i - 1] : 1, right = i + 1 < y.size() ? y[i + 1] : 0;
      d[i] = n * n * (left - 2 * y[i] + right);
    }
    return EvalStatus::Ok;
  };
  CallableOde problem(n, rod);
  const std::vector<double> start(static_cast<std::size_t>(n), 0.0);
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    const IntegratorOptions options{.tolerances = {.relative = tolerance, .absolute = tolerance}};
    auto ours = make_bdf(problem, options);
    auto theirs = make_cvode_integrator(problem, options, MultistepMethod::Bdf);
    ours->restart(0, start, {}, Restart::Cold);
    theirs->restart(0, start, {}, Restart::Cold);
    const int a = steps(*ours, 0.5), b = steps(*theirs, 0.5);
    EXPECT_NEAR(a, b, 0.1 * b) << tolerance;
    for (std::size_t i = 0; i < start.size(); ++i) {
      EXPECT_NEAR(ours->y()[i], theirs->y()[i], 5 * tolerance);
    }
  }
}

}  // namespace
}  // namespace chi::numerics
