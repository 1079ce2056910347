#include "numerics/band_lu.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace chi::numerics {
namespace {

using Complex = std::complex<double>;

constexpr int kNarrow = 8;  // diagonals beside the main one; beyond, a sparse solver is as good

// A pivot of this part of the largest will do: where rows stay in their places, solving is quicker.
constexpr double kGoodPivot = 0.1;

// std::complex's own operators look for infinities; these are the plain formulas.
double times(double a, double b) { return a * b; }
Complex times(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
double inverted(double a) { return 1 / a; }
Complex inverted(Complex a) {
  const double scale = 1 / (a.real() * a.real() + a.imag() * a.imag());
  return {a.real() * scale, -a.imag() * scale};
}
double magnitude(double a) { return std::abs(a); }
double magnitude(Complex a) { return std::abs(a.real()) + std::abs(a.imag()); }

}  // namespace

template <class Scalar>
std::optional<BandLu<Scalar>> BandLu<Scalar>::make(const SparsePattern& pattern) {
  if (pattern.rows != pattern.cols || pattern.cols == 0) return std::nullopt;
  if (pattern.nonzeros() > (kNarrow + 1) * pattern.cols) return std::nullopt;
  BandOrder order = find_band_order(pattern, kNarrow);
  if (order.below + order.above > kNarrow) return std::nullopt;
  return BandLu(pattern, std::move(order));
}

template <class Scalar>
BandLu<Scalar>::BandLu(const SparsePattern& pattern, BandOrder order)
    : n_(static_cast<std::size_t>(pattern.cols)),
      below_(static_cast<std::size_t>(order.below)),
      above_(static_cast<std::size_t>(order.above)),
      width_(2 * below_ + above_ + 1),
      old_of_new_(std::move(order.old_of_new)),
      rows_(n_ * width_),
      lower_(n_ * below_),
      upper_(n_ * (below_ + above_)),
      inverse_(n_),
      swaps_(n_),
      work_(old_of_new_.empty() ? 0 : n_) {
  std::vector<std::size_t> new_of_old(n_);
  for (std::size_t i = 0; i < n_; ++i) {
    new_of_old[old_of_new_.empty() ? i : static_cast<std::size_t>(old_of_new_[i])] = i;
  }
  for (std::size_t j = 0; j < n_; ++j) {
    const auto end = static_cast<std::size_t>(pattern.column_starts[j + 1]);
    for (auto k = static_cast<std::size_t>(pattern.column_starts[j]); k < end; ++k) {
      const std::size_t row = new_of_old[static_cast<std::size_t>(pattern.row_indices[k])];
      places_.push_back(row * width_ + (new_of_old[j] + below_ - row));
    }
  }
}

template <class Scalar>
bool BandLu<Scalar>::factor(std::span<const Scalar> entries) {
  std::fill(rows_.begin(), rows_.end(), Scalar{});
  for (std::size_t k = 0; k < places_.size(); ++k) rows_[places_[k]] = entries[k];
  swapped_ = false;
  for (std::size_t k = 0; k < n_; ++k) {
    if (!eliminate(k)) return false;
  }
  return true;
}

template <class Scalar>
bool BandLu<Scalar>::eliminate(std::size_t k) {
  const std::size_t rows = std::min(below_, n_ - 1 - k);              // below k
  const std::size_t columns = std::min(below_ + above_, n_ - 1 - k);  // right of k
  Scalar* top = rows_.data() + k * width_ + below_;                   // its entry in column k
  std::size_t pivot = 0;
  for (std::size_t i = 1; i <= rows; ++i) {
    if (magnitude(top[i * width_ - i]) > magnitude(top[pivot * width_ - pivot])) pivot = i;
  }
  const double size = magnitude(top[pivot * width_ - pivot]);
  if (!(size > 0) || !std::isfinite(size)) return false;
  if (magnitude(top[0]) >= kGoodPivot * size) pivot = 0;
  swaps_[k] = pivot;
  if (pivot != 0) {
    swapped_ = true;
    std::swap_ranges(top, top + columns + 1, top + pivot * width_ - pivot);
  }
  const Scalar inverse = inverted(top[0]);
  inverse_[k] = inverse;
  for (std::size_t i = 1; i <= below_; ++i) {
    Scalar& factor = lower_[k * below_ + i - 1];
    factor = Scalar{};
    if (i > rows) continue;
    Scalar* row = top + i * width_ - i;
    if (row[0] == Scalar{}) continue;
    factor = times(row[0], inverse);
    for (std::size_t j = 1; j <= columns; ++j) row[j] -= times(factor, top[j]);
  }
  Scalar* upper = upper_.data() + k * (below_ + above_);
  for (std::size_t j = 1; j <= below_ + above_; ++j) {
    upper[j - 1] = j <= columns ? times(top[j], inverse) : Scalar{};
  }
  return true;
}

// The numbers of diagonals are known to the compiler where they are small: kAbove of U, -1 where
// they are not.
template <class Scalar>
template <int kBelow, int kAbove>
void BandLu<Scalar>::substitute(Scalar* b) const {
  const std::size_t below = kBelow < 0 ? below_ : static_cast<std::size_t>(kBelow);
  const std::size_t stride = below_ + above_;
  const std::size_t above = kAbove < 0 ? stride : static_cast<std::size_t>(kAbove);
  const Scalar* lower = lower_.data();
  for (std::size_t k = 0; k < n_; ++k, lower += below_) {
    if (swapped_ && swaps_[k] != 0) std::swap(b[k], b[k + swaps_[k]]);
    const std::size_t rows = std::min(below, n_ - 1 - k);
    for (std::size_t i = 1; i <= rows; ++i) b[k + i] -= times(lower[i - 1], b[k]);
  }
  const Scalar* upper = upper_.data() + n_ * stride;
  for (std::size_t k = n_; k-- > 0;) {
    upper -= stride;
    Scalar sum = times(b[k], inverse_[k]);
    const std::size_t columns = std::min(above, n_ - 1 - k);
    for (std::size_t j = columns; j >= 1; --j) sum -= times(upper[j - 1], b[k + j]);
    b[k] = sum;
  }
}

template <class Scalar>
void BandLu<Scalar>::solve(std::span<Scalar> b) {
  Scalar* x = b.data();
  if (!old_of_new_.empty()) {
    for (std::size_t i = 0; i < n_; ++i) work_[i] = b[static_cast<std::size_t>(old_of_new_[i])];
    x = work_.data();
  }
  if (below_ == 1 && above_ == 1 && !swapped_) {
    substitute<1, 1>(x);
  } else if (below_ == 1 && above_ == 0 && !swapped_) {
    substitute<1, 0>(x);
  } else if (below_ == 1 && above_ == 1) {
    substitute<1, 2>(x);
  } else {
    substitute<-1, -1>(x);
  }
  if (old_of_new_.empty()) return;
  for (std::size_t i = 0; i < n_; ++i) b[static_cast<std::size_t>(old_of_new_[i])] = work_[i];
}

template class BandLu<double>;
template class BandLu<Complex>;

}  // namespace chi::numerics
