#include "methods.h"

#include <algorithm>

#include "numerics/bdf.h"
#include "numerics/cvode_integrator.h"
#include "numerics/ida_integrator.h"
#include "numerics/radau.h"
#include "numerics/runge_kutta.h"

namespace chi::testing {

using numerics::IntegratorOptions;
using numerics::OdeProblem;

namespace {

template <class Make>
auto through_dae(Make make) {
  return [=](OdeProblem& p, const IntegratorOptions& o) {
    std::vector<double> typical(static_cast<std::size_t>(p.size()), 1e-3);
    Made made{std::make_unique<numerics::OdeAsDae>(p, typical), nullptr};
    made.integrator = make(*made.view, o);
    return made;
  };
}

template <class Make>
auto directly(Make make) {
  return [=](OdeProblem& p, const IntegratorOptions& o) { return Made{nullptr, make(p, o)}; };
}

}  // namespace

const std::vector<Method>& methods() {
  using namespace numerics;
  static const std::vector<Method> all{
      {"dopri5", false, true, directly([](auto& p, auto& o) {
         return make_runge_kutta(p, o, ExplicitMethod::DormandPrince);
       })},
      {"rkf45", false, true,
       directly([](auto& p, auto& o) { return make_runge_kutta(p, o, ExplicitMethod::Fehlberg); })},
      {"radau", true, true, directly([](OdeProblem& p, auto& o) { return make_radau(p, o); })},
      {"radau_dae", true, true,
       through_dae([](DaeProblem& p, auto& o) { return make_radau(p, o); })},
      {"cvode_bdf", true, false, directly([](auto& p, auto& o) {
         return make_cvode_integrator(p, o, MultistepMethod::Bdf);
       })},
      {"bdf", true, false, directly([](auto& p, auto& o) { return make_bdf(p, o); })},
      {"cvode_adams", false, false, directly([](auto& p, auto& o) {
         return make_cvode_integrator(p, o, MultistepMethod::Adams);
       })},
      {"ida", true, false,
       through_dae([](DaeProblem& p, auto& o) { return make_ida_integrator(p, o); })}};
  return all;
}

void restart(Made& made, OdeProblem& problem, double t, const std::vector<double>& y) {
  std::vector<double> yp(y.size());
  problem.rhs(t, y, yp);
  made->restart(t, y, yp, numerics::Restart::Cold);
}

bool run(Made& made, double t_end) {
  while (made->t() < t_end) {
    if (made->step(t_end) != numerics::StepStatus::Stepped) return false;
  }
  return true;
}

const Method& method(const std::string& name) {
  return *std::find_if(methods().begin(), methods().end(),
                       [&](const Method& m) { return m.name == name; });
}

}  // namespace chi::testing
