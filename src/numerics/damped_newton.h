#pragma once
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "numerics/newton.h"
#include "numerics/nonlinear_problem.h"
#include "numerics/rank_revealing.h"

namespace chi::numerics {

/// The linear algebra of a Newton step, which differs between square and rectangular systems.
class NewtonBackend {
 public:
  virtual ~NewtonBackend() = default;
  /// Prepares for steps at a point with this Jacobian; false if no step can be taken there.
  virtual bool factor(const NonlinearProblem& problem, std::span<const double> jacobian) = 0;
  /// -J⁻¹F, or what takes its place.
  virtual void step(std::span<const double> residual, std::span<double> out) = 0;
  /// May turn the step so that x + step stays within bounds and still solves the linear equations.
  virtual void bend(const NonlinearProblem&, std::span<const double>, std::span<double>) {}
  virtual int rank_deficiency() const { return 0; }
};

/// The damped iteration and its restarts, as newton.h describes them. Its names are those of
/// Deuflhard: Δx is `step_`, the simplified correction Δx̄ is `correction_`.
class DampedNewton {
 public:
  /// A point with vanishing steps is a solution if its scaled residual is at most `residual_limit`;
  /// for a square, regular system that follows by itself, unless an unknown is much smaller than
  /// its nominal size: then equations must balance (NonlinearProblem::sizes). Pattern and backend
  /// must outlive this.
  DampedNewton(const SparsePattern& pattern, NewtonOptions options, NewtonBackend& backend,
               double residual_limit = std::numeric_limits<double>::infinity());

  /// As NewtonSolver::solve, with so many attempts from perturbed guesses.
  SolveResult solve(const NonlinearProblem& problem, std::span<double> x, int restarts);

 private:
  SolveStatus attempt();
  SolveStatus factor_jacobian();
  std::optional<SolveStatus> take_step();
  std::optional<SolveStatus> accept(double rate, bool clipped);
  std::optional<SolveStatus> add_correction();
  bool is_stagnant(double rate) const;
  bool is_noise();
  bool is_balanced(std::span<const double> x, std::span<const double> residual,
                   std::span<const double> last);
  SolveStatus better_end();
  double allowed_damping(double step_norm) const;
  void predict_damping();
  bool shorten(double damping, bool clipped);
  bool decompose();
  bool is_almost_singular();
  bool is_isolated_solution();
  bool leave(int iteration, int& nudges);
  bool step_across();
  bool nudge(int round);
  void perturb_guess(int round, const std::vector<int>& directions);
  std::vector<int> dependent_unknowns() const;
  void measure_rows(std::span<const double> x);
  EvalStatus residual_at(std::span<const double> x, std::span<double> out);
  SolveStatus converged_at(std::span<const double> x, std::span<const double> residual);
  void note_if_best(std::span<const double> x, std::span<const double> residual);
  void report_worst(std::span<const double> residual);
  void finish(std::span<double> x);

  NewtonOptions options_;
  const SparsePattern& pattern_;
  NewtonBackend& backend_;
  double residual_limit_ = 0.0;
  const NonlinearProblem* problem_ = nullptr;
  SolveResult result_;
  double damping_ = 1.0;
  double last_damping_ = 1.0;
  double last_step_norm_ = 0.0;
  double step_size_ = 0.0;  // the largest component of the step, weighted
  double best_norm_ = 0.0;
  bool best_is_known_ = false;
  int lingers_ = 0;          // steps since the first that was small and no smaller than the last
  bool stays_near_ = false;  // the guess, at which the Jacobian was singular
  std::vector<double> x_, trial_, residual_, trial_residual_, step_, correction_, last_correction_;
  std::vector<double> weights_, best_, guess_, jacobian_;
  RankRevealingQr seen_;           // of a singular Jacobian
  std::vector<double> terms_;      // NonlinearProblem::sizes
  std::vector<double> row_size_;   // of the equations at x_
  std::vector<double> row_scale_;  // the first such size that is not zero: compares points
};

}  // namespace chi::numerics
