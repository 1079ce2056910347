#pragma once
#include <memory>
#include <span>

#include "numerics/homotopy.h"
#include "numerics/newton.h"
#include "numerics/rectangular_newton.h"

namespace chi::numerics {

struct AlgebraicOptions {
  RectangularOptions rectangular = {};  ///< `rectangular.newton` serves square systems too
  bool homotopy = true;                 ///< whether to try continuation at the end
};

/// Solves algebraic equations of any shape by all means at hand, cheapest first.
///
/// Square: damped Newton; if it finds the equations singular, minimum-norm and least-squares steps,
/// which solve dependent but consistent equations; then Newton from perturbed guesses; then
/// homotopies from the guess. Not square: RectangularNewton. The result is that of the method that
/// succeeded; on failure that of the first, with x at its best point and counts over all. Solvers
/// are made when first needed and kept, so a repeated solve that Newton does alone allocates
/// nothing.
class AlgebraicSolver {
 public:
  explicit AlgebraicSolver(SparsePattern pattern, AlgebraicOptions options = {});
  AlgebraicSolver(AlgebraicSolver&&) noexcept;
  AlgebraicSolver& operator=(AlgebraicSolver&&) noexcept;
  ~AlgebraicSolver();

  SolveResult solve(const NonlinearProblem& problem, std::span<double> x);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace chi::numerics
