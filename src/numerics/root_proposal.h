#pragma once
#include <limits>

#include "numerics/root_location.h"

namespace chi::numerics {

/// The part of a root finder that differs between methods: where to evaluate next. The search in
/// root_location.cc guards what it proposes, so a proposal may be anything, even NaN.
struct RootProposal {
  RootFinder method = RootFinder::Toms748;
  double slope_left = std::numeric_limits<double>::quiet_NaN();  ///< NaN: not known yet
  double slope_right = std::numeric_limits<double>::quiet_NaN();

  bool wants_slopes() const;

  /// Requires finite, nonzero values of different sign at the ends.
  double next(const Bracket& b, double tolerance, const Polynomial* polynomial);

  /// The right (or left) end of `before` is about to move; `halved` if the search overruled us.
  void observe(const Bracket& before, bool moved_right, bool halved);

 private:
  struct Point {
    double x = 0.0;
    double value = std::numeric_limits<double>::quiet_NaN();
  };

  double toms748(const Bracket& b) const;
  double itp(const Bracket& b, double tolerance);

  Point dropped_;         // d of [Alefeld, Potra & Shi]: the end dropped last
  Point dropped_before_;  // e
  int phase_ = 0;         // of the Toms748 cycle
  int rounds_ = 0;        // evaluations so far, for Itp
  double first_width_ = 0.0;
  int last_side_ = 0;         // +1: the right end moved last, -1: the left one
  double weight_left_ = 1.0;  // the Illinois factors
  double weight_right_ = 1.0;
};

}  // namespace chi::numerics
