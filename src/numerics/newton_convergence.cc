#include "numerics/newton_convergence.h"

#include <algorithm>
#include <cmath>

namespace chi::numerics {

void NewtonConvergence::look_at(int iteration, std::span<const double> residual,
                                std::span<const double> weights) {
  constexpr double kFalls = 0.5;
  constexpr double kOpposite = -0.9;  // the cosine
  const double before = iteration == 0 ? 0 : size_;
  residual_.resize(residual.size());
  double both = 0, square = 0;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    const double r = residual[i] * weights[i];
    both += r * residual_[i];
    square += r * r;
    residual_[i] = r;
  }
  const auto n = static_cast<double>(residual.size());
  size_ = std::sqrt(square / n);
  falls_ = size_ <= kFalls * before;
  turns_ = before > 0 && both / n < kOpposite * size_ * before;
}

NewtonConvergence::Verdict NewtonConvergence::judge(int iteration, double norm, double tolerance) {
  constexpr double kDiverges = 0.9;
  constexpr double kSteep = 0.5;  // of the residual: what a correction is beside a steep slope
  constexpr double kNegligible = 1e-8;  // of the tolerance, whatever the rate
  const bool is_proved = falls_ || size_ <= tolerance;
  if (turns_ && norm <= std::min(tolerance, kSteep * size_)) return Verdict::Converged;
  if (iteration == 0) {
    first_ = norm;
    if (is_proved && norm <= kNegligible * tolerance) return Verdict::Converged;
  } else {
    const double rate = std::pow(norm / first_, 1.0 / iteration);
    if (!(rate <= kDiverges)) return Verdict::Diverges;
    remaining_ = rate / (1 - rate);
  }
  if (std::max(remaining_, kLeast) * norm > tolerance) return Verdict::NotYet;
  if (is_proved) return Verdict::Converged;
  return iteration == 0 ? Verdict::NotYet : Verdict::Diverges;
}

}  // namespace chi::numerics
