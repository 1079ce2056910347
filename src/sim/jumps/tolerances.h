#pragma once
/// Tolerances of the room. Impulses are relative to the largest of the jump.
namespace chi::sim::tolerance {

/// An impulse below this is rounding; a mean value is known as well as that.
inline constexpr double kNoImpulse = 1e-9;
/// A change below this is none: its integral is no impulse of the next level.
inline constexpr double kNoChange = 1e-9;
/// A row is affine in the path if twice the way makes twice the change: to this · the size of its
/// terms,
inline constexpr double kAffine = 1e-9;
/// which are taken for no smaller than this · its value, as they may add up to nothing,
inline constexpr double kAffineTerms = 1e-3;
/// as far away as this.
inline constexpr double kFarAway = 1e3;
/// A sum below this · its terms is zero: four digits more than rounding.
inline constexpr double kZeroSum = 1e-12;

}  // namespace chi::sim::tolerance
