#include "results/thin.h"

#include <algorithm>
#include <cmath>

namespace chi::results {

std::vector<std::size_t> thin(std::span<const double> times, std::span<const double> values,
                              double low, double high, std::size_t columns) {
  std::vector<std::size_t> kept;
  const auto column_of = [&](std::size_t i) {
    const double share = high > low ? (times[i] - low) / (high - low) : 0;
    return std::min(columns - 1,
                    static_cast<std::size_t>(std::max(0.0, share * static_cast<double>(columns))));
  };
  for (std::size_t begin = 0; begin < times.size();) {
    // A run of points in one column, all finite or all not.
    const std::size_t column = column_of(begin);
    const bool finite = std::isfinite(values[begin]);
    std::size_t end = begin, least = begin, greatest = begin;
    for (; end < times.size() && column_of(end) == column && std::isfinite(values[end]) == finite;
         ++end) {
      if (values[end] < values[least]) least = end;
      if (values[end] > values[greatest]) greatest = end;
    }
    std::size_t points[] = {begin, std::min(least, greatest), std::max(least, greatest), end - 1};
    for (const std::size_t point : points) {
      if (kept.empty() || kept.back() != point) kept.push_back(point);
    }
    begin = end;
  }
  return kept;
}

}  // namespace chi::results
