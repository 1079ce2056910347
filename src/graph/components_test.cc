#include "graph/components.h"

#include <gtest/gtest.h>

#include "graph/instances.h"
#include "graph/union_find.h"

namespace chi::graph {
namespace {

TEST(UnionFind, JoinsAndCounts) {
  UnionFind sets(5);
  EXPECT_NE(sets.find(0), sets.find(4));
  sets.unite(0, 4);
  sets.unite(4, 2);
  sets.unite(2, 0);
  EXPECT_EQ(sets.find(0), sets.find(2));
  EXPECT_NE(sets.find(0), sets.find(1));
  EXPECT_EQ(sets.size_of(4), 3);
  EXPECT_EQ(sets.size_of(3), 1);
}

TEST(ConnectedComponents, AreNumberedByLowestEquation) {
  const Signature sigma = testing::signature("a b c d e", {"c", "a b", "d c", "b", ""});
  const Components parts = connected_components(sigma.pattern);
  EXPECT_EQ(parts.size(), 4);  // {0, 2}, {1, 3}, the empty equation, and the unused variable e
  const auto part_of_eq = [&](int eq) { return parts.part_of_eq[{eq}].index; };
  EXPECT_EQ(part_of_eq(0), 0);
  EXPECT_EQ(part_of_eq(1), 1);
  EXPECT_EQ(part_of_eq(2), 0);
  EXPECT_EQ(part_of_eq(3), 1);
  EXPECT_EQ(part_of_eq(4), 2);
  EXPECT_EQ(parts.part_of_var[{4}].index, 3);
  ASSERT_EQ(parts.vars_of({0}).size(), 2u);
  EXPECT_EQ(parts.vars_of({0})[0].index, 2);
  EXPECT_EQ(parts.eqs_of({1})[1].index, 3);
  EXPECT_TRUE(parts.eqs_of({3}).empty());
}

TEST(ConnectedComponents, SharedUnknownsAndOnlyTheseConnect) {
  testing::Random random(3);
  for (int round = 0; round < 1000; ++round) {
    SCOPED_TRACE(round);
    const Bipartite graph =
        testing::random_pattern(random, 1 + random.below(8), random.below(8), 3 + random.below(6));
    const int n = graph.num_eqs();
    // Label propagation until nothing changes.
    std::vector<int> label(static_cast<std::size_t>(n));
    for (int e = 0; e < n; ++e) label[static_cast<std::size_t>(e)] = e;
    for (int sweep = 0; sweep < n; ++sweep) {
      for (VarId var{0}; var.index < graph.num_vars(); ++var.index) {
        int lowest = n;
        for (const EqId eq : graph.eqs_of(var)) {
          lowest = std::min(lowest, label[static_cast<std::size_t>(eq.index)]);
        }
        for (const EqId eq : graph.eqs_of(var)) label[static_cast<std::size_t>(eq.index)] = lowest;
      }
    }
    const Components parts = connected_components(graph);
    for (EqId a{0}; a.index < n; ++a.index) {
      for (EqId b{0}; b.index < n; ++b.index) {
        EXPECT_EQ(
            parts.part_of_eq[a] == parts.part_of_eq[b],
            label[static_cast<std::size_t>(a.index)] == label[static_cast<std::size_t>(b.index)]);
      }
      for (const VarId var : graph.vars_of(a)) {
        EXPECT_EQ(parts.part_of_var[var], parts.part_of_eq[a]);
      }
    }
  }
}

}  // namespace
}  // namespace chi::graph
