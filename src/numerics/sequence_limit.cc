#include "numerics/sequence_limit.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace chi::numerics {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

double largest(std::span<const double> values) {
  double result = 0;
  for (const double v : values) result = std::max(result, std::abs(v));
  return result;
}

/// Keeps the better one. What follows from values that agree by chance only once is not trusted:
/// the difference before counts for a tenth.
void keep(Extrapolated& best, double value, double last, double before) {
  const double error = std::max(last, 0.1 * before);
  if (std::isfinite(value) && error < best.error) best = {.value = value, .error = error};
}

}  // namespace

Extrapolated geometric_limit(std::span<const double> values) {
  Extrapolated best{.value = values.empty() ? 0 : values.back(), .error = kInfinity};
  const std::size_t n = values.size();
  // Two columns of the table: ε₋₁ = 0, ε₀ = s, ε_{k+1}^(j) = ε_{k-1}^(j+1) + 1/(ε_k^(j+1) -
  // ε_k^(j)).
  std::vector<double> before(n + 1, 0.0), here(values.begin(), values.end());
  const double rounding = 4 * kEpsilon * largest(values);
  for (std::size_t column = 1; column < n; ++column) {
    std::vector<double> next;
    for (std::size_t j = 0; j + 1 < here.size(); ++j) {
      const double difference = here[j + 1] - here[j];
      // Even columns have come to rest: there is nothing more to find.
      if (difference == 0 || (column % 2 == 1 && std::abs(difference) <= rounding)) {
        keep(best, here.back(), rounding, rounding);
        return best;
      }
      next.push_back(before[j + 1] + 1 / difference);
    }
    before = std::move(here);
    here = std::move(next);
    if (column % 2 != 0 || here.size() < 2) continue;
    const std::size_t last = here.size() - 1;
    const double step = std::abs(here[last] - here[last - 1]);
    const double earlier = last > 1 ? std::abs(here[last - 1] - here[last - 2]) : step;
    keep(best, here[last], step + rounding, earlier);
  }
  return best;
}

Extrapolated algebraic_limit(std::span<const double> values) {
  constexpr std::size_t kMostOrders = 12;
  Extrapolated best{.value = values.empty() ? 0 : values.back(), .error = kInfinity};
  if (values.size() < 5) return best;
  const double base = values.back();
  // Orders k of the transform that ends at the last value: of the last k + 1 terms.
  double previous = std::numeric_limits<double>::quiet_NaN(), step_before = kInfinity;
  for (std::size_t k = 1; k <= std::min(kMostOrders, values.size() - 2); ++k) {
    const std::size_t first = values.size() - 1 - k;  // n of E_k^(n)
    double above = 0, below = 0, size = 0, binomial = 1;
    for (std::size_t j = 0; j <= k; ++j) {
      const auto number = static_cast<double>(first + j);  // terms are numbered from 1
      const double term = values[first + j] - values[first + j - 1];
      if (term == 0) return best;
      const double ratio = number / static_cast<double>(first + k);
      const double weight = (j % 2 == 0 ? 1 : -1) * binomial *
                            std::pow(ratio, static_cast<double>(k) - 1) / (number * term);
      above += weight * (values[first + j] - base);
      below += weight;
      size += std::abs(weight) * (std::abs(values[first + j] - base) + kEpsilon * std::abs(base));
      binomial *= static_cast<double>(k - j) / static_cast<double>(j + 1);
    }
    const double value = base + above / below;
    const double rounding = 8 * kEpsilon * size / std::abs(below);
    const double step = std::abs(value - previous);
    if (k > 2) keep(best, value, step + rounding, step_before);
    if (k > 1) step_before = step;
    previous = value;
  }
  return best;
}

Extrapolated value_at_zero(std::span<const double> places, std::span<const double> values) {
  const std::size_t n = values.size();
  Extrapolated best{.value = n == 0 ? 0 : values.back(), .error = kInfinity};
  // Row by row, from the places that are nearest: row[k] is the polynomial of degree k through the
  // last k + 1 places.
  std::vector<double> row;
  double growth = 1;
  const double size = largest(values);
  std::vector<double> through(values.begin(), values.end());
  for (std::size_t k = 1; k < n; ++k) {
    const double before = through.back();
    for (std::size_t j = n; j-- > k;) {
      const double near = places[j], far = places[j - k];
      through[j] += near / (far - near) * (through[j] - through[j - 1]);
    }
    const double near = places[n - 1], far = places[n - 1 - k];
    growth *= std::abs((far + near) / (far - near));
    const double rounding = 2 * kEpsilon * size * growth;
    const double step = std::abs(through[n - 1] - before);
    // What the places before the last one say: two values that agree by chance are not enough.
    const double beside = k + 1 < n ? std::abs(through[n - 1] - through[n - 2]) : step;
    keep(best, through[n - 1], step + rounding, beside);
  }
  return best;
}

}  // namespace chi::numerics
