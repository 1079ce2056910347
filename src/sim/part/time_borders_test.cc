#include "sim/part/time_borders.h"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "expr/build.h"

namespace chi::sim {
namespace {

using expr::ExprId;

class TimeBordersTest : public ::testing::Test {
 protected:
  expr::Pool pool;
  ExprId t = expr::time(pool);
  ExprId moving = expr::variable(pool, expr::VarId{0});
  ExprId kept = expr::variable(pool, expr::VarId{1});
  ExprId number(double value) { return expr::constant(pool, value); }

  /// The border left = right, alone.
  TimeBorders& border(ExprId left, ExprId right) {
    borders.push_back({left, right, expr::sub(pool, left, right)});
    times.prepare(pool, borders, leaves, nullptr,
                  [](expr::VarRef x) { return x.order > 0 || x.var.index == 0; });
    frame.resize(static_cast<std::size_t>(leaves.size()), 0.0);
    return times;
  }
  int last() const { return static_cast<int>(borders.size()) - 1; }
  void set(ExprId leaf, double value) {
    frame[static_cast<std::size_t>(leaves.place(leaf))] = value;
  }

  std::vector<Border> borders;
  code::FormulaLeaves leaves;
  TimeBorders times;
  std::vector<double> frame;
};

TEST_F(TimeBordersTest, LinesAreDueAtTheirVeryNumber) {
  border(t, number(3600.000000001));
  const auto due = times.due(last(), frame.data());
  ASSERT_TRUE(due);
  EXPECT_EQ(due->time, 3600.000000001);
  EXPECT_EQ(due->direction, 1);
  border(number(7), expr::mul(pool, number(2), t));
  EXPECT_EQ(times.due(last(), frame.data())->time, 3.5);
  EXPECT_EQ(times.due(last(), frame.data())->direction, -1);
}

TEST_F(TimeBordersTest, WhatIsKeptBetweenEventsMovesTheLine) {
  border(expr::sub(pool, t, kept), number(1));
  set(kept, 4);
  EXPECT_EQ(times.due(last(), frame.data())->time, 5);
  set(kept, 6);
  EXPECT_EQ(times.due(last(), frame.data())->time, 7);
}

TEST_F(TimeBordersTest, ARateOfZeroIsNeverDue) {
  border(expr::mul(pool, kept, t), number(5));
  set(kept, 0);
  EXPECT_TRUE(times.is_of_time(last()));
  EXPECT_FALSE(times.due(last(), frame.data()));
  set(kept, 2);
  EXPECT_EQ(times.due(last(), frame.data())->time, 2.5);
}

TEST_F(TimeBordersTest, MovingVariablesAreNotOfTime) {
  border(expr::add(pool, t, moving), number(1));
  EXPECT_FALSE(times.is_of_time(last()));
  border(kept, number(1));
  EXPECT_FALSE(times.is_of_time(last()));
}

TEST_F(TimeBordersTest, RoundingGrowsWithWhatCancels) {
  border(expr::mul(pool, t, t), number(4));
  EXPECT_TRUE(times.is_of_time(last()));
  EXPECT_FALSE(times.due(last(), frame.data()));
  set(t, 2);
  EXPECT_GT(times.rounding(last(), frame.data()), 4 * 2.2e-16);
  EXPECT_LT(times.rounding(last(), frame.data()), 1e-13);
  // The argument is known to 1e-10 only: so is the sine.
  border(expr::unary(pool, expr::Op::Sin, expr::mul(pool, number(1e6), t)), number(0.5));
  set(t, 2 * std::acos(-1.0));
  EXPECT_GT(times.rounding(last(), frame.data()), 1e-10);
}

TEST_F(TimeBordersTest, DeadlinesAddedUpOfStepsAreDue) {
  double sum = 0;
  for (int k = 0; k < 10; ++k) sum += 0.1;
  EXPECT_LE(std::abs(sum - 1), TimeBorders::resolution(1));
  EXPECT_GT(1e-9, TimeBorders::resolution(3600));
}

}  // namespace
}  // namespace chi::sim
