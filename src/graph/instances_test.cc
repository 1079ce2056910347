#include "graph/instances.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>

#include <gtest/gtest.h>

namespace chi::graph::testing {

Signature signature(std::string_view variables, const std::vector<std::string_view>& equations) {
  std::map<std::string, VarId, std::less<>> ids;
  std::istringstream names{std::string(variables)};
  for (std::string name; names >> name;) ids.emplace(name, VarId{static_cast<int>(ids.size())});
  SignatureBuilder builder(static_cast<int>(equations.size()), static_cast<int>(ids.size()));
  for (EqId eq{0}; eq.index < static_cast<int>(equations.size()); ++eq.index) {
    std::istringstream words{std::string(equations[static_cast<std::size_t>(eq.index)])};
    for (std::string word; words >> word;) {
      const auto primes = static_cast<std::size_t>(std::count(word.begin(), word.end(), '\''));
      const auto found = ids.find(word.substr(0, word.size() - primes));
      if (found == ids.end()) {
        ADD_FAILURE() << word << " is not declared";
        continue;
      }
      builder.add(eq, found->second, static_cast<int>(primes));
    }
  }
  return builder.build();
}

namespace {

std::vector<PaperModel> make_paper_models() {
  return {
      // Pantelides 1988, pp. 222-225; P1 §7.4. Index 3: the length is differentiated twice.
      {"pendulum",
       signature("x y w z T", {"x' w", "y' z", "w' T x", "z' T y", "x y"}),
       {1, 1, 0, 0, 2},
       {2, 2, 1, 1, 0},
       2,
       3},
      // Pryce 2001, the same without velocities.
      {"pendulum of second order",
       signature("x y T", {"x'' T x", "y'' T y", "x y"}),
       {0, 0, 2},
       {2, 2, 0},
       2,
       3},
      // P0 (11): "an index 2 system"; e = x - xset is differentiated once.
      {"PID",
       signature("x v i e u", {"x' v", "v' u", "i' e", "e x", "u e e' i"}),
       {0, 0, 0, 1, 0},
       {1, 1, 1, 1, 0},
       3,
       2},
      // P0 (15): the set point is a variable.
      {"PID with moving set point",
       signature("x v i e u s", {"x' v", "v' u", "i' e", "e x s", "s", "u e e' i"}),
       {0, 0, 0, 1, 1, 0},
       {1, 1, 1, 1, 0, 1},
       3,
       2},
      // P0 (13): "the index of the system has been reduced from 2 to 1".
      {"PID with substitute",
       signature("x v i e u", {"x' v", "v' u", "e x", "i' e", "u e x' i"}),
       {0, 0, 0, 0, 0},
       {1, 1, 1, 0, 0},
       3,
       1},
      // P0 (21): "an index 1 problem", yet with a hidden constraint in the third equation.
      {"PID with dummy z",
       signature("x v i e z", {"x' v", "v' z'", "e x", "i' e", "z' e e' i"}),
       {0, 0, 1, 0, 0},
       {1, 1, 1, 1, 1},
       4,
       1},
      // P0 (18): "an index 2 system".
      {"capacitors",
       signature("v1 v2 i1 i2", {"v1' i1", "v2' i2", "i1 i2", "v1 v2"}),
       {0, 0, 0, 1},
       {1, 1, 0, 0},
       1,
       2},
      // P0 (20).
      {"capacitors with substitute",
       signature("v1 v2 i1 i2", {"v1' i1", "i1 i2", "i1 i2", "v1 v2"}),
       {0, 0, 0, 0},
       {1, 0, 0, 0},
       1,
       1},
      // P1 (10): "the differential index is 2".
      {"P1 (10)", signature("x y", {"x' y", "x"}), {0, 1}, {1, 0}, 0, 2},
      // P1 (11): "one dynamic degree of freedom. The differential index, however, is one".
      {"P1 (11)", signature("x0 x1", {"x0' x1'", "x0"}), {0, 1}, {1, 1}, 1, 1},
      // P1 §7.3: "the system is an index 2 system".
      {"PD",
       signature("x v e u F", {"x' v", "v' F u", "e x", "u e e'", "F"}),
       {0, 0, 1, 0, 0},
       {1, 1, 1, 0, 0},
       2,
       2},
      {"P2 first",
       signature("x1 x2 y", {"x1' y", "x2' x2 y", "x1 x2"}),
       {0, 0, 1},
       {1, 1, 0},
       1,
       2},
      // P2 examples 1 and 2: "an index 1 DAE", and of higher index without the first resistance.
      {"P2 hydraulic",
       signature("p1 p2 q0 q1 q2", {"p1' q0 q1", "p2' q1 q2", "q0", "p1 p2 q1", "p2 q2"}),
       {0, 0, 0, 0, 0},
       {1, 1, 0, 0, 0},
       2,
       1},
      {"P2 hydraulic, R1 = 0",
       signature("p1 p2 q0 q1 q2", {"p1' q0 q1", "p2' q1 q2", "q0", "p1 p2", "p2 q2"}),
       {0, 0, 0, 1, 0},
       {1, 1, 0, 0, 0},
       1,
       2},
      // P2 example 3: "the original system is therefore index 3", reduced to second order.
      {"P2 masses",
       signature("x1 x2 x3 x4 F0 F1", {"x1' x3", "x2' x4", "x3' F0 F1", "x4' F1", "F0", "x2 x1"}),
       {1, 1, 0, 0, 0, 2},
       {2, 2, 1, 1, 0, 0},
       2,
       3},
      // P2 example 4: with kinetics index 1; at equilibrium index 2, reduced to second order.
      {"P2 reactor, kinetics",
       signature("a b c r", {"a' a b c r", "b' a b c r", "c' a b c r", "r a b c"}),
       {0, 0, 0, 0},
       {1, 1, 1, 0},
       3,
       1},
      {"P2 reactor, equilibrium",
       signature("a b c r", {"a' a b c r", "b' a b c r", "c' a b c r", "a b c"}),
       {0, 0, 0, 1},
       {1, 1, 1, 0},
       2,
       2},
      // P2 example 5: "a second-order, index-1 DAE"; ideal: index 2, "purely algebraic".
      {"P2 level control",
       signature("y qi qo x e", {"y' qi qo", "qo y", "x' e", "e y", "qi e x"}),
       {0, 0, 0, 0, 0},
       {1, 0, 0, 1, 0},
       2,
       1},
      {"P2 ideal level control",
       signature("y qi qo", {"y' qi qo", "qo y", "y"}),
       {0, 0, 1},
       {1, 0, 0},
       0,
       2},
      // P4 example 1; example 2, before and after the switch: index 1 and 0.
      {"P4 ex. 1", signature("x1 x2", {"x1", "x2 x1'"}), {1, 0}, {1, 0}, 0, 2},
      {"P4 ex. 2, x", signature("x", {"x"}), {0}, {0}, 0, 1},
      {"P4 ex. 2, x'", signature("x", {"x'"}), {0}, {1}, 1, 0},
      // P4 example 3, in velocities, during the impact.
      {"P4 ex. 3",
       signature("v1 v2 v3 F1 F2", {"v1 v2", "v2 v3", "v1' F1", "F1 v2' F2", "F2 v3'"}),
       {1, 1, 0, 0, 0},
       {1, 1, 1, 0, 0},
       1,
       2},
      // P4 example 5: first and second derivative of the constraint are added.
      {"P4 ex. 5", signature("x1 x2", {"x1'' x2''", "x1 x2"}), {0, 2}, {2, 2}, 2, 2},
  };
}

}  // namespace

const std::vector<PaperModel>& paper_models() {
  static const std::vector<PaperModel> models = make_paper_models();
  return models;
}

const PaperModel& paper_model(std::string_view name) {
  const auto& models = paper_models();
  const auto found = std::find_if(models.begin(), models.end(),
                                  [&](const PaperModel& model) { return model.name == name; });
  EXPECT_NE(found, models.end()) << name;
  return *found;
}

std::vector<int> Random::permutation(int n) {
  std::vector<int> result(static_cast<std::size_t>(n));
  std::iota(result.begin(), result.end(), 0);
  for (int i = n - 1; i > 0; --i) {
    std::swap(result[static_cast<std::size_t>(i)], result[static_cast<std::size_t>(below(i + 1))]);
  }
  return result;
}

Bipartite random_pattern(Random& random, int num_eqs, int num_vars, int sparsity) {
  BipartiteBuilder builder(num_eqs, num_vars);
  for (int e = 0; e < num_eqs; ++e) {
    for (int v = 0; v < num_vars; ++v) {
      if (random.once_in(sparsity)) builder.add({e}, {v});
    }
  }
  return builder.build();
}

Signature random_signature(Random& random, int n, int sparsity, int highest) {
  SignatureBuilder builder(n, n);
  const std::vector<int> transversal = random.permutation(n);
  for (int e = 0; e < n; ++e) {
    for (int v = 0; v < n; ++v) {
      if (random.once_in(sparsity) || transversal[static_cast<std::size_t>(e)] == v) {
        builder.add({e}, {v}, random.below(highest + 1));
      }
    }
  }
  return builder.build();
}

Signature permuted(const Signature& sigma, const std::vector<int>& eq_to,
                   const std::vector<int>& var_to) {
  SignatureBuilder builder(sigma.pattern.num_eqs(), sigma.pattern.num_vars());
  EdgeId edge{0};
  for (EqId eq{0}; eq.index < sigma.pattern.num_eqs(); ++eq.index) {
    for (const VarId var : sigma.pattern.vars_of(eq)) {
      builder.add({eq_to[static_cast<std::size_t>(eq.index)]},
                  {var_to[static_cast<std::size_t>(var.index)]}, sigma.order[edge]);
      ++edge.index;
    }
  }
  return builder.build();
}

int brute_matching_size(const Bipartite& graph, std::uint32_t eq_mask, std::uint32_t var_mask) {
  // best[used]: most pairs so far with exactly these variables used.
  std::vector<int> best(std::size_t{1} << graph.num_vars(), -1);
  best[0] = 0;
  for (EqId eq{0}; eq.index < graph.num_eqs(); ++eq.index) {
    if ((eq_mask >> eq.index & 1) == 0) continue;
    for (std::size_t used = best.size(); used-- > 0;) {
      if (best[used] < 0) continue;
      for (const VarId var : graph.vars_of(eq)) {
        const std::size_t bit = std::size_t{1} << var.index;
        if ((used & bit) != 0 || (var_mask & bit) == 0) continue;
        best[used | bit] = std::max(best[used | bit], best[used] + 1);
      }
    }
  }
  return *std::max_element(best.begin(), best.end());
}

int brute_transversal_value(const Signature& sigma) {
  std::vector<int> permutation(static_cast<std::size_t>(sigma.pattern.num_eqs()));
  std::iota(permutation.begin(), permutation.end(), 0);
  int best = -1;
  do {
    int value = 0;
    for (EqId eq{0}; eq.index < sigma.pattern.num_eqs() && value >= 0; ++eq.index) {
      const EdgeId edge =
          sigma.pattern.find_edge(eq, {permutation[static_cast<std::size_t>(eq.index)]});
      value = edge ? value + sigma.order[edge] : -1;
    }
    best = std::max(best, value);
  } while (std::next_permutation(permutation.begin(), permutation.end()));
  return best;
}

void expect_valid(const Bipartite& graph, const Matching& matching) {
  ASSERT_EQ(matching.var_of.size(), graph.num_eqs());
  ASSERT_EQ(matching.eq_of.size(), graph.num_vars());
  int matched_vars = 0;
  for (const EqId eq : matching.eq_of) matched_vars += eq ? 1 : 0;
  EXPECT_EQ(matched_vars, matching.size());
  for (EqId eq{0}; eq.index < graph.num_eqs(); ++eq.index) {
    if (const VarId var = matching.var_of[eq]) {
      EXPECT_TRUE(graph.find_edge(eq, var)) << "matched without an edge";
      EXPECT_EQ(matching.eq_of[var], eq) << "the tables disagree";
    }
  }
}

std::vector<int> to_ints(const Table<EqId, int>& table) { return {table.begin(), table.end()}; }
std::vector<int> to_ints(const Table<VarId, int>& table) { return {table.begin(), table.end()}; }

TEST(Instances, TextBecomesSignature) {
  const Signature sigma = signature("x y", {"x'' y", "y' x y"});
  EXPECT_EQ(sigma.pattern.num_edges(), 4);
  EXPECT_EQ((std::vector<int>{sigma.order.begin(), sigma.order.end()}),
            (std::vector<int>{2, 0, 0, 1}));
}

TEST(Instances, BruteForceKnowsKoenigsExample) {
  const Signature sigma = signature("x y z", {"x", "x'", "x y z"});
  EXPECT_EQ(brute_matching_size(sigma.pattern, 0b111, 0b111), 2);
  EXPECT_EQ(brute_transversal_value(sigma), -1);
  EXPECT_EQ(brute_transversal_value(signature("x y", {"x y'", "x' y"})), 2);
}

}  // namespace chi::graph::testing
