#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "numerics/function_ref.h"
#include "numerics/polynomial.h"

namespace chi::numerics {

/// How roots inside a step are found. Derivations and a comparison: docs/theory/root-isolation.md.
enum class RootDetection : std::uint8_t {
  Signs,       ///< signs at the ends only: misses every even number of crossings
  Derivative,  ///< ends and the extremum between them, Cellier & Kofman §9.5.4
  Bernstein,   ///< sign variations of Bernstein coefficients, with subdivision: misses none
  Sturm,       ///< Sturm sequences, Cellier & Kofman [P9.2]: misses none, dearer, weak on clusters
};
std::string_view name(RootDetection detection);  ///< "signs", "derivative", "bernstein", "sturm"
std::optional<RootDetection> root_detection_named(std::string_view name);

enum class RootKind : std::uint8_t {
  Rising,
  Falling,
  TouchFromAbove,  ///< a minimum that reaches zero; the function is positive on both sides
  TouchFromBelow,
};
inline bool is_crossing(RootKind kind) { return kind <= RootKind::Falling; }

/// One distinct root in [left, right]; if they are equal, exactly there. Otherwise, at a crossing,
/// the function has the old sign at `left`, and at `right` the new one or zero.
struct IsolatedRoot {
  double left = 0.0;
  double right = 0.0;
  RootKind kind = RootKind::Rising;
};

inline constexpr int kMaxRoots = 16;

struct IsolationOptions {
  RootDetection method = RootDetection::Bernstein;
  double from = 0.0;
  double to = 1.0;
  /// Half the width of the band in which a value counts as zero. A function that starts in the band
  /// has no root until it has left it; an extremum that ends in the band counts as touching.
  double noise = 0.0;
  /// For functions given by evaluation: where no value is larger, nothing is looked for between the
  /// samples. What rounding makes of zero has a root anywhere.
  double resolution = 0.0;
  int max_roots = kMaxRoots;  ///< stop after so many; 1 asks for the earliest only
};

struct Isolation {
  std::array<IsolatedRoot, kMaxRoots> found = {};
  int count = 0;
  bool complete = true;  ///< false if the search stopped at `max_roots`
  bool zero = false;     ///< the function is zero (within noise) on the whole window
  /// Where the function was first found to be undefined (NaN); `to` if nowhere. Roots are before
  /// it.
  double defined_until = 1.0;
  int evaluations = 0;  ///< of a function given by evaluation

  std::span<const IsolatedRoot> roots() const {
    return {found.data(), static_cast<std::size_t>(count)};
  }
};

/// The distinct real roots of p in (from, to], in order. A root at `from` itself is not reported.
///
/// With Bernstein, which works in double-double arithmetic after a fast test in double, the answer
/// is that of exact arithmetic on the given coefficients, except that roots within about 1e-14 of
/// each other may be reported as one. Requires 0 <= from < to <= 1, finite coefficients below
/// 1e280. A step without roots costs about 30 multiplications; no allocation.
Isolation isolate(const Polynomial& p, const IsolationOptions& options = {});

/// The same for a function known only by evaluation, smooth between isolated points.
///
/// Interpolates in Chebyshev points, halving where the interpolant is not accurate and near zero,
/// isolates on the interpolants and confirms every bracket on g itself. Extrema within the
/// interpolation error of zero are searched on g. The band is at least a few ulps of max |g|. The
/// methods Signs and Derivative need 2 and about 10 evaluations, the others 11 per piece.
/// A NaN ends the window there (`defined_until`).
Isolation isolate(FunctionRef<double(double)> g, const IsolationOptions& options = {});

}  // namespace chi::numerics
