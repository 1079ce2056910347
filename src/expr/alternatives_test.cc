#include "expr/alternatives.h"

#include <array>

#include <gtest/gtest.h>

#include "expr/build.h"
#include "expr/print.h"
#include "expr/substitute.h"

namespace chi::expr {
namespace {

class Alternatives : public ::testing::Test {
 protected:
  ExprId a() { return param_real(pool, 0); }
  ExprId b() { return param_real(pool, 1); }
  ExprId zero() { return constant(pool, 0); }
  ExprId greater(ExprId left, ExprId right) { return binary(pool, Op::Greater, left, right); }
  ExprId plain(ExprId condition, ExprId then, ExprId otherwise) {
    return if_else(pool, IfKind::Plain, condition, then, otherwise);
  }
  /// The call of a function of two parameters, of x and y; y stands still.
  ExprId opened(ExprId body) {
    const ExprId e = call(pool, pool.add_function(2, body), std::array{x, y});
    return opened_call(e);
  }
  ExprId opened_call(ExprId e) {
    const auto moves = [&](VarRef v) { return v.var.index == 0; };
    return alternatives_of_calls(pool, std::array{e}, moves)[0];
  }
  std::string text(ExprId e) {
    const auto name = [](VarId v) { return std::string(1, "xy"[v.index]); };
    return to_text(pool, e, {.variable = name, .discrete = {}, .function = {}});
  }
  std::string inlined(ExprId e) { return text(inline_calls(pool, e)); }

  Pool pool;
  ExprId x = variable(pool, {0}), y = variable(pool, {1});
};

TEST_F(Alternatives, AreCallsOfSmoothFunctions) {
  const ExprId e = opened(mul(pool, b(), unary(pool, Op::Abs, a())));
  ASSERT_EQ(pool.op(e), Op::If);
  EXPECT_EQ(pool.op(pool.operand(e, 1)), Op::Call);
  EXPECT_EQ(pool.op(pool.operand(e, 2)), Op::Call);
  EXPECT_EQ(inlined(e), "if x >= 0 then x * y else -x * y");
}

// What a piece does not speak of is no argument of it: the structure depends on it.
TEST_F(Alternatives, HaveTheParametersThatTheySpeakOf) {
  const ExprId e = opened(
      plain(greater(a(), zero()), mul(pool, a(), a()), plain(greater(a(), b()), b(), zero())));
  EXPECT_EQ(pool.operands(pool.operand(e, 1)).size(), 1);
  EXPECT_EQ(text(pool.operand(e, 2)), "if x > y then y else 0");
}

// sqrt(x) > y is asked for only where x > 0.
TEST_F(Alternatives, OuterConditionsComeFirst) {
  const ExprId inner = plain(greater(unary(pool, Op::Sqrt, a()), b()), a(), b());
  const ExprId e = opened(plain(greater(a(), zero()), add(pool, inner, b()), zero()));
  EXPECT_EQ(text(pool.operand(e, 0)), "x > 0");
  EXPECT_EQ(pool.op(pool.operand(e, 2)), Op::Constant);
}

TEST_F(Alternatives, SharedBetweenCalls) {
  const FunctionId f = pool.add_function(2, mul(pool, b(), unary(pool, Op::Abs, a())));
  const std::array calls{call(pool, f, std::array{x, y}), call(pool, f, std::array{y, x})};
  const auto opened = alternatives_of_calls(pool, calls, [](VarRef) { return true; });
  EXPECT_EQ(pool.called(pool.operand(opened[0], 1)), pool.called(pool.operand(opened[1], 1)));
}

// To go from one to the other changes nothing.
TEST_F(Alternatives, ThatSayTheSameAreTheSame) {
  const ExprId sum = add(pool, a(), b()), greatest = binary(pool, Op::Max, a(), b());
  const ExprId e = opened(plain(greater(a(), zero()), add(pool, greatest, b()), sum));
  EXPECT_EQ(pool.operand(pool.operand(e, 1), 1), pool.operand(e, 2));
}

// Truths of a copy that are known decide at once.
TEST_F(Alternatives, KnownConditionsAreDecided) {
  const ExprId on = param_bool(pool, 1);
  const FunctionId f = pool.add_function(2, plain(on, mul(pool, a(), a()), neg(pool, a())));
  EXPECT_EQ(inlined(opened_call(call(pool, f, std::array{x, boolean(pool, false)}))), "-x");
}

TEST_F(Alternatives, StayInsideWhereTheyMayNotBeOfTheMode) {
  const ExprId still = mul(pool, a(), plain(greater(b(), zero()), constant(pool, 2), zero()));
  const ExprId steps = unary(pool, Op::Floor, unary(pool, Op::Abs, a()));
  ExprId many = zero();
  for (int k = 0; k < 5; ++k) {
    many = add(pool, many, unary(pool, Op::Abs, sub(pool, a(), constant(pool, k))));
  }
  for (const ExprId body : {still, steps, many}) EXPECT_EQ(pool.op(opened(body)), Op::Call);
  const FunctionId f = pool.add_function(2, mul(pool, b(), unary(pool, Op::Abs, a())));
  EXPECT_EQ(pool.op(opened_call(call(pool, f, std::array{neg(pool, x), y}))), Op::Call);
}

}  // namespace
}  // namespace chi::expr
