#include "numerics/lu_solver.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <klu.h>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "numerics/band_lu.h"

namespace chi::numerics {
namespace {

using Complex = std::complex<double>;

// std::complex's own operators look for infinities; these are the plain formulas.
double times(double a, double b) { return a * b; }
Complex times(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
double inverse(double a) { return 1 / a; }
Complex inverse(Complex a) {
  const double scale = 1 / (a.real() * a.real() + a.imag() * a.imag());
  return {a.real() * scale, -a.imag() * scale};
}
double magnitude(double a) { return std::abs(a); }
double magnitude(Complex a) { return std::abs(a.real()) + std::abs(a.imag()); }

// Gaussian elimination by columns with row pivoting; U's diagonal is kept inverted.
template <class Scalar>
class DenseLu {
 public:
  explicit DenseLu(std::size_t n) : n_(n), lu_(n * n), pivots_(n) {}

  bool factor(const SparsePattern& pattern, std::span<const Scalar> entries) {
    std::fill(lu_.begin(), lu_.end(), Scalar{});
    for (std::size_t j = 0; j < n_; ++j) {
      const auto end = static_cast<std::size_t>(pattern.column_starts[j + 1]);
      for (auto k = static_cast<std::size_t>(pattern.column_starts[j]); k < end; ++k) {
        column(j)[pattern.row_indices[k]] = entries[k];
      }
    }
    for (std::size_t k = 0; k < n_; ++k) {
      if (!eliminate(k)) return false;
    }
    return true;
  }

  void solve(std::span<Scalar> b) const {
    for (std::size_t k = 0; k < n_; ++k) {
      std::swap(b[k], b[pivots_[k]]);
      const Scalar* l = column(k);
      for (std::size_t i = k + 1; i < n_; ++i) b[i] -= times(l[i], b[k]);
    }
    for (std::size_t k = n_; k-- > 0;) {
      const Scalar* u = column(k);
      b[k] = times(b[k], u[k]);
      for (std::size_t i = 0; i < k; ++i) b[i] -= times(u[i], b[k]);
    }
  }

 private:
  Scalar* column(std::size_t j) { return lu_.data() + j * n_; }
  const Scalar* column(std::size_t j) const { return lu_.data() + j * n_; }

  bool eliminate(std::size_t k) {
    Scalar* l = column(k);
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n_; ++i) {
      if (magnitude(l[i]) > magnitude(l[pivot])) pivot = i;
    }
    if (!(magnitude(l[pivot]) > 0) || !std::isfinite(magnitude(l[pivot]))) return false;
    pivots_[k] = pivot;
    std::swap(l[k], l[pivot]);
    l[k] = inverse(l[k]);
    for (std::size_t i = k + 1; i < n_; ++i) l[i] = times(l[i], l[k]);
    for (std::size_t j = k + 1; j < n_; ++j) {
      Scalar* c = column(j);
      std::swap(c[k], c[pivot]);
      if (c[k] == Scalar{}) continue;
      for (std::size_t i = k + 1; i < n_; ++i) c[i] -= times(l[i], c[k]);
    }
    return true;
  }

  std::size_t n_;
  std::vector<Scalar> lu_;
  std::vector<std::size_t> pivots_;
};

// KLU, the real and the complex functions under one name. KLU reads its index arrays through
// non-const pointers but does not write them.
template <class Scalar>
class SparseLu {
 public:
  explicit SparseLu(const SparsePattern& pattern)
      : starts_(pattern.column_starts), rows_(pattern.row_indices), n_(pattern.cols) {
    klu_defaults(&common_);
    symbolic_ = klu_analyze(n_, starts_.data(), rows_.data(), &common_);
    check_memory();
  }
  SparseLu(const SparseLu&) = delete;
  SparseLu& operator=(const SparseLu&) = delete;
  ~SparseLu() {
    free_numeric();
    klu_free_symbolic(&symbolic_, &common_);
  }

  bool factor(std::span<Scalar> entries) {
    if (!symbolic_) return false;  // structurally impossible: the pattern is not square
    auto* values = reinterpret_cast<double*>(entries.data());
    if (numeric_ && refactor(values) && well_conditioned()) return true;
    free_numeric();
    numeric_ = kComplex ? klu_z_factor(starts_.data(), rows_.data(), values, symbolic_, &common_)
                        : klu_factor(starts_.data(), rows_.data(), values, symbolic_, &common_);
    check_memory();
    if (!numeric_ || common_.status != KLU_OK) return false;
    fresh_rcond_ = rcond();
    return fresh_rcond_ > 0;
  }

  void solve(std::span<Scalar> b) {
    auto* values = reinterpret_cast<double*>(b.data());
    if constexpr (kComplex)
      klu_z_solve(symbolic_, numeric_, n_, 1, values, &common_);
    else
      klu_solve(symbolic_, numeric_, n_, 1, values, &common_);
  }

 private:
  static constexpr bool kComplex = std::is_same_v<Scalar, Complex>;

  bool refactor(double* values) {
    const int ok =
        kComplex
            ? klu_z_refactor(starts_.data(), rows_.data(), values, symbolic_, numeric_, &common_)
            : klu_refactor(starts_.data(), rows_.data(), values, symbolic_, numeric_, &common_);
    return ok && common_.status == KLU_OK;
  }
  // The old pivot order is kept while its smallest pivot is not much smaller than with new ones.
  bool well_conditioned() { return rcond() > 1e-3 * fresh_rcond_; }
  double rcond() {
    const int ok = kComplex ? klu_z_rcond(symbolic_, numeric_, &common_)
                            : klu_rcond(symbolic_, numeric_, &common_);
    return ok ? common_.rcond : 0;
  }
  void check_memory() const {
    if (common_.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
  }
  void free_numeric() {
    if (!numeric_) return;
    if constexpr (kComplex)
      klu_z_free_numeric(&numeric_, &common_);
    else
      klu_free_numeric(&numeric_, &common_);
  }

  std::vector<int> starts_, rows_;
  int n_;
  klu_common common_ = {};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
  double fresh_rcond_ = 0;  // after the last choice of pivots
};

}  // namespace

template <class Scalar>
struct LuSolver<Scalar>::Impl {
  SparsePattern pattern;
  std::vector<Scalar> entries;
  std::unique_ptr<DenseLu<Scalar>> dense;  // one of the three
  std::optional<BandLu<Scalar>> band;
  std::unique_ptr<SparseLu<Scalar>> sparse;
};

template <class Scalar>
LuSolver<Scalar>::LuSolver(const SparsePattern& pattern, bool dense)
    : impl_(std::make_unique<Impl>()) {
  impl_->pattern = pattern;
  impl_->entries.resize(static_cast<std::size_t>(pattern.nonzeros()));
  if (dense) {
    impl_->dense = std::make_unique<DenseLu<Scalar>>(static_cast<std::size_t>(pattern.cols));
  } else if (impl_->band = BandLu<Scalar>::make(pattern); !impl_->band) {
    impl_->sparse = std::make_unique<SparseLu<Scalar>>(pattern);
  }
}

template <class Scalar>
LuSolver<Scalar>::LuSolver(LuSolver&&) noexcept = default;
template <class Scalar>
LuSolver<Scalar>::~LuSolver() = default;

template <class Scalar>
std::span<Scalar> LuSolver<Scalar>::entries() {
  return impl_->entries;
}

template <class Scalar>
bool LuSolver<Scalar>::factor() {
  if (impl_->dense) return impl_->dense->factor(impl_->pattern, impl_->entries);
  if (impl_->band) return impl_->band->factor(impl_->entries);
  return impl_->sparse->factor(impl_->entries);
}

template <class Scalar>
void LuSolver<Scalar>::solve(std::span<Scalar> b) {
  if (impl_->dense) return impl_->dense->solve(b);
  if (impl_->band) return impl_->band->solve(b);
  impl_->sparse->solve(b);
}

template class LuSolver<double>;
template class LuSolver<Complex>;

}  // namespace chi::numerics
