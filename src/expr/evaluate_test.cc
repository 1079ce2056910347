#include "expr/evaluate.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "expr/build.h"

namespace chi::expr {
namespace {

struct Evaluate : ::testing::Test {
  Pool pool;
  ExprId x = variable(pool, {0}), zero = constant(pool, 0);
  double at_x = 0;
  Value value(ExprId e) {
    Point p;
    p.time = 3;
    p.variable = [this](VarRef v) { return v.order == 0 ? at_x : 7.0; };
    p.discrete = [](DiscreteId d) { return d.index; };
    p.opaque = [](FunctionId, std::span<const double> a) { return a[0] * a[0] * std::sin(a[1]); };
    p.delayed = [](ExprId, double tau) { return 100 + tau; };
    return evaluate(pool, e, p);
  }
};

TEST_F(Evaluate, Leaves) {
  at_x = 2;
  EXPECT_EQ(value(x).value, 2);
  EXPECT_EQ(value(variable(pool, {0}, 1)).value, 7);
  EXPECT_EQ(value(time(pool)).value, 3);
  EXPECT_EQ(value(discrete_real(pool, {5})).value, 5);
  EXPECT_EQ(value(delay(pool, x, constant(pool, 2))).value, 102);
}

TEST_F(Evaluate, ReportsWhereAndWhy) {
  at_x = -1;
  const ExprId root = unary(pool, Op::Sqrt, x);
  const Value v = value(add(pool, mul(pool, constant(pool, 2), root), x));
  EXPECT_EQ(v.where, root);
  EXPECT_EQ(v.fault, Fault::SqrtOfNegative);
  EXPECT_TRUE(std::isnan(v.value));
  EXPECT_EQ(value(div(pool, x, zero)).fault, Fault::DivisionByZero);
  EXPECT_EQ(value(unary(pool, Op::Ln, x)).fault, Fault::LnOfNonPositive);
  EXPECT_EQ(value(pow(pool, x, constant(pool, 0.5))).fault, Fault::PowerUndefined);
  EXPECT_EQ(value(unary(pool, Op::Atanh, x)).fault, Fault::OutsideDomain);
  EXPECT_EQ(value(no_alternative(pool)).fault, Fault::NoAlternative);
  const ExprId inf = constant(pool, INFINITY);
  EXPECT_EQ(value(mul(pool, inf, add(pool, x, constant(pool, 1)))).fault, Fault::NotANumber);
}

// sqrt(x) where x < 0 is no fault as long as nobody needs it.
TEST_F(Evaluate, OnlyWhatIsNeededCanFail) {
  at_x = -1;
  const ExprId root = unary(pool, Op::Sqrt, x), negative = binary(pool, Op::Less, x, zero);
  const ExprId big = binary(pool, Op::Greater, root, zero);
  EXPECT_EQ(value(if_else(pool, IfKind::Plain, negative, x, root)).value, -1);
  EXPECT_EQ(value(if_else(pool, IfKind::Plain, negative, root, x)).where, root);
  EXPECT_EQ(value(disjunction(pool, negative, big)).value, 1);
  EXPECT_EQ(value(conjunction(pool, negation(pool, negative), big)).value, 0);
  EXPECT_EQ(value(conjunction(pool, negative, big)).where, root);
  EXPECT_EQ(value(if_else(pool, IfKind::Plain, big, x, x)).where, root);
}

TEST_F(Evaluate, MinMaxSignRoundAndAtan2) {
  const auto two = [&](Op op, double a, double b) { return apply_binary(op, a, b).value; };
  EXPECT_EQ(two(Op::Min, 1, 2), 1);
  EXPECT_EQ(two(Op::Max, 1, 2), 2);
  for (const Op op : {Op::Min, Op::Max}) {
    EXPECT_TRUE(std::isnan(two(op, 1, NAN)) && std::isnan(two(op, NAN, 1)));
  }
  EXPECT_EQ(apply_unary(Op::Sign, -0.0).value, 0);
  EXPECT_EQ(apply_unary(Op::Round, -2.5).value, -3);
  EXPECT_EQ(apply_unary(Op::Log, 1000).value, 3);
  EXPECT_DOUBLE_EQ(apply_unary(Op::Erf, 0.5).value, 0.5204998778130465);
  EXPECT_EQ(two(Op::Atan2, -0.0, -1), two(Op::Atan2, 0.0, -1));
  EXPECT_EQ(two(Op::Atan2, 0.0, -0.0), 0);
}

// f_n(x) = f_{n-1}(x) + 1: calls 10^5 deep.
TEST_F(Evaluate, DeepCallsNeedNoStack) {
  const ExprId p = param_real(pool, 0), one = constant(pool, 1);
  FunctionId f = pool.add_function(1, p);
  for (int i = 0; i < 100000; ++i)
    f = pool.add_function(1, add(pool, call(pool, f, std::array{p}), one));
  at_x = 0.5;
  EXPECT_EQ(value(call(pool, f, std::array{x})).value, 100000.5);
}

TEST_F(Evaluate, DerivativesOfBlackBoxesByDifferences) {
  const FunctionId f = pool.add_opaque(2, false);  // a^2 sin(b)
  const FunctionId f0 = pool.add_derivative(f, 0, {}), f01 = pool.add_derivative(f0, 1, {});
  const ExprId b = constant(pool, 0.3);
  at_x = 2;
  EXPECT_NEAR(value(call(pool, f, std::array{x, b})).value, 4 * std::sin(0.3), 1e-15);
  EXPECT_NEAR(value(call(pool, f0, std::array{x, b})).value, 4 * std::sin(0.3), 1e-8);
  EXPECT_NEAR(value(call(pool, f01, std::array{x, b})).value, 4 * std::cos(0.3), 1e-5);
}

}  // namespace
}  // namespace chi::expr
