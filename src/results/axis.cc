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
  constexpr double kMost = std::numeric_limits<double>::max();
  // Steps, and millionths of them, are to be numbers of full precision.
  constexpr double kLeast = 1e-290;
  const double size = std::max(std::fabs(low), std::fabs(high));
  if (!(high - low > kLeast) || high - low < 1e-12 * size) {
    const double around = size <= kLeast ? 1 : size * 0.1;
    low -= around;
    high += around;
  }
  low = std::max(low, -kMost);
  high = std::min(high, kMost);
  const double rough = high / ticks - low / ticks;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double factor = rough / power;
  Axis axis{low, high, {}, power * (factor < 1.5 ? 1 : factor < 3.5 ? 2 : factor < 7.5 ? 5 : 10)};
  const double first = std::ceil(low / axis.step - 1e-9);
  const double last = std::floor(high / axis.step + 1e-9);
  for (double k = first; k <= last; ++k) axis.ticks.push_back(k * axis.step);
  return axis;
}

Axis make_whole_axis(double low, double high, int ticks) {
  Axis axis = make_axis(low, high, ticks);
  if (axis.step >= 1) return axis;
  axis.step = 1;
  axis.ticks.clear();
  for (double tick = std::ceil(axis.low); tick <= axis.high; ++tick) axis.ticks.push_back(tick);
  return axis;
}

double Axis::share(double value) const {
  const double scale = std::isfinite(high - low) ? 1 : 0.25;
  return (scale * value - scale * low) / (scale * high - scale * low);
}

namespace {

/// "1.20e+06" as "1.2e6".
std::string short_exponent(std::string text) {
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  std::string mantissa = text.substr(0, e), exponent = text.substr(e + 1);
  if (mantissa.find('.') != std::string::npos) {
    while (mantissa.ends_with('0')) mantissa.pop_back();
    if (mantissa.ends_with('.')) mantissa.pop_back();
  }
  const bool negative = exponent.starts_with('-');
  exponent.erase(0, std::min(exponent.find_first_of("123456789"), exponent.size()));
  return mantissa + (negative ? "e-" : "e") + exponent;
}

}  // namespace

std::string Axis::label(double tick) const {
  if (std::fabs(tick) < step * 1e-6) return "0";
  const int power = static_cast<int>(std::floor(std::log10(step) + 1e-9));
  if (power >= -5 && std::fabs(tick) < 1e6)
    return fmt::format("{:.{}f}", tick, std::max(0, -power));
  const int digits = static_cast<int>(std::floor(std::log10(std::fabs(tick)))) - power + 1;
  return short_exponent(fmt::format("{:.{}g}", tick, std::clamp(digits, 1, 17)));
}

std::string Axis::end_label(double value) const {
  // Three digits of the extent.
  const double grain = std::pow(10, std::floor(std::log10(high / 4 - low / 4) + std::log10(4)) - 2);
  const double rounded = std::round(value / grain) * grain;
  if (std::fabs(rounded) < grain / 2) return "0";
  if (!std::isfinite(rounded)) return short_exponent(fmt::format("{:.2g}", value));
  // As many digits as tell the ends apart.
  const int digits =
      static_cast<int>(std::floor(std::log10(std::fabs(rounded))) - std::floor(std::log10(grain))) +
      1;
  return short_exponent(fmt::format("{:.{}g}", rounded, std::clamp(digits, 4, 17)));
}

}  // namespace chi::results
