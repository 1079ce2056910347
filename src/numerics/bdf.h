#pragma once
#include <memory>

#include "numerics/integrator.h"

namespace chi::numerics {

/// BDF of orders 1 to 5 for y' = f(t, y) with variable steps, in Nordsieck form: the formulas,
/// error tests and choices of order of CVODE (citations: nordsieck.h), written so that a step is a
/// few sweeps over the components. It takes nearly CVODE's steps; on large systems with cheap
/// equations, where CVODE spends its time on sums of vectors, it is two to three times as fast.
///
/// The dense output is the polynomial of the history, of the order used, continuous from step to
/// step. A warm restart begins at order 1 with a step that the history suggests.
std::unique_ptr<Integrator> make_bdf(OdeProblem& problem, const IntegratorOptions& options);

}  // namespace chi::numerics
