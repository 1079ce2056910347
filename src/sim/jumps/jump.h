#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/jumps/conserved.h"
#include "sim/modes/plan.h"

namespace chi::sim {

/// A value that changed at an instant without an assignment, or the weight of an impulse.
struct Change {
  expr::VarRef variable;
  double before = 0, after = 0;
  bool is_impulse = false;  ///< `after` is the integral of the variable over the instant
};

/// Adds changes that come after, at the same instant: of what changes again, the change as a whole.
void add_changes(std::vector<Change>& to, std::span<const Change> later);

struct JumpResult {
  bool solved = false;
  std::vector<Change> changes;
  std::vector<ConservedSum> conserved;
  /// Per weight of the mode: its mean over the instant, by the impulses it is a share of. Infinite
  /// where it would have to be an impulse itself, NaN where none depends on it.
  std::vector<double> weights;
  std::vector<std::int32_t> violated_rows;  ///< constraints that no impulse can satisfy,
  std::vector<double> violations;           ///< and by how much they are off
  std::string why;
};

/// The jump that a mode forces on values which contradict its constraints (semantics.md §7;
/// P4 = Uhlig et al., "Initial value calculation for DAE with higher index", §3).
///
/// With Pryce's offsets, the equations f_i^(c_i) determine the highest derivatives x_j^(d_j).
/// Integrated over the instant they determine the jumps of x_j^(d_j - 1) and, where d_j = 0, the
/// weights of impulses P_j, through the same Jacobian:
///
///     c_i > 0:   f_i^(c_i - 1) = 0 right after the instant,
///     c_i = 0:   Σ_j ∂f_i/∂x_j^(d_j) [x_j^(d_j - 1)] + Σ_j ∂f_i/∂x_j P_j = 0,
///
/// since finite terms integrate to nothing. Coefficients that jump are taken at the mean of both
/// sides (P4 eq. 8). Weights of sliding are bounded numbers and no impulses, but shares of some:
/// the friction of a body that falls on the floor is a share of the impulse of the floor
/// (docs/theory/modes.md).
///
/// Lower derivatives are continuous, but for deep jumps: where x_j^(d_j - 1 - m) violate
/// f_i^(c_i - 1 - m), these change by what the same equations say with c - m and d - m for the
/// offsets, m = 1, 2, ... That is possible if nothing becomes the derivative of an impulse but what
/// cancels in its equation: node voltages a and b with `C*(a' - b') = i` have impulses, a - b has
/// none. `frame` holds the values before, and then those after with all derivatives.
JumpResult solve_jump(const SolverContext& context, Plan& plan, std::vector<double>& frame,
                      double tolerance);

}  // namespace chi::sim
