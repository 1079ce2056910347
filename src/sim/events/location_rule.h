#pragma once
#include <cmath>

namespace chi::sim {

/// To which width the time of an event is located where it is found by halving: one rule for all
/// such searches. Roots of smooth functions are located by numerics::locate, to two ulps.
struct LocationRule {
  double width = 4e-16;  ///< relative to the scale: about two ulps

  /// Whether the bracket is narrow enough. `scale`: the size of what `left` and `right` are added
  /// to where they are parts of a window; otherwise that of `right`.
  bool done(double left, double right, double scale) const {
    return !(right - left > width * scale);
  }

  /// Halves the bracket until it is done, or no number is left inside. Requires: `is_behind` is
  /// false at `left` and true at `right`; ensures the same of the result. Of several changes one is
  /// found. `halvings`: at most so many.
  template <class IsBehind>
  void narrow(double& left, double& right, double scale, IsBehind is_behind,
              int halvings = kMost) const {
    halve(left, right, is_behind, halvings, [scale](double) { return scale; });
  }
  /// The same, the scale being the size of `right`.
  template <class IsBehind>
  void narrow(double& left, double& right, IsBehind is_behind, int halvings = kMost) const {
    halve(left, right, is_behind, halvings, [](double end) { return std::abs(end); });
  }

 private:
  static constexpr int kMost = 2000;  // more than there are numbers to halve to
  template <class IsBehind, class Scale>
  void halve(double& left, double& right, IsBehind is_behind, int halvings, Scale scale) const {
    for (int i = 0; i < halvings && !done(left, right, scale(right)); ++i) {
      const double middle = 0.5 * (left + right);
      if (middle <= left || middle >= right) break;
      (is_behind(middle) ? right : left) = middle;
    }
  }
};

}  // namespace chi::sim
