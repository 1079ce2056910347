#pragma once
#include <vector>

#include "numerics/damped_newton.h"
#include "numerics/linear_solver.h"

namespace chi::numerics {

/// Shortest least-squares steps for large sparse systems of any shape and rank.
///
/// Solves min |A y + R F|² + δ² |y|² with A = R J W scaled as for the dense solver, by sparse LU of
///
///     ( 1   A  ) ( r )   ( -R F )
///     ( Aᵀ -δ² ) ( y ) = (  0   ),   δ = 1e-5,
///
/// which is regular whatever A is (Å. Björck, "Numerical Methods for Least Squares Problems", 1996,
/// §2.7). For δ → 0 this is the shortest least-squares step; as it is, Newton's method contracts by
/// δ²/σ² in the direction of a singular value σ, which costs a step or two more. Does not know the
/// rank and does not bend steps at bounds.
class AugmentedBackend final : public NewtonBackend {
 public:
  explicit AugmentedBackend(const SparsePattern& pattern);

  bool factor(const NonlinearProblem& problem, std::span<const double> jacobian) override;
  void step(std::span<const double> residual, std::span<double> out) override;

 private:
  const SparsePattern& pattern_;
  LinearSolver linear_;
  std::vector<int> upper_;  // where the entries of A go
  std::vector<int> lower_;  // and those of Aᵀ
  std::vector<double> values_, weights_, row_scale_, right_;
};

}  // namespace chi::numerics
