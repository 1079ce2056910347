#include "results/axis.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace chi::results {

std::pair<double, double> finite_range(std::span<const double> values) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  if (low > high) return {0, 0};
  return {low, high};
}

Axis make_axis(double low, double high, int ticks) {
  if (!(high > low) || high - low < 1e-12 * std::max(std::fabs(low), std::fabs(high))) {
    const double around = low == 0 ? 1 : std::fabs(low) * 0.1;
    low -= around;
    high += around;
  }
  const double rough = (high - low) / ticks;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double factor = rough / power;
  Axis axis{low, high, {}, power * (factor < 1.5 ? 1 : factor < 3.5 ? 2 : factor < 7.5 ? 5 : 10)};
  const double first = std::ceil(low / axis.step - 1e-9);
  const double last = std::floor(high / axis.step + 1e-9);
  for (double k = first; k <= last; ++k) axis.ticks.push_back(k * axis.step);
  return axis;
}

std::string Axis::label(double tick) const {
  if (std::fabs(tick) < step * 1e-6) return "0";
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  if (decimals > 4 || std::fabs(tick) >= 1e6) return fmt::format("{:.3g}", tick);
  return fmt::format("{:.{}f}", tick, decimals);
}

}  // namespace chi::results
