#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "graph/matching.h"
#include "graph/signature.h"

/// Models for the tests of this folder: those of the papers, random ones, and slow but obvious
/// answers to compare with. Only the test program has the bodies (instances_test.cc).
namespace chi::graph::testing {

/// A signature matrix as one would write it: `signature("x y T", {"x'' T", "y'' T", "x y"})`. A
/// prime is a derivative; a word is a variable; what is not declared is a mistake of the test.
Signature signature(std::string_view variables, const std::vector<std::string_view>& equations);

/// A DAE of a paper, with what the paper, or a hand calculation, says of it.
struct PaperModel {
  std::string name;
  Signature sigma;
  std::vector<int> c;  ///< how often each equation must be differentiated
  std::vector<int> d;  ///< the highest derivative of each variable then
  int degrees_of_freedom = 0;
  int index = 0;
};
const std::vector<PaperModel>& paper_models();
const PaperModel& paper_model(std::string_view name);

/// Random numbers that are the same everywhere for a seed, unlike those of std distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  bool once_in(int n) { return below(n) == 0; }
  std::vector<int> permutation(int n);

 private:
  std::mt19937_64 engine_;
};

/// A random pattern, each edge present once in `sparsity` times.
Bipartite random_pattern(Random& random, int num_eqs, int num_vars, int sparsity);
/// A random square signature matrix with at least one transversal and orders up to `highest`.
Signature random_signature(Random& random, int n, int sparsity, int highest);

/// Renumbered: equation `e` becomes `eq_to[e]`, variable `v` becomes `var_to[v]`.
Signature permuted(const Signature& sigma, const std::vector<int>& eq_to,
                   const std::vector<int>& var_to);

/// Size of a maximum matching of the equations in `eq_mask` with the variables in `var_mask`, by
/// trying all. At most 20 variables.
int brute_matching_size(const Bipartite& graph, std::uint32_t eq_mask, std::uint32_t var_mask);
/// Value of the best transversal over all permutations; -1 if there is none. At most 8 equations.
int brute_transversal_value(const Signature& sigma);

/// Every pair an edge, both tables saying the same.
void expect_valid(const Bipartite& graph, const Matching& matching);

std::vector<int> to_ints(const Table<EqId, int>& table);
std::vector<int> to_ints(const Table<VarId, int>& table);

}  // namespace chi::graph::testing
