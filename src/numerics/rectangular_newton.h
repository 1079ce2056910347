#pragma once
#include <memory>
#include <span>

#include "numerics/newton.h"

namespace chi::numerics {

struct RectangularOptions {
  NewtonOptions newton = {};
  /// Columns of the scaled Jacobian with less than this left of them count as dependent.
  double rank_tolerance = 1e-11;
  /// Largest residual, relative to the size of its row, at which surplus equations count as
  /// satisfied.
  double consistency = 1e-8;
  double largest_dense = 4e5;  ///< rows × columns; beyond, steps come from a sparse factorisation
};

/// Solves systems with more or fewer equations than unknowns, or with dependent ones, as initial
/// values need it (P4 = Uhlig et al., "Initial value calculation for DAE with higher index", §5-6).
///
/// The step is the shortest one (in the unknowns divided by their nominal values) among those that
/// satisfy the linearised equations best: minimum norm if they leave unknowns open, least squares
/// if they are too many. At the end the least squares must vanish; if they do not, the result is
/// Inconsistent and names the worst equation. A step that would leave the bounds is bent along the
/// border by a combination of kernel vectors, and only damped if the kernel does not allow it
/// (P4 §6, figure 5; the bent component stops at the border instead of not moving at all).
/// Damping, restarts and failures are those of NewtonSolver. Dense, O(m n min(m, n)) per step, up
/// to `largest_dense`; larger systems are solved by augmented_backend.h, which neither tells the
/// rank nor bends steps.
class RectangularNewton {
 public:
  explicit RectangularNewton(const SparsePattern& pattern, RectangularOptions options = {});
  RectangularNewton(RectangularNewton&&) noexcept;
  RectangularNewton& operator=(RectangularNewton&&) noexcept;
  ~RectangularNewton();

  /// As NewtonSolver::solve. `rank_deficiency` tells how many unknowns the equations leave open.
  SolveResult solve(const NonlinearProblem& problem, std::span<double> x);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace chi::numerics
