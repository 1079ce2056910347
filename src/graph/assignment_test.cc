#include "graph/assignment.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "graph/instances.h"

namespace chi::graph {
namespace {

using testing::Random;

std::int64_t total(const CostMatrix& cost, const std::vector<int>& equation_of) {
  std::int64_t sum = 0;
  for (int j = 0; j < cost.n(); ++j) sum += cost(equation_of[static_cast<std::size_t>(j)], j);
  return sum;
}

// [1] example 1: x1 = t, x2 = x1'. n = 2, so x1' costs -4, x1 and x2 cost -3.
TEST(CostMatrix, IsThePapers) {
  const CostMatrix cost = cost_matrix(testing::paper_model("P4 ex. 1").sigma);
  EXPECT_EQ(cost(0, 0), -3);
  EXPECT_EQ(cost(0, 1), 0);
  EXPECT_EQ(cost(1, 0), -4);
  EXPECT_EQ(cost(1, 1), -3);
  // Two dependences beat the one derivative: F1 to x1, F2 to x2.
  EXPECT_EQ(minimise_cost(cost), (std::vector{0, 1}));
}

TEST(MinimiseCost, AgreesWithAllPermutations) {
  Random random(1987);
  for (int round = 0; round < 1500; ++round) {
    SCOPED_TRACE(round);
    const int n = random.below(7);
    CostMatrix cost(n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) cost(i, j) = random.below(20) - 10;
    }
    std::vector<int> permutation(static_cast<std::size_t>(n));
    std::iota(permutation.begin(), permutation.end(), 0);
    std::int64_t least = total(cost, permutation);
    while (std::next_permutation(permutation.begin(), permutation.end())) {
      least = std::min(least, total(cost, permutation));
    }
    std::vector<int> found = minimise_cost(cost);
    EXPECT_EQ(total(cost, found), least);
    std::sort(found.begin(), found.end());
    std::iota(permutation.begin(), permutation.end(), 0);
    EXPECT_EQ(found, permutation);
  }
}

TEST(BestAssignment, LeavesOutWhatDoesNotFit) {
  const Signature sigma = testing::signature("x y z", {"x", "x'", "y z"});
  const Matching assignment = best_assignment(sigma);
  EXPECT_EQ(assignment.size(), 2);
  EXPECT_FALSE(assignment.var_of[{0}]) << "x' is worth more than x";
  EXPECT_EQ(assignment.var_of[{1}].index, 0);
}

}  // namespace
}  // namespace chi::graph
