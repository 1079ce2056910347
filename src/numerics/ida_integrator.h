#pragma once
#include <memory>

#include "numerics/integrator.h"

namespace chi::numerics {

/// Variable-order BDF for F(t, y, y') = 0 of index at most one, by IDA of SUNDIALS [1], with a
/// dense or a sparse (KLU) direct solver for its Newton iteration.
///
/// The dense output is IDA's own interpolant, which its error control trusts: the polynomial of the
/// order used (1 to 5) through the last values of y. It is continuous from step to step, its
/// derivative is not.
///
/// A restart begins at order 1. A warm one proposes the step at which the second derivative before
/// the restart would just pass the error test of order 1.
///
/// [1] A. C. Hindmarsh et al., "SUNDIALS: Suite of nonlinear and differential/algebraic equation
///     solvers", ACM Trans. Math. Softw. 31(3), 2005, 363-396.
std::unique_ptr<Integrator> make_ida_integrator(DaeProblem& problem,
                                                const IntegratorOptions& options);

}  // namespace chi::numerics
