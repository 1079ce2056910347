#include "expr/differentiate.h"

#include <array>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "expr/build.h"
#include "expr/cone.h"
#include "expr/print.h"
#include "expr/random_expression.h"
#include "expr/substitute.h"

namespace chi::expr {
namespace {

struct Differentiate : ::testing::Test {
  Pool pool;
  ExprId x = variable(pool, {0}), y = variable(pool, {1}), dx = variable(pool, {0}, 1),
         dy = variable(pool, {1}, 1);
  ExprId zero = constant(pool, 0), one = constant(pool, 1);
  std::string by_time(ExprId e) { return to_text(pool, time_derivative(pool, e)); }
};

TEST_F(Differentiate, PartialOfPolynomial) {
  const ExprId e = add(pool, mul(pool, constant(pool, 3), int_power(pool, x, 2)), mul(pool, x, y));
  EXPECT_EQ(to_text(pool, partial(pool, e, x)), "x1 + 6 * x0");
  EXPECT_EQ(partial(pool, e, y), x);
  EXPECT_EQ(partial(pool, e, dx), zero);
}

TEST_F(Differentiate, TimeMakesDerivatives) {
  EXPECT_EQ(by_time(mul(pool, x, y)), "x1 * x0' + x0 * x1'");
  EXPECT_EQ(by_time(dx), "x0''");
  EXPECT_EQ(by_time(int_power(pool, time(pool), 2)), "2 * time");
  EXPECT_EQ(by_time(mul(pool, discrete_real(pool, {0}), x)), "x0' * d0");
  EXPECT_EQ(by_time(unary(pool, Op::Floor, x)), "0");
  EXPECT_EQ(by_time(unary(pool, Op::Abs, x)), "x0' * sign(x0)");
  EXPECT_EQ(by_time(binary(pool, Op::Min, x, y)), "if x0 <= x1 then x0' else x1'");
  EXPECT_EQ(by_time(constant(pool, 2)), "0");
}

TEST_F(Differentiate, ConditionsStayAndKeepTheirKind) {
  const ExprId c = binary(pool, Op::Less, int_power(pool, x, 2), y);
  const ExprId d = time_derivative(pool, if_else(pool, IfKind::Evented, c, x, constant(pool, 4)));
  EXPECT_EQ(d, if_else(pool, IfKind::Evented, c, dx, zero));
  const ExprId plain = if_else(pool, IfKind::Plain, c, one, constant(pool, 4));
  EXPECT_EQ(time_derivative(pool, plain), zero);
}

// ln(x) must not be reached while the other branch holds, also not as 0 * (1/x).
TEST_F(Differentiate, BranchNotTakenCannotFail) {
  const ExprId c = binary(pool, Op::Greater, x, zero);
  const ExprId e = mul(pool, y, if_else(pool, IfKind::Plain, c, unary(pool, Op::Ln, x), zero));
  const Jacobian j = jacobian(pool, std::array{e}, std::array{x, y});
  Point p;
  p.variable = [](VarRef) { return 0.0; };
  ASSERT_EQ(j.entry.size(), 2u);
  EXPECT_EQ(evaluate(pool, j.entry[0], p).value, 0);
  EXPECT_EQ(evaluate(pool, j.entry[1], p).value, 0);
  EXPECT_FALSE(
      evaluate(
          pool, time_derivative(pool, e),
          Point{.time = 0, .variable = p.variable, .discrete = {}, .opaque = {}, .delayed = {}})
          .where);
}

TEST_F(Differentiate, DelayMovesWithItsTau) {
  const ExprId tau = constant(pool, 2);
  EXPECT_EQ(by_time(delay(pool, x, tau)), "delay(x0', 2)");
  EXPECT_EQ(by_time(delay(pool, x, tau, constant(pool, 5))), "delay(x0', 2, 0)");
  EXPECT_EQ(by_time(delay(pool, x, y)), "delay(x0', x1) * (1 - x1')");
  EXPECT_EQ(partial(pool, delay(pool, x, tau), x), zero);
  EXPECT_EQ(to_text(pool, partial(pool, delay(pool, x, y), y)), "-delay(x0', x1)");
}

TEST_F(Differentiate, VariablesHeldFixed) {
  const VariableDerivative hold = [](Pool& p, VarRef v) {
    return v.var == VarId{1} ? constant(p, 0) : variable(p, v.var, v.order + 1);
  };
  EXPECT_EQ(time_derivative(pool, std::array{mul(pool, x, y)}, hold)[0], mul(pool, y, dx));
}

TEST_F(Differentiate, FunctionsByTheirBody) {
  const ExprId p = param_real(pool, 0), q = param_real(pool, 1);
  const FunctionId f = pool.add_function(2, mul(pool, int_power(pool, p, 2), q));
  const ExprId e = call(pool, f, std::array{x, y});
  EXPECT_EQ(by_time(e), "x0' * f0.d0(x0, x1) + x1' * f0.d1(x0, 0)");
  EXPECT_EQ(inline_calls(pool, partial(pool, e, y)), int_power(pool, x, 2));
  EXPECT_EQ(derivative(pool, derivative(pool, f, 0), 1),
            derivative(pool, derivative(pool, f, 1), 0));
  const FunctionId f111 = derivative(pool, derivative(pool, derivative(pool, f, 1), 1), 1);
  EXPECT_TRUE(is_zero(pool, pool.function(f111).body));
}

TEST_F(Differentiate, BlackBoxesNumerically) {
  const FunctionId f = pool.add_opaque(2, false);
  const ExprId d = time_derivative(pool, call(pool, f, std::array{x, constant(pool, 1)}));
  EXPECT_EQ(to_text(pool, d), "x0' * f0.d0(x0, 1)");
  EXPECT_TRUE(pool.has(d, kHasNumeric));
  EXPECT_FALSE(pool.has(call(pool, f, std::array{x, y}), kHasNumeric));
}

// g_n(p) = sin(g_{n-1}(p)): the derivative of the last needs those of all before it.
TEST_F(Differentiate, DeeplyNestedFunctions) {
  const ExprId p = param_real(pool, 0);
  FunctionId g = pool.add_function(1, unary(pool, Op::Sin, p));
  for (int i = 0; i < 20000; ++i)
    g = pool.add_function(1, unary(pool, Op::Sin, call(pool, g, std::array{p})));
  const ExprId d = partial(pool, call(pool, g, std::array{x}), x);
  EXPECT_EQ(pool.op(d), Op::Call);
}

// The pendulum's constraint twice differentiated: x x'' + x'^2 + y y'' + y'^2 = 0, up to the
// factor 2.
TEST_F(Differentiate, PendulumConstraintTwice) {
  const ExprId first = int_power(pool, x, 2);  // compilers differ in which argument comes first
  const ExprId length = sub(pool, add(pool, first, int_power(pool, y, 2)), constant(pool, 4));
  const auto tower = time_derivatives(pool, std::array{length}, std::array{2})[0];
  ASSERT_EQ(tower.size(), 3u);
  EXPECT_EQ(to_text(pool, tower[1]), "2 * (x0 * x0') + 2 * (x1 * x1')");
  Point p;
  p.variable = [](VarRef v) { return v.var.index == 0 ? 1.5 + v.order : -0.5 * (v.order + 1); };
  EXPECT_DOUBLE_EQ(evaluate(pool, tower[2], p).value,
                   2 * (1.5 * 3.5 + 2.5 * 2.5 + (-0.5) * (-1.5) + (-1.0) * (-1.0)));
}

// exp(x y) sin(x) to order 8: repeated differentiation of a tree would take thousands of nodes.
TEST_F(Differentiate, HighOrdersShareNodes) {
  const ExprId e = mul(pool, unary(pool, Op::Exp, mul(pool, x, y)), unary(pool, Op::Sin, x));
  const auto tower = time_derivatives(pool, std::array{e}, std::array{8})[0];
  const Cone cone(pool, std::array{tower[8]});
  EXPECT_LT(cone.size(), 1500);
}

TEST_F(Differentiate, OrdersPerRoot) {
  const auto towers = time_derivatives(pool, std::array{x, y, zero}, std::array{2, 0, 1});
  EXPECT_EQ(towers[0], (std::vector{x, dx, variable(pool, {0}, 2)}));
  EXPECT_EQ(towers[1], std::vector{y});
  EXPECT_EQ(towers[2], (std::vector{zero, zero}));
}

bool close(double a, double b, double tolerance) {
  return std::fabs(a - b) <= tolerance * (1 + std::fabs(a) + std::fabs(b));
}

// Partials against forward-mode evaluation with other formulas, and against central differences.
TEST(DifferentiateProperty, PartialsAgreeWithDualsAndDifferences) {
  int duals = 0, differences = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Pool pool;
    testing::RandomExpressions random(pool, seed, {.calls = seed % 2 == 0});
    const ExprId e = random.real(10);
    const auto leaves = random.variable_leaves();
    const ExprId leaf = leaves[random.below(leaves.size())];
    const ExprId d = partial(pool, e, leaf);
    for (int round = 0; round < 3; ++round) {
      const Point point = random.point();
      const Value slope = evaluate(pool, d, point);
      if (evaluate(pool, e, point).where || slope.where || std::fabs(slope.value) > 1e6) continue;
      const testing::Dual dual = testing::evaluate_dual(
          pool, std::array{e}, point, [&](ExprId l) { return l == leaf ? 1.0 : 0.0; })[0];
      if (!std::isfinite(dual.slope)) continue;
      ASSERT_TRUE(close(slope.value, dual.slope, 1e-7))
          << "seed " << seed << ": " << to_text(pool, e);
      ++duals;
      const auto at = [&](double h) {
        Point moved = point;
        moved.variable = [&](VarRef v) {
          return point.variable(v) + (v == pool.variable(leaf) ? h : 0);
        };
        return evaluate(pool, e, moved).value;
      };
      // Where two step sizes agree, e is smooth enough to be judged by differences.
      const double h = 1e-4, coarse = (at(2 * h) - at(-2 * h)) / (4 * h),
                   fine = (at(h) - at(-h)) / (2 * h);
      const double left = (at(0) - at(-h)) / h, right = (at(h) - at(0)) / h;
      if (!close(coarse, fine, 1e-6) || !close(left, right, 1e-2)) continue;
      ASSERT_TRUE(close(slope.value, fine, 1e-3)) << "seed " << seed << ": " << to_text(pool, e);
      ++differences;
    }
  }
  EXPECT_GT(duals, 6000);
  EXPECT_GT(differences, 5000);
}

// d/dt against duals whose leaves move at the rate of the next derivative.
TEST(DifferentiateProperty, TimeDerivativeAgreesWithDuals) {
  int compared = 0;
  for (std::uint64_t seed = 10000; seed < 13000; ++seed) {
    Pool pool;
    testing::RandomExpressions random(pool, seed, {});
    const ExprId e = random.real(10);
    const auto tower = time_derivatives(pool, std::array{e}, std::array{2})[0];
    const Point point = random.point();
    const auto rate = [&](ExprId leaf) {
      if (pool.op(leaf) == Op::Time) return 1.0;
      if (pool.op(leaf) != Op::Variable) return 0.0;
      const VarRef v = pool.variable(leaf);
      return point.variable({v.var, v.order + 1});
    };
    for (int k = 0; k < 2; ++k) {
      const auto level = static_cast<std::size_t>(k);
      const Value slope = evaluate(pool, tower[level + 1], point);
      if (evaluate(pool, tower[level], point).where || slope.where || std::fabs(slope.value) > 1e6)
        continue;
      const testing::Dual dual =
          testing::evaluate_dual(pool, std::array{tower[level]}, point, rate)[0];
      if (!std::isfinite(dual.slope)) continue;
      ASSERT_TRUE(close(slope.value, dual.slope, 1e-6))
          << "seed " << seed << ": " << to_text(pool, e);
      ++compared;
    }
  }
  EXPECT_GT(compared, 3000);
}

}  // namespace
}  // namespace chi::expr
