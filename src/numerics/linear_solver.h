#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "numerics/sparse_matrix.h"

namespace chi::numerics {

enum class LinearMethod : std::uint8_t { Auto, Dense, Sparse };

enum class FactorStatus : std::uint8_t {
  Ok,
  Singular,   ///< to working precision, after scaling rows and columns; see `singularity`
  NotFinite,  ///< a value is infinite or NaN
};

/// Where elimination broke down: this column depends on those eliminated before it, and this row is
/// one that no pivot was found in. `find_dependencies` (rank_revealing.h) names all that take part.
struct Singularity {
  int row = -1;
  int col = -1;
};

/// Solves square systems with one sparsity pattern, again and again with other values.
///
/// Dense LU with partial pivoting for small or full matrices; otherwise KLU [1], whose ordering is
/// found once and whose pivot order is kept from one `factor` to the next while it stays stable.
/// Rows and columns are scaled by powers of two first, so that the verdict "singular" (a pivot
/// below n u) does not depend on units. No allocation in `solve`, nor in a repeated `factor` that
/// keeps its pivots.
///
/// [1] T. A. Davis and E. Palamadai Natarajan, "Algorithm 907: KLU, a direct sparse solver for
/// circuit
///     simulation problems", ACM TOMS 37(3), 2010.
class LinearSolver {
 public:
  /// Requires a square, valid pattern.
  explicit LinearSolver(SparsePattern pattern, LinearMethod method = LinearMethod::Auto);
  LinearSolver(LinearSolver&&) noexcept;
  LinearSolver& operator=(LinearSolver&&) noexcept;
  ~LinearSolver();

  const SparsePattern& pattern() const;
  bool is_sparse() const;

  /// Requires values.size() == pattern().nonzeros().
  FactorStatus factor(std::span<const double> values);
  const Singularity& singularity() const;  ///< of the last `factor` that found the matrix singular

  void solve(std::span<double> b) const;  ///< b becomes A⁻¹b. Requires that `factor` said Ok.
  void solve_transposed(std::span<double> b) const;  ///< b becomes A⁻ᵀb

  /// Smallest over largest pivot of the scaled matrix: a cheap hint at the condition, 0 if
  /// singular.
  double pivot_ratio() const;
  /// Of the determinant, 1 or -1. Requires that `factor` said Ok.
  int determinant_sign() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace chi::numerics
