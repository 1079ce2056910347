#pragma once
/// Tolerances of the room.
namespace chi::sim::tolerance {

/// An iteration changed over to another solution if the change of a value over a step is off from
/// h (x0' + x1')/2 by more than h (|x1' - x0'|/2 + kUnevenSlopes (|x0'| + |x1'|)) and
/// kUnevenValues · |x|: what a smooth solution does not do over a step that was accepted.
inline constexpr double kUnevenSlopes = 0.02;
inline constexpr double kUnevenValues = 1e-3;

/// The difference quotient of algebraic values along the motion: over this part of the time in
/// which the fastest state changes by its own size. Ten times the root of the unit round-off: about
/// as short as rounding allows,
inline constexpr double kQuotient = 1e-7;
/// and no less than this · t, so that four digits of it are left.
inline constexpr double kTimeDigits = 1e-12;

/// The cosine between derivatives before and after a step below which the motion turned around.
inline constexpr double kTurnedAround = -0.7;

/// Times of a delay's breaks within this · t are the same: what thousands of delays, one after the
/// other, lose by rounding. Steps are no longer than a delay, so that no run gets to times beside
/// which delays are that short.
inline constexpr double kSameTime = 1e-13;

// ---- steps where there are no states ----

/// Values are followed to this · their size,
inline constexpr double kFollowedTo = 1e-3;
/// which is no less than this · the largest value: zero but for rounding of the others,
inline constexpr double kBesideLargest = 1e-9;
/// and no less than this.
inline constexpr double kLeastValue = 1e-12;
/// The first step is this part of the way to the limit; then steps grow.
inline constexpr double kFirstStep = 1e-3;
/// A kink in time cannot be resolved, only passed: with steps no shorter than this · the first.
inline constexpr double kFinestStep = 1e-9;
/// The error of a step, relative to what is allowed, if nothing is followed.
inline constexpr double kLeastError = 1e-4;

}  // namespace chi::sim::tolerance
