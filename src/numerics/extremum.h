#pragma once
#include "numerics/function_ref.h"

namespace chi::numerics {

struct Extremum {
  double x = 0.0;
  double value = 0.0;
  int evaluations = 0;
};

/// The least value found of f between a and c, given b with a < b < c and f(b) = `value_at_b` no
/// more than at a and c; stops early at a negative value.
///
/// Parabolic interpolation guarded by golden sections, after R. P. Brent, "Algorithms for
/// Minimization without Derivatives", 1973, ch. 5. The place is known to about the root of the unit
/// round-off, relative to c - a, as values allow no more. At most 60 evaluations.
Extremum minimize_until_negative(FunctionRef<double(double)> f, double a, double b, double c,
                                 double value_at_b);

}  // namespace chi::numerics
