#include "sim/part/surface.h"

#include <gtest/gtest.h>

#include "expr/build.h"

namespace chi::sim {
namespace {

using expr::ExprId;

class SurfaceTest : public ::testing::Test {
 protected:
  expr::Pool pool;
  ExprId x = expr::variable(pool, expr::VarId{0});
  ExprId y = expr::variable(pool, expr::VarId{1});
  ExprId number(double value) { return expr::constant(pool, value); }
  ExprId less(ExprId a, ExprId b) { return expr::sub(pool, a, b); }
  ExprId times(double a, ExprId b) { return expr::mul(pool, number(a), b); }
  Surface surface(ExprId e) { return surface_of(pool, e).value(); }
};

TEST_F(SurfaceTest, MultiplesAreTheSame) {
  const Surface one = surface(less(x, number(0.3)));
  for (const double factor : {2.0, 3.0, 0.1, -1.0, -7.0, 1e10}) {
    const Surface other = surface(less(times(factor, x), number(factor * 0.3)));
    EXPECT_TRUE(one.same_as(other)) << factor;
    EXPECT_EQ(other.sign, factor > 0 ? 1 : -1);
  }
  EXPECT_TRUE(one.same_as(surface(less(number(0.3), x))));
}

TEST_F(SurfaceTest, TermsAreGathered) {
  const Surface one = surface(less(x, y));
  EXPECT_TRUE(one.same_as(surface(less(times(2, x), expr::add(pool, x, y)))));
  EXPECT_TRUE(one.same_as(surface(expr::div(pool, less(y, x), number(4)))));
}

TEST_F(SurfaceTest, OthersAreOthers) {
  const Surface one = surface(less(x, number(0.3)));
  EXPECT_FALSE(one.same_as(surface(less(x, number(0.3 + 1e-12)))));
  EXPECT_FALSE(one.same_as(surface(less(y, number(0.3)))));
  EXPECT_FALSE(one.same_as(surface(less(x, y))));
  EXPECT_FALSE(surface(less(x, times(2, y))).same_as(surface(less(x, times(3, y)))));
}

TEST_F(SurfaceTest, AProductIsATerm) {
  const ExprId product = expr::mul(pool, x, y);
  EXPECT_TRUE(
      surface(less(product, number(1))).same_as(surface(less(times(3, product), number(3)))));
  EXPECT_FALSE(surface(less(product, number(1))).same_as(surface(less(x, number(1)))));
}

TEST_F(SurfaceTest, NothingIsSaidOfConstantsAndLongSums) {
  EXPECT_FALSE(surface_of(pool, number(3)).has_value());
  ExprId sum = x;
  for (int i = 0; i < 100; ++i) {
    sum = expr::add(pool, sum, expr::variable(pool, expr::VarId{i + 2}));
  }
  EXPECT_FALSE(surface_of(pool, sum).has_value());
}

}  // namespace
}  // namespace chi::sim
