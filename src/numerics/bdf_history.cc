#include "numerics/bdf_history.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace chi::numerics {

void derivatives_to_powers(DenseOutput& dense) {
  const double h = dense.t_new() - dense.t_old();
  const int degree = dense.degree();
  double scale = 1;
  for (int k = 1; k <= degree; ++k) {
    scale *= h / k;
    for (double& c : dense.power(k)) c *= scale;
  }
  shift_powers(dense);
}

// The Taylor shift by repeated Horner, all components at once.
void shift_powers(DenseOutput& dense) {
  const int degree = dense.degree();
  for (int pass = 0; pass < degree; ++pass) {
    for (int k = degree - 1; k >= pass; --k) {
      const std::span<double> c = dense.power(k);
      const std::span<const double> above = dense.power(k + 1);
      for (std::size_t i = 0; i < c.size(); ++i) c[i] -= above[i];
    }
  }
}

FadingWeights::FadingWeights(const ErrorNorm& norm)
    : relative_(norm.relative()),
      absolute_(norm.absolute().begin(), norm.absolute().end()),
      recent_(absolute_.size()) {}

void FadingWeights::restart(std::span<const double> y) {
  for (std::size_t i = 0; i < y.size(); ++i) recent_[i] = std::abs(y[i]);
  usual_step_ = 0;
}

void FadingWeights::start(double t, std::span<const double> yp) {
  const double resolution = std::numeric_limits<double>::epsilon() * std::abs(t);
  for (std::size_t i = 0; i < yp.size(); ++i) {
    recent_[i] = std::max(recent_[i], resolution * std::abs(yp[i]) / relative_);
  }
}

void FadingWeights::accept(std::span<const double> y, double h) {
  usual_step_ = std::max(h, usual_step_ * 0.9);
  const double kept = 1 - 0.1 * h / usual_step_;
  for (std::size_t i = 0; i < y.size(); ++i) {
    recent_[i] = std::max(std::abs(y[i]), recent_[i] * kept);
  }
}

void FadingWeights::weights(std::span<const double> y, std::span<double> out) const {
  for (std::size_t i = 0; i < y.size(); ++i) {
    out[i] = 1 / (relative_ * std::max(std::abs(y[i]), recent_[i]) + absolute_[i]);
  }
}

double first_order_step(const ErrorNorm& norm, double t, std::span<const double> y,
                        std::span<const double> yp, double t_limit) {
  constexpr double kAtRest = 1e-3;
  const double size = std::max(1.0, norm(y));
  const double slope = norm(yp);
  if (!(slope > 0) || !std::isfinite(slope)) return step_at_rest(t, t_limit, kAtRest);
  return std::max(std::min(0.5 * std::sqrt(size) / slope, 1e100), shortest_first_step(t));
}

double first_order_step(const ErrorNorm& norm, double t, std::span<const double> second,
                        double last) {
  const double curvature = norm(second);
  double h = last;
  if (!std::isfinite(curvature)) {
    h = last * 1e-3;
  } else if (4 * curvature * last * last > 1) {
    h = 0.5 / std::sqrt(curvature);
  }
  return std::min(last, std::max(h, shortest_first_step(t)));
}

}  // namespace chi::numerics
