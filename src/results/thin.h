#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace chi::results {

/// The indices of the points that a curve of `columns` columns is drawn through: in each column the
/// first, the least, the greatest and the last one, in their order. So every peak stays, whatever
/// the number of points, and what is left grows with the picture and not with the run. Points
/// whose value is not finite are kept where one begins or ends a gap.
/// `times` ascend, and lie in [low, high].
std::vector<std::size_t> thin(std::span<const double> times, std::span<const double> values,
                              double low, double high, std::size_t columns);

}  // namespace chi::results
