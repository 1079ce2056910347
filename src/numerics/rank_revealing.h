#pragma once
#include <span>
#include <vector>

#include "numerics/sparse_matrix.h"

namespace chi::numerics {

/// A dense matrix as a rank, a basis and a kernel: QR with column pivoting, then the rest of the
/// leading rows rotated away from the right (complete orthogonal decomposition [1, §5.4]).
///
/// Columns and rows are taken as they are: scale them by nominal values first, for then a length
/// means something. Deterministic; ties go to the earlier column. O(m n min(m, n)); a repeated
/// `factor` of the same shape allocates nothing, nor does `solve`.
///
/// [1] G. H. Golub and C. F. Van Loan, "Matrix Computations", 4th ed., 2013.
class RankRevealingQr {
 public:
  /// Column-major values. A column that keeps less than `tolerance` times the longest column after
  /// the projection on those chosen before counts as dependent.
  void factor(int rows, int cols, std::span<const double> values, double tolerance = 1e-12);

  int rows() const { return rows_; }
  int cols() const { return cols_; }
  int rank() const { return rank_; }

  /// The columns, most independent first: the first `rank()` are a basis. For dummy derivatives:
  /// of the constraints' Jacobian these are the ones to call dependent.
  std::span<const int> column_order() const { return order_; }
  double pivot(int k) const;   ///< |R_kk|, not increasing; requires k < rank()
  double pivot_ratio() const;  ///< last pivot over first; 0 if the rank is 0 or not full

  /// The shortest x among those with |Ax - b| least. Returns that least |Ax - b|.
  /// Requires b.size() == rows(), x.size() == cols().
  double solve(std::span<const double> b, std::span<double> x) const;

  /// An orthonormal basis of the kernel, cols() - rank() vectors of length cols() one after
  /// another.
  void null_space(std::span<double> out) const;

 private:
  double& entry(int i, int j) { return values_[index(i, j)]; }
  double entry(int i, int j) const { return values_[index(i, j)]; }
  std::size_t index(int i, int j) const;
  void choose_column(int k, double& longest);
  void reflect_column(int k);
  void reflect_row(int i);
  void rotate_back(std::span<double> permuted) const;

  int rows_ = 0;
  int cols_ = 0;
  int rank_ = 0;
  std::vector<double> values_;       // R above, reflectors below the diagonal and right of the rank
  std::vector<double> left_scale_;   // τ of the column reflectors
  std::vector<double> right_scale_;  // τ of the row reflectors
  std::vector<int> order_;
  mutable std::vector<double> work_;
};

/// The equations and unknowns that take part in a singularity.
struct Dependencies {
  std::vector<int> rows;  ///< rows with a nonzero weight in a combination of rows that vanishes
  std::vector<int> cols;  ///< the same for columns
  int rank = 0;
};

/// Finds them on the matrix with rows and columns scaled to size one. Dense: O(n³), for reports.
Dependencies find_dependencies(const SparsePattern& pattern, std::span<const double> values,
                               double tolerance = 1e-12);

}  // namespace chi::numerics
