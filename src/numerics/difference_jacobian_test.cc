#include "numerics/difference_jacobian.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "numerics/callable_problem.h"

namespace chi::numerics {
namespace {

SparsePattern tridiagonal(int n) {
  PatternBuilder builder(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) builder.add(i, j);
  }
  return builder.build();
}

// Columns three apart share no row: a tridiagonal Jacobian takes three evaluations, of any size.
TEST(DifferenceJacobian, GroupsIndependentColumns) {
  EXPECT_EQ(DifferenceJacobian(tridiagonal(100), std::vector<double>(100, 1e-3)).groups(), 3);
  EXPECT_EQ(DifferenceJacobian(full_pattern(7, 7), std::vector<double>(7, 1e-3)).groups(), 7);
  EXPECT_EQ(DifferenceJacobian(SparsePattern{}, {}).groups(), 0);
}

TEST(DifferenceJacobian, ApproximatesTheDerivatives) {
  const int n = 9;
  CallableOde ode(n, [](double, auto y, auto f) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      f[i] = y[i] * y[i];
      if (i > 0) f[i] += std::sin(y[i - 1]);
      if (i + 1 < y.size()) f[i] -= 3 * y[i + 1];
    }
  });
  const SparsePattern p = tridiagonal(n);
  DifferenceJacobian differences(p, std::vector<double>(n, 1e-3));
  std::vector<double> y(n), f(n), values(static_cast<std::size_t>(p.nonzeros()));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<double>(i) - 4;  // one of them zero
  ode.rhs(0, y, f);
  ASSERT_EQ(differences.evaluate(ode, 0, y, f, values), EvalStatus::Ok);
  EXPECT_EQ(differences.evaluations(), 3);
  for (int i = 0; i < n; ++i) {
    const auto r = static_cast<std::size_t>(i);
    const auto at = [&](int j) { return values[static_cast<std::size_t>(find_entry(p, i, j))]; };
    EXPECT_NEAR(at(i), 2 * y[r], 1e-4);
    if (i > 0) {
      EXPECT_NEAR(at(i - 1), std::cos(y[r - 1]), 1e-4);
    }
    if (i + 1 < n) {
      EXPECT_NEAR(at(i + 1), -3, 1e-4);
    }
  }
}

// F = y'³ + t y² with y' of size 1e6: the increment of y' must be felt beside it.
TEST(DifferenceJacobian, CombinesBothDerivativesOfADae) {
  CallableDae dae({1}, [](double t, auto y, auto yp, auto r) {
    r[0] = yp[0] * yp[0] * yp[0] + t * y[0] * y[0];
  });
  DifferenceJacobian differences(full_pattern(1, 1), {1e-3});
  const std::vector<double> y{0.5}, yp{1e6};
  std::vector<double> value(1);
  ASSERT_EQ(differences.evaluate(dae, 2, y, yp, 0, 1, value), EvalStatus::Ok);
  EXPECT_NEAR(value[0] / 3e12, 1, 1e-5);
  const std::vector<double> slow{1.0};
  ASSERT_EQ(differences.evaluate(dae, 2, y, slow, 1, 10, value), EvalStatus::Ok);
  EXPECT_NEAR(value[0], 2 + 30, 1e-5);
}

// sqrt(y) at y = 0 while y is falling: only the way up has values.
TEST(DifferenceJacobian, TurnsRoundAtTheEdgeOfTheDomain) {
  CallableOde edge(1, [](double, auto y, auto f) {
    if (y[0] < 0) return EvalStatus::Domain;
    f[0] = y[0] * std::sqrt(y[0]) - 1;
    return EvalStatus::Ok;
  });
  DifferenceJacobian differences(full_pattern(1, 1), {1e-3});
  const std::vector<double> y{0.0}, f{-1.0};
  std::vector<double> value(1);
  EXPECT_EQ(differences.evaluate(edge, 0, y, f, value), EvalStatus::Ok);
  EXPECT_NEAR(value[0], 0, 1e-4);
  EXPECT_EQ(differences.evaluations(), 2);

  CallableOde nowhere(1, [](double, auto, auto) { return EvalStatus::Domain; });
  EXPECT_EQ(differences.evaluate(nowhere, 0, y, f, value), EvalStatus::Domain);
}

}  // namespace
}  // namespace chi::numerics
