#include "expr/rounding_size.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "expr/build.h"
#include "expr/evaluate.h"

namespace chi::expr {
namespace {

struct RoundingSize : ::testing::Test {
  Pool pool;
  ExprId x = variable(pool, {0}), y = variable(pool, {1});
  double at(ExprId e, double x_value, double y_value) {
    const ExprId size = rounding_sizes(pool, std::array{e})[0];
    Point point;
    point.variable = [&](VarRef v) { return v.var.index == 0 ? x_value : y_value; };
    return evaluate(pool, size, point).value;
  }
};

TEST_F(RoundingSize, WhatCancelsCounts) {
  EXPECT_DOUBLE_EQ(at(sub(pool, x, y), 1.0, 1.0), 2.0);
  EXPECT_DOUBLE_EQ(at(sub(pool, x, y), 1e-10, 3e-10), 2e-10 + 4e-10);
}

TEST_F(RoundingSize, AlsoInsideOfFactorsAndFunctions) {
  const ExprId difference = sub(pool, x, y);
  EXPECT_GE(at(mul(pool, constant(pool, 5), difference), 1.0, 1.0), 10.0);
  EXPECT_GE(at(unary(pool, Op::Sin, difference), 1.0, 1.0), 2.0);
  // e^(x - y) - 1 near 0 is as uncertain as x - y.
  EXPECT_GE(at(sub(pool, unary(pool, Op::Exp, difference), constant(pool, 1)), 7.0, 7.0), 14.0);
}

// The ions of water: 1e-14/x is 100 times x there, and all there is.
TEST_F(RoundingSize, SmallUnknownsHaveSmallEquations) {
  const ExprId row = sub(pool, x, div(pool, constant(pool, 1e-14), x));
  EXPECT_NEAR(at(row, 1e-8, 0), 1e-6, 3e-6);
}

TEST_F(RoundingSize, OfTheAlternativeThatCounts) {
  const ExprId choice = if_else(pool, IfKind::Plain, binary(pool, Op::Less, x, y), x,
                                mul(pool, constant(pool, 100), y));
  EXPECT_DOUBLE_EQ(at(choice, 1.0, 2.0), 2.0);
  EXPECT_GE(at(choice, 2.0, 1.0), 200.0);
}

}  // namespace
}  // namespace chi::expr
