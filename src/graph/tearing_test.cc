#include "graph/tearing.h"

#include <bit>
#include <set>

#include <gtest/gtest.h>

#include "graph/instances.h"

namespace chi::graph {
namespace {

using testing::Random;
using MaySolve = Table<EdgeId, std::uint8_t>;

MaySolve everywhere(const Bipartite& block) { return {block.num_edges(), std::uint8_t{1}}; }

void expect_valid(const Bipartite& block, const MaySolve& may_solve, const Tearing& tearing) {
  std::set<VarId> known(tearing.torn.begin(), tearing.torn.end());
  EXPECT_EQ(known.size(), tearing.torn.size()) << "torn twice";
  std::set<EqId> used(tearing.residuals.begin(), tearing.residuals.end());
  EXPECT_EQ(tearing.residuals.size(), tearing.torn.size());
  for (const auto& [eq, var] : tearing.explicit_part) {
    EXPECT_TRUE(used.insert(eq).second) << "equation used twice";
    EXPECT_TRUE(known.insert(var).second) << "variable computed twice";
    const EdgeId edge = block.find_edge(eq, var);
    ASSERT_TRUE(edge);
    EXPECT_TRUE(may_solve[edge]);
    for (const VarId other : block.vars_of(eq)) EXPECT_TRUE(known.contains(other));
  }
  EXPECT_EQ(static_cast<int>(known.size()), block.num_vars());
  EXPECT_EQ(static_cast<int>(used.size()), block.num_eqs());
}

// The fewest tearing variables: for each set of guessed variables, how far does solving get?
int fewest_torn(const Bipartite& block, const MaySolve& may_solve) {
  const int n = block.num_vars();
  int best = n;
  for (std::uint32_t torn = 0; torn < std::uint32_t{1} << n; ++torn) {
    if (std::popcount(torn) >= best) continue;
    // Solving an equation never hurts: what it computes stays known. But which equation computes a
    // variable matters not, since the number of unknowns is what counts.
    std::uint32_t known = torn;
    std::set<EqId> used;
    for (bool progress = true; progress;) {
      progress = false;
      for (EqId eq{0}; eq.index < n; ++eq.index) {
        if (used.contains(eq)) continue;
        VarId open;
        int unknown = 0;
        for (const VarId var : block.vars_of(eq)) {
          if (known >> var.index & 1) continue;
          ++unknown;
          open = var;
        }
        if (unknown != 1 || !may_solve[block.find_edge(eq, open)]) continue;
        known |= std::uint32_t{1} << open.index;
        used.insert(eq);
        progress = true;
      }
    }
    if (std::popcount(known) == n) best = std::popcount(torn);
  }
  return best;
}

Bipartite banded(int n, int lower, int upper, bool ring) {
  BipartiteBuilder builder(n, n);
  for (int i = 0; i < n; ++i) {
    for (int k = -lower; k <= upper; ++k) {
      if (ring) {
        builder.add({i}, {(i + k + n) % n});
      } else if (i + k >= 0 && i + k < n) {
        builder.add({i}, {i + k});
      }
    }
  }
  return builder.build();
}

std::size_t torn(const Bipartite& block) {
  const MaySolve may_solve = everywhere(block);
  const Tearing tearing = tear(block, may_solve);
  expect_valid(block, may_solve, tearing);
  return tearing.torn.size();
}

TEST(Tear, NeedsOneVariableForAChainOrARing) {
  EXPECT_EQ(torn(banded(50, 1, 1, false)), 1u);  // a tridiagonal chain: shoot from one end
  EXPECT_EQ(torn(banded(50, 0, 1, true)), 1u);   // a ring of x_i = f(x_{i+1})
}

TEST(Tear, NeedsTheBandwidthForABand) { EXPECT_EQ(torn(banded(60, 2, 2, false)), 2u); }

TEST(Tear, NeedsAllButOneForAFullMatrix) { EXPECT_EQ(torn(banded(7, 3, 3, true)), 6u); }

TEST(Tear, NeedsOneVariableForAnArrow) {
  const int n = 20;  // every equation has its own variable and the last; the last has all
  BipartiteBuilder builder(n, n);
  for (int i = 0; i < n; ++i) {
    builder.add({i}, {i});
    builder.add({i}, {n - 1});
    builder.add({n - 1}, {i});
  }
  EXPECT_EQ(torn(builder.build()), 1u);
}

// P0 (20): i1/C1 = i2/C2, i1 + i2 = 0.
TEST(Tear, SolvesTheCapacitorsFromOneCurrent) {
  EXPECT_EQ(torn(testing::signature("i1 i2", {"i1 i2", "i1 i2"}).pattern), 1u);
}

TEST(Tear, NeverSolvesWhereItMayNot) {
  const Bipartite block = testing::signature("x y", {"x y", "x y"}).pattern;
  MaySolve may_solve(4, std::uint8_t{0});
  Tearing tearing = tear(block, may_solve);
  expect_valid(block, may_solve, tearing);
  EXPECT_EQ(tearing.torn.size(), 2u);

  may_solve[block.find_edge({1}, {0})] = 1;  // only x, only from the second equation
  tearing = tear(block, may_solve);
  expect_valid(block, may_solve, tearing);
  ASSERT_EQ(tearing.explicit_part.size(), 1u);
  EXPECT_EQ(tearing.explicit_part[0].eq.index, 1);
  EXPECT_EQ(tearing.explicit_part[0].var.index, 0);
  EXPECT_EQ(tearing.torn, (std::vector<VarId>{{1}}));
}

TEST(Tear, IsValidAndNearTheFewestOnRandomBlocks) {
  Random random(2000);
  int sum = 0;
  int least = 0;
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    const int n = 1 + random.below(7);
    const Bipartite block = testing::random_signature(random, n, 2 + random.below(3), 0).pattern;
    MaySolve may_solve = everywhere(block);
    if (random.once_in(2)) {
      for (std::uint8_t& flag : may_solve) flag = random.once_in(3) ? 0 : 1;
    }
    const Tearing tearing = tear(block, may_solve);
    expect_valid(block, may_solve, tearing);
    const int fewest = fewest_torn(block, may_solve);
    EXPECT_GE(static_cast<int>(tearing.torn.size()), fewest);
    sum += static_cast<int>(tearing.torn.size());
    least += fewest;
  }
  EXPECT_LE(sum, least + least / 10) << "the heuristic used to stay within a tenth of the fewest";
}

TEST(Tear, GoesThroughAChainOfAMillion) { EXPECT_EQ(torn(banded(300'000, 1, 1, false)), 1u); }

}  // namespace
}  // namespace chi::graph
