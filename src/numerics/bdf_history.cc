#include "numerics/bdf_history.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace chi::numerics {

void derivatives_to_powers(DenseOutput& dense) {
  const double h = dense.t_new() - dense.t_old();
  const int degree = dense.degree();
  double scale = 1;
  for (int k = 1; k <= degree; ++k) {
    scale *= h / k;
    for (double& c : dense.power(k)) c *= scale;
  }
  // The shift from powers of θ - 1 to powers of θ (see `shift_from_one`), all components at once.
  for (int pass = 0; pass < degree; ++pass) {
    for (int k = degree - 1; k >= pass; --k) {
      const std::span<double> c = dense.power(k);
      const std::span<const double> above = dense.power(k + 1);
      for (std::size_t i = 0; i < c.size(); ++i) c[i] -= above[i];
    }
  }
}

double first_order_step(const ErrorNorm& norm, std::span<const double> y,
                        std::span<const double> yp, double remaining) {
  const double size = std::max(1.0, norm(y));
  const double slope = norm(yp);
  if (!(slope > 0) || !std::isfinite(slope)) return std::min(1e-3 * remaining, 1e-3);
  return std::min(0.5 * std::sqrt(size) / slope, 1e100);
}

double first_order_step(const ErrorNorm& norm, std::span<const double> second, double last) {
  const double curvature = norm(second);
  if (!std::isfinite(curvature)) return last * 1e-3;
  return 4 * curvature * last * last > 1 ? 0.5 / std::sqrt(curvature) : last;
}

}  // namespace chi::numerics
