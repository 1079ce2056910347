#include "graph/impulse_orders.h"

#include <gtest/gtest.h>

#include "graph/assignment.h"
#include "graph/dependency_matrix.h"
#include "graph/instances.h"
#include "graph/transversal.h"

namespace chi::graph {
namespace {

using testing::Random;
using testing::to_ints;

Table<VarId, int> bounds(const std::vector<int>& values) {
  Table<VarId, int> result;
  for (int value : values) result.add(value);
  return result;
}

constexpr int kNone = kNoImpulse;

// [1] example 3: the velocities jump, the forces are infinite, and the three balances are
// integrated, while the impact laws hold as they are.
TEST(FindImpulseOrders, IntegratesTheBalancesOfThreeMasses) {
  const Signature& sigma = testing::paper_model("P4 ex. 3").sigma;
  const ImpulseOrders found =
      find_impulse_orders(sigma, best_assignment(sigma), bounds({kNone, kNone, kNone, 0, 0}));
  EXPECT_EQ(to_ints(found.of_var), (std::vector{-1, -1, -1, 0, 0}));
  EXPECT_EQ(to_ints(found.of_eq), (std::vector{-1, -1, 0, 0, 0}));
}

// [1] §3.1: two bodies with positions, whose velocity difference is turned round. The positions get
// a kink, and only the balances are integrated.
TEST(FindImpulseOrders, GivesPositionsAKink) {
  const Signature sigma =
      testing::signature("x1 x2 v1 v2 F", {"x1' v1", "x2' v2", "v1' F", "v2' F", "v1 v2"});
  const ImpulseOrders found =
      find_impulse_orders(sigma, best_assignment(sigma), bounds({kNone, kNone, kNone, kNone, 0}));
  EXPECT_EQ(to_ints(found.of_var), (std::vector{-2, -2, -1, -1, 0}));
  EXPECT_EQ(to_ints(found.of_eq), (std::vector{-1, -1, 0, 0, -1}));
}

// A mass against a wall, v = -e v_old. The law alone gives v, so no impulse is passed on to it;
// that v jumps is to be said ([1]: notFixed), and is enough: F follows.
TEST(FindImpulseOrders, FindsTheImpulseFromTheJump) {
  const Signature sigma = testing::signature("v F y", {"v' F", "v", "y'"});
  const Matching assignment = best_assignment(sigma);
  for (const int mark_of_force : {kNone, 0}) {
    const ImpulseOrders found =
        find_impulse_orders(sigma, assignment, bounds({-1, mark_of_force, kNone}));
    EXPECT_EQ(to_ints(found.of_var), (std::vector{-1, 0, kNone}));
    EXPECT_EQ(to_ints(found.of_eq), (std::vector{0, -1, kNone}));
  }
  const ImpulseOrders unsaid = find_impulse_orders(sigma, assignment, bounds({kNone, 0, kNone}));
  EXPECT_EQ(to_ints(unsaid.of_var), (std::vector{kNone, 0, kNone}));
  EXPECT_EQ(unsaid.of_eq[{0}], 0) << "the balance is integrated all the same";
}

// The mass that hits the wall is held to another by a spring: the other feels it three orders
// later.
TEST(FindImpulseOrders, FadesThroughASpring) {
  const Signature sigma =
      testing::signature("v1 F v2 s f", {"v1' F f", "v2' f", "s' v1 v2", "f s", "v1"});
  const ImpulseOrders found =
      find_impulse_orders(sigma, best_assignment(sigma), bounds({-1, kNone, kNone, kNone, kNone}));
  EXPECT_EQ(to_ints(found.of_var), (std::vector{-1, 0, -3, -2, -2}));
  EXPECT_EQ(to_ints(found.of_eq), (std::vector{0, -2, -1, -2, -1}));
}

// A differentiated impulse: u = F' is the derivative of a Dirac impulse, order 1, to be refused.
TEST(FindImpulseOrders, ShowsDerivativesOfImpulses) {
  const Signature sigma = testing::signature("v F u", {"v", "v' F", "u F'"});
  const ImpulseOrders found =
      find_impulse_orders(sigma, best_assignment(sigma), bounds({kNone, 0, kNone}));
  EXPECT_EQ(found.of_var[{2}], 1);
  EXPECT_EQ(found.of_eq[{2}], 1);
}

// The paper's formula on the index-reduced matrix, swept until nothing changes.
std::vector<int> literal_iteration(const Signature& sigma, const Matching& assignment,
                                   Table<VarId, int> b) {
  const Signature reduced = differentiated(sigma, count_differentiations(sigma, assignment));
  for (bool changed = true; changed;) {
    changed = false;
    Table<VarId, int> next = b;
    for (VarId i{0}; i.index < b.size(); ++i.index) {
      const EqId eq = assignment.eq_of[i];
      if (!eq) continue;
      const int diagonal = reduced.order[reduced.pattern.find_edge(eq, i)];
      for (const VarId j : reduced.pattern.vars_of(eq)) {
        if (b[j] == kNoImpulse) continue;
        const int entry = reduced.order[reduced.pattern.find_edge(eq, j)];
        next[i] = std::max(next[i], b[j] + entry - diagonal);
      }
      changed = changed || next[i] != b[i];
    }
    b = next;
  }
  return to_ints(b);
}

TEST(FindImpulseOrders, IsThePapersIterationWhicheverBestAssignmentIsTaken) {
  Random random(32);
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    const int n = 1 + random.below(8);
    const Signature sigma = testing::random_signature(random, n, 2 + random.below(4), 1);
    Table<VarId, int> start(n, kNoImpulse);
    start[{random.below(n)}] = 0;
    if (random.once_in(2)) start[{random.below(n)}] = -1;
    const Matching one = best_assignment(sigma);
    const Matching other = highest_transversal(sigma).matching;
    const ImpulseOrders found = find_impulse_orders(sigma, one, start);
    EXPECT_EQ(to_ints(found.of_var), literal_iteration(sigma, one, start));
    EXPECT_EQ(to_ints(found.of_var), to_ints(find_impulse_orders(sigma, other, start).of_var));
  }
}

}  // namespace
}  // namespace chi::graph
