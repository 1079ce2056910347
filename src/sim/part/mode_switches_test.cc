#include "sim/part/mode_switches.h"

#include <array>

#include <gtest/gtest.h>

#include "expr/build.h"
#include "expr/incidence.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::Op;

/// x' = ... and y' = ... always hold, so x and y are states; p is never unknown, q is declared so.
class ModeSwitchesTest : public ::testing::Test {
 protected:
  expr::Pool pool;
  ExprId x = expr::variable(pool, {0}), y = expr::variable(pool, {1}),
         p = expr::variable(pool, {2}), q = expr::variable(pool, {3});
  ExprId dx = expr::variable(pool, {0}, 1), dy = expr::variable(pool, {1}, 1);
  ExprId zero = expr::constant(pool, 0), one = expr::constant(pool, 1);
  ExprId above = expr::binary(pool, Op::Greater, x, zero);
  ExprId right = expr::binary(pool, Op::Greater, y, one);
  flat::EquationSet set;
  code::FormulaLeaves leaves;
  Conditions conditions{pool, leaves, nullptr};
  std::vector<int> guards;

  ModeSwitchesTest() {
    set.unknowns.push_back({.variable = {{3}, 0}, .branch = {}, .span = {}});
    equation(expr::sub(pool, dy, x));
  }
  ExprId choose(ExprId c, ExprId then, ExprId otherwise) {
    return expr::if_else(pool, expr::IfKind::Evented, c, then, otherwise);
  }
  void equation(ExprId row) {
    set.equations.add(
        {.left = row, .right = zero, .branch = {}, .source = {}, .loop = {}, .span = {}});
  }
  ModeSwitches found() {
    std::vector<ExprId> rows;
    for (const flat::Equation& e : set.equations) rows.push_back(e.left);
    const expr::Occurrences in = expr::conditions(pool, rows);
    std::vector<std::vector<int>> of_equations;
    for (int i = 0; i < in.rows(); ++i) {
      std::vector<int>& mine = of_equations.emplace_back();
      for (const ExprId c : in.row(i)) mine.push_back(conditions.add(c));
    }
    return find_switches(pool, set, conditions, guards, of_equations, 1);
  }
};

TEST_F(ModeSwitchesTest, ValuesOfStatesAreChosenByData) {
  equation(expr::sub(pool, dx, choose(above, expr::neg(pool, x), expr::add(pool, y, p))));
  const ModeSwitches switches = found();
  ASSERT_EQ(switches.conditions.size(), 1u);
  EXPECT_FALSE(switches.rows[0]);
  EXPECT_FALSE(pool.has(switches.rows[1], expr::kHasEvented));
  EXPECT_TRUE(pool.has(switches.rows[1], expr::kHasDiscrete));
}

// Which unknown an equation has is no value.
TEST_F(ModeSwitchesTest, UnknownsAreNot) {
  equation(expr::sub(pool, dx, y));
  equation(choose(above, q, expr::sub(pool, one, x)));
  EXPECT_TRUE(found().empty());
}

// As where a side of an equation is one function: what all alternatives have is in each of them.
TEST_F(ModeSwitchesTest, UnknownsThatAllAlternativesHaveMayBeInThem) {
  equation(choose(above, expr::sub(pool, dx, q), expr::add(pool, dx, expr::mul(pool, q, y))));
  equation(expr::sub(pool, q, choose(right, x, zero)));
  EXPECT_EQ(found().conditions.size(), 2u);
}

TEST_F(ModeSwitchesTest, AVariableThatIsDifferentiatedInOneModeOnlyIsNoState) {
  const ExprId z = expr::variable(pool, {4}), dz = expr::variable(pool, {4}, 1);
  equation(choose(above, dz, expr::sub(pool, z, one)));
  equation(expr::sub(pool, dx, choose(right, z, zero)));
  EXPECT_TRUE(found().empty());
}

TEST_F(ModeSwitchesTest, AConditionThatDecidesMoreIsNone) {
  equation(expr::sub(pool, dx, choose(above, x, y)));
  equation(choose(above, q, expr::add(pool, q, dy)));
  EXPECT_TRUE(found().empty());
}

TEST_F(ModeSwitchesTest, NeitherIsAGuard) {
  equation(expr::sub(pool, dx, choose(above, x, y)));
  guards.push_back(conditions.add(above));
  EXPECT_TRUE(found().empty());
}

// y > 1 does not count while x > 0, nor which of two ways to the same value is taken.
TEST_F(ModeSwitchesTest, WhatIsChosenTellsTheMode) {
  equation(expr::sub(pool, dx, choose(above, p, choose(right, y, p))));
  const ModeSwitches switches = found();
  const auto chosen = [&](Truth is_above, Truth is_right) {
    std::array<Truth, 2> truths{};
    truths[static_cast<std::size_t>(conditions.find(above))] = is_above;
    truths[static_cast<std::size_t>(conditions.find(right))] = is_right;
    return switches.chosen(truths);
  };
  using enum Truth;
  EXPECT_EQ(chosen(True, True), chosen(True, False));
  EXPECT_EQ(chosen(True, True), chosen(True, Undefined));
  EXPECT_NE(chosen(False, True), chosen(False, False));
  EXPECT_TRUE(chosen(False, Undefined).empty());
}

}  // namespace
}  // namespace chi::sim
