#pragma once
#include <cstdint>
#include <vector>

#include "graph/matching.h"
#include "graph/signature.h"

namespace chi::graph {

/// A full n × n matrix of costs; C_ij is the cost of assigning equation i to variable j.
class CostMatrix {
 public:
  explicit CostMatrix(int n)
      : n_(n), costs_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)) {}
  int n() const { return n_; }
  std::int64_t& operator()(int i, int j) { return costs_[place(i, j)]; }
  std::int64_t operator()(int i, int j) const { return costs_[place(i, j)]; }

 private:
  std::size_t place(int i, int j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(n_) + static_cast<std::size_t>(j);
  }
  int n_ = 0;
  std::vector<std::int64_t> costs_;
};

/// The cost matrix of [1, §2.1] for a square first-order DAE: -n-2 where F_i depends on the
/// derivative of x_j, -n-1 where only on x_j, 0 where on neither. The least total cost then has the
/// most dependences, and among these the most derivatives. For orders above one, -n q - 1 - σ_ij
/// with q the highest order does the same and is the paper's for q = 1.
CostMatrix cost_matrix(const Signature& dependencies);

/// The permutation σ that minimises Σ_j C_σ(j),j [1, §2.1]: entry j is the equation of variable j.
///
/// Shortest augmenting paths [2], O(n³), on full matrices; for small systems, and as the yardstick
/// of `best_assignment`.
///
/// [1] A. Uhlig, T. Blochwitz, U. Schnabel and T. Nähring, "Initial value calculation for DAE with
///     higher index", Modelica Conference, 2009.
/// [2] R. Jonker and A. Volgenant, "A shortest augmenting path algorithm for dense and sparse
///     linear assignment problems", Computing 38, 1987, 325-340.
std::vector<int> minimise_cost(const CostMatrix& cost);

/// The best assignment of [1, §2.1] on a sparse matrix of any shape, regular or singular: as many
/// dependences as possible, and among these as many derivatives. Where the paper assigns an
/// equation to a variable it does not contain, at cost 0, both stay unmatched here.
Matching best_assignment(const Signature& dependencies);

}  // namespace chi::graph
