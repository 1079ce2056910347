#include "results/output_grid.h"

#include <cmath>
#include <limits>

namespace chi::results {

double OutputGrid::point(std::int64_t k, double end) const {
  const auto number = static_cast<double>(k);
  if (step > 0) {
    // A step such as 0.1 is not what it says; the number of steps in a unit of time is.
    const double a_unit = std::round(1 / step);
    const double point = a_unit >= 1 && 1 / a_unit == step ? number / a_unit : number * step;
    constexpr double kRoundings = 4 * std::numeric_limits<double>::epsilon();
    return std::isfinite(end) && std::fabs(point - end) <= kRoundings * end ? end : point;
  }
  if (!std::isfinite(end) || points < 2) return std::numeric_limits<double>::infinity();
  if (k == points - 1) return end;
  return number * end / static_cast<double>(points - 1);
}

}  // namespace chi::results
