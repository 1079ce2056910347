#pragma once
#include <span>
#include <vector>

namespace chi::numerics {

/// Non-negative least squares, |E x - f| least with x >= 0, by active sets [1, ch. 23]. E is
/// m by n, column-major.
struct NonNegative {
  std::vector<double> x;
  std::vector<double> residual;  ///< E x - f
};
NonNegative least_squares_non_negative(int m, int n, std::span<const double> e,
                                       std::span<const double> f);

/// The shortest y with A y >= b, or a proof that there is none: multipliers λ >= 0 with Aᵀλ = 0 and
/// b·λ = 1 [1, ch. 23, LDP]. A is m by n, column-major.
///
/// [1] C. L. Lawson and R. J. Hanson, "Solving Least Squares Problems", 1974.
struct LeastDistance {
  bool is_feasible = false;
  std::vector<double> y;
  std::vector<double> multipliers;
};
LeastDistance least_distance(int m, int n, std::span<const double> a, std::span<const double> b);

}  // namespace chi::numerics
