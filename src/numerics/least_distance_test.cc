#include "numerics/least_distance.h"

#include <cmath>

#include <gtest/gtest.h>

namespace chi::numerics {
namespace {

TEST(LeastDistance, FindsTheShortestPointOrAFarkasProof) {
  // y0 + y1 >= 2: the shortest point is (1, 1).
  const LeastDistance one = least_distance(1, 2, std::vector{1.0, 1.0}, std::vector{2.0});
  ASSERT_TRUE(one.is_feasible);
  EXPECT_NEAR(one.y[0], 1, 1e-12);
  EXPECT_NEAR(one.y[1], 1, 1e-12);
  // y >= 1 and -y >= 0 exclude each other, with equal multipliers.
  const LeastDistance none = least_distance(2, 1, std::vector{1.0, -1.0}, std::vector{1.0, 0.0});
  ASSERT_FALSE(none.is_feasible);
  EXPECT_NEAR(none.multipliers[0], none.multipliers[1], 1e-12);
  EXPECT_NEAR(none.multipliers[0], 1, 1e-9);
}

// Lawson and Hanson, problem NNLS: a column with a negative least-squares value is left out.
TEST(LeastSquaresNonNegative, LeavesOutColumnsThatWouldBeNegative) {
  const std::vector<double> e = {1, 0, 1, 1};  // columns (1, 0) and (1, 1)
  const NonNegative x = least_squares_non_negative(2, 2, e, std::vector{1.0, -1.0});
  EXPECT_NEAR(x.x[0], 1, 1e-12);
  EXPECT_EQ(x.x[1], 0);
  EXPECT_NEAR(x.residual[1], 1, 1e-12);
}

}  // namespace
}  // namespace chi::numerics
