#include "graph/dulmage_mendelsohn.h"

#include <gtest/gtest.h>

#include "graph/instances.h"

namespace chi::graph {
namespace {

using testing::brute_matching_size;
using testing::Random;

std::uint32_t all(int n) { return (std::uint32_t{1} << n) - 1; }
std::uint32_t bit(int i) { return std::uint32_t{1} << i; }

std::vector<int> indices(const auto& ids) {
  std::vector<int> result;
  for (const auto id : ids) result.push_back(id.index);
  return result;
}

// P1 §7.3: with x', v', e', u, F unknown, e = x - xset contains none of them: "Struct.
// singularity".
TEST(MinimalSingularSubset, IsTheConstraintOfThePdController) {
  const Signature sigma = testing::signature("dx dv de u F", {"dx", "dv F u", "", "u de", "F"});
  const Matching matching = match_maximum(sigma.pattern);
  EXPECT_FALSE(matching.var_of[{2}]);
  const Subset subset = minimal_singular_subset(sigma.pattern, matching, {2});
  EXPECT_EQ(indices(subset.eqs), (std::vector{2}));
  EXPECT_TRUE(subset.vars.empty());
}

// P0 §6.2: four equations "singular with respect to" v1', v2', i1, i2; the culprit is v1 = v2
// alone, and of the four unknowns one is open.
TEST(DulmageMendelsohn, SplitsParallelCapacitors) {
  const Signature sigma = testing::signature("dv1 dv2 i1 i2", {"dv1 i1", "dv2 i2", "i1 i2", ""});
  const Matching matching = match_maximum(sigma.pattern);
  const DulmageMendelsohn parts = dulmage_mendelsohn(sigma.pattern, matching);
  EXPECT_EQ(parts.eq_part[{3}], Part::Over);
  for (int e : {0, 1, 2}) EXPECT_EQ(parts.eq_part[{e}], Part::Under);
  for (int v : {0, 1, 2, 3}) EXPECT_EQ(parts.var_part[{v}], Part::Under);
}

TEST(DulmageMendelsohn, SplitsAModelWithAllThreeParts) {
  // x is set twice, y once, and one equation is left for z and w.
  const Signature sigma = testing::signature("x y z w", {"x", "x", "x y", "y z w"});
  const DulmageMendelsohn parts = dulmage_mendelsohn(sigma.pattern, match_maximum(sigma.pattern));
  EXPECT_EQ((std::vector<Part>{parts.eq_part.begin(), parts.eq_part.end()}),
            (std::vector{Part::Over, Part::Over, Part::Well, Part::Under}));
  EXPECT_EQ((std::vector<Part>{parts.var_part.begin(), parts.var_part.end()}),
            (std::vector{Part::Over, Part::Well, Part::Under, Part::Under}));
}

// An equation is in the over-determined part exactly if some maximum matching can do without it,
// and a variable occurs there exactly if one of these equations mentions it; dually for the other
// part.
TEST(DulmageMendelsohn, AgreesWithBruteForce) {
  Random random(1958);
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    const Bipartite graph =
        testing::random_pattern(random, random.below(8), random.below(8), 2 + random.below(3));
    const std::uint32_t eqs = all(graph.num_eqs());
    const std::uint32_t vars = all(graph.num_vars());
    const int size = brute_matching_size(graph, eqs, vars);
    Table<EqId, Part> eq_part(graph.num_eqs(), Part::Well);
    Table<VarId, Part> var_part(graph.num_vars(), Part::Well);
    for (EqId eq{0}; eq.index < graph.num_eqs(); ++eq.index) {
      if (brute_matching_size(graph, eqs & ~bit(eq.index), vars) < size) continue;
      eq_part[eq] = Part::Over;
      for (const VarId var : graph.vars_of(eq)) var_part[var] = Part::Over;
    }
    for (VarId var{0}; var.index < graph.num_vars(); ++var.index) {
      if (brute_matching_size(graph, eqs, vars & ~bit(var.index)) < size) continue;
      var_part[var] = Part::Under;
      for (const EqId eq : graph.eqs_of(var)) eq_part[eq] = Part::Under;
    }
    const DulmageMendelsohn parts = dulmage_mendelsohn(graph, match_maximum(graph));
    EXPECT_TRUE(std::equal(eq_part.begin(), eq_part.end(), parts.eq_part.begin()));
    EXPECT_TRUE(std::equal(var_part.begin(), var_part.end(), parts.var_part.begin()));
  }
}

TEST(MinimalSingularSubset, IsSingularAndEachProperSubsetIsNot) {
  Random random(7);
  int found = 0;
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    const Bipartite graph =
        testing::random_pattern(random, 1 + random.below(8), random.below(7), 1 + random.below(4));
    const Matching matching = match_maximum(graph);
    std::size_t least = 0;
    for (EqId eq{0}; eq.index < graph.num_eqs(); ++eq.index) {
      if (matching.var_of[eq]) continue;
      ++found;
      const Subset subset = minimal_singular_subset(graph, matching, eq);
      EXPECT_EQ(subset.eqs.size(), subset.vars.size() + 1);
      EXPECT_TRUE(std::binary_search(subset.eqs.begin(), subset.eqs.end(), eq));
      std::uint32_t mask = 0;
      for (const EqId e : subset.eqs) {
        mask |= bit(e.index);
        for (const VarId v : graph.vars_of(e)) {
          EXPECT_TRUE(std::binary_search(subset.vars.begin(), subset.vars.end(), v));
        }
      }
      for (const EqId e : subset.eqs) {  // matroid: minimal if leaving out any one suffices
        EXPECT_EQ(brute_matching_size(graph, mask & ~bit(e.index), all(graph.num_vars())),
                  static_cast<int>(subset.eqs.size()) - 1);
      }
      least = least == 0 ? subset.eqs.size() : std::min(least, subset.eqs.size());
    }
    EXPECT_EQ(smallest_singular_subset(graph, matching).eqs.size(), least);
  }
  EXPECT_GT(found, 1000);
}

TEST(MinimalOpenSubset, IsOpenAndEachProperSubsetIsNot) {
  Random random(8);
  for (int round = 0; round < 1000; ++round) {
    SCOPED_TRACE(round);
    const Bipartite graph =
        testing::random_pattern(random, random.below(7), 1 + random.below(8), 1 + random.below(4));
    const Matching matching = match_maximum(graph);
    for (VarId var{0}; var.index < graph.num_vars(); ++var.index) {
      if (matching.eq_of[var]) continue;
      const Subset subset = minimal_open_subset(graph, matching, var);
      EXPECT_EQ(subset.vars.size(), subset.eqs.size() + 1);
      EXPECT_TRUE(std::binary_search(subset.vars.begin(), subset.vars.end(), var));
      std::uint32_t mask = 0;
      for (const VarId v : subset.vars) mask |= bit(v.index);
      for (const VarId v : subset.vars) {
        EXPECT_EQ(brute_matching_size(graph, all(graph.num_eqs()), mask & ~bit(v.index)),
                  static_cast<int>(subset.vars.size()) - 1);
      }
    }
  }
}

TEST(SmallestSingularSubset, PrefersTheShortExplanation) {
  // Two contradictions: a = 1, a = 2 is easier to see than the one through b, c and d.
  const Signature sigma = testing::signature("a b c d", {"b c", "c d", "b d", "b c d", "a", "a"});
  const Subset subset = smallest_singular_subset(sigma.pattern, match_maximum(sigma.pattern));
  EXPECT_EQ(indices(subset.eqs), (std::vector{4, 5}));
  EXPECT_EQ(indices(subset.vars), (std::vector{0}));
}

}  // namespace
}  // namespace chi::graph
