#pragma once
#include <memory>

#include "numerics/integrator.h"

namespace chi::numerics {

enum class ExplicitMethod {
  DormandPrince,  ///< 5(4), seven stages, the last one reused [1]; free interpolant of order 4 [2]
  Fehlberg,       ///< 4(5) with local extrapolation, six stages [3]; interpolant of order 4, ours
};

/// Explicit Runge-Kutta pairs of order 5 for problems that are not stiff.
///
/// The order-4 solution estimates the error, the order-5 one goes on. A PI controller chooses the
/// step [2, p. 28 of vol. II]. A stage outside the domain of f shortens the step. Both interpolants
/// are of degree 4, accurate to O(h⁵) and continuously differentiable from step to step. Six
/// evaluations per step, and one more where f is rough, for how well the interpolant keeps to f;
/// nothing is allocated after construction. `looks_stiff` after [2, vol. II
/// IV.2]: h|λ| estimated from the two stages at c = 1.
///
/// [1] J. R. Dormand, P. J. Prince, "A family of embedded Runge-Kutta formulae", J. Comput. Appl.
///     Math. 6, 1980, 19-26.
/// [2] E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed.
/// 1993,
///     II.4-II.6; E. Hairer, G. Wanner, vol. II, 2nd ed. 1996, IV.2.
/// [3] E. Fehlberg, NASA TR R-315, 1969. Derivation of the interpolant: docs/theory/integrators.md.
std::unique_ptr<Integrator> make_runge_kutta(OdeProblem& problem, const IntegratorOptions& options,
                                             ExplicitMethod method);

}  // namespace chi::numerics
