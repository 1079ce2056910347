#pragma once
#include <complex>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "numerics/band_order.h"

namespace chi::numerics {

/// LU factors with row pivoting of a matrix that is narrow in some order: chains, lines, rods.
/// There is no list of indices to follow, so that solving costs a few nanoseconds a row, a third of
/// what a general sparse solver takes. Only for `double` and `std::complex<double>`.
template <class Scalar>
class BandLu {
 public:
  /// None if the pattern is not narrow enough in any order that was found.
  static std::optional<BandLu> make(const SparsePattern& pattern);

  /// False if the matrix is singular or not finite. Allocates nothing.
  bool factor(std::span<const Scalar> entries);
  void solve(std::span<Scalar> b);

 private:
  BandLu(const SparsePattern& pattern, BandOrder order);
  bool eliminate(std::size_t k);
  template <int kBelow, int kAbove>
  void substitute(Scalar* b) const;

  std::size_t n_, below_, above_;
  std::size_t width_;                // of a row while it is eliminated: its fill included
  std::vector<int> old_of_new_;      // empty: as it is
  std::vector<std::size_t> places_;  // in rows_, of the entries
  std::vector<Scalar> rows_;         // row i: columns i - below … i + below + above
  std::vector<Scalar> lower_;        // column k: the factors of the rows below it
  std::vector<Scalar> upper_;        // row k: what is right of the diagonal, over the diagonal
  std::vector<Scalar> inverse_;      // of the diagonal
  std::vector<std::size_t> swaps_;   // row k changed places with row k + swaps_[k]
  bool swapped_ = false;             // any of them
  std::vector<Scalar> work_;
};

}  // namespace chi::numerics
