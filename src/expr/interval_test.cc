#include "expr/interval.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "expr/evaluate.h"
#include "expr/print.h"

namespace chi::expr {
namespace {

struct Intervals : ::testing::Test {
  Pool pool;
  ExprId t = time(pool);

  Bounds over(ExprId e, double from, double to) {
    auto formula = IntervalFormula::make(pool, e);
    EXPECT_TRUE(formula);
    const Bounds here{{from, to}, Interval::point(1)};
    return formula->evaluate(formula->leaves().empty() ? std::span<const Bounds>{}
                                                       : std::span(&here, 1));
  }
  double at(ExprId e, double time_now) {
    Point point;
    point.time = time_now;
    return evaluate(pool, e, point).value;
  }
  /// Samples of the function and of its derivative are within the bounds.
  void expect_bounds(ExprId e, double from, double to) {
    const Bounds bounds = over(e, from, to);
    const ExprId slope = partial(pool, e, t);
    for (int k = 0; k <= 40; ++k) {
      const double x = std::min(from + (to - from) * k / 40, to);
      const double value = at(e, x), derivative = at(slope, x);
      if (!std::isnan(value)) {
        EXPECT_TRUE(bounds.value.has(value)) << to_text(pool, e) << " at " << x;
      }
      if (std::isfinite(derivative) && x != 0) {  // not on the corner of abs
        EXPECT_TRUE(bounds.slope.has(derivative)) << "slope of " << to_text(pool, e) << " at " << x;
      }
    }
  }
};

TEST_F(Intervals, OfEveryFunction) {
  for (int i = static_cast<int>(Op::Neg); i < static_cast<int>(Op::IntPower); ++i) {
    const ExprId e = unary(pool, static_cast<Op>(i), t);
    for (const auto& [from, to] : {std::pair(-3.0, 5.0),
                                   {-0.7, 0.2},
                                   {0.1, 0.9},
                                   {1.5, 2.5},
                                   {-40.0, -39.5},
                                   {1.2, 1.2},
                                   {0.0, 0.4}}) {
      expect_bounds(e, from, to);
    }
  }
  for (int n = -3; n <= 5; ++n) {
    for (const auto& [from, to] : {std::pair(-2.0, 1.0), {0.5, 2.0}, {-3.0, -1.0}}) {
      expect_bounds(int_power(pool, t, n), from, to);
    }
  }
}

TEST_F(Intervals, OfEveryOperation) {
  const ExprId other = sub(pool, constant(pool, 1.5), mul(pool, t, t));
  for (int i = static_cast<int>(Op::Add); i <= static_cast<int>(Op::Atan2); ++i) {
    const ExprId e = binary(pool, static_cast<Op>(i), t, other);
    for (const auto& [from, to] : {std::pair(-3.0, 5.0), {0.2, 0.8}, {1.1, 1.3}, {-1.0, 0.5}}) {
      expect_bounds(e, from, to);
    }
  }
  const ExprId chosen =
      if_else(pool, IfKind::Plain, binary(pool, Op::Less, t, constant(pool, 1)), t, other);
  expect_bounds(chosen, 0.2, 0.9);
  expect_bounds(chosen, 1.2, 1.9);
  EXPECT_EQ(over(chosen, 0.5, 1.5).slope.low, Interval::all().low) << "it may jump";
}

TEST_F(Intervals, ANarrowPeakIsExcludedWhereItIsNot) {
  const ExprId far = div(pool, sub(pool, t, constant(pool, 1.3)), constant(pool, 1e-4));
  const ExprId peak =
      sub(pool, unary(pool, Op::Exp, neg(pool, int_power(pool, far, 2))), constant(pool, 0.5));
  EXPECT_LT(over(peak, 0, 1.29).value.high, 0);
  EXPECT_LT(over(peak, 1.31, 3).value.high, 0);
  EXPECT_GT(over(peak, 1.2, 1.4).value.high, 0);
}

TEST_F(Intervals, NarrowToThePointExceptForRounding) {
  const ExprId e = add(pool, unary(pool, Op::Sin, t), mul(pool, t, unary(pool, Op::Exp, t)));
  const Bounds bounds = over(e, 0.7, 0.7);
  EXPECT_NEAR(bounds.value.low, at(e, 0.7), 1e-14);
  EXPECT_NEAR(bounds.value.high, at(e, 0.7), 1e-14);
}

TEST_F(Intervals, WhatHasNoBoundsHasNoFormula) {
  EXPECT_FALSE(IntervalFormula::make(pool, delay(pool, t, constant(pool, 1))));
  const FunctionId f = pool.add_opaque(1, false);
  EXPECT_FALSE(IntervalFormula::make(pool, call(pool, f, std::array{t})));
}

}  // namespace
}  // namespace chi::expr
