#include "graph/matching.h"

#include <gtest/gtest.h>

#include "graph/instances.h"

namespace chi::graph {
namespace {

using testing::Random;

std::uint32_t all(int n) { return (std::uint32_t{1} << n) - 1; }

TEST(MatchMaximum, IsMaximumOnRandomPatterns) {
  Random random(1973);
  for (int round = 0; round < 4000; ++round) {
    SCOPED_TRACE(round);
    const Bipartite graph =
        testing::random_pattern(random, random.below(9), random.below(9), 1 + random.below(5));
    const Matching matching = match_maximum(graph);
    testing::expect_valid(graph, matching);
    EXPECT_EQ(matching.size(),
              testing::brute_matching_size(graph, all(graph.num_eqs()), all(graph.num_vars())));
  }
}

// Too large for brute force: König's theorem certifies. The equations and variables that
// alternating paths from unmatched equations reach, or not, give a cover as large as the matching.
int cover_size(const Bipartite& graph, const Matching& matching) {
  Table<EqId, char> reached(graph.num_eqs(), 0);
  std::vector<EqId> stack;
  for (EqId eq{0}; eq.index < graph.num_eqs(); ++eq.index) {
    if (!matching.var_of[eq]) stack.push_back(eq);
  }
  Table<VarId, char> covering(graph.num_vars(), 0);
  while (!stack.empty()) {
    const EqId eq = stack.back();
    stack.pop_back();
    if (reached[eq]) continue;
    reached[eq] = 1;
    for (const VarId var : graph.vars_of(eq)) {
      covering[var] = 1;
      if (matching.eq_of[var]) stack.push_back(matching.eq_of[var]);
    }
  }
  int cover = 0;
  for (const char r : reached) cover += r ? 0 : 1;
  for (const char c : covering) cover += c;
  return cover;
}

TEST(MatchMaximum, HasCoverOfSameSize) {
  Random random(1931);
  for (int round = 0; round < 30; ++round) {
    SCOPED_TRACE(round);
    const int n = 100 + random.below(300);
    const Bipartite graph = testing::random_pattern(random, n, n, n / 2);
    const Matching matching = match_maximum(graph);
    testing::expect_valid(graph, matching);
    EXPECT_EQ(cover_size(graph, matching), matching.size());
  }
}

// Nothing can be added to the start, and much is wrong with it: one round of disjoint paths is not
// enough.
TEST(MatchMaximum, MendsAPoorStartInManyRounds) {
  Random random(1973);
  for (int round = 0; round < 40; ++round) {
    SCOPED_TRACE(round);
    const int n = 200 + random.below(300);
    const Bipartite graph = testing::random_pattern(random, n, n, n / 3);
    Matching poor{{n, VarId{}}, {n, EqId{}}};
    for (EqId eq{0}; eq.index < n; ++eq.index) {
      for (const VarId var : graph.vars_of(eq)) {
        if (poor.eq_of[var]) continue;
        poor.eq_of[var] = eq;
        poor.var_of[eq] = var;
        break;
      }
    }
    const Matching matching = match_maximum(graph, poor);
    testing::expect_valid(graph, matching);
    EXPECT_EQ(cover_size(graph, matching), matching.size());
  }
}

// A mode change: some equations are replaced, the others keep their variables. What was matched and
// still can be is matched again, and the size is that of a cold start.
TEST(MatchMaximum, WarmStartKeepsMatchedEquations) {
  Random random(21);
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    const int n = 1 + random.below(8);
    const Bipartite before = testing::random_pattern(random, n, n, 2);
    const Matching old = match_maximum(before);
    const int altered = random.below(n);
    BipartiteBuilder builder(n, n);
    for (EqId eq{0}; eq.index < n; ++eq.index) {
      if (eq.index == altered) {
        for (int v = 0; v < n; ++v) {
          if (random.once_in(2)) builder.add(eq, {v});
        }
      } else {
        for (const VarId var : before.vars_of(eq)) builder.add(eq, var);
      }
    }
    const Bipartite after = builder.build();
    const Matching warm = match_maximum(after, old);
    testing::expect_valid(after, warm);
    EXPECT_EQ(warm.size(), match_maximum(after).size());
    for (EqId eq{0}; eq.index < n; ++eq.index) {
      if (eq.index != altered && old.var_of[eq]) {
        EXPECT_TRUE(warm.var_of[eq]);
      }
    }
  }
}

TEST(MatchMaximum, KeepsAMaximumStartAsItIs) {
  const Signature sigma = testing::signature("x y z", {"x y z", "x y z", "x y z"});
  const Matching wanted{{3, VarId{}}, {3, EqId{}}};
  Matching start = wanted;
  for (auto [e, v] : {std::pair{0, 2}, {1, 0}, {2, 1}}) {
    start.var_of[{e}] = {v};
    start.eq_of[{v}] = {e};
  }
  const Matching matching = match_maximum(sigma.pattern, start);
  for (EqId eq{0}; eq.index < 3; ++eq.index) EXPECT_EQ(matching.var_of[eq], start.var_of[eq]);
}

TEST(MatchMaximum, IgnoresWhatTheStartGetsWrong) {
  const Signature sigma = testing::signature("x y", {"x", "y"});
  Matching start{{5, VarId{}}, {}};
  start.var_of[{0}] = {1};  // no edge
  start.var_of[{1}] = {7};  // no such variable
  start.var_of[{4}] = {0};  // no such equation
  const Matching matching = match_maximum(sigma.pattern, start);
  testing::expect_valid(sigma.pattern, matching);
  EXPECT_TRUE(matching.is_perfect());
}

// One augmenting path through the whole chain: greedy from a bad start leaves one equation, whose
// path visits all others. A recursive search would overflow the stack.
TEST(MatchMaximum, FollowsPathOfAMillionSteps) {
  const int n = 1'000'000;
  BipartiteBuilder builder(n, n);
  Matching start{{n, VarId{}}, {n, EqId{}}};
  for (int i = 0; i < n; ++i) {
    builder.add({i}, {i});
    if (i + 1 < n) {
      builder.add({i}, {i + 1});
      start.var_of[{i}] = {i + 1};
      start.eq_of[{i + 1}] = {i};
    }
  }
  builder.add({n - 1}, {n - 1});
  const Matching matching = match_maximum(builder.build(), start);
  EXPECT_TRUE(matching.is_perfect());
  EXPECT_EQ(matching.var_of[{n - 1}].index, n - 1);
  EXPECT_EQ(matching.var_of[{0}].index, 0);
}

}  // namespace
}  // namespace chi::graph
