#include "numerics/step_control.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace chi::numerics {

Tolerances step_tolerances(const IntegratorOptions& options, double share) {
  // Below some tens of ulps only round-off is left to control.
  constexpr double kSmallestAbsolute = 1e-60;
  constexpr double kFinest = 64 * std::numeric_limits<double>::epsilon();
  Tolerances t = options.tolerances;
  const double factor = options.share > 0 ? options.share : share;
  t.relative = std::max(t.relative * factor, std::min(t.relative, kFinest));
  // No weight is infinite, even where value and absolute tolerance are zero.
  t.absolute = std::max(t.absolute * factor, kSmallestAbsolute);
  for (double& a : t.absolute_each) a = std::max(a * factor, kSmallestAbsolute);
  return t;
}

double multistep_share(double relative) {
  return 0.06 * std::min(1.0, std::pow(relative * 1e6, 1.0 / 6));
}

ErrorNorm::ErrorNorm(const Tolerances& tolerances, int size, std::span<const char> counts)
    : relative_(tolerances.relative),
      absolute_(tolerances.absolute_each),
      counts_(counts.begin(), counts.end()) {
  const auto n = static_cast<std::size_t>(size);
  if (absolute_.empty()) absolute_.assign(n, tolerances.absolute);
  if (counts_.empty()) counts_.assign(n, 1);
  inverse_.assign(n, 0);
  for (const char c : counts_) counted_ += c ? 1 : 0;
}

void ErrorNorm::set_reference(std::span<const double> y) {
  for (std::size_t i = 0; i < y.size(); ++i) {
    inverse_[i] = counts_[i] ? 1 / (relative_ * std::abs(y[i]) + absolute_[i]) : 0;
  }
}

void ErrorNorm::set_reference(std::span<const double> y, std::span<const double> z) {
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double size = std::max(std::abs(y[i]), std::abs(z[i]));
    inverse_[i] = counts_[i] ? 1 / (relative_ * size + absolute_[i]) : 0;
  }
}

double ErrorNorm::operator()(std::span<const double> v) const {
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double scaled = v[i] * inverse_[i];
    sum += scaled * scaled;
  }
  if (!std::isfinite(sum)) return std::numeric_limits<double>::infinity();
  return counted_ > 0 ? std::sqrt(sum / counted_) : 0;
}

std::vector<double> ErrorNorm::typical() const {
  std::vector<double> sizes = absolute_;
  const double relative = std::max(relative_, std::numeric_limits<double>::epsilon());
  for (double& s : sizes) s = std::clamp(s / relative, 1e-12, 1e12);
  return sizes;
}

double smallest_step(double t, double first_tried) {
  constexpr double kUnit = 16 * std::numeric_limits<double>::epsilon();
  return std::max({kUnit * std::abs(t), kUnit * first_tried, std::numeric_limits<double>::min()});
}

double shortest_first_step(double t) {
  constexpr double kUnit = 4096 * std::numeric_limits<double>::epsilon();
  return kUnit * std::abs(t);
}

double step_at_rest(double t, double t_limit, double part) {
  const double ahead = t_limit - t;
  const double scale = ahead < kLongestStep ? ahead : std::max(std::abs(t), 1.0);
  return std::max(part * scale, shortest_first_step(t));
}

double initial_step(const ErrorNorm& norm, double t, std::span<const double> y,
                    std::span<const double> yp, int order, OdeProblem* problem, double t_limit,
                    std::span<double> work_y, std::span<double> work_f) {
  constexpr double kAtRest = 1e-6;
  const double d0 = norm(y);
  const double d1 = norm(yp);
  const double least = shortest_first_step(t);
  // y moves by a hundredth of itself, or by one tolerance.
  const double h0 = d1 > 1e-200 && std::isfinite(d1) ? std::max({0.01 * d0 / d1, 1 / d1, least})
                                                     : step_at_rest(t, t_limit, kAtRest);
  const double probe = std::min(h0, t_limit - t);
  if (!problem || probe < 1e-3 * h0) return h0;

  for (std::size_t i = 0; i < y.size(); ++i) work_y[i] = y[i] + probe * yp[i];
  if (problem->rhs(std::min(t + probe, t_limit), work_y, work_f) != EvalStatus::Ok) return h0;
  for (std::size_t i = 0; i < y.size(); ++i) work_f[i] = (work_f[i] - yp[i]) / probe;
  const double d2 = norm(work_f);
  if (!std::isfinite(d2)) return h0;
  if (d2 <= 1e-12 * d1 / h0) return 100 * h0;  // nearly a straight line
  const double rate = std::max(d2 / std::max(d1, 1e-200), 1e-200);
  const double h1 =
      d1 > 1e-200 ? std::pow(0.01 * rate / d1, 1.0 / (order + 1)) / rate : std::sqrt(0.01 / d2);
  return std::max(std::min(100 * h0, h1), least);
}

}  // namespace chi::numerics
