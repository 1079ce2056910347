#include "numerics/algebraic_solver.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "numerics/dual_testing.h"

namespace chi::numerics {
namespace {

using testing::TestProblem;
using Vector = std::vector<double>;

template <class Problem>
SolveResult solve(const Problem& p, Vector& x, AlgebraicOptions options = {}) {
  return AlgebraicSolver(p.pattern(), options).solve(p.problem, x);
}

TEST(AlgebraicSolver, FreudensteinAndRoth) {  // plain Newton ends in a valley
  TestProblem p(2, 2, [](const auto& x, auto& f) {
    f[0] = -13.0 + x[0] + ((5.0 - x[1]) * x[1] - 2.0) * x[1];
    f[1] = -29.0 + x[0] + ((x[1] + 1.0) * x[1] - 14.0) * x[1];
  });
  Vector x = {0.5, -2};
  const SolveResult result = solve(p, x);
  ASSERT_TRUE(result.converged()) << name(result.status);
  EXPECT_NEAR(x[0], 5, 1e-12);
  EXPECT_NEAR(x[1], 4, 1e-12);
}

TEST(AlgebraicSolver, SolvesDependentConsistentEquations) {
  TestProblem p(2, 2, [](const auto& x, auto& f) {
    f[0] = x[0] + x[1] - 2.0;
    f[1] = 3.0 * x[0] + 3.0 * x[1] - 6.0;
  });
  Vector x = {0, 0};
  const SolveResult result = solve(p, x);
  ASSERT_TRUE(result.converged());
  EXPECT_EQ(result.rank_deficiency, 1);
  EXPECT_NEAR(x[0], 1, 1e-15);
  EXPECT_NEAR(x[1], 1, 1e-15);
}

TEST(AlgebraicSolver, ReportsContradictionsAsSingular) {
  TestProblem p(2, 2, [](const auto& x, auto& f) {
    f[0] = x[0] + x[1] - 2.0;
    f[1] = 3.0 * x[0] + 3.0 * x[1] - 9.0;
  });
  Vector x = {0, 0};
  const SolveResult result = solve(p, x);
  EXPECT_EQ(result.status, SolveStatus::Singular);
  EXPECT_EQ(result.singular_rows, (std::vector{0, 1}));
}

TEST(AlgebraicSolver, TakesAnyShape) {
  TestProblem p(1, 2, [](const auto& x, auto& f) { f[0] = x[0] - x[1] * x[1]; });
  Vector x = {2, 1};
  const SolveResult result = solve(p, x);
  ASSERT_TRUE(result.converged());
  EXPECT_EQ(result.rank_deficiency, 1);
  EXPECT_NEAR(x[0], x[1] * x[1], 1e-15);
}

TEST(AlgebraicSolver, EmptySystemsAreSolved) {
  TestProblem p(0, 0, [](const auto&, auto&) {});
  Vector x;
  EXPECT_TRUE(solve(p, x).converged());
}

// The exponential diode in series with a resistor and a source, from zero: the classical overflow.
TEST(AlgebraicSolver, DiodeWithResistor) {
  for (const double source : {0.5, 5.0, 50.0, 500.0, -100.0}) {
    TestProblem p(2, 2, [source](const auto& x, auto& f) {  // x: voltage at the diode, current
      f[0] = 1e-12 * (exp(x[0] / 0.025) - 1.0) - x[1];
      f[1] = source - 100.0 * x[1] - x[0];
    });
    const Vector nominal = {1.0, 1e-3};
    p.problem.nominal = nominal;
    Vector x = {0, 0};
    const SolveResult result = solve(p, x);
    ASSERT_TRUE(result.converged()) << source << " " << name(result.status);
    EXPECT_NEAR(100 * x[1] + x[0], source, 1e-12 * std::abs(source));
  }
}

}  // namespace
}  // namespace chi::numerics
