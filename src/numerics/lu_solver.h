#pragma once
#include <complex>
#include <memory>
#include <span>

#include "numerics/sparse_matrix.h"

namespace chi::numerics {

/// LU factors of a square matrix with a fixed pattern, real or complex, dense, narrow or sparse
/// (KLU).
///
///     fill entries(); if (factor()) solve(b) …
///
/// The first factorisation chooses the pivots; the sparse one keeps them as long as the pivots stay
/// harmless, so that later ones allocate nothing. Only for `double` and `std::complex<double>`.
/// (The Newton solvers have their own, real one: linear_solver.h. Radau needs the complex twin.)
template <class Scalar>
class LuSolver {
 public:
  LuSolver(const SparsePattern& pattern, bool dense);
  LuSolver(LuSolver&&) noexcept;
  ~LuSolver();

  std::span<Scalar> entries();      ///< in the order of the pattern; unchanged by `factor`
  bool factor();                    ///< false if the matrix is singular or not finite
  void solve(std::span<Scalar> b);  ///< in place. Requires that the last `factor()` succeeded

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace chi::numerics
