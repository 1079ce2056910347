#include "graph/strong_components.h"

#include <gtest/gtest.h>

#include "graph/instances.h"

namespace chi::graph {
namespace {

Digraph make(const std::vector<std::vector<int>>& arcs) {
  Digraph graph;
  for (const auto& targets : arcs) {
    for (int to : targets) graph.add_arc({to});
    graph.add_node();
  }
  return graph;
}

std::vector<std::vector<int>> lists(const StrongComponents& components) {
  std::vector<std::vector<int>> result;
  for (ComponentId c{0}; c.index < components.size(); ++c.index) {
    result.emplace_back();
    for (const NodeId node : components.members_of(c)) result.back().push_back(node.index);
  }
  return result;
}

TEST(StrongComponents, PutsWhatIsNeededFirst) {
  // 0 ⇄ 2 → 1 ⇄ 3, 4 → 0, 5 alone with a loop.
  const StrongComponents components = strong_components(make({{2}, {3}, {0, 1}, {1}, {0}, {5}}));
  EXPECT_EQ(lists(components), (std::vector<std::vector<int>>{{1, 3}, {0, 2}, {4}, {5}}));
  EXPECT_EQ(components.component_of[{2}].index, 1);
}

TEST(StrongComponents, ListsMembersAscending) {
  EXPECT_EQ(lists(strong_components(make({{3}, {0}, {1}, {2}}))),  // found as 0 3 2 1
            (std::vector<std::vector<int>>{{0, 1, 2, 3}}));
}

TEST(StrongComponents, EmptyGraphHasNone) { EXPECT_EQ(strong_components(Digraph()).size(), 0); }

TEST(StrongComponents, AgreesWithReachability) {
  testing::Random random(1972);
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    const int n = 1 + random.below(8);
    const int sparsity = 1 + random.below(6);
    std::vector<std::vector<int>> arcs(static_cast<std::size_t>(n));
    std::vector<std::vector<char>> reach(static_cast<std::size_t>(n),
                                         std::vector<char>(static_cast<std::size_t>(n), 0));
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    for (int i = 0; i < n; ++i) {
      reach[at(i)][at(i)] = 1;
      for (int j = 0; j < n; ++j) {
        if (!random.once_in(sparsity)) continue;
        arcs[at(i)].push_back(j);
        reach[at(i)][at(j)] = 1;
      }
    }
    for (int k = 0; k < n; ++k) {
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          if (reach[at(i)][at(k)] && reach[at(k)][at(j)]) reach[at(i)][at(j)] = 1;
        }
      }
    }
    const StrongComponents components = strong_components(make(arcs));
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const ComponentId ci = components.component_of[{i}];
        const ComponentId cj = components.component_of[{j}];
        EXPECT_EQ(ci == cj, reach[at(i)][at(j)] && reach[at(j)][at(i)]);
        if (reach[at(i)][at(j)]) {
          EXPECT_LE(cj, ci) << "needed, but comes later";
        }
      }
    }
  }
}

TEST(StrongComponents, RingOfAMillionIsOneComponent) {
  const int n = 1'000'000;
  Digraph ring;
  for (int i = 0; i < n; ++i) {
    ring.add_arc({(i + 1) % n});
    ring.add_node();
  }
  EXPECT_EQ(strong_components(ring).size(), 1);
}

}  // namespace
}  // namespace chi::graph
