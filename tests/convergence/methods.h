#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "numerics/integrator.h"
#include "numerics/ode_as_dae.h"

namespace chi::testing {

/// An integrator and, for the DAE methods, the view of the ODE that it needs.
struct Made {
  std::unique_ptr<numerics::OdeAsDae> view;
  std::unique_ptr<numerics::Integrator> integrator;
  numerics::Integrator* operator->() const { return integrator.get(); }
};

struct Method {
  std::string name;
  bool stiff = false;     ///< fit for stiff problems
  bool one_step = false;  ///< can run with a fixed step
  std::function<Made(numerics::OdeProblem&, const numerics::IntegratorOptions&)> make;
};

/// Every integrator of src/numerics, as a solver of ODEs: dopri5, rkf45, radau, radau_dae,
/// bdf, cvode_bdf, cvode_adams, ida.
const std::vector<Method>& methods();
const Method& method(const std::string& name);  ///< one of them

/// Starts at (t, y) with y' = f(t, y).
void restart(Made& made, numerics::OdeProblem& problem, double t, const std::vector<double>& y);

/// Steps to t_end; returns false at the first step that fails.
bool run(Made& made, double t_end);

}  // namespace chi::testing
