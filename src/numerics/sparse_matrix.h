#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace chi::numerics {

/// Where a sparse matrix may be nonzero, in compressed columns: the rows of column j are
/// `row_indices[column_starts[j] .. column_starts[j + 1])`, strictly increasing.
///
/// Values live beside the pattern, in an array of `nonzeros()` doubles in the same order, so that
/// one pattern serves many matrices: a Jacobian is evaluated into a plain `std::span<double>`.
struct SparsePattern {
  int rows = 0;
  int cols = 0;
  std::vector<int> column_starts = {0};  ///< `cols + 1` entries, the first 0
  std::vector<int> row_indices = {};

  int nonzeros() const { return column_starts.back(); }
  bool operator==(const SparsePattern&) const = default;
};

/// Collects entries in any order, duplicates allowed, and sorts them into a pattern.
class PatternBuilder {
 public:
  PatternBuilder(int rows, int cols) : rows_(rows), cols_(cols) {}
  void add(int row, int col);  ///< requires 0 <= row < rows, 0 <= col < cols
  /// The distinct entries added so far. O(cols + e log e) for e entries.
  SparsePattern build() const;

 private:
  int rows_ = 0;
  int cols_ = 0;
  std::vector<std::int64_t> keys_;  // col * rows + row: sorted keys are in compressed-column order
};

/// Every entry present.
SparsePattern full_pattern(int rows, int cols);

/// The union of two patterns of the same shape.
SparsePattern merge(const SparsePattern& a, const SparsePattern& b);

/// Position of (row, col) in the values array, or -1 if the pattern lacks it. O(log column length).
int find_entry(const SparsePattern& pattern, int row, int col);

/// Whether the invariants stated above hold. O(nonzeros).
bool is_valid(const SparsePattern& pattern);

/// out += alpha A x, for A given by pattern and values.
void multiply_add(const SparsePattern& pattern, std::span<const double> values, double alpha,
                  std::span<const double> x, std::span<double> out);

}  // namespace chi::numerics
