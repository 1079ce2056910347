#include "numerics/sparse_matrix.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "base/check.h"

namespace chi::numerics {

void PatternBuilder::add(int row, int col) {
  CHI_CHECK(row >= 0 && row < rows_ && col >= 0 && col < cols_, "entry outside the matrix");
  keys_.push_back(std::int64_t{col} * rows_ + row);
}

SparsePattern PatternBuilder::build() const {
  std::vector<std::int64_t> keys = keys_;
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());

  SparsePattern p{.rows = rows_, .cols = cols_};
  p.column_starts.assign(static_cast<std::size_t>(cols_) + 1, 0);
  p.row_indices.reserve(keys.size());
  for (const std::int64_t key : keys) {
    ++p.column_starts[static_cast<std::size_t>(key / rows_) + 1];
    p.row_indices.push_back(static_cast<int>(key % rows_));
  }
  for (std::size_t j = 1; j < p.column_starts.size(); ++j)
    p.column_starts[j] += p.column_starts[j - 1];
  return p;
}

SparsePattern full_pattern(int rows, int cols) {
  SparsePattern p{.rows = rows, .cols = cols};
  p.column_starts.resize(static_cast<std::size_t>(cols) + 1);
  for (int j = 0; j <= cols; ++j) p.column_starts[static_cast<std::size_t>(j)] = j * rows;
  p.row_indices.resize(static_cast<std::size_t>(p.nonzeros()));
  for (std::size_t k = 0; k < p.row_indices.size(); ++k) {
    p.row_indices[k] = static_cast<int>(k % static_cast<std::size_t>(rows));
  }
  return p;
}

SparsePattern merge(const SparsePattern& a, const SparsePattern& b) {
  CHI_CHECK(a.rows == b.rows && a.cols == b.cols, "patterns of different shape");
  SparsePattern p{.rows = a.rows, .cols = a.cols};
  p.column_starts.reserve(a.column_starts.size());
  for (std::size_t j = 0; j < static_cast<std::size_t>(a.cols); ++j) {
    std::set_union(
        a.row_indices.begin() + a.column_starts[j], a.row_indices.begin() + a.column_starts[j + 1],
        b.row_indices.begin() + b.column_starts[j], b.row_indices.begin() + b.column_starts[j + 1],
        std::back_inserter(p.row_indices));
    p.column_starts.push_back(static_cast<int>(p.row_indices.size()));
  }
  return p;
}

int find_entry(const SparsePattern& pattern, int row, int col) {
  const auto first =
      pattern.row_indices.begin() + pattern.column_starts[static_cast<std::size_t>(col)];
  const auto last =
      pattern.row_indices.begin() + pattern.column_starts[static_cast<std::size_t>(col) + 1];
  const auto at = std::lower_bound(first, last, row);
  if (at == last || *at != row) return -1;
  return static_cast<int>(at - pattern.row_indices.begin());
}

bool is_valid(const SparsePattern& pattern) {
  const std::vector<int>& starts = pattern.column_starts;
  const std::vector<int>& rows = pattern.row_indices;
  if (pattern.rows < 0 || pattern.cols < 0) return false;
  if (starts.size() != static_cast<std::size_t>(pattern.cols) + 1 || starts.front() != 0)
    return false;
  if (static_cast<std::size_t>(starts.back()) != rows.size()) return false;
  for (std::size_t j = 0; j + 1 < starts.size(); ++j) {
    if (starts[j] > starts[j + 1]) return false;
    for (int k = starts[j]; k < starts[j + 1]; ++k) {
      const int row = rows[static_cast<std::size_t>(k)];
      if (row < 0 || row >= pattern.rows) return false;
      if (k > starts[j] && rows[static_cast<std::size_t>(k) - 1] >= row) return false;
    }
  }
  return true;
}

void multiply_add(const SparsePattern& pattern, std::span<const double> values, double alpha,
                  std::span<const double> x, std::span<double> out) {
  for (std::size_t j = 0; j < static_cast<std::size_t>(pattern.cols); ++j) {
    const double scaled = alpha * x[j];
    const auto last = static_cast<std::size_t>(pattern.column_starts[j + 1]);
    for (auto k = static_cast<std::size_t>(pattern.column_starts[j]); k < last; ++k) {
      out[static_cast<std::size_t>(pattern.row_indices[k])] += scaled * values[k];
    }
  }
}

}  // namespace chi::numerics
