#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "numerics/function_ref.h"
#include "numerics/problem.h"
#include "numerics/sparse_matrix.h"

namespace chi::numerics {

/// F(x) = 0 with lower <= x <= upper, as the algebraic solvers see it.
///
/// Everything is borrowed: name the lambdas, do not write them in the initialiser. A residual or
/// Jacobian that is not finite counts as `Domain`.
struct NonlinearProblem {
  using Evaluation = FunctionRef<EvalStatus(std::span<const double> x, std::span<double> out)>;

  const SparsePattern* pattern = nullptr;  ///< of the Jacobian: rows equations, columns unknowns
  Evaluation residual = {};
  Evaluation jacobian = {};  ///< values in the order of the pattern
  /// Per equation, what its residual is the sum of: it is off by a few last bits of that. Asked for
  /// only where an unknown ends up far below its nominal size, and steps tell nothing of it.
  Evaluation sizes = {};
  std::span<const double> nominal = {};  ///< positive sizes of the unknowns; empty: all 1
  std::span<const double> lower = {};    ///< empty: none; an infinite entry: none for that one
  std::span<const double> upper = {};
  bool linear = false;  ///< F is known to be linear: saves a Jacobian that would confirm it
};

enum class SolveStatus : std::uint8_t {
  Converged,
  Singular,      ///< the Jacobian is singular where the iteration ended
  NoProgress,    ///< no step along the Newton direction makes the equations better satisfied
  TooSlow,       ///< the limit of iterations
  Undefined,     ///< the equations have no value at the guess, nor near it
  OutOfBounds,   ///< the Newton direction leads out of the bounds
  Inconsistent,  ///< more equations than can hold at once: the least squares are not zero
  Stopped,       ///< an evaluation said Fatal
};
std::string_view name(SolveStatus status);  ///< in words for a diagnostic

/// What became of a solve. The point is in the caller's x: the solution, or the best point met.
struct SolveResult {
  SolveStatus status = SolveStatus::Converged;
  int iterations = 0;  ///< Newton steps, over all attempts
  int attempts = 1;
  int residual_evaluations = 0;
  int jacobian_evaluations = 0;
  double residual_norm = 0.0;   ///< the largest |F_i|, each relative to the size of its row
  int worst_equation = -1;      ///< where that is; -1 if there is no equation
  double worst_residual = 0.0;  ///< F there, as it is
  /// Unknowns that the equations leave open (at the solution): the step in them was the shortest.
  int rank_deficiency = 0;
  std::vector<int> singular_rows = {};  ///< if Singular: the equations that depend on each other
  std::vector<int> singular_cols = {};  ///< and the unknowns that cannot be told apart

  bool converged() const { return status == SolveStatus::Converged; }
};

/// Requires a consistent problem: sizes agree, nominal values positive, lower <= upper.
int equation_count(const NonlinearProblem& problem);
int unknown_count(const NonlinearProblem& problem);

/// F(x), with a value that is not finite turned into Domain.
EvalStatus evaluate_residual(const NonlinearProblem& problem, std::span<const double> x,
                             std::span<double> out);
EvalStatus evaluate_jacobian(const NonlinearProblem& problem, std::span<const double> x,
                             std::span<double> values);

/// Moves x into the bounds; whether anything moved.
bool clip_to_bounds(const NonlinearProblem& problem, std::span<double> x);

/// The largest fraction of `step` that keeps x + fraction step within bounds, at most 1.
double fraction_to_border(const NonlinearProblem& problem, std::span<const double> x,
                          std::span<const double> step);

/// w_j = max(|x_j|, nominal_j): what a change of x_j is measured by.
void size_unknowns(const NonlinearProblem& problem, std::span<const double> x,
                   std::span<double> weights);

/// scale_i = max(scale_i, max_j |J_ij| w_j): what a residual is measured by, over the points seen.
void size_equations(const SparsePattern& pattern, std::span<const double> jacobian,
                    std::span<const double> weights, std::span<double> scale);

/// Whether the residuals are little of the `terms` that the equations are sums of, or no more than
/// what rounding makes of them: an equation among small unknowns is off by what others, among large
/// ones, leave open of these, as d - q^2 = 0 is where d is the difference of two pressures. Nothing
/// at all is q^2 = 0 with a q that only comes near.
bool is_balanced(const SparsePattern& pattern, std::span<const double> jacobian,
                 std::span<const double> residual, std::span<const double> terms);
/// Whether they are off by no more than rounding.
bool is_rounding(const SparsePattern& pattern, std::span<const double> jacobian,
                 std::span<const double> residual, std::span<const double> terms);

double root_mean_square(std::span<const double> v, std::span<const double> weights);
double largest(std::span<const double> v, std::span<const double> weights);

/// A number in [-1, 1) that depends on its arguments only.
double scatter(int round, int index);

}  // namespace chi::numerics
