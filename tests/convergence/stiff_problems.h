#pragma once
#include <functional>
#include <string>
#include <vector>

#include "numerics/problem.h"

namespace chi::testing {

/// A classical stiff problem with an exact, dense Jacobian and the solution at `t_end`.
struct StiffProblem {
  using In = std::span<const double>;
  using Out = std::span<double>;
  std::string name;
  double t_end = 0;
  std::vector<double> start;
  std::vector<double> reference;  ///< at t_end
  double small = 1e-9;            ///< absolute tolerance that goes with relative 1e-6
  std::function<void(double t, In y, Out ydot)> f;
  std::function<void(In y, Out columns)> jacobian;  ///< ∂f_i/∂y_j at [j n + i]
};

/// Robertson's kinetics to 1e11, van der Pol's oscillator with μ = 1000, HIRES and OREGO, with the
/// reference solutions of the Test Set for IVP Solvers (F. Mazzia, C. Magherini, release 2.4,
/// 2008).
const std::vector<StiffProblem>& stiff_problems();

/// As the integrators see it.
class StiffOde final : public numerics::OdeProblem {
 public:
  explicit StiffOde(const StiffProblem& problem) : p_(problem) {}
  int size() const override { return static_cast<int>(p_.start.size()); }
  numerics::EvalStatus rhs(double t, std::span<const double> y, std::span<double> ydot) override;
  bool has_jacobian() const override { return true; }
  numerics::EvalStatus jacobian(double t, std::span<const double> y,
                                std::span<double> values) override;

 private:
  const StiffProblem& p_;
};

}  // namespace chi::testing
