#include "sim/part/switched_values.h"

#include <array>

#include <gtest/gtest.h>

#include "expr/build.h"
#include "expr/print.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::IfKind;
using expr::Op;

// x and y can be unknown, p cannot; a and b are switched by statements.
struct SwitchedValues : ::testing::Test {
  expr::Pool pool;
  ExprId x = expr::variable(pool, {0}), y = expr::variable(pool, {1}),
         p = expr::variable(pool, {2}), dx = expr::variable(pool, {0}, 1);
  ExprId a = expr::discrete_bool(pool, {0}), b = expr::discrete_bool(pool, {1});
  ExprId zero = expr::constant(pool, 0), one = expr::constant(pool, 1),
         two = expr::constant(pool, 2);
  static constexpr std::array<char, 3> kUnknown = {1, 1, 0};

  ExprId choose(ExprId c, ExprId then, ExprId otherwise) {
    return expr::if_else(pool, IfKind::Evented, c, then, otherwise);
  }
  bool is_plain(ExprId row) {
    const ExprId result = plain_switches(pool, {row}, kUnknown)[0];
    EXPECT_EQ(pool.has(result, expr::kHasEvented), result == row);
    return result != row;
  }
};

TEST_F(SwitchedValues, KnownOnesNeedNoMode) {
  EXPECT_TRUE(is_plain(expr::sub(pool, dx, choose(a, two, zero))));
  EXPECT_TRUE(is_plain(expr::sub(pool, dx, choose(a, p, expr::time(pool)))));
  EXPECT_TRUE(is_plain(expr::sub(pool, dx, expr::mul(pool, choose(a, two, one), x))));
  const ExprId on_known = expr::binary(pool, Op::Less, p, one);
  EXPECT_TRUE(is_plain(expr::sub(pool, dx, choose(on_known, two, zero))));
  const ExprId nested = choose(a, one, choose(b, two, zero));
  const ExprId row = plain_switches(pool, {expr::sub(pool, dx, nested)}, kUnknown)[0];
  EXPECT_EQ(expr::to_text(pool, row), expr::to_text(pool, expr::sub(pool, dx, nested)));
  EXPECT_FALSE(pool.has(row, expr::kHasEvented));
}

TEST_F(SwitchedValues, WhatDecidesTheStructureStays) {
  const ExprId closed = expr::mul(pool, choose(a, one, zero), x);
  const ExprId open = expr::mul(pool, choose(a, zero, one), y);
  EXPECT_FALSE(is_plain(expr::add(pool, closed, open)));
  EXPECT_FALSE(is_plain(choose(a, x, y)));
  // Each alone is harmless, and yet x may vanish.
  const ExprId sum = expr::add(pool, choose(a, one, two), choose(b, one, expr::constant(pool, -1)));
  EXPECT_FALSE(is_plain(expr::add(pool, y, expr::mul(pool, sum, x))));
}

TEST_F(SwitchedValues, WhatMovesStays) {
  EXPECT_FALSE(
      is_plain(expr::sub(pool, dx, choose(expr::binary(pool, Op::Less, x, one), two, one))));
  const ExprId later = expr::binary(pool, Op::Less, expr::time(pool), one);
  EXPECT_FALSE(is_plain(expr::sub(pool, dx, choose(later, two, one))));
  EXPECT_FALSE(is_plain(expr::sub(pool, dx, choose(a, x, one))));
}

TEST_F(SwitchedValues, RowsThatShareACondition) {
  const ExprId value = choose(a, two, zero);
  const auto rows = plain_switches(
      pool, {expr::sub(pool, dx, value), expr::sub(pool, y, expr::mul(pool, value, x))}, kUnknown);
  EXPECT_FALSE(pool.has(rows[0], expr::kHasEvented));
  EXPECT_TRUE(pool.has(rows[1], expr::kHasEvented)) << "x is in it, or not";
}

}  // namespace
}  // namespace chi::sim
