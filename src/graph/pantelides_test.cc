#include "graph/pantelides.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "graph/instances.h"
#include "graph/sigma.h"

namespace chi::graph {
namespace {

using testing::Random;

// The highest derivatives must be matched one to one with the `n` highest equations.
void expect_matched(const DaeStructure& dae, const Table<VarId, EqId>& matched, int n) {
  std::set<EqId> used;
  for (VarId v{0}; v.index < matched.size(); ++v.index) {
    if (dae.var_derivative[v] || !matched[v]) continue;
    EXPECT_TRUE(used.insert(matched[v]).second) << "equation matched twice";
    EXPECT_FALSE(dae.eq_derivative[matched[v]]) << "not the highest derivative of its equation";
    const auto& vars = dae.incidence[matched[v]];
    EXPECT_NE(std::find(vars.begin(), vars.end(), v), vars.end()) << "variable not in equation";
  }
  EXPECT_EQ(used.size(), static_cast<std::size_t>(n));
}

std::vector<int> counts(const DaeStructure& dae, int n) {
  std::vector<int> result;
  for (EqId eq{0}; eq.index < n; ++eq.index) result.push_back(times_differentiated(dae, eq));
  return result;
}

// The pendulum of [1], pp. 222-225: x' = w, y' = z, w' = T x, z' = T y - g, x² + y² = L².
// Index 3, so the length constraint is differentiated twice and the kinematics once.
TEST(ReduceIndex, DifferentiatesPendulumConstraintTwice) {
  DaeStructure dae = dae_structure(testing::paper_model("pendulum").sigma);
  EXPECT_EQ(dae.var_derivative.size(), 9);  // x y w z T and x' y' w' z'
  const Table<VarId, EqId> matched = reduce_index(dae);
  EXPECT_EQ(counts(dae, 5), (std::vector{1, 1, 0, 0, 2}));
  expect_matched(dae, matched, 5);
}

TEST(ReduceIndex, AgreesWithThePapers) {
  for (const testing::PaperModel& model : testing::paper_models()) {
    SCOPED_TRACE(model.name);
    DaeStructure dae = dae_structure(model.sigma);
    const int n = model.sigma.pattern.num_eqs();
    const Table<VarId, EqId> matched = reduce_index(dae);
    EXPECT_EQ(counts(dae, n), model.c);
    expect_matched(dae, matched, n);
  }
}

// Two algorithms that share no code: Pantelides' counts are the canonical offsets.
TEST(ReduceIndex, AgreesWithSigmaMethodOnRandomDaes) {
  Random random(1988);
  int higher_index = 0;
  for (int round = 0; round < 4000; ++round) {
    SCOPED_TRACE(round);
    const int n = 1 + random.below(12);
    const Signature sigma =
        testing::random_signature(random, n, 1 + random.below(8), random.below(4));
    const std::optional<Offsets> offsets = find_offsets(sigma);
    ASSERT_TRUE(offsets);
    DaeStructure dae = dae_structure(sigma);
    const Table<VarId, EqId> matched = reduce_index(dae);
    EXPECT_EQ(counts(dae, n), testing::to_ints(offsets->c));
    expect_matched(dae, matched, n);
    higher_index += offsets->structural_index() > 1 ? 1 : 0;
  }
  EXPECT_GT(higher_index, 1000);
}

}  // namespace
}  // namespace chi::graph
