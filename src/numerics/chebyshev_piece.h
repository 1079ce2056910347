#pragma once
#include "numerics/function_ref.h"
#include "numerics/polynomial.h"

namespace chi::numerics {

/// A function on [left, right] replaced by the polynomial of degree 8 through nine Chebyshev
/// points.
struct ChebyshevPiece {
  double left = 0.0;
  double right = 0.0;
  double value_left = 0.0;
  double value_right = 0.0;
  BernsteinForm form = {};  ///< on [0, 1] for [left, right]
  double size = 0.0;        ///< the largest value sampled
  double error = 0.0;   ///< estimate of |form - g|, from the last coefficients and two more samples
  bool defined = true;  ///< false if a sample was not finite; then nothing else is valid
  int evaluations = 0;
};

/// Eleven evaluations. The interpolation error of a smooth function falls by 2^9 when the interval
/// is halved (L. N. Trefethen, "Approximation Theory and Approximation Practice", ch. 8).
ChebyshevPiece interpolate(FunctionRef<double(double)> g, double left, double right);

}  // namespace chi::numerics
