#pragma once
#include <memory>

#include "numerics/integrator.h"

namespace chi::numerics {

/// Radau IIA of order 5, after RADAU5 [1, IV.8]: implicit, stiffly accurate, L-stable. For stiff
/// problems with many events: a one-step method loses nothing at a restart but a function value.
///
/// The error estimate is of order 3, and so is the dense output, the collocation polynomial of
/// degree 3. The tolerance applies to that estimate as it stands, so that event times taken from
/// the dense output are as good as the tolerance; the values at the end of steps are much better.
/// (RADAU5 itself loosens the tolerance to its power 2/3.) Jacobians are kept while Newton
/// converges fast, factors while the step may stay. Nothing is allocated after construction, except
/// by KLU when it chooses new pivots.
///
/// The second form takes F(t, y, y') = 0 of index at most one. A stage derivative is then
/// Σ_j a⁻¹_ij Z_j / h, and the collocation makes the end point satisfy F = 0 [1, VI.1].
///
/// [1] E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed. 1996.
std::unique_ptr<Integrator> make_radau(OdeProblem& problem, const IntegratorOptions& options);
std::unique_ptr<Integrator> make_radau(DaeProblem& problem, const IntegratorOptions& options);

}  // namespace chi::numerics
