#include "graph/bipartite.h"

#include <gtest/gtest.h>

#include "graph/instances.h"

namespace chi::graph {
namespace {

std::vector<int> indices(auto ids) {
  std::vector<int> result;
  for (const auto id : ids) result.push_back(id.index);
  return result;
}

TEST(Bipartite, SortsAndMergesOccurrences) {
  BipartiteBuilder builder(3, 4);
  for (auto [e, v] : {std::pair{2, 3}, {0, 1}, {2, 0}, {0, 1}, {0, 0}, {2, 3}}) {
    builder.add({e}, {v});
  }
  const Bipartite graph = builder.build();
  EXPECT_EQ(graph.num_eqs(), 3);
  EXPECT_EQ(graph.num_vars(), 4);
  EXPECT_EQ(graph.num_edges(), 4);
  EXPECT_EQ(indices(graph.vars_of({0})), (std::vector{0, 1}));
  EXPECT_EQ(indices(graph.vars_of({1})), (std::vector<int>{}));
  EXPECT_EQ(indices(graph.vars_of({2})), (std::vector{0, 3}));
  EXPECT_EQ(indices(graph.eqs_of({0})), (std::vector{0, 2}));
  EXPECT_EQ(indices(graph.edges_of({0})), (std::vector{0, 2}));
  EXPECT_EQ(indices(graph.eqs_of({2})), (std::vector<int>{}));
  EXPECT_EQ(graph.find_edge({2}, {3}).index, 3);
  EXPECT_FALSE(graph.find_edge({1}, {3}));
  EXPECT_FALSE(graph.find_edge({2}, {1}));
}

TEST(Bipartite, EmptyHasNothing) {
  EXPECT_EQ(Bipartite().num_eqs(), 0);
  EXPECT_EQ(Bipartite().num_vars(), 0);
  EXPECT_EQ(BipartiteBuilder(0, 3).build().num_vars(), 3);
}

TEST(Bipartite, RowsAndColumnsSayTheSame) {
  testing::Random random(1);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    const Bipartite graph =
        testing::random_pattern(random, random.below(9), random.below(9), 1 + random.below(4));
    int edges = 0;
    for (VarId var{0}; var.index < graph.num_vars(); ++var.index) {
      const auto eqs = graph.eqs_of(var);
      ASSERT_EQ(eqs.size(), graph.edges_of(var).size());
      for (std::size_t k = 0; k < eqs.size(); ++k) {
        EXPECT_EQ(graph.find_edge(eqs[k], var), graph.edges_of(var)[k]);
        EXPECT_EQ(graph.var_of(graph.edges_of(var)[k]), var);
        ++edges;
      }
    }
    EXPECT_EQ(edges, graph.num_edges());
  }
}

TEST(SubpatternCutter, KeepsEdgesInside) {
  const Signature sigma = testing::signature("a b c", {"a b", "b c", "a c"});
  SubpatternCutter cutter(sigma.pattern);
  for (int twice = 0; twice < 2; ++twice) {  // the second cut must not see the first
    const std::vector<EqId> eqs = {{2}, {0}};
    const std::vector<VarId> vars = {{2}, {0}};
    const Subpattern piece = cutter.cut(eqs, vars);
    EXPECT_EQ(indices(piece.pattern.vars_of({0})), (std::vector{0, 1}));  // a c
    EXPECT_EQ(indices(piece.pattern.vars_of({1})), (std::vector{1}));     // a
    EXPECT_EQ(indices(piece.outer_edge), (std::vector{5, 4, 0}));
  }
}

}  // namespace
}  // namespace chi::graph
