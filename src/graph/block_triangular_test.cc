#include "graph/block_triangular.h"

#include <set>

#include <gtest/gtest.h>

#include "graph/instances.h"

namespace chi::graph {
namespace {

using testing::Random;

using Pairs = std::vector<std::pair<std::vector<int>, std::vector<int>>>;

Pairs lists(const BlockTriangularForm& form) {
  Pairs result;
  for (BlockId block{0}; block.index < form.size(); ++block.index) {
    result.emplace_back();
    for (const EqId eq : form.eqs_of(block)) result.back().first.push_back(eq.index);
    for (const VarId var : form.vars_of(block)) result.back().second.push_back(var.index);
    std::sort(result.back().second.begin(), result.back().second.end());
  }
  return result;
}

// P2 example 1, index 1, solved for p1', p2', q0, q1, q2 with p1, p2 given: no loop, q's first.
TEST(BlockTriangularForm, OrdersTheHydraulicNetwork) {
  const Signature sigma =
      testing::signature("dp1 dp2 q0 q1 q2", {"dp1 q0 q1", "dp2 q1 q2", "q0", "q1", "q2"});
  const BlockTriangularForm form =
      block_triangular_form(sigma.pattern, match_maximum(sigma.pattern));
  EXPECT_EQ(lists(form), (Pairs{{{2}, {2}}, {{3}, {3}}, {{0}, {0}}, {{4}, {4}}, {{1}, {1}}}));
}

// P0 (20): the currents of the capacitors form a loop of two.
TEST(BlockTriangularForm, FindsTheLoopOfTheCapacitors) {
  const Signature sigma = testing::signature("dv1 v2 i1 i2", {"dv1 i1", "i1 i2", "i1 i2", "v2"});
  const BlockTriangularForm form =
      block_triangular_form(sigma.pattern, match_maximum(sigma.pattern));
  EXPECT_EQ(lists(form), (Pairs{{{1, 2}, {2, 3}}, {{0}, {0}}, {{3}, {1}}}));
}

TEST(BlockTriangularForm, TakesUnmatchedVariablesAsGiven) {
  const Signature sigma = testing::signature("x y z", {"x y", "y x z"});
  Matching matching{{2, VarId{}}, {3, EqId{}}};
  matching.var_of[{0}] = {0};
  matching.eq_of[{0}] = {0};
  const BlockTriangularForm form = block_triangular_form(sigma.pattern, matching);
  EXPECT_EQ(lists(form), (Pairs{{{0}, {0}}}));
  EXPECT_FALSE(form.block_of[{1}]);
  EXPECT_FALSE(form.block_of_var[{1}]);
}

TEST(BlockTriangularForm, IsTriangularIrreducibleAndAlignedOnRandomPatterns) {
  Random random(1978);
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    const int n = 1 + random.below(9);
    const Signature sigma = testing::random_signature(random, n, 2 + random.below(5), 0);
    const Matching matching = match_maximum(sigma.pattern);
    const BlockTriangularForm form = block_triangular_form(sigma.pattern, matching);
    ASSERT_EQ(form.eqs.size(), static_cast<std::size_t>(n));
    for (std::size_t k = 0; k < form.eqs.size(); ++k) {
      EXPECT_EQ(matching.var_of[form.eqs[k]], form.vars[k]);
      EXPECT_EQ(form.block_of[form.eqs[k]], form.block_of_var[form.vars[k]]);
      for (const VarId var : sigma.pattern.vars_of(form.eqs[k])) {
        EXPECT_LE(form.block_of_var[var], form.block_of[form.eqs[k]]);
      }
    }
    // Irreducible: within a block no k < size equations have only k variables of the block.
    for (BlockId block{0}; block.index < form.size(); ++block.index) {
      const auto eqs = form.eqs_of(block);
      for (std::uint32_t mask = 1; mask + 1 < std::uint32_t{1} << eqs.size(); ++mask) {
        std::set<VarId> vars;
        int count = 0;
        for (std::size_t k = 0; k < eqs.size(); ++k) {
          if ((mask >> k & 1) == 0) continue;
          ++count;
          for (const VarId var : sigma.pattern.vars_of(eqs[k])) {
            if (form.block_of_var[var] == block) vars.insert(var);
          }
        }
        ASSERT_GT(static_cast<int>(vars.size()), count);
      }
    }
  }
}

// The blocks, as sets, follow a permutation of equations and variables.
TEST(BlockTriangularForm, DoesNotDependOnNumbering) {
  Random random(79);
  for (int round = 0; round < 1000; ++round) {
    SCOPED_TRACE(round);
    const int n = 1 + random.below(10);
    const Signature sigma = testing::random_signature(random, n, 2 + random.below(5), 0);
    const std::vector<int> eq_to = random.permutation(n);
    const std::vector<int> var_to = random.permutation(n);
    const Signature other = testing::permuted(sigma, eq_to, var_to);
    std::set<std::set<int>> blocks;
    std::set<std::set<int>> other_blocks;
    for (const auto& [eqs, vars] :
         lists(block_triangular_form(sigma.pattern, match_maximum(sigma.pattern)))) {
      std::set<int> moved;
      for (int eq : eqs) moved.insert(eq_to[static_cast<std::size_t>(eq)]);
      blocks.insert(moved);
    }
    for (const auto& [eqs, vars] :
         lists(block_triangular_form(other.pattern, match_maximum(other.pattern)))) {
      other_blocks.insert({eqs.begin(), eqs.end()});
    }
    EXPECT_EQ(blocks, other_blocks);
  }
}

}  // namespace
}  // namespace chi::graph
