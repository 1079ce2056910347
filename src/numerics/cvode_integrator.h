#pragma once
#include <memory>

#include "numerics/integrator.h"

namespace chi::numerics {

enum class MultistepMethod {
  Bdf,    ///< orders 1 to 5, Newton iteration with a dense or sparse (KLU) direct solver: stiff
  Adams,  ///< orders 1 to 12, functional iteration, no Jacobian: not stiff, smooth, costly f
};

/// Variable-order multistep methods for y' = f(t, y), by CVODE of SUNDIALS (citation:
/// ida_integrator.h).
///
/// The dense output is the polynomial of CVODE's Nordsieck array, of the order used. It is
/// continuous from step to step. Restarts as in `make_ida_integrator`.
std::unique_ptr<Integrator> make_cvode_integrator(OdeProblem& problem,
                                                  const IntegratorOptions& options,
                                                  MultistepMethod method);

}  // namespace chi::numerics
