#include "graph/transversal.h"

#include <gtest/gtest.h>

#include "graph/assignment.h"
#include "graph/instances.h"

namespace chi::graph {
namespace {

using testing::Random;

int value(const Signature& sigma, const Matching& matching) {
  int sum = 0;
  for (EqId eq{0}; eq.index < sigma.pattern.num_eqs(); ++eq.index) {
    if (const VarId var = matching.var_of[eq]) {
      sum += sigma.order[sigma.pattern.find_edge(eq, var)];
    }
  }
  return sum;
}

// d_j - c_i >= σ_ij everywhere, = on the matching: no matching can be better.
void expect_certificate(const Signature& sigma, const Transversal& found) {
  testing::expect_valid(sigma.pattern, found.matching);
  EdgeId edge{0};
  for (EqId eq{0}; eq.index < sigma.pattern.num_eqs(); ++eq.index) {
    EXPECT_GE(found.c[eq], 0);
    for (const VarId var : sigma.pattern.vars_of(eq)) {
      const int slack = found.d[var] - found.c[eq] - sigma.order[edge];
      EXPECT_GE(slack, 0);
      if (found.matching.var_of[eq] == var) {
        EXPECT_EQ(slack, 0);
      }
      ++edge.index;
    }
  }
}

TEST(HighestTransversal, AgreesWithAllPermutations) {
  Random random(1955);
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    const Signature sigma = testing::random_signature(random, 1 + random.below(6),
                                                      1 + random.below(4), random.below(5));
    const Transversal found = highest_transversal(sigma);
    EXPECT_TRUE(found.matching.is_perfect());
    expect_certificate(sigma, found);
    EXPECT_EQ(value(sigma, found.matching), testing::brute_transversal_value(sigma));
  }
}

// By definition the smallest numbers are the fix-point from below that Pryce iterates to, given any
// highest transversal.
TEST(HighestTransversal, GivesSmallestDualNumbers) {
  Random random(2001);
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    const int n = 1 + random.below(9);
    const Signature sigma =
        testing::random_signature(random, n, 1 + random.below(5), random.below(6));
    const Transversal found = highest_transversal(sigma);
    Table<EqId, int> c(n, 0);
    Table<VarId, int> d(n, 0);
    for (bool changed = true; changed;) {
      changed = false;
      EdgeId edge{0};
      for (EqId eq{0}; eq.index < n; ++eq.index) {
        for (const VarId var : sigma.pattern.vars_of(eq)) {
          d[var] = std::max(d[var], sigma.order[edge] + c[eq]);
          ++edge.index;
        }
      }
      for (EqId eq{0}; eq.index < n; ++eq.index) {
        const VarId var = found.matching.var_of[eq];
        const int wanted = d[var] - sigma.order[sigma.pattern.find_edge(eq, var)];
        changed = changed || wanted != c[eq];
        c[eq] = wanted;
      }
    }
    EXPECT_EQ(testing::to_ints(found.c), testing::to_ints(c));
    EXPECT_EQ(testing::to_ints(found.d), testing::to_ints(d));
  }
}

TEST(HighestTransversal, HintChangesNeitherValueNorDualNumbers) {
  Random random(5);
  for (int round = 0; round < 1000; ++round) {
    SCOPED_TRACE(round);
    const int n = 1 + random.below(9);
    const Signature sigma = testing::random_signature(random, n, 1 + random.below(4), 3);
    const Signature other = testing::random_signature(random, n, 1 + random.below(4), 3);
    const Transversal cold = highest_transversal(sigma);
    const Transversal warm = highest_transversal(sigma, highest_transversal(other).matching);
    EXPECT_EQ(value(sigma, cold.matching), value(sigma, warm.matching));
    EXPECT_EQ(testing::to_ints(cold.c), testing::to_ints(warm.c));
    EXPECT_EQ(testing::to_ints(cold.d), testing::to_ints(warm.d));
  }
}

// Any shape, singular or not: the largest size first, then the largest value. The dense algorithm
// of the paper says the same through its cost matrix.
TEST(HeaviestMaximumMatching, AgreesWithCostMatrix) {
  Random random(1987);
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    const int n = 1 + random.below(8);
    const int highest = random.below(4);
    const int sparsity = 1 + random.below(6);
    SignatureBuilder builder(n, n);
    for (int e = 0; e < n; ++e) {
      for (int v = 0; v < n; ++v) {
        if (random.once_in(sparsity)) builder.add({e}, {v}, random.below(highest + 1));
      }
    }
    const Signature sigma = builder.build();
    const Transversal found = heaviest_maximum_matching(sigma);
    expect_certificate(sigma, found);

    const CostMatrix cost = cost_matrix(sigma);
    const std::vector<int> equation_of = minimise_cost(cost);
    int size = 0;
    int best = 0;
    for (int v = 0; v < n; ++v) {
      const EdgeId edge = sigma.pattern.find_edge({equation_of[static_cast<std::size_t>(v)]}, {v});
      size += edge ? 1 : 0;
      best += edge ? sigma.order[edge] : 0;
    }
    EXPECT_EQ(found.matching.size(), size);
    EXPECT_EQ(value(sigma, found.matching), best);
  }
}

}  // namespace
}  // namespace chi::graph
