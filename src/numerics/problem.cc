#include "numerics/problem.h"

namespace chi::numerics {

EvalStatus OdeProblem::jacobian(double, std::span<const double>, std::span<double>) {
  return EvalStatus::Fatal;
}

EvalStatus DaeProblem::jacobian(double, std::span<const double>, std::span<const double>, double,
                                double, std::span<double>) {
  return EvalStatus::Fatal;
}

}  // namespace chi::numerics
