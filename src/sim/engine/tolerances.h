#pragma once
/// Tolerances of the room: when events come without end (chatter_watch.h), and on which side of
/// their conditions instantaneous equations are (instant_sides.cc).
namespace chi::sim::tolerance {

/// Events within this · t of each other cannot be told apart,
inline constexpr double kAtOnce = 1e-13;
/// where t is no less than this · itself and kLeastInstant, so that 0 has a size.
inline constexpr double kAtOnceOfTime = 1e-3;
inline constexpr double kLeastInstant = 1e-300;
/// A series of events accumulates at a time if what is left of it is below this · its span: where
/// it was not seen to end, rounding has long decided what happens.
inline constexpr double kHaze = 1e-4;
/// and steps are below this part of the haze.
inline constexpr double kOfHaze = 0.1;
/// A series that has shrunk to this · its first step is told by fewer events.
inline constexpr double kShrunk = 1e-3;
/// Steps below this · the span are close to the end of the series.
inline constexpr double kCloseToEnd = 1e-8;
/// A geometric series: the largest ratio of steps is below this,
inline constexpr double kLargestRatio = 0.995;
/// and ratios differ by no more than kEvenRatios · the largest + kEvenRatiosAtLeast.
inline constexpr double kEvenRatios = 0.02;
inline constexpr double kEvenRatiosAtLeast = 1e-3;

/// The difference of a condition is zero within this · atol, beside the rounding of its sides.
inline constexpr double kZeroOfAtol = 1;
/// An impulse decides a condition where it is more than this · the largest one.
inline constexpr double kNoPush = 1e-9;
/// The limit of events is trusted if its error is below this · what is left of time.
inline constexpr double kTrusted = 1e-3;
/// Ratios of distances differ by rounding and integration.
inline constexpr double kSteadyRatios = 1e-4;
/// The rest of a series is not followed where it is below this · the largest values of the series;
inline constexpr double kUnseen = 2e-3;
/// and below this one if there were many events before.
inline constexpr double kUnseenOfMany = 1e-2;
/// An extrapolated value is zero below this · the tolerance.
inline constexpr double kZeroLimit = 1e-2;

}  // namespace chi::sim::tolerance
