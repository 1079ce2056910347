#pragma once
/// Tolerances of the room.
namespace chi::sim::tolerance {

/// Newton's method on a step ends where the correction is below this · the tolerances rtol · size +
/// atol: it converges quadratically, so that what is left is far less.
inline constexpr double kConverged = 0.1;
/// Steps that differ by this · the step size are the same: multiples of it are rounded.
inline constexpr double kSameStep = 1e-8;

}  // namespace chi::sim::tolerance
