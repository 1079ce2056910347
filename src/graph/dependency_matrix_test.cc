#include "graph/dependency_matrix.h"

#include <gtest/gtest.h>

#include "graph/assignment.h"
#include "graph/instances.h"
#include "graph/sigma.h"

namespace chi::graph {
namespace {

using testing::Random;
using testing::to_ints;

// The iteration as the paper prints it, on a full matrix.
std::vector<int> literal_iteration(const Signature& sigma, const Matching& assignment) {
  constexpr int kMinusInfinity = -1'000'000;
  const int n = sigma.pattern.num_eqs();
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  std::vector<std::vector<int>> d(at(n), std::vector<int>(at(n), kMinusInfinity));
  EdgeId edge{0};
  for (EqId eq{0}; eq.index < n; ++eq.index) {
    for (const VarId var : sigma.pattern.vars_of(eq)) {
      d[at(eq.index)][at(var.index)] = sigma.order[edge];
      ++edge.index;
    }
  }
  std::vector<int> differentiated(at(n), 0);
  for (;;) {
    auto next = d;
    for (int j = 0; j < n; ++j) {
      int highest = kMinusInfinity;
      for (int i = 0; i < n; ++i) highest = std::max(highest, d[at(i)][at(j)]);
      const EqId eq = assignment.eq_of[{j}];
      if (!eq) continue;
      const int times = highest - d[at(eq.index)][at(j)];
      differentiated[at(eq.index)] += times;
      for (int i = 0; i < n; ++i) {
        if (d[at(eq.index)][at(i)] > kMinusInfinity) next[at(eq.index)][at(i)] += times;
      }
    }
    if (next == d) return differentiated;
    d = next;
  }
}

TEST(CountDifferentiations, AgreesWithThePapers) {
  for (const testing::PaperModel& model : testing::paper_models()) {
    SCOPED_TRACE(model.name);
    const Differentiations found =
        count_differentiations(model.sigma, best_assignment(model.sigma));
    EXPECT_EQ(to_ints(found.of_eq), model.c);
    EXPECT_EQ(to_ints(found.highest), model.d);
  }
}

// "The advantage of the above algorithm over the algorithm of Pantelides is that it also handles
// singular systems": x is set twice, its derivative is needed once.
TEST(CountDifferentiations, HandlesSingularSystems) {
  const Signature sigma = testing::signature("x y z", {"x", "x", "y x'"});
  const Matching assignment = best_assignment(sigma);
  ASSERT_EQ(assignment.size(), 2);
  const Differentiations found = count_differentiations(sigma, assignment);
  const EqId assigned = assignment.eq_of[{0}];
  EXPECT_EQ(found.of_eq[assigned], 1);
  EXPECT_EQ(found.of_eq[{1 - assigned.index}], 0);
  EXPECT_EQ(found.of_eq[{2}], 0);
  EXPECT_EQ(to_ints(found.highest), (std::vector{1, 0, 0}));
}

TEST(CountDifferentiations, IsThePapersIterationOnRandomSystems) {
  Random random(2009);
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    const int n = 1 + random.below(8);
    const int sparsity = 1 + random.below(6);
    SignatureBuilder builder(n, n);
    for (int e = 0; e < n; ++e) {
      for (int v = 0; v < n; ++v) {
        if (random.once_in(sparsity)) builder.add({e}, {v}, random.below(2));
      }
    }
    const Signature sigma = builder.build();
    const Matching assignment = best_assignment(sigma);
    const Differentiations found = count_differentiations(sigma, assignment);
    EXPECT_EQ(to_ints(found.of_eq), literal_iteration(sigma, assignment));
    if (const std::optional<Offsets> offsets = find_offsets(sigma)) {
      EXPECT_EQ(to_ints(found.of_eq), to_ints(offsets->c));
      EXPECT_EQ(to_ints(found.highest), to_ints(offsets->d));
    }
  }
}

// After differentiating, the assigned entry of each column is its largest: "the highest derivatives
// of the variables occur in the highest derivatives of their assigned equations".
TEST(Differentiated, PutsHighestDerivativesInAssignedEquations) {
  const Signature& sigma = testing::paper_model("pendulum").sigma;
  const Matching assignment = best_assignment(sigma);
  const Signature reduced = differentiated(sigma, count_differentiations(sigma, assignment));
  for (EdgeId edge{0}; edge.index < reduced.pattern.num_edges(); ++edge.index) {
    const VarId var = reduced.pattern.var_of(edge);
    const EdgeId assigned = reduced.pattern.find_edge(assignment.eq_of[var], var);
    EXPECT_LE(reduced.order[edge], reduced.order[assigned]);
  }
}

}  // namespace
}  // namespace chi::graph
