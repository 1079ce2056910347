#include "numerics/rank_revealing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "base/check.h"

namespace chi::numerics {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// A Householder reflector 1 - τ v vᵀ, v = (1, tail), that takes (head, tail) to (result, 0).
struct Reflector {
  double result = 0.0;
  double scale = 0.0;    // τ
  double divisor = 1.0;  // tail / divisor is the tail of v
};

Reflector make_reflector(double head, double tail_squared) {
  if (tail_squared == 0.0) return {head, 0.0, 1.0};
  const double length = std::sqrt(head * head + tail_squared);
  const double result = head > 0 ? -length : length;
  return {result, (result - head) / result, head - result};
}

// Rows and columns of a dense copy scaled to largest entry one.
std::vector<double> scaled_dense(const SparsePattern& p, std::span<const double> values) {
  std::vector<double> dense(at(p.rows) * at(p.cols), 0.0), row(at(p.rows), 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    double& largest = row[at(p.row_indices[k])];
    largest = std::max(largest, std::abs(values[k]));
  }
  for (int j = 0; j < p.cols; ++j) {
    double largest = 0.0;
    for (int k = p.column_starts[at(j)]; k < p.column_starts[at(j) + 1]; ++k) {
      const int i = p.row_indices[at(k)];
      if (row[at(i)] == 0.0) continue;
      const double value = values[at(k)] / row[at(i)];
      dense[at(j) * at(p.rows) + at(i)] = value;
      largest = std::max(largest, std::abs(value));
    }
    if (largest == 0.0) continue;
    for (int i = 0; i < p.rows; ++i) dense[at(j) * at(p.rows) + at(i)] /= largest;
  }
  return dense;
}

// The indices with weight in some kernel vector.
std::vector<int> members_of_kernel(const RankRevealingQr& qr) {
  std::vector<double> kernel(at(qr.cols()) * at(qr.cols() - qr.rank()));
  qr.null_space(kernel);
  std::vector<int> members;
  for (int j = 0; j < qr.cols(); ++j) {
    double weight = 0.0;
    for (int k = 0; k < qr.cols() - qr.rank(); ++k) {
      weight = std::max(weight, std::abs(kernel[at(k) * at(qr.cols()) + at(j)]));
    }
    if (weight > 1e-8) members.push_back(j);
  }
  return members;
}

}  // namespace

std::size_t RankRevealingQr::index(int i, int j) const { return at(j) * at(rows_) + at(i); }

void RankRevealingQr::factor(int rows, int cols, std::span<const double> values, double tolerance) {
  CHI_CHECK(values.size() == at(rows) * at(cols), "one value for each entry");
  rows_ = rows;
  cols_ = cols;
  values_.assign(values.begin(), values.end());
  order_.resize(at(cols));
  std::iota(order_.begin(), order_.end(), 0);
  const int most = std::min(rows, cols);
  left_scale_.assign(at(most), 0.0);
  right_scale_.assign(at(most), 0.0);
  work_.resize(at(rows) + at(cols));
  double longest = 0.0, first = 0.0;
  rank_ = 0;
  for (int k = 0; k < most; ++k, ++rank_) {
    choose_column(k, longest);
    if (k == 0) first = longest;
    if (!(longest > tolerance * first)) break;
    reflect_column(k);
  }
  for (int i = rank_ - 1; i >= 0 && rank_ < cols_; --i) reflect_row(i);
}

// Lengths are computed afresh each time: downdating them loses the digits that decide the rank.
void RankRevealingQr::choose_column(int k, double& longest) {
  int best = k;
  double best_length = -1.0;
  for (int j = k; j < cols_; ++j) {
    double squared = 0.0;
    for (int i = k; i < rows_; ++i) squared += entry(i, j) * entry(i, j);
    if (squared > best_length) {
      best_length = squared;
      best = j;
    }
  }
  longest = std::sqrt(std::max(best_length, 0.0));
  if (best == k) return;
  std::swap_ranges(values_.begin() + static_cast<std::ptrdiff_t>(index(0, k)),
                   values_.begin() + static_cast<std::ptrdiff_t>(index(0, k) + at(rows_)),
                   values_.begin() + static_cast<std::ptrdiff_t>(index(0, best)));
  std::swap(order_[at(k)], order_[at(best)]);
}

void RankRevealingQr::reflect_column(int k) {
  double tail = 0.0;
  for (int i = k + 1; i < rows_; ++i) tail += entry(i, k) * entry(i, k);
  const Reflector h = make_reflector(entry(k, k), tail);
  entry(k, k) = h.result;
  left_scale_[at(k)] = h.scale;
  for (int i = k + 1; i < rows_; ++i) entry(i, k) /= h.divisor;
  for (int j = k + 1; j < cols_; ++j) {
    double product = entry(k, j);
    for (int i = k + 1; i < rows_; ++i) product += entry(i, k) * entry(i, j);
    product *= h.scale;
    entry(k, j) -= product;
    for (int i = k + 1; i < rows_; ++i) entry(i, j) -= product * entry(i, k);
  }
}

// Takes the part of row i right of the rank to zero, from the last row up.
void RankRevealingQr::reflect_row(int i) {
  double tail = 0.0;
  for (int j = rank_; j < cols_; ++j) tail += entry(i, j) * entry(i, j);
  const Reflector h = make_reflector(entry(i, i), tail);
  entry(i, i) = h.result;
  right_scale_[at(i)] = h.scale;
  for (int j = rank_; j < cols_; ++j) entry(i, j) /= h.divisor;
  for (int r = 0; r < i; ++r) {
    double product = entry(r, i);
    for (int j = rank_; j < cols_; ++j) product += entry(r, j) * entry(i, j);
    product *= h.scale;
    entry(r, i) -= product;
    for (int j = rank_; j < cols_; ++j) entry(r, j) -= product * entry(i, j);
  }
}

double RankRevealingQr::pivot(int k) const { return std::abs(entry(k, k)); }

double RankRevealingQr::pivot_ratio() const {
  if (rank_ == 0 || rank_ < std::min(rows_, cols_)) return 0.0;
  return pivot(rank_ - 1) / pivot(0);
}

double RankRevealingQr::solve(std::span<const double> b, std::span<double> x) const {
  const std::span<double> c = std::span(work_).first(at(rows_));
  const std::span<double> y = std::span(work_).subspan(at(rows_), at(cols_));
  std::copy(b.begin(), b.end(), c.begin());
  for (int k = 0; k < rank_; ++k) {
    double product = c[at(k)];
    for (int i = k + 1; i < rows_; ++i) product += entry(i, k) * c[at(i)];
    product *= left_scale_[at(k)];
    c[at(k)] -= product;
    for (int i = k + 1; i < rows_; ++i) c[at(i)] -= product * entry(i, k);
  }
  std::fill(y.begin(), y.end(), 0.0);
  for (int i = rank_ - 1; i >= 0; --i) {
    double sum = c[at(i)];
    for (int j = i + 1; j < rank_; ++j) sum -= entry(i, j) * y[at(j)];
    y[at(i)] = sum / entry(i, i);
  }
  rotate_back(y);
  for (int j = 0; j < cols_; ++j) x[at(order_[at(j)])] = y[at(j)];
  double rest = 0.0;
  for (int i = rank_; i < rows_; ++i) rest += c[at(i)] * c[at(i)];
  return std::sqrt(rest);
}

void RankRevealingQr::rotate_back(std::span<double> y) const {
  for (int i = 0; i < rank_ && rank_ < cols_; ++i) {
    double product = y[at(i)];
    for (int j = rank_; j < cols_; ++j) product += entry(i, j) * y[at(j)];
    product *= right_scale_[at(i)];
    y[at(i)] -= product;
    for (int j = rank_; j < cols_; ++j) y[at(j)] -= product * entry(i, j);
  }
}

void RankRevealingQr::null_space(std::span<double> out) const {
  CHI_CHECK(out.size() == at(cols_) * at(cols_ - rank_), "room for the kernel");
  const std::span<double> y = std::span(work_).subspan(at(rows_), at(cols_));
  for (int k = rank_; k < cols_; ++k) {
    std::fill(y.begin(), y.end(), 0.0);
    y[at(k)] = 1.0;
    rotate_back(y);
    const std::span<double> vector = out.subspan(at(k - rank_) * at(cols_), at(cols_));
    for (int j = 0; j < cols_; ++j) vector[at(order_[at(j)])] = y[at(j)];
  }
}

Dependencies find_dependencies(const SparsePattern& pattern, std::span<const double> values,
                               double tolerance) {
  const std::vector<double> dense = scaled_dense(pattern, values);
  std::vector<double> transposed(dense.size());
  for (int i = 0; i < pattern.rows; ++i) {
    for (int j = 0; j < pattern.cols; ++j) {
      transposed[at(i) * at(pattern.cols) + at(j)] = dense[at(j) * at(pattern.rows) + at(i)];
    }
  }
  Dependencies found;
  RankRevealingQr qr;
  qr.factor(pattern.rows, pattern.cols, dense, tolerance);
  found.rank = qr.rank();
  found.cols = members_of_kernel(qr);
  qr.factor(pattern.cols, pattern.rows, transposed, tolerance);
  found.rows = members_of_kernel(qr);
  return found;
}

}  // namespace chi::numerics
