#include "sim/events/interval_search.h"

#include <cmath>

#include <gtest/gtest.h>

#include "expr/build.h"

namespace chi::sim {
namespace {

struct Searching : ::testing::Test {
  expr::Pool pool;
  expr::ExprId t = expr::time(pool);

  expr::ExprId number(double x) { return expr::constant(pool, x); }
  expr::ExprId peak(double at, double width) {
    const expr::ExprId u = expr::div(pool, expr::sub(pool, t, number(at)), number(width));
    return expr::unary(pool, expr::Op::Exp, expr::neg(pool, expr::int_power(pool, u, 2)));
  }
  std::vector<IntervalSearch::Piece> find(expr::ExprId e, double (*g)(double), double from = 0,
                                          double noise = 0) {
    auto formula = expr::IntervalFormula::make(pool, e);
    IntervalSearch search(std::move(*formula), {{.is_time = true}});
    return search.find({.begin = 0, .end = 1}, from, noise, 1e-15, g);
  }
};

TEST_F(Searching, NothingWhereNothingCanBe) {
  EXPECT_TRUE(
      find(expr::sub(pool, expr::unary(pool, expr::Op::Sin, expr::mul(pool, number(1e6), t)),
                     number(1.5)),
           [](double x) { return std::sin(1e6 * x) - 1.5; })
          .empty());
}

TEST_F(Searching, TheFirstSideOfANeedle) {
  const auto found = find(expr::sub(pool, peak(0.3, 1e-8), number(0.5)), [](double x) {
    return std::exp(-((x - 0.3) / 1e-8) * ((x - 0.3) / 1e-8)) - 0.5;
  });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].crosses);
  EXPECT_LT(found[0].from, 0.3 - 0.8325e-8);
  EXPECT_GT(found[0].to, 0.3 - 0.8326e-8);
  EXPECT_LT(found[0].to, 0.3);
}

TEST_F(Searching, ATouchIsInDoubt) {
  const auto found = find(expr::int_power(pool, expr::sub(pool, t, number(0.4)), 2),
                          [](double x) { return (x - 0.4) * (x - 0.4); });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].crosses);
  EXPECT_LT(found[0].from, 0.4);
  EXPECT_GT(found[0].to, 0.4);
  EXPECT_LT(found[0].to - found[0].from, 0.01);
}

TEST_F(Searching, TheStartIsNoRoot) {
  const auto g = [](double x) { return std::sin(x); };
  EXPECT_TRUE(find(expr::unary(pool, expr::Op::Sin, t), g, 0, 1e-12).empty());
}

}  // namespace
}  // namespace chi::sim
