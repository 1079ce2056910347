#pragma once
#include <array>

namespace chi::experiment {

/// Lobatto's rule with five points on [-1, 1]: M. Abramowitz and I. A. Stegun, "Handbook of
/// Mathematical Functions", 1964, table 25.6.
inline constexpr double kInner = 0.654653670707977143798;  // sqrt(3/7)
inline constexpr std::array<double, 5> kLobattoPoints = {-1, -kInner, 0, kInner, 1};
inline constexpr std::array<double, 5> kLobattoWeights = {0.1, 49.0 / 90, 32.0 / 45, 49.0 / 90,
                                                          0.1};

/// The polynomial through values at these points, by barycentric weights (J.-P. Berrut and L. N.
/// Trefethen, "Barycentric Lagrange interpolation", SIAM Review 46, 2004, eq. 4.2).
double interpolate(const std::array<double, 5>& values, double x);

/// Where that polynomial is largest on [-1, 1], to about 1e-6.
double place_of_maximum(const std::array<double, 5>& values);

}  // namespace chi::experiment
