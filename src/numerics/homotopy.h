#pragma once
#include <cstdint>
#include <span>

#include "numerics/nonlinear_problem.h"

namespace chi::numerics {

enum class HomotopyKind : std::uint8_t {
  Newton,      ///< F(x) = (1 - λ) F(x0): the residual of the guess is taken away bit by bit
  FixedPoint,  ///< λ F(x) + (1 - λ) D (x - x0) = 0, D a diagonal of the size of F's rows
};

struct HomotopyOptions {
  HomotopyKind kind = HomotopyKind::Newton;
  double direction = 1.0;  ///< +1: λ grows at first; -1: the other branch through the guess. For
                           ///< FixedPoint the sign of D
  int max_steps = 400;
  double first_step = 0.1;  ///< arc length, in unknowns divided by max(|x0|, nominal)
};

/// Follows a path of solutions from the guess (λ = 0) to a solution of F(x) = 0 (λ = 1): the last
/// resort for a square system on which Newton's method fails.
///
/// Pseudo-arclength continuation [1]: the path is parametrised by its length, so that it may turn
/// back in λ; tangent predictor, Newton corrector in the plane across, steps that grow and shrink
/// with the corrector's work. A trial point outside the domain shortens the step. Where the path
/// crosses λ = 1 Newton's method finishes, within bounds; if it fails there the path goes on. The
/// path itself does not keep bounds. On failure x is unchanged; `status` is NoProgress, TooSlow,
/// Singular or Undefined.
///
/// [1] E. L. Allgower and K. Georg, "Numerical Continuation Methods", Springer 1990, ch. 6.
SolveResult follow_homotopy(const NonlinearProblem& problem, std::span<double> x,
                            const HomotopyOptions& options = {});

}  // namespace chi::numerics
