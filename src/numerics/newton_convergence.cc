#include "numerics/newton_convergence.h"

#include <algorithm>
#include <cmath>

namespace chi::numerics {

NewtonConvergence::Verdict NewtonConvergence::judge(int iteration, double norm, double tolerance) {
  constexpr double kDiverges = 0.9;
  constexpr double kNegligible = 1e-8;  // of the tolerance, whatever the rate
  double remaining = std::max(remaining_, kLeast);
  if (iteration == 0) {
    first_ = norm;
    if (norm <= kNegligible * tolerance) return Verdict::Converged;
  } else {
    const double rate = std::pow(norm / first_, 1.0 / iteration);
    if (!(rate <= kDiverges)) return Verdict::Diverges;
    remaining = remaining_ = rate / (1 - rate);
  }
  return remaining * norm <= tolerance ? Verdict::Converged : Verdict::NotYet;
}

}  // namespace chi::numerics
