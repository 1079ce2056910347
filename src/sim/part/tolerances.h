#pragma once
#include <limits>

/// Tolerances of the room: each with what it is relative to, and its reason.
namespace chi::sim::tolerance {

/// Of the size of time: two ulps, or four below a power of two. Ten steps of 0.1 are one ulp off 1.
inline constexpr double kTimeResolution = 4 * std::numeric_limits<double>::epsilon();
/// Of the rounding size of an expression: what elementary functions are off beyond the last bit.
inline constexpr double kFunctionRounding = 4 * std::numeric_limits<double>::epsilon();

}  // namespace chi::sim::tolerance
