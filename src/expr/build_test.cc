#include "expr/build.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "expr/operation.h"
#include "expr/random_expression.h"

namespace chi::expr {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Build : ::testing::Test {
  Pool pool;
  ExprId x = variable(pool, {0}), y = variable(pool, {1}), zero = constant(pool, 0),
         one = constant(pool, 1);
  ExprId ln_x = unary(pool, Op::Ln, x);
};

TEST_F(Build, EqualExpressionsAreOneNode) {
  EXPECT_EQ(add(pool, x, y), add(pool, y, x));
  EXPECT_EQ(mul(pool, x, y), mul(pool, y, x));
  EXPECT_NE(sub(pool, x, y), sub(pool, y, x));
  EXPECT_NE(variable(pool, {0}, 1), x);
  EXPECT_NE(constant(pool, 0.0), constant(pool, -0.0));
  EXPECT_NE(binary(pool, Op::Min, x, y), binary(pool, Op::Min, y, x));
}

TEST_F(Build, NumbersOfVariablesMayBeFarApart) {
  const ExprId far = variable(pool, VarId{1 << 29}, 1);
  EXPECT_LT(pool.memory(), 1 << 20);
  for (int i = 0; i < 2000; ++i) variable(pool, VarId{i}, i % 5);
  EXPECT_EQ(variable(pool, VarId{1 << 29}, 1), far);
  const ExprId near = variable(pool, VarId{1999}, 0);
  EXPECT_EQ(pool.variable(near), (VarRef{VarId{1999}, 0}));
  EXPECT_EQ(variable(pool, VarId{1999}, 0), near);
  EXPECT_NE(variable(pool, VarId{1999}, 1), near);
}

TEST_F(Build, NeutralElementsGoAway) {
  EXPECT_EQ(add(pool, x, zero), x);
  EXPECT_EQ(mul(pool, one, x), x);
  EXPECT_EQ(div(pool, x, one), x);
  EXPECT_EQ(sub(pool, x, zero), x);
  EXPECT_EQ(sub(pool, zero, x), neg(pool, x));
  EXPECT_EQ(neg(pool, neg(pool, x)), x);
  EXPECT_EQ(pow(pool, x, one), x);
}

TEST_F(Build, KeepsWhatMayFail) {
  EXPECT_EQ(mul(pool, zero, x), zero);
  EXPECT_EQ(sub(pool, x, x), zero);
  EXPECT_EQ(pool.op(mul(pool, zero, ln_x)), Op::Mul);
  EXPECT_EQ(pool.op(sub(pool, ln_x, ln_x)), Op::Sub);
  EXPECT_EQ(pool.op(pow(pool, ln_x, zero)), Op::IntPower);
  EXPECT_EQ(pool.op(div(pool, x, x)), Op::Div);
  EXPECT_EQ(pool.op(div(pool, zero, zero)), Op::Div);
  EXPECT_EQ(pool.op(unary(pool, Op::Sqrt, constant(pool, -1))), Op::Sqrt);
  EXPECT_EQ(pool.op(mul(pool, zero, mul(pool, constant(pool, kInf), x))), Op::Mul);
  const ExprId fails = binary(pool, Op::Less, ln_x, y);
  EXPECT_EQ(pool.op(conjunction(pool, fails, boolean(pool, false))), Op::And);
  EXPECT_EQ(conjunction(pool, boolean(pool, false), fails), boolean(pool, false));
  EXPECT_EQ(pool.op(if_else(pool, IfKind::Plain, fails, x, x)), Op::PlainIf);
}

TEST_F(Build, DoesNotReassociate) {
  const ExprId a = constant(pool, 1e16);
  const ExprId left = sub(pool, add(pool, x, a), a);
  EXPECT_EQ(pool.op(left), Op::Sub);
  EXPECT_NE(mul(pool, constant(pool, 2), mul(pool, constant(pool, 3), x)),
            mul(pool, constant(pool, 6), x));
}

TEST_F(Build, SignsMoveOutwards) {
  EXPECT_EQ(add(pool, x, neg(pool, y)), sub(pool, x, y));
  EXPECT_EQ(mul(pool, neg(pool, x), y), neg(pool, mul(pool, x, y)));
  EXPECT_EQ(div(pool, neg(pool, x), neg(pool, y)), div(pool, x, y));
  EXPECT_EQ(add(pool, x, constant(pool, -3)), sub(pool, x, constant(pool, 3)));
  EXPECT_EQ(int_power(pool, neg(pool, x), 3), neg(pool, int_power(pool, x, 3)));
}

TEST_F(Build, PowersWithWholeExponents) {
  EXPECT_EQ(pow(pool, x, constant(pool, 2)), mul(pool, x, x));
  EXPECT_EQ(pool.op(pow(pool, x, constant(pool, 0.5))), Op::Pow);
  EXPECT_EQ(pool.constant(pow(pool, constant(pool, 2), constant(pool, -2))), 0.25);
  EXPECT_EQ(pool.op(pow(pool, zero, constant(pool, -1))), Op::IntPower);
}

TEST_F(Build, LogicAndIf) {
  const ExprId b = discrete_bool(pool, {0}), c = binary(pool, Op::Less, x, y);
  EXPECT_EQ(negation(pool, negation(pool, b)), b);
  EXPECT_NE(conjunction(pool, b, c), conjunction(pool, c, b));
  EXPECT_EQ(if_else(pool, IfKind::Evented, boolean(pool, true), x, y), x);
  EXPECT_EQ(if_else(pool, IfKind::Evented, negation(pool, c), x, y),
            if_else(pool, IfKind::Evented, c, y, x));
  EXPECT_NE(if_else(pool, IfKind::Evented, c, x, y), if_else(pool, IfKind::Plain, c, x, y));
  EXPECT_EQ(binary(pool, Op::Less, x, x), boolean(pool, false));
  EXPECT_EQ(binary(pool, Op::LessEqual, x, x), boolean(pool, true));
  EXPECT_EQ(pool.op(binary(pool, Op::LessEqual, ln_x, ln_x)), Op::LessEqual);
}

// A plain `if` inside an evented one protects its branch while the mode is frozen, so it has to
// stay.
TEST_F(Build, MergesOnlyIfsOfOneKind) {
  const ExprId c = binary(pool, Op::Greater, x, zero), root = unary(pool, Op::Sqrt, x);
  const ExprId guarded = if_else(pool, IfKind::Plain, c, root, zero);
  EXPECT_EQ(pool.operand(if_else(pool, IfKind::Evented, c, guarded, y), 1), guarded);
  EXPECT_EQ(pool.operand(if_else(pool, IfKind::Plain, c, guarded, y), 1), root);
}

TEST_F(Build, TraitsDescribeWhatIsBelow) {
  const ExprId e = if_else(pool, IfKind::Evented, binary(pool, Op::Less, x, time(pool)), ln_x,
                           discrete_real(pool, {3}));
  EXPECT_TRUE(pool.has(e, kHasEvented) && pool.has(e, kHasTime) && pool.has(e, kHasVariable) &&
              pool.has(e, kHasDiscrete));
  EXPECT_FALSE(pool.has(e, kTotal) || pool.has(e, kBoolean) || pool.has(e, kHasCall));
  const FunctionId box = pool.add_opaque(1, false);
  const ExprId in_body = call(pool, box, std::array{param_real(pool, 0)});
  const FunctionId f = pool.add_function(1, in_body);
  EXPECT_TRUE(pool.has(call(pool, f, std::array{y}), kHasOpaque));
}

TEST_F(Build, CallsAreShared) {
  const FunctionId f = pool.add_opaque(2, false), g = pool.add_opaque(2, false);
  EXPECT_EQ(call(pool, f, std::array{x, y}), call(pool, f, std::array{x, y}));
  EXPECT_NE(call(pool, f, std::array{x, y}), call(pool, f, std::array{y, x}));
  EXPECT_NE(call(pool, f, std::array{x, y}), call(pool, g, std::array{x, y}));
  const ExprId before = call(pool, f, std::array{x, y});
  for (int i = 0; i < 5000; ++i) variable(pool, {i});  // the index grows and is hashed again
  EXPECT_EQ(call(pool, f, std::array{x, y}), before);
}

TEST_F(Build, IntegerPowerIsBySquaring) {
  const double v = 1.1;
  EXPECT_EQ(int_power(v, 5), ((v * v) * (v * v)) * v);
  EXPECT_EQ(int_power(v, -3), 1 / ((v * v) * v));
  EXPECT_EQ(int_power(v, 0), 1.0);
  EXPECT_EQ(apply_int_power(0, -1).fault, Fault::DivisionByZero);
  EXPECT_EQ(int_power(1.0, std::numeric_limits<std::int32_t>::min()), 1.0);
}

std::uint64_t bits(double v) { return std::bit_cast<std::uint64_t>(v == 0 ? 0.0 : v); }

// Expressions as drawn against expressions rebuilt by the constructors: the same bits but for the
// sign of zero, a fault where there was a fault, and no change when simplified again.
TEST(BuildProperty, SimplificationKeepsValuesAndFaults) {
  int compared = 0, faults = 0, changed = 0;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    Pool pool;
    testing::RandomExpressions random(pool, seed, {.raw = true});
    const ExprId raw = random.real(14);
    const ExprId simple = testing::simplified(pool, raw);
    ASSERT_EQ(testing::simplified(pool, simple), simple) << "seed " << seed;
    changed += simple != raw;
    for (int round = 0; round < 4; ++round) {
      const Point point = random.point();
      const Value expected = evaluate(pool, raw, point), found = evaluate(pool, simple, point);
      if (expected.fault == Fault::NotANumber) continue;  // only infinities lead there
      ASSERT_EQ(expected.fault == Fault::None, found.fault == Fault::None) << "seed " << seed;
      faults += expected.fault != Fault::None;
      if (expected.fault != Fault::None) continue;
      ASSERT_EQ(bits(expected.value), bits(found.value)) << "seed " << seed;
      ++compared;
    }
  }
  EXPECT_GT(compared, 8000);
  EXPECT_GT(faults, 1000);
  EXPECT_GT(changed, 3000);
}

}  // namespace
}  // namespace chi::expr
