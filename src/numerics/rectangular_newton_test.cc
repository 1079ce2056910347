#include "numerics/rectangular_newton.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "numerics/dual_testing.h"

namespace chi::numerics {
namespace {

using testing::TestProblem;
using Vector = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Problem>
SolveResult solve(const Problem& p, Vector& x, RectangularOptions options = {}) {
  return RectangularNewton(p.pattern(), options).solve(p.problem, x);
}

// P4, example 4: a derivative that occurs nowhere stays as it is.
TEST(RectangularNewton, LeavesUnknownsThatOccurNowhere) {
  TestProblem p(1, 2, [](const auto& x, auto& f) { f[0] = 2.0 * x[0] - 6.0; });
  Vector x = {0, 7};
  const SolveResult result = solve(p, x);
  ASSERT_TRUE(result.converged());
  EXPECT_EQ(result.iterations, 1);
  EXPECT_EQ(result.rank_deficiency, 1);
  EXPECT_NEAR(x[0], 3, 1e-15);
  EXPECT_EQ(x[1], 7);
}

// P4, example 5: 4 equations for 2 accelerations, two of them satisfied by the states already.
TEST(RectangularNewton, SolvesSurplusButConsistentEquations) {
  const double m1 = 1, m2 = 1, x1 = 0.5, x2 = 2, v1 = 0.3, v2 = -v1 * x2 / x1;
  TestProblem p(4, 2, [=](const auto& a, auto& f) {
    f[0] = m1 * a[0] + m2 * a[1];
    f[1] = 0.0 * a[0] + (x1 * x2 - 1.0);
    f[2] = 0.0 * a[0] + (v1 * x2 + x1 * v2);
    f[3] = a[0] * x2 + 2.0 * v1 * v2 + x1 * a[1];
  });
  Vector a = {0, 0};
  const SolveResult result = solve(p, a);
  ASSERT_TRUE(result.converged());
  const double expected = -2 * v1 * v2 / (x2 - x1 * m1 / m2);
  EXPECT_NEAR(a[0], expected, 1e-15);
  EXPECT_NEAR(a[1], -expected * m1 / m2, 1e-15);
}

TEST(RectangularNewton, NamesTheEquationOfAContradiction) {
  const double x1 = 0.5, x2 = 2.1;  // not on the constraint x1 x2 = 1
  TestProblem p(3, 2, [=](const auto& a, auto& f) {
    f[0] = a[0] + a[1];
    f[1] = 0.0 * a[0] + (x1 * x2 - 1.0);
    f[2] = a[0] * x2 + x1 * a[1] - 1.0;
  });
  Vector a = {0, 0};
  const SolveResult result = solve(p, a);
  EXPECT_EQ(result.status, SolveStatus::Inconsistent);
  EXPECT_EQ(result.worst_equation, 1);
  EXPECT_NEAR(result.worst_residual, 0.05, 1e-12);
}

TEST(RectangularNewton, TakesTheShortestWayToACircle) {
  TestProblem p(1, 2, [](const auto& x, auto& f) { f[0] = x[0] * x[0] + x[1] * x[1] - 25.0; });
  Vector x = {6, 8};
  const SolveResult result = solve(p, x);
  ASSERT_TRUE(result.converged());
  EXPECT_NEAR(x[0], 3, 1e-15);
  EXPECT_NEAR(x[1], 4, 1e-15);
}

TEST(RectangularNewton, LeavesThePointWhereNoDirectionIsSeen) {
  TestProblem p(1, 2, [](const auto& x, auto& f) { f[0] = x[0] * x[0] + x[1] * x[1] - 1.0; });
  Vector x = {0, 0};
  ASSERT_TRUE(solve(p, x).converged());
  EXPECT_NEAR(std::hypot(x[0], x[1]), 1, 1e-15);
  EXPECT_GT(x[0], 0);
}

// P4 §6, figure 5: the step is bent along the border, and the other unknown makes up for it.
TEST(RectangularNewton, BendsTheStepAlongTheBorder) {
  TestProblem p(1, 2, [](const auto& x, auto& f) { f[0] = x[0] + x[1] - 10.0; });
  const Vector upper = {2, kInfinity}, lower = {0, -kInfinity};
  p.problem.upper = upper;
  p.problem.lower = lower;
  Vector x = {1, 1};
  const SolveResult result = solve(p, x);
  ASSERT_TRUE(result.converged());
  EXPECT_EQ(result.iterations, 1);
  EXPECT_EQ(x[0], 2);
  EXPECT_NEAR(x[1], 8, 1e-15);
}

TEST(RectangularNewton, BendsAlongSeveralBorders) {
  TestProblem p(1, 4, [](const auto& x, auto& f) {
    f[0] = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] - 100.0;
  });
  const Vector upper = {1.5, 2.5, 3.5, kInfinity}, lower(4, 0.5);
  p.problem.upper = upper;
  p.problem.lower = lower;
  Vector x = {1, 1, 1, 1};
  ASSERT_TRUE(solve(p, x).converged());
  double sum = 0;
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_GE(x[j], lower[j]);
    EXPECT_LE(x[j], upper[j]);
    sum += x[j] * x[j];
  }
  EXPECT_NEAR(sum, 100, 1e-13);
}

TEST(RectangularNewton, SolvesDependentSquareSystems) {
  TestProblem p(3, 3, [](const auto& x, auto& f) {  // the last is the sum of the first two
    f[0] = x[0] * x[1] - 2.0;
    f[1] = x[1] + x[2] - 3.0;
    f[2] = x[0] * x[1] + x[1] + x[2] - 5.0;
  });
  Vector x = {1.5, 1.5, 1};
  const SolveResult result = solve(p, x);
  ASSERT_TRUE(result.converged());
  EXPECT_EQ(result.rank_deficiency, 1);
  EXPECT_NEAR(x[0] * x[1], 2, 1e-15);
  EXPECT_NEAR(x[1] + x[2], 3, 1e-15);
}

// Once by the dense solver, once by the sparse one for large systems.
class RectangularBackends : public ::testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(DenseAndSparse, RectangularBackends, ::testing::Values(1e6, 0.0));

TEST_P(RectangularBackends, SolveRandomConsistentSystems) {
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + random() % 6, m = 1 + random() % 8;
    Vector a(m * n), s(n);
    for (double& v : a) v = normal(random);
    for (double& v : s) v = normal(random);
    TestProblem p(static_cast<int>(m), static_cast<int>(n), [&](const auto& x, auto& f) {
      for (std::size_t i = 0; i < m; ++i) {
        f[i] = 0.0;
        for (std::size_t j = 0; j < n; ++j) {
          const double c = a[i * n + j];
          f[i] = f[i] + c * (x[j] - s[j]) + 0.1 * c * c * (x[j] * x[j] - s[j] * s[j]);
        }
      }
    });
    Vector x(n);
    for (std::size_t j = 0; j < n; ++j) x[j] = s[j] + 0.3 * normal(random);
    const SolveResult result = solve(p, x, {.largest_dense = GetParam()});
    ASSERT_TRUE(result.converged()) << round << " " << m << "x" << n << " " << name(result.status);
    EXPECT_LT(result.residual_norm, 1e-14) << round;
  }
}

TEST_P(RectangularBackends, TakeTheShortestStep) {
  TestProblem p(3, 3, [](const auto& x, auto& f) {  // a redundant equation and an open unknown
    f[0] = x[0] + x[1] - 2.0;
    f[1] = 2.0 * x[0] + 2.0 * x[1] - 4.0;
    f[2] = 0.0 * x[2];
  });
  Vector x = {0, 1, 5};
  ASSERT_TRUE(solve(p, x, {.largest_dense = GetParam()}).converged());
  EXPECT_NEAR(x[0], 0.5, 1e-9);
  EXPECT_NEAR(x[1], 1.5, 1e-9);
  EXPECT_NEAR(x[2], 5, 1e-9);
}

TEST(RectangularNewton, LargeSparseSystemsWithARedundantEquation) {
  // A ring of n pipes: x_(i+1) - x_i = d_i; the last follows from the others.
  static constexpr int n = 5000;
  PatternBuilder builder(n, n);
  for (int i = 0; i < n; ++i) {
    builder.add(i, i);
    builder.add(i, (i + 1) % n);
  }
  const SparsePattern pattern = builder.build();
  const auto rise = [](int i) { return i + 1 < n ? 1.0 : 1.0 - n; };
  const auto residual = [&](std::span<const double> x, std::span<double> f) {
    for (int i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      f[k] = x[static_cast<std::size_t>((i + 1) % n)] - x[k] - rise(i);
    }
    return EvalStatus::Ok;
  };
  const auto jacobian = [&](std::span<const double>, std::span<double> values) {
    for (int j = 0; j < n; ++j) {
      for (int k = pattern.column_starts[static_cast<std::size_t>(j)];
           k < pattern.column_starts[static_cast<std::size_t>(j) + 1]; ++k) {
        values[static_cast<std::size_t>(k)] =
            pattern.row_indices[static_cast<std::size_t>(k)] == j ? -1.0 : 1.0;
      }
    }
    return EvalStatus::Ok;
  };
  const NonlinearProblem problem = {
      .pattern = &pattern, .residual = residual, .jacobian = jacobian};
  Vector x(static_cast<std::size_t>(n), 0.0);
  const SolveResult result = RectangularNewton(pattern).solve(problem, x);
  ASSERT_TRUE(result.converged()) << name(result.status) << " " << result.residual_norm;
  EXPECT_NEAR(x.back() - x.front(), n - 1.0, 1e-6);
}

}  // namespace
}  // namespace chi::numerics
