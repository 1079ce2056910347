#pragma once
#include <limits>

/// Tolerances of the room. A window is the time from one step of the integrator to the next; θ in
/// [0, 1] is a place in it.
namespace chi::sim::tolerance {

// ---- time ----

/// Brackets of events are located to this · the size of the times: two last bits.
inline constexpr double kBracket = 4e-16;
/// Windows shorter than this · max(|t|, kOfWindow · window) are not divided any more.
inline constexpr double kShortestWindow = 1e-13;
inline constexpr double kOfWindow = 1e-3;
/// Just before a jump that only looking finds, a window has at most this part of
/// max(|t|, kLeastTime): behind the jump the next one begins afresh.
inline constexpr double kBeforeBreak = 1e-9;
inline constexpr double kLeastTime = 1e-3;
/// Jumps nearer to each other than this · t are crowded; they are then looked for less often.
inline constexpr double kCrowded = 1e-6;
/// Just behind an instant: θ from here on, tenfold each time, until there is a value.
inline constexpr double kJustBehind = 1e-12;

// ---- roots of g ----

/// A polynomial that does not vanish: its first coefficient exceeds the sum of the others by this ·
/// their size. Rounding of the coefficients, which are differences of values.
inline constexpr double kCoefficients = 1e-12;
/// Noise of g at a start on the surface: this · (|terms| + |slope| · |t|), eight last bits.
inline constexpr double kNoise = 1e-15;
/// On which side a motion along the surface is, only rounding says: |g| below this · its terms.
inline constexpr double kRoundingOfValues = 8 * std::numeric_limits<double>::epsilon();
/// Having left the surface: |g| above this · atol and four bands. Hysteresis: wider than being on
/// it.
inline constexpr double kLeftOfAtol = 1e-2;
/// How rough a solved g is, by differences over this part of the window.
inline constexpr double kRoughness = 1e-8;
/// A deadline at the end of the window: the slope of g there, over this part.
inline constexpr double kEndOfWindow = 1e-3;
/// Departure: a value is seen above the surface if it exceeds this · its uncertainty / rtol.
inline constexpr double kSeenRounding = 4 * std::numeric_limits<double>::epsilon();

// ---- root, pole or change of branch ----

/// A root if |g| at it is below this · the values around; a pole has larger ones.
inline constexpr double kFarFromZero = 0.01;
/// The values around are taken this part of the window away: brackets of two last bits are
/// narrower by far,
inline constexpr double kLeastAway = 1e-6;
/// and at least so many widths of the bracket. At less, a linear function would look like a change
/// of branch.
inline constexpr double kWidthsAway = 100;

// ---- bounds by intervals ----

/// Of times and of Bernstein coefficients, relative: two last bits each.
inline constexpr double kBoundsRounding = 4e-16;
/// Of a sum of powers: five.
inline constexpr double kPowersRounding = 1e-15;
/// Pieces of a window are not halved beyond this.
inline constexpr double kShortestPiece = 0x1p-36;
/// A piece in doubt is looked at with this much around it, where a touching root shows.
inline constexpr double kAroundPiece = 0x1p-10;

// ---- what is smooth ----

/// A window is followed if the values in its middle are those of a cubic to kUneven · their range
/// and kUnevenOfSize · their size; values that move by less than kMovesLittle, as watched ones by
/// less than kMovesWatched, of theirs are at rest;
inline constexpr double kUneven = 0.02;
inline constexpr double kUnevenOfSize = 1e-3;
inline constexpr double kMovesLittle = 1e-3;
inline constexpr double kMovesWatched = 0.1;
/// a sharp turn is gone when the range is this · the recent ones, which fade by kFading a window.
inline constexpr double kGone = 1e-2;
inline constexpr double kFading = 0.9999;
/// A jump of a function that only statements compute: off by this · the largest change from look
/// to look.
inline constexpr double kJumpOfLooks = 0.05;
/// Of several jumps the first that is not small beside the others,
inline constexpr double kFirstJump = 0.25;
/// and none if less than this is left of the change when the bracket is narrow.
inline constexpr double kStillJumps = 0.2;
/// Slopes at a corner are taken this part of the window beside it.
inline constexpr double kBesideCorner = 0.01;
/// Fourth differences at a corner are so much larger than elsewhere,
inline constexpr double kMuchLarger = 4;
/// and shrink with the length, not with its square, within these factors.
inline constexpr double kShrinksAtLeast = 0.05;
inline constexpr double kShrinksAtMost = 20;

/// What is left of a time step before a deadline is no step of its own below this · its size.
inline constexpr double kRestOfStep = 1e-9;

}  // namespace chi::sim::tolerance
