#include "numerics/extremum.h"

#include <cmath>

namespace chi::numerics {

Extremum minimize_until_negative(FunctionRef<double(double)> f, double a, double b, double c,
                                 double value_at_b) {
  constexpr double kGolden = 0.3819660112501051;
  const double tolerance = 4e-9 * (c - a);
  Extremum best = {b, value_at_b, 0};
  double second = b, third = b, value_second = value_at_b, value_third = value_at_b;
  double step = 0.0, step_before = 0.0;
  while (best.evaluations < 60 && !(best.value < 0)) {
    const double middle = a + (c - a) / 2;
    if (std::abs(best.x - middle) <= 2 * tolerance - (c - a) / 2) break;
    bool golden = true;
    if (std::abs(step_before) > tolerance) {
      const double r = (best.x - second) * (best.value - value_third);
      const double q0 = (best.x - third) * (best.value - value_second);
      double p = (best.x - third) * q0 - (best.x - second) * r;
      double q = 2 * (q0 - r);
      if (q > 0) p = -p;
      q = std::abs(q);
      const double limit = std::abs(q * step_before / 2);
      if (std::abs(p) < limit && p > q * (a - best.x) && p < q * (c - best.x)) {
        step_before = step;
        step = p / q;
        const double u = best.x + step;
        if (u - a < 2 * tolerance || c - u < 2 * tolerance) {
          step = best.x < middle ? tolerance : -tolerance;
        }
        golden = false;
      }
    }
    if (golden) {
      step_before = best.x < middle ? c - best.x : a - best.x;
      step = kGolden * step_before;
    }
    const double x = best.x + (std::abs(step) >= tolerance ? step : std::copysign(tolerance, step));
    const double value = f(x);
    ++best.evaluations;
    if (value <= best.value) {
      (x >= best.x ? a : c) = best.x;
      third = second, value_third = value_second;
      second = best.x, value_second = best.value;
      best.x = x, best.value = value;
    } else {
      (x < best.x ? a : c) = x;
      if (value <= value_second || second == best.x) {
        third = second, value_third = value_second;
        second = x, value_second = value;
      } else if (value <= value_third || third == best.x || third == second) {
        third = x, value_third = value;
      }
    }
  }
  return best;
}

}  // namespace chi::numerics
