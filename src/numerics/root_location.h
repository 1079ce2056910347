#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "numerics/function_ref.h"
#include "numerics/polynomial.h"
#include "numerics/root_isolation.h"

namespace chi::numerics {

/// How a bracketed root is closed in on. Sources, orders and counts: docs/theory/root-location.md.
enum class RootFinder : std::uint8_t {
  Toms748,         ///< inverse cubic interpolation, Alefeld, Potra & Shi 1995; the default
  Itp,             ///< interpolate, truncate, project: Oliveira & Takahashi 2020; minmax optimal
  RegulaFalsi,     ///< with the Illinois modification, without which one end may never move
  GoldenSection,   ///< shrinks by 0.618 or 0.382 each time, whatever the function
  Bisection,       ///< shrinks by one half each time
  CubicHermite,    ///< cubic through values and slopes at both ends, Cellier & Kofman (9.9)
  InverseHermite,  ///< the same for the inverse function, Cellier & Kofman (9.18)-(9.25)
  Polynomial,  ///< Newton on the dense-output polynomial, Cellier & Kofman (9.26)-(9.29), [P9.1]
};
std::string_view name(RootFinder finder);  ///< "toms748", "itp", "regula-falsi", ...
std::optional<RootFinder> root_finder_named(std::string_view name);

/// A function to find roots of. A NaN counts as "beyond the root", so that the search ends at the
/// border of the domain if no root comes first.
struct RootFunction {
  FunctionRef<double(double)> value = {};
  FunctionRef<double(double)> slope = {};  ///< CubicHermite and InverseHermite need it
  const Polynomial* polynomial = nullptr;  ///< Polynomial needs it: `value`, approximately
};

struct Bracket {
  double left = 0.0;
  double right = 0.0;
  double value_left = 0.0;
  double value_right = 0.0;
};

struct LocationOptions {
  RootFinder method = RootFinder::Toms748;
  /// Width at which a bracket is narrow enough; never taken below 2 ulps of its larger end.
  double tolerance = 0.0;
};

/// The bracket after the search. The value at `left` has the old sign, that at `right` the new one,
/// or is zero or NaN, and they are no further apart than the tolerance: an event happens at
/// `right`.
struct Location {
  double left = 0.0;
  double right = 0.0;
  double value_left = 0.0;
  double value_right = 0.0;
  int evaluations = 0;        ///< of `value`
  int slope_evaluations = 0;  ///< of `slope`
  bool bracketed = true;      ///< false if the values given do not differ in sign; nothing was done
  bool undefined = false;     ///< `value_right` is NaN: the border of the domain
};

/// Narrows a bracket whose ends differ in sign (zero at `right` counts as different).
///
/// Always converges: a method's proposal is taken only if it lies inside, and the bracket is halved
/// whenever three evaluations have not halved it, so at most 4 (log2(width / tolerance) + 1)
/// evaluations. If g is zero on a stretch, finds its beginning. A method whose data are missing
/// falls back on Toms748. No allocation.
Location locate(const RootFunction& g, const Bracket& bracket, const LocationOptions& options = {});

/// Evaluates both ends, then as above.
Location locate(const RootFunction& g, double left, double right,
                const LocationOptions& options = {});

/// A root that `isolate` found on p, to 2 ulps (or the tolerance), with signs of p taken in
/// double-double. For a touching root the extremum is located, on the derivative of p.
Location locate(const Polynomial& p, const IsolatedRoot& root, const LocationOptions& options = {});

}  // namespace chi::numerics
