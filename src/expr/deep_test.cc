// Expressions up to a million operations deep go through every pass: none of them recurses.
#include <array>
#include <string>

#include <gtest/gtest.h>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "expr/evaluate.h"
#include "expr/incidence.h"
#include "expr/linearity.h"
#include "expr/print.h"
#include "expr/substitute.h"

namespace chi::expr {
namespace {

constexpr int kDepth = 1'000'000;

struct Deep : ::testing::Test {
  Pool pool;
  ExprId x = variable(pool, {0}), y = variable(pool, {1}), one = constant(pool, 1);
  ExprId sum() {
    ExprId e = x;
    for (int i = 0; i < kDepth; ++i) e = add(pool, e, one);
    return e;
  }
  // if x < 0 then 0 else if x < 1 then 1 else ... x: as deep as the sum, with conditions.
  ExprId ladder(int depth) {
    ExprId e = x;
    for (int i = depth; i-- > 0;) {
      const ExprId step = constant(pool, i);
      e = if_else(pool, IfKind::Evented, binary(pool, Op::Less, x, step), mul(pool, step, x), e);
    }
    return e;
  }
};

TEST_F(Deep, SumThroughEveryPass) {
  const ExprId e = sum();
  EXPECT_LT(pool.memory(), 60u << 20);
  Point p;
  p.variable = [](VarRef) { return 0.5; };
  EXPECT_EQ(evaluate(pool, e, p).value, kDepth + 0.5);
  EXPECT_EQ(partial(pool, e, x), one);
  EXPECT_EQ(time_derivative(pool, e), variable(pool, {0}, 1));
  EXPECT_EQ(jacobian(pool, std::array{e}, std::array{x, y}).entry, std::vector{one});
  EXPECT_EQ(linearity(pool, std::array{e}, std::array{x})[0], Linearity::Constant);
  EXPECT_EQ(pool.constant(linear_forms(pool, std::array{e}, std::array{x}).b[0]), kDepth);
  EXPECT_EQ(integer_form(pool, e)->constant, kDepth);
  EXPECT_EQ(incidence(pool, std::array{e}).entry, (std::vector{VarRef{{0}, 0}}));
  EXPECT_EQ(pool.constant(substitute(pool, e, std::array{Replacement{x, one}})), kDepth + 1);
  EXPECT_EQ(inline_calls(pool, e), e);
  EXPECT_EQ(to_text(pool, e, {}, std::string::npos).size(), 2 + 4u * kDepth);
}

TEST_F(Deep, ProductAndFunctionChain) {
  ExprId e = x;
  for (int i = 0; i < 200'000; ++i) e = i % 2 == 0 ? unary(pool, Op::Sin, e) : mul(pool, e, y);
  const Jacobian j = jacobian(pool, std::array{e}, std::array{x, y});
  EXPECT_EQ(j.entry.size(), 2u);
  EXPECT_TRUE(pool.has(time_derivative(pool, e), kHasVariable));
  EXPECT_EQ(linearity(pool, std::array{e}, std::array{x})[0], Linearity::Nonlinear);
}

TEST_F(Deep, LadderOfConditions) {
  const int depth = 100'000;
  const ExprId e = ladder(depth);
  EXPECT_EQ(conditions(pool, std::array{e}).node.size(), static_cast<std::size_t>(depth));
  EXPECT_EQ(jacobian(pool, std::array{e}, std::array{x}).entry.size(), 1u);
  EXPECT_TRUE(pool.has(time_derivative(pool, e), kHasEvented));
  const auto all = conditions(pool, std::array{e}).node;
  std::vector<Truth> mode;
  for (const ExprId c : all) mode.push_back({c, false});
  EXPECT_EQ(select_branches(pool, std::array{e}, mode)[0], x);
  EXPECT_GT(to_text(pool, e, {}, std::string::npos).size(), 10u * depth);
}

}  // namespace
}  // namespace chi::expr
