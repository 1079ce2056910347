#include "graph/sigma.h"

#include <gtest/gtest.h>

#include "graph/instances.h"
#include "graph/transversal.h"

namespace chi::graph {
namespace {

using testing::Random;
using testing::to_ints;

TEST(FindOffsets, AgreesWithThePapers) {
  for (const testing::PaperModel& model : testing::paper_models()) {
    SCOPED_TRACE(model.name);
    const std::optional<Offsets> offsets = find_offsets(model.sigma);
    ASSERT_TRUE(offsets);
    EXPECT_EQ(to_ints(offsets->c), model.c);
    EXPECT_EQ(to_ints(offsets->d), model.d);
    EXPECT_EQ(offsets->degrees_of_freedom(), model.degrees_of_freedom);
    EXPECT_EQ(offsets->structural_index(), model.index);
  }
}

TEST(FindOffsets, RefusesWhatIsNotSquareOrSingular) {
  EXPECT_FALSE(find_offsets(testing::signature("x y", {"x' y"})));
  EXPECT_FALSE(find_offsets(testing::signature("x", {"x'", "x"})));
  EXPECT_FALSE(find_offsets(testing::signature("x y z", {"x'", "x", "x y z"})));
  EXPECT_TRUE(find_offsets(Signature{}));  // nothing is regular
}

// One differentiator after the other: x1 = t, x2 = x1', x3 = x2', ... Offsets grow along the chain;
// that the blocks are single equations keeps it linear.
TEST(FindOffsets, CountsAlongAChainOfDifferentiators) {
  const int n = 100'000;
  SignatureBuilder builder(n, n);
  builder.add({0}, {0}, 0);
  for (int i = 1; i < n; ++i) {
    builder.add({i}, {i}, 0);
    builder.add({i}, {i - 1}, 1);
  }
  const std::optional<Offsets> offsets = find_offsets(builder.build());
  ASSERT_TRUE(offsets);
  for (int i = 0; i < n; ++i) {
    ASSERT_EQ(offsets->c[{i}], n - 1 - i);
    ASSERT_EQ(offsets->d[{i}], n - 1 - i);
  }
  EXPECT_EQ(offsets->structural_index(), n);
}

// Two blocks that demand of each other: the later block differentiates its use of x, which only
// part of the earlier block can follow.
TEST(FindOffsets, LiftsAnEarlierBlockAsFarAsNeeded) {
  // y and x by an index-1 block, then z = y'', w = x' needs them.
  const Signature sigma = testing::signature("x y z w", {"x' y x", "y' x", "z y''", "w x'"});
  const std::optional<Offsets> offsets = find_offsets(sigma);
  ASSERT_TRUE(offsets);
  EXPECT_EQ(to_ints(offsets->c), (std::vector{0, 1, 0, 0}));
  EXPECT_EQ(to_ints(offsets->d), (std::vector{1, 2, 0, 0}));
}

// Without blocks the ascent gives the canonical offsets of the whole matrix directly.
TEST(FindOffsets, BlockByBlockEqualsAllAtOnce) {
  Random random(2015);
  for (int round = 0; round < 4000; ++round) {
    SCOPED_TRACE(round);
    const int n = 1 + random.below(14);
    const Signature sigma =
        testing::random_signature(random, n, 2 + random.below(6), random.below(4));
    const std::optional<Offsets> offsets = find_offsets(sigma);
    ASSERT_TRUE(offsets);
    const Transversal whole = highest_transversal(sigma);
    EXPECT_EQ(to_ints(offsets->c), to_ints(whole.c));
    EXPECT_EQ(to_ints(offsets->d), to_ints(whole.d));
    testing::expect_valid(sigma.pattern, offsets->transversal);
    for (EqId eq{0}; eq.index < n; ++eq.index) {
      const VarId var = offsets->transversal.var_of[eq];
      EXPECT_EQ(offsets->d[var] - offsets->c[eq], sigma.order[sigma.pattern.find_edge(eq, var)]);
    }
  }
}

TEST(FindOffsets, FollowsANumberingAndIgnoresTheHint) {
  Random random(1999);
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    const int n = 1 + random.below(12);
    const Signature sigma = testing::random_signature(random, n, 2 + random.below(5), 2);
    const std::vector<int> eq_to = random.permutation(n);
    const std::vector<int> var_to = random.permutation(n);
    const std::optional<Offsets> offsets = find_offsets(sigma);
    const std::optional<Offsets> other =
        find_offsets(testing::permuted(sigma, eq_to, var_to), offsets->transversal);
    ASSERT_TRUE(other);
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(offsets->c[{i}], other->c[{eq_to[static_cast<std::size_t>(i)]}]);
      EXPECT_EQ(offsets->d[{i}], other->d[{var_to[static_cast<std::size_t>(i)]}]);
    }
  }
}

// The pendulum's Jacobian: both kinematic equations, both balances and the constraint hang
// together.
TEST(FineBlocks, PendulumIsOneBlock) {
  const testing::PaperModel& model = testing::paper_model("pendulum");
  const BlockTriangularForm blocks = fine_blocks(model.sigma, *find_offsets(model.sigma));
  EXPECT_EQ(blocks.size(), 1);
}

// The PID controller's does not: x' from (11a), e' from (11d), i' from (11c), u from (11e), v' from
// (11b), one after the other.
TEST(FineBlocks, PidControllerHasNoLoop) {
  const testing::PaperModel& model = testing::paper_model("PID");
  const Offsets offsets = *find_offsets(model.sigma);
  const BlockTriangularForm blocks = fine_blocks(model.sigma, offsets);
  EXPECT_EQ(blocks.size(), 5);
  const Table<BlockId, int> lead = lead_times(blocks, offsets);
  EXPECT_EQ(lead[blocks.block_of[{3}]], 1);
  EXPECT_EQ(lead[blocks.block_of[{0}]], 0);
}

// The local offsets of a fine block are the global ones less its lead time.
TEST(LeadTimes, LeaveTheLocalOffsets) {
  Random random(2016);
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    const int n = 1 + random.below(10);
    const Signature sigma = testing::random_signature(random, n, 1 + random.below(5), 3);
    const Offsets offsets = *find_offsets(sigma);
    const BlockTriangularForm blocks = fine_blocks(sigma, offsets);
    const Table<BlockId, int> lead = lead_times(blocks, offsets);
    SubpatternCutter cutter(sigma.pattern);
    for (BlockId block{0}; block.index < blocks.size(); ++block.index) {
      Subpattern piece = cutter.cut(blocks.eqs_of(block), blocks.vars_of(block));
      Signature alone{piece.pattern, {}};
      for (const EdgeId edge : piece.outer_edge) alone.order.add(sigma.order[edge]);
      const std::optional<Offsets> local = find_offsets(alone);
      ASSERT_TRUE(local);
      for (EqId eq{0}; eq.index < local->c.size(); ++eq.index) {
        EXPECT_EQ(local->c[eq], offsets.c[piece.outer_eq[eq]] - lead[block]);
      }
      for (VarId var{0}; var.index < local->d.size(); ++var.index) {
        EXPECT_EQ(local->d[var], offsets.d[piece.outer_var[var]] - lead[block]);
      }
    }
  }
}

}  // namespace
}  // namespace chi::graph
