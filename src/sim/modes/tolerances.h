#pragma once
#include <limits>

/// Tolerances of the room: which side of a surface holds, and what integration leaves of zero.
namespace chi::sim::tolerance {

// ---- the band about a surface, g = a - b ----

/// Beside Part::kRelativeBand of its terms, |g| <= this · atol counts as zero: much less than what
/// integration is asked for, much more than rounding of values of size one.
inline constexpr double kBandOfAtol = 1e-3;
/// What rounding leaves of g, beside its terms: four last bits.
inline constexpr double kDifferenceRounding = 16 * std::numeric_limits<double>::epsilon();

// ---- the sign of the first derivative of g that is not zero ----

/// A derivative below this · its terms is zero,
inline constexpr double kZeroDerivative = 1e-9;
/// at an extremum, where its argument is known to half the digits, below this,
inline constexpr double kZeroDerivativeAtExtremum = 1e-6;
/// and always below this: what rounding leaves of quantities of size one.
inline constexpr double kZeroDerivativeOfOne = 1e-13;
/// One below this · the largest is held against what rounding makes of it in the equations.
inline constexpr double kSuspiciousDerivative = 1e-9;
/// Residuals of the equations are off by so many last bits of their terms: those of some dozens.
inline constexpr double kResidualRounding = 64 * std::numeric_limits<double>::epsilon();
/// Filippov coefficients within this of 0 and 1 are at the end of sliding.
inline constexpr double kEndOfSliding = 1e-9;

// ---- continuous switches ----

/// So many tolerances away a corner is left. Hysteresis: much wider than the band, so that the
/// corner does not come and go.
inline constexpr double kNearCorner = 1000;
/// Both sides of a corner meet within this · rtol of their size.
inline constexpr double kMeetingOfRtol = 1e-3;

// ---- piecewise-constant functions ----

/// However large an argument is, only so near to a whole number it may be one: `floor(time/1e-9)`.
inline constexpr double kWidestStepBand = 1e-3;
/// Where the argument is a whole number, its rate below this · its terms is zero.
inline constexpr double kRestingArgument = 1e-9;
/// However near to each other the data of a table are, only within this · their distance a variable
/// is at a datum.
inline constexpr double kBandOfPiece = 1e-3;
/// Outside the data of a table is what is so many bands away from them.
inline constexpr double kMarginOfTable = 3;
/// Just behind an instant t: these parts of |t|, or of kLookedFromZero at t = 0.
inline constexpr double kBehindInstant[] = {1e-15, 1e-13, 1e-11};
inline constexpr double kLookedFromZero = 1e-3;

// ---- the choice of states ----

/// Another choice has to be better by this factor, so that states do not change all the time,
inline constexpr double kBetterStates = 3;
/// by this if the modeller wishes the present ones (as in structure::choose_states), and then so
/// long as it is not worse by kWorseStates. Units of measurement make large columns, too.
inline constexpr double kBetterThanWished = 1e3;
inline constexpr double kWorseStates = 10;
/// Values of states below this are measured by it.
inline constexpr double kLeastStateSize = 1e-3;

/// First values of delays that differ by less, relative, are the same.
inline constexpr double kSameStart = 1e-12;

}  // namespace chi::sim::tolerance
