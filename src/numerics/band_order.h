#pragma once
#include <vector>

#include "numerics/sparse_matrix.h"

namespace chi::numerics {

/// A numbering of rows and columns alike that keeps the entries near the diagonal.
struct BandOrder {
  std::vector<int> old_of_new;  ///< empty: as it is
  int below = 0;                ///< diagonals below the main one
  int above = 0;
};

/// The order as given if that is narrow already, else reverse Cuthill-McKee [1]. Requires a square
/// pattern. O(nonzeros log(longest row)).
///
/// [1] E. Cuthill, J. McKee, "Reducing the bandwidth of sparse symmetric matrices", Proc. 24th
/// National Conference of the ACM (1969), on the pattern made symmetric.
BandOrder find_band_order(const SparsePattern& pattern, int narrow);

}  // namespace chi::numerics
