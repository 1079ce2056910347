#pragma once
#include <memory>
#include <span>

#include "numerics/nonlinear_problem.h"

namespace chi::numerics {

struct NewtonOptions {
  int max_iterations = 150;     ///< per attempt
  int restarts = 10;            ///< attempts from perturbed guesses after the first has failed
  double least_damping = 1e-8;  ///< a shorter step than this fraction is no progress
  /// Estimated error of the solution, relative to max(|x|, nominal), that ends the iteration. The
  /// default asks for all digits; where rounding in F prevents them, the iteration ends there too.
  double tolerance = 5e-17;
  /// A guess at which the Jacobian is singular is left for a solution no further away than this,
  /// relative to max(|x|, nominal). If it is 0 the attempt ends there.
  double around_singular_guess = 0;
};

/// Solves square systems with one Jacobian pattern by damped Newton steps.
///
/// Error-oriented global Newton after Deuflhard [1, algorithm NLEQ-ERR]: the damping factor follows
/// the natural monotonicity test |J⁻¹F(x + λΔx)| <= |J⁻¹F(x)|, which does not depend on the scaling
/// of the equations; steps are measured relative to max(|x|, nominal). The simplified correction of
/// the test also estimates the error and is added at the end, so that a linear system takes one
/// step and one step of iterative refinement. Bounds are kept: trial points are projected on them
/// and, if that does not help, the step ends before the border. Undefined trial points shorten the
/// step.
///
/// If the Jacobian is singular at the guess, or the attempt fails, others start from perturbed
/// guesses: upwards first, so that of two symmetric solutions the positive one is found; always the
/// same ones, so that runs repeat. On failure x is the point with the smallest scaled residual.
/// No allocation while iterating. Derivation: docs/theory/newton.md.
///
/// [1] P. Deuflhard, "Newton Methods for Nonlinear Problems", Springer 2004, §3.3.
class NewtonSolver {
 public:
  /// Requires a square pattern.
  explicit NewtonSolver(const SparsePattern& pattern, NewtonOptions options = {});
  NewtonSolver(NewtonSolver&&) noexcept;
  NewtonSolver& operator=(NewtonSolver&&) noexcept;
  ~NewtonSolver();

  /// Requires a problem with the same pattern. x: the guess, then the solution or the best point.
  SolveResult solve(const NonlinearProblem& problem, std::span<double> x);
  SolveResult solve_once(const NonlinearProblem& problem, std::span<double> x);  ///< no restarts

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace chi::numerics
