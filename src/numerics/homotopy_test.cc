#include "numerics/homotopy.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "numerics/dual_testing.h"

namespace chi::numerics {
namespace {

using testing::TestProblem;
using Vector = std::vector<double>;

// Two humps lie between the guess and the only root; Newton's method stops at the first.
TEST(Homotopy, FollowsThePathThroughTurningPoints) {
  TestProblem p(1, 1, [](const auto& x, auto& f) { f[0] = x[0] - 6.0 + 3.0 * sin(2.0 * x[0]); });
  for (const double guess : {0.0, -4.0, 15.0}) {
    Vector x = {guess};
    const SolveResult result = follow_homotopy(p.problem, x);
    ASSERT_TRUE(result.converged()) << guess;
    EXPECT_NEAR(x[0] - 6.0 + 3.0 * std::sin(2 * x[0]), 0.0, 1e-14);
  }
}

TEST(Homotopy, FreudensteinAndRoth) {
  TestProblem p(2, 2, [](const auto& x, auto& f) {
    f[0] = -13.0 + x[0] + ((5.0 - x[1]) * x[1] - 2.0) * x[1];
    f[1] = -29.0 + x[0] + ((x[1] + 1.0) * x[1] - 14.0) * x[1];
  });
  Vector x = {0.5, -2};
  ASSERT_TRUE(follow_homotopy(p.problem, x).converged());
  EXPECT_NEAR(x[0], 5, 1e-12);
  EXPECT_NEAR(x[1], 4, 1e-12);
}

TEST(Homotopy, FixedPointLeavesASingularGuess) {
  TestProblem p(2, 2, [](const auto& x, auto& f) {
    f[0] = x[0] * x[0] * x[0] + x[1] * x[0] * x[0] - 8.0;
    f[1] = x[1] - 1.0;
  });
  Vector x = {0, 0};
  const SolveResult result = follow_homotopy(p.problem, x, {.kind = HomotopyKind::FixedPoint});
  ASSERT_TRUE(result.converged()) << name(result.status);
  EXPECT_NEAR(x[0] * x[0] * (x[0] + 1), 8, 1e-13);
}

TEST(Homotopy, LeavesTheGuessAloneWhenItFails) {
  TestProblem p(1, 1, [](const auto& x, auto& f) { f[0] = x[0] * x[0] + 1.0; });
  Vector x = {2};
  const SolveResult result = follow_homotopy(p.problem, x);
  EXPECT_FALSE(result.converged());
  EXPECT_EQ(x[0], 2);
}

TEST(Homotopy, StaysInTheDomain) {
  TestProblem p(1, 1,
                [](const auto& x, auto& f) { f[0] = log(x[0]) * log(x[0]) * log(x[0]) - 8.0; });
  Vector x = {1e-3};
  ASSERT_TRUE(follow_homotopy(p.problem, x).converged());
  EXPECT_NEAR(x[0], std::exp(2.0), 1e-13);
}

}  // namespace
}  // namespace chi::numerics
