#pragma once
#include <limits>

/// Tolerances of the room. Sizes of values are max(|x|, nominal).
namespace chi::sim::tolerance {

/// The longest way to a solution nearby: |Δx| <= this · size. What lies further is left to the
/// robust method, which has bounds, line search and homotopy.
inline constexpr double kNearSolution = 0.1;

/// Newton's method on one equation. A step below kLastStepIsNext · size leaves an error of its
/// square, 1e-16: the next step, with the same slope, is the last,
inline constexpr double kLastStepIsNext = 1e-8;
/// if it is much shorter, that is, convergence is not lost.
inline constexpr double kMuchShorter = 1e-3;
/// Steps below this, relative to the size, that do not shrink any more are rounding: some hundred
/// last bits.
inline constexpr double kStagnation = 1e-13;

/// Newton's method on torn equations. A step below this leaves an error of 1e-18.
inline constexpr double kQuadratic = 1e-9;
/// A last step below this · |x| left the point where the Jacobian was made; it is still good there.
inline constexpr double kSettled = 1e-6;

/// Two solutions of the same equations, by different methods, that differ by less than this · size
/// are the same.
inline constexpr double kSameSolution = 1e-10;
/// Where a derivative has no value, as that of |x| at 0: the difference quotient over ± this ·
/// size.
inline constexpr double kSecant = 1e-10;
/// A row without unknowns holds if its residual is below this · the size of its terms: the square
/// root of the unit round-off, since what it was computed from was solved for, too.
inline constexpr double kConsistentRow = 1e-8;
/// Pivots below this · the largest hint at singular equations, which are then looked at closely.
inline constexpr double kDoubtfulPivots = 1e-10;
/// Equations with constant coefficients are solved as formulas if no more than four digits are
/// lost.
inline constexpr double kGoodPivots = 1e-4;

/// A divisor below this · the size of its terms is nothing but rounding: five last bits,
inline constexpr double kDivisorRounding = 32 * std::numeric_limits<double>::epsilon();
/// and of terms that were solved for, with rounding errors of their own.
inline constexpr double kDoubtfulDivisor = 1e-12;

/// Points beside the present one, where equations are looked at for what holds in general, lie
/// within ± this · (|y| + kBesideZero): too near to change anything, far beyond rounding.
inline constexpr double kBeside = 1e-7;
inline constexpr double kBesideZero = 1e-3;

}  // namespace chi::sim::tolerance
