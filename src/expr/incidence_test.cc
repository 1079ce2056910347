#include "expr/incidence.h"

#include <array>
#include <cstdint>
#include <set>

#include <gtest/gtest.h>

#include "expr/build.h"
#include "expr/print.h"
#include "expr/random_expression.h"

namespace chi::expr {
namespace {

struct Incident : ::testing::Test {
  Pool pool;
  ExprId x = variable(pool, {0}), y = variable(pool, {1}), dx = variable(pool, {0}, 1),
         zero = constant(pool, 0);
  ExprId low = binary(pool, Op::Less, x, y);
};

TEST_F(Incident, VariablesAndHighestOrders) {
  const ExprId e = add(pool, mul(pool, y, dx), x);
  EXPECT_EQ(variables(pool, std::array{e, zero, y}).node, (std::vector{x, dx, y, y}));
  const Incidence all = incidence(pool, std::array{e, zero, y});
  EXPECT_EQ(all.row_start, (std::vector{0, 2, 2, 3}));
  EXPECT_EQ(all.entry, (std::vector<VarRef>{{{0}, 1}, {{1}, 0}, {{1}, 0}}));
}

TEST_F(Incident, PastAndModeDoNotCount) {
  const ExprId late = delay(pool, x, y), evented = if_else(pool, IfKind::Evented, low, y, zero);
  const ExprId plain = if_else(pool, IfKind::Plain, low, y, zero);
  const Occurrences v = variables(pool, std::array{late, evented, plain});
  EXPECT_EQ(v.row_start, (std::vector{0, 1, 2, 4}));
  EXPECT_EQ(v.node, (std::vector{y, y, x, y}));
  EXPECT_EQ(delays(pool, std::array{delay(pool, late, y)}).node,
            (std::vector{late, delay(pool, late, y)}));
}

TEST_F(Incident, ConditionsAlsoInsideConditions) {
  const ExprId inner = if_else(pool, IfKind::Evented, low, x, y);
  const ExprId outer = binary(pool, Op::Greater, inner, zero);
  const ExprId e = if_else(pool, IfKind::Evented, outer, x, zero);
  const ExprId plain = if_else(pool, IfKind::Plain, low, x, zero);
  EXPECT_EQ(conditions(pool, std::array{e, plain, inner}).row_start, (std::vector{0, 2, 2, 3}));
  EXPECT_EQ(conditions(pool, std::array{e, plain, inner}).node, (std::vector{low, outer, low}));
}

TEST_F(Incident, RelationsThatCanChange) {
  const ExprId n = discrete_real(pool, {0}), late = binary(pool, Op::GreaterEqual, time(pool), n);
  const ExprId count = binary(pool, Op::Equal, n, zero);
  const ExprId condition = disjunction(pool, conjunction(pool, late, negation(pool, low)), count);
  const Occurrences r = relations(pool, std::array{condition});
  EXPECT_EQ(r.node, (std::vector{low, late}));
}

TEST_F(Incident, RelationsDoNotLookIntoNumbers) {
  const ExprId number = if_else(pool, IfKind::Plain, low, x, y);
  const ExprId condition = binary(pool, Op::Less, number, zero);
  EXPECT_EQ(relations(pool, std::array{condition}).node, std::vector{condition});
}

// Against a search from each root on its own.
TEST(IncidenceProperty, OneSweepEqualsManySearches) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Pool pool;
    testing::RandomExpressions random(pool, seed, {});
    std::vector<ExprId> roots{random.real(8), random.real(3)};
    for (int i = 0; i < 5; ++i) {
      roots.push_back(add(pool, roots[random.below(roots.size())], random.real(4)));
      roots.push_back(
          mul(pool, roots[random.below(roots.size())], roots[random.below(roots.size())]));
    }
    const Occurrences all = variables(pool, roots);
    const Occurrences modes = conditions(pool, roots);
    ASSERT_EQ(all.rows(), static_cast<int>(roots.size()));
    for (int i = 0; i < all.rows(); ++i) {
      std::set<VarRef> expected;
      std::set<ExprId> expected_modes;
      const std::array root{roots[static_cast<std::size_t>(i)]};
      const Cone cone(pool, root, {.delayed = false, .evented_conditions = false});
      for (const ExprId e : cone.nodes()) {
        if (pool.op(e) == Op::Variable) expected.insert(pool.variable(e));
      }
      const Cone whole(pool, root);
      for (const ExprId e : whole.nodes()) {
        if (pool.op(e) == Op::If) expected_modes.insert(pool.operand(e, 0));
      }
      std::vector<VarRef> found;
      for (const ExprId e : all.row(i)) found.push_back(pool.variable(e));
      ASSERT_EQ(found, std::vector(expected.begin(), expected.end())) << "seed " << seed;
      const auto row = modes.row(i);
      ASSERT_EQ(std::vector(row.begin(), row.end()),
                std::vector(expected_modes.begin(), expected_modes.end()));
    }
  }
}

}  // namespace
}  // namespace chi::expr
