#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "expr/build.h"
#include "expr/evaluate.h"
#include "expr/incidence.h"
#include "expr/print.h"
#include "expr/substitute.h"

namespace chi::expr {
namespace {

struct SmoothRelations : ::testing::Test {
  Pool pool;
  ExprId x = variable(pool, {0}), y = variable(pool, {1}), one = constant(pool, 1);

  ExprId abs(ExprId a) { return unary(pool, Op::Abs, a); }

  double value(ExprId e, double at_x, double at_y) {
    Point point;
    point.variable = [&](VarRef v) { return v.var.index == 0 ? at_x : at_y; };
    return evaluate(pool, e, point).value;
  }

  /// The same truth everywhere, and no jump in any relation.
  void expect_same(ExprId condition) {
    const ExprId split = smooth_relations(pool, condition);
    for (double a = -2.5; a <= 2.5; a += 0.25) {
      for (double b = -2.5; b <= 2.5; b += 0.25) {
        ASSERT_EQ(value(condition, a, b), value(split, a, b))
            << to_text(pool, condition) << " became " << to_text(pool, split) << " at " << a << ", "
            << b;
      }
    }
    for (const ExprId e : relations(pool, std::array{split}).node) {
      const std::string text = to_text(pool, e);
      for (const char* const kink : {"sign", "if"}) {
        EXPECT_EQ(text.find(kink), std::string::npos) << text;
      }
    }
  }
};

TEST_F(SmoothRelations, ASideThatIsAnExtremeHasNoBorderOnItsCorner) {
  const ExprId inside = binary(pool, Op::LessEqual, abs(x), one);
  EXPECT_EQ(to_text(pool, smooth_relations(pool, inside)), "x0 <= 1 and -x0 <= 1");
  const ExprId outside = binary(pool, Op::Less, one, abs(x));
  EXPECT_EQ(to_text(pool, smooth_relations(pool, outside)), "x0 > 1 or -x0 > 1");
}

TEST_F(SmoothRelations, CornersInsideOfSumsStay) {
  const ExprId sum = add(pool, abs(x), abs(y)), below = binary(pool, Op::Less, sum, one);
  EXPECT_EQ(smooth_relations(pool, below), below);
  EXPECT_TRUE(has_corners_only(pool, std::array{sum}));
  EXPECT_TRUE(has_corners_only(pool, evented_kinks(pool, std::array{sum})));
  EXPECT_FALSE(has_corners_only(pool, std::array{x, y}));
  EXPECT_FALSE(has_corners_only(pool, std::array{add(pool, abs(x), unary(pool, Op::Sign, y))}));
}

TEST_F(SmoothRelations, KeepTheTruth) {
  const std::vector<Op> ops = {Op::Less,         Op::LessEqual, Op::Greater,
                               Op::GreaterEqual, Op::Equal,     Op::NotEqual};
  for (const Op op : ops) {
    expect_same(binary(pool, op, abs(x), y));
    expect_same(binary(pool, op, y, binary(pool, Op::Max, x, one)));
    expect_same(binary(pool, op, binary(pool, Op::Min, x, abs(y)), constant(pool, 0.5)));
    expect_same(binary(pool, op, add(pool, abs(x), abs(y)), one));
    expect_same(binary(pool, op, mul(pool, unary(pool, Op::Sign, x), y), constant(pool, 0.25)));
    const ExprId chosen = if_else(pool, IfKind::Plain, binary(pool, Op::Less, abs(y), one), x, y);
    expect_same(binary(pool, op, chosen, one));
  }
}

TEST_F(SmoothRelations, SmoothOnesStayAsTheyAre) {
  const ExprId both = conjunction(pool, binary(pool, Op::Less, x, y),
                                  binary(pool, Op::Greater, mul(pool, x, y), one));
  EXPECT_EQ(smooth_relations(pool, both), both);
}

// More jumps than are worth it.
TEST_F(SmoothRelations, TooManyJumpsEnd) {
  ExprId e = x;
  for (int i = 0; i < 40; ++i) {
    e = unary(pool, Op::Sign, sub(pool, add(pool, e, y), constant(pool, i)));
  }
  const ExprId split = smooth_relations(pool, binary(pool, Op::Less, mul(pool, e, x), one));
  EXPECT_EQ(value(split, 1, 2), value(binary(pool, Op::Less, mul(pool, e, x), one), 1, 2));
}

}  // namespace
}  // namespace chi::expr
