#pragma once
#include <span>

namespace chi::sim {

/// A slope may be infinite in a point, as that of a square root at zero. What an iteration wants is
/// a matrix that is about right: that of a point beside it will do, so near that the usual
/// tolerances hardly tell them apart, and no nearer, for there slopes are larger than any that a
/// step will meet. First comes a point where the motion goes, since there all expressions should
/// have values; where it rests, any two that lie opposite.
inline constexpr int kPointsBeside = 3;
void point_beside(int which, std::span<const double> y, std::span<const double> yp,
                  std::span<double> out);

}  // namespace chi::sim
