#include "sim/algebra/points_beside.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "sim/algebra/tolerances.h"

namespace chi::sim {

void point_beside(int which, std::span<const double> y, std::span<const double> yp,
                  std::span<double> out) {
  const auto reach = [&](std::size_t i) {
    return tolerance::kBeside * (std::abs(y[i]) + tolerance::kBesideZero);
  };
  double fastest = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    fastest = std::max(fastest, std::abs(yp[i]) / reach(i));
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (which == 0) {
      out[i] = fastest > 0 ? y[i] + yp[i] / fastest : y[i];
    } else {
      const double part = static_cast<double>((i * 7 + 3) % 11) / 11 - 0.5;
      out[i] = y[i] + (which == 1 ? part : -part) * reach(i);
    }
  }
}

}  // namespace chi::sim
