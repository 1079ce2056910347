#include "expr/print.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "expr/build.h"

namespace chi::expr {
namespace {

struct Print : ::testing::Test {
  Pool pool;
  ExprId x = variable(pool, {0}), y = variable(pool, {1}), two = constant(pool, 2);
  std::string text(ExprId e) {
    return to_text(
        pool, e,
        {.variable = [](VarId v) { return std::string(1, static_cast<char>('x' + v.index)); },
         .discrete = [](DiscreteId d) { return "n" + std::to_string(d.index); },
         .function = [](FunctionId) { return std::string("f"); }});
  }
};

TEST_F(Print, Sums) {
  EXPECT_EQ(text(add(pool, x, y)), "x + y");
  EXPECT_EQ(text(sub(pool, sub(pool, x, y), two)), "x - y - 2");
  EXPECT_EQ(text(sub(pool, x, sub(pool, y, two))), "x - (y - 2)");
  EXPECT_EQ(text(sub(pool, x, add(pool, y, two))), "x - (y + 2)");
  EXPECT_EQ(text(neg(pool, add(pool, x, y))), "-(x + y)");
}

TEST_F(Print, Products) {
  EXPECT_EQ(text(mul(pool, add(pool, x, y), two)), "2 * (x + y)");
  EXPECT_EQ(text(div(pool, x, mul(pool, y, two))), "x / (2 * y)");
  EXPECT_EQ(text(div(pool, div(pool, x, y), two)), "x / y / 2");
  EXPECT_EQ(text(neg(pool, mul(pool, x, y))), "-x * y");
  EXPECT_EQ(text(sub(pool, neg(pool, div(pool, x, y)), two)), "-(x / y + 2)");
}

TEST_F(Print, Powers) {
  EXPECT_EQ(text(int_power(pool, x, 2)), "x^2");
  EXPECT_EQ(text(int_power(pool, x, -2)), "x^-2");
  EXPECT_EQ(text(neg(pool, int_power(pool, x, 2))), "-x^2");
  EXPECT_EQ(text(int_power(pool, add(pool, x, y), 2)), "(x + y)^2");
  EXPECT_EQ(text(int_power(pool, int_power(pool, x, 2), 3)), "(x^2)^3");
  EXPECT_EQ(text(pow(pool, x, pow(pool, y, x))), "x^y^x");
  EXPECT_EQ(text(pow(pool, x, neg(pool, y))), "x^-y");
  EXPECT_EQ(text(pow(pool, x, neg(pool, mul(pool, x, y)))), "x^(-x * y)");
  EXPECT_EQ(text(pow(pool, constant(pool, -2), y)), "(-2)^y");
}

TEST_F(Print, ConditionsAndLogic) {
  const ExprId low = binary(pool, Op::Less, x, constant(pool, -1)),
               same = binary(pool, Op::Equal, x, y);
  const ExprId flag = discrete_bool(pool, {4});
  EXPECT_EQ(text(low), "x < -1");
  EXPECT_EQ(text(disjunction(pool, conjunction(pool, low, flag), same)), "x < -1 and n4 or x = y");
  EXPECT_EQ(text(conjunction(pool, disjunction(pool, low, flag), same)),
            "(x < -1 or n4) and x = y");
  EXPECT_EQ(text(negation(pool, conjunction(pool, low, flag))), "not (x < -1 and n4)");
  EXPECT_EQ(text(negation(pool, same)), "not x = y");
  const ExprId inner = if_else(pool, IfKind::Plain, flag, x, y);
  EXPECT_EQ(text(if_else(pool, IfKind::Evented, low, x, inner)),
            "if x < -1 then x else if n4 then x else y");
  EXPECT_EQ(text(if_else(pool, IfKind::Evented, low, inner, x)),
            "if x < -1 then (if n4 then x else y) else x");
  EXPECT_EQ(text(add(pool, inner, two)), "(if n4 then x else y) + 2");
}

TEST_F(Print, LeavesCallsAndDelays) {
  EXPECT_EQ(text(variable(pool, {1}, 2)), "y''");
  EXPECT_EQ(text(unary(pool, Op::Log, time(pool))), "log(time)");
  EXPECT_EQ(text(binary(pool, Op::Max, x, discrete_real(pool, {0}))), "max(x, n0)");
  EXPECT_EQ(text(delay(pool, x, two, y)), "delay(x, 2, y)");
  EXPECT_EQ(text(no_alternative(pool)), "undefined");
  EXPECT_EQ(text(boolean(pool, true)), "true");
  const FunctionId f = pool.add_opaque(2, false), f1 = pool.add_derivative(f, 1, {});
  EXPECT_EQ(text(call(pool, f, std::array{add(pool, x, y), two})), "f(x + y, 2)");
  EXPECT_EQ(text(call(pool, f1, std::array{x, y})), "f.d1(x, y)");
}

TEST_F(Print, NumbersReadBack) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(2), "2");
  EXPECT_EQ(number_text(-1e-7), "-1e-07");
  EXPECT_EQ(number_text(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(number_text(INFINITY), "inf");
  for (const double v : {1e300, 4.9e-324, 123456789.123456789, 0.1 + 0.2})
    EXPECT_EQ(std::stod(number_text(v / 3)), v / 3);
}

// 2^60 leaves when written out.
TEST_F(Print, LimitCutsHugeTexts) {
  ExprId e = x;
  for (int i = 0; i < 60; ++i) e = mul(pool, add(pool, e, y), add(pool, e, two));
  const std::string s = to_text(pool, e, {}, 1000);
  EXPECT_LT(s.size(), 2000u);
  EXPECT_NE(s.find("..."), std::string::npos);
}

}  // namespace
}  // namespace chi::expr
