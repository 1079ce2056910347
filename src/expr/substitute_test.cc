#include "expr/substitute.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "expr/build.h"
#include "expr/incidence.h"
#include "expr/print.h"
#include "expr/random_expression.h"

namespace chi::expr {
namespace {

struct Substitute : ::testing::Test {
  Pool pool;
  ExprId x = variable(pool, {0}), y = variable(pool, {1}), z = variable(pool, {2}),
         dx = variable(pool, {0}, 1);
  ExprId one = constant(pool, 1), zero = constant(pool, 0);
};

TEST_F(Substitute, AllAtOnce) {
  const std::array swap{Replacement{x, y}, Replacement{y, x}};
  EXPECT_EQ(substitute(pool, sub(pool, x, y), swap), sub(pool, y, x));
  EXPECT_EQ(substitute(pool, dx, swap), dx);
  EXPECT_EQ(substitute(pool, mul(pool, add(pool, x, z), dx), std::array{Replacement{dx, zero}}),
            zero);
}

TEST_F(Substitute, AnyNodeAndTheOutermost) {
  const ExprId s = add(pool, x, y);
  const std::array rules{Replacement{s, z}, Replacement{x, one}};
  EXPECT_EQ(substitute(pool, mul(pool, s, x), rules), z);
}

TEST_F(Substitute, ReachesConditionsAndDelays) {
  const ExprId e =
      if_else(pool, IfKind::Evented, binary(pool, Op::Less, x, z), delay(pool, x, one), y);
  const ExprId r = substitute(pool, e, std::array{Replacement{x, y}});
  EXPECT_EQ(to_text(pool, r), "if x1 < x2 then delay(x1, 1) else x1");
}

TEST_F(Substitute, EquationsInAnyOrder) {
  // x <- y + 1, y <- 2 z: x is resolved to 2 z + 1.
  const std::array equations{Replacement{x, add(pool, y, one)},
                             Replacement{y, mul(pool, constant(pool, 2), z)}};
  const Resolved r = resolve_substitutes(pool, equations);
  ASSERT_TRUE(r.cycle.empty());
  EXPECT_EQ(to_text(pool, r.replacements[0].by), "2 * x2 + 1");
  EXPECT_EQ(r.replacements[0].what, x);
  EXPECT_EQ(r.replacements[1].by, equations[1].by);
}

TEST_F(Substitute, CyclesAreShown) {
  const ExprId w = variable(pool, {3});
  const std::array equations{Replacement{w, add(pool, x, one)}, Replacement{x, add(pool, y, one)},
                             Replacement{y, mul(pool, z, y)}, Replacement{z, neg(pool, x)}};
  const Resolved self = resolve_substitutes(pool, std::array{equations[2]});
  EXPECT_EQ(self.cycle, std::vector{y});
  std::array longer = equations;
  longer[2].by = neg(pool, z);
  const Resolved r = resolve_substitutes(pool, longer);
  EXPECT_EQ(r.cycle, (std::vector{x, y, z}));
  EXPECT_TRUE(r.replacements.empty());
}

// x_i <- x_{i+1} + 1 for 10^5 variables, listed so that each needs the next.
TEST_F(Substitute, ThePastIsNoCycleWhereDelaysAreLeft) {
  const std::array<Replacement, 2> equations{Replacement{x, add(pool, y, delay(pool, x, one))},
                                             Replacement{y, z}};
  EXPECT_EQ(resolve_substitutes(pool, equations).cycle, std::vector{x});
  const Resolved r = resolve_substitutes(pool, equations, {.delayed = false});
  ASSERT_TRUE(r.cycle.empty());
  EXPECT_EQ(r.replacements[0].by, add(pool, z, delay(pool, x, one)));
}

TEST_F(Substitute, LongChainOfEquations) {
  std::vector<Replacement> equations;
  for (int i = 0; i < 100000; ++i)
    equations.push_back({variable(pool, {i}), add(pool, variable(pool, {i + 1}), one)});
  const Resolved r = resolve_substitutes(pool, equations);
  ASSERT_TRUE(r.cycle.empty());
  const Occurrences v = variables(pool, std::array{r.replacements[0].by});
  EXPECT_EQ(v.node, std::vector{variable(pool, {100000})});
  equations.push_back({variable(pool, {100000}), x});
  EXPECT_EQ(resolve_substitutes(pool, equations).cycle.size(), 100001u);
}

TEST_F(Substitute, ModeSelectsBranchesOfEventedIfs) {
  const ExprId c = binary(pool, Op::Greater, x, zero), d = binary(pool, Op::Less, y, one);
  const ExprId inner = if_else(pool, IfKind::Evented, d, z, one);
  const ExprId evented = if_else(pool, IfKind::Evented, c, inner, y),
               plain = if_else(pool, IfKind::Plain, c, x, y);
  const std::array mode{Truth{c, true}, Truth{d, false}};
  EXPECT_EQ(select_branches(pool, std::array{evented, plain}, mode), (std::vector{one, plain}));
  EXPECT_EQ(select_branches(pool, std::array{evented}, std::array{Truth{c, false}})[0], y);
  EXPECT_EQ(select_branches(pool, std::array{evented}, std::array{Truth{d, true}})[0],
            if_else(pool, IfKind::Evented, c, z, y));
}

TEST_F(Substitute, InlinesCallsInCalls) {
  const ExprId p = param_real(pool, 0), q = param_real(pool, 1);
  const FunctionId box = pool.add_opaque(1, false);
  const FunctionId f = pool.add_function(2, sub(pool, p, q));
  const FunctionId g = pool.add_function(
      2, mul(pool, call(pool, f, std::array{q, p}), call(pool, box, std::array{p})));
  const ExprId e = inline_calls(pool, call(pool, g, std::array{x, add(pool, y, one)}));
  EXPECT_EQ(e, mul(pool, sub(pool, add(pool, y, one), x), call(pool, box, std::array{x})));
}

std::uint64_t bits(double v) { return std::bit_cast<std::uint64_t>(v == 0 ? 0.0 : v); }

// Substituting and evaluating is evaluating with the substitutes' values; so is inlining.
TEST(SubstituteProperty, CommutesWithEvaluation) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Pool pool;
    testing::RandomExpressions random(pool, seed, {});
    const ExprId e = random.real(10), first = random.real(4), second = random.real(4);
    const std::array rules{Replacement{variable(pool, {0}), first},
                           Replacement{variable(pool, {1}, 1), second}};
    const ExprId r = substitute(pool, e, rules), inlined = inline_calls(pool, r);
    EXPECT_FALSE(pool.has(inlined, kHasCall));
    const Point point = random.point();
    const Value a = evaluate(pool, first, point), b = evaluate(pool, second, point);
    if (a.where || b.where || !std::isfinite(a.value) || !std::isfinite(b.value)) continue;
    Point replaced = point;
    replaced.variable = [&](VarRef v) {
      return v == VarRef{{0}, 0} ? a.value : v == VarRef{{1}, 1} ? b.value : point.variable(v);
    };
    const Value expected = evaluate(pool, e, replaced), found = evaluate(pool, r, point);
    if (expected.fault == Fault::NotANumber) continue;
    ASSERT_EQ(expected.fault == Fault::None, found.fault == Fault::None) << "seed " << seed;
    if (expected.where) continue;
    ASSERT_EQ(bits(expected.value), bits(found.value)) << "seed " << seed;
    ASSERT_EQ(bits(expected.value), bits(evaluate(pool, inlined, point).value)) << "seed " << seed;
    ++compared;
  }
  EXPECT_GT(compared, 1000);
}

TEST_F(Substitute, KinksSpreadFromAFunctionToItsCallers) {
  const ExprId a = param_real(pool, 0);
  const auto calls = [&](FunctionId f) { return call(pool, f, std::array{a}); };
  const FunctionId smooth = pool.add_function(1, mul(pool, a, a));
  const FunctionId kinked = pool.add_function(1, unary(pool, Op::Abs, a));
  FunctionId above_smooth = smooth, above_kinked = kinked;
  for (int i = 0; i < 1000; ++i) {
    above_smooth = pool.add_function(1, add(pool, calls(above_smooth), one));
    above_kinked = pool.add_function(1, add(pool, calls(above_kinked), calls(above_smooth)));
  }
  KinkedFunctions is_kinked(pool);
  EXPECT_FALSE(is_kinked(smooth));
  EXPECT_TRUE(is_kinked(above_kinked));
  EXPECT_FALSE(is_kinked(above_smooth));
  EXPECT_TRUE(is_kinked(kinked));
  for (const FunctionId f : {smooth, kinked, above_smooth, above_kinked})
    EXPECT_EQ(is_kinked(f), has_kinks(pool, pool.function(f).body));
}

}  // namespace
}  // namespace chi::expr
