#pragma once
#include <span>
#include <string>
#include <vector>

namespace chi::results {

/// The range of an axis and where its ticks are: multiples of 1, 2 or 5 times a power of ten.
struct Axis {
  double low = 0, high = 1;
  std::vector<double> ticks;
  std::string label(double tick) const;  ///< as short as the tick distance allows
  /// For a value that is no tick, such as the end of the range: rounded to what can be seen, so
  /// that what rounding errors left of a zero is a zero.
  std::string end_label(double value) const;
  /// Where a value lies: 0 at the lower end, 1 at the upper one. Also where the extent of the range
  /// is no number any more.
  double share(double value) const;
  double step = 1;
};

/// An axis for values from `low` to `high` with about `ticks` ticks; a range without extent is
/// widened around its value.
Axis make_axis(double low, double high, int ticks);

/// An axis for integers or truth values: no ticks between them.
Axis make_whole_axis(double low, double high, int ticks);

/// Least and greatest finite value; {0, 0} if there is none.
std::pair<double, double> finite_range(std::span<const double> values);

}  // namespace chi::results
