#pragma once
#include <cstdint>

namespace chi::results {

/// Where the output points of a run lie: every `step`, or, if that is zero, `points` of them evenly
/// from 0 to the end.
///
/// Each point is computed from its number, not from the point before it, and is the double nearest
/// to what it stands for wherever that is known: the third of a step 0.1 is 0.3, and the last of
/// those up to `end` is `end` itself, with no point one rounding beside it.
struct OutputGrid {
  double step = 0;
  int points = 501;

  /// Point number k. Infinite if there is none: no step, and the end not known.
  double point(std::int64_t k, double end) const;
};

}  // namespace chi::results
