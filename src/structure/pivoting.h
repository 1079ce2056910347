#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace chi::structure {

/// A sparse matrix of numbers, by rows, with at least as many columns as rows.
struct NumberRows {
  int columns = 0;
  std::vector<std::int32_t> row_start = {0};
  std::vector<std::int32_t> column;
  std::vector<double> value;
  int rows() const { return static_cast<int>(row_start.size()) - 1; }
};

/// As many columns as there are rows, such that the matrix of these columns is regular and far from
/// singular; fewer if there are not as many. Ascending. Rows are scaled by their largest entry;
/// columns by the caller.
///
/// A column is good enough if its pivot is at least a fraction of the best pivot to be had; columns
/// differ in how small it may be (`good_enough`, 1 for "only the best"), and of those that are good
/// enough the one with the smallest fraction is taken. Small matrices: Householder QR with column
/// pivoting [1]. Large ones: sparse Gaussian elimination with threshold pivoting after Markowitz
/// [2], where the pivots of the shortest row are compared, the fraction is at most 0.1, and the
/// shortest column comes first among equals. Deterministic.
///
/// [1] P. Businger and G. H. Golub, "Linear least squares solutions by Householder
///     transformations", Numer. Math. 7, 1965, 269-276.
/// [2] H. M. Markowitz, "The elimination form of the inverse and its application to linear
///     programming", Management Science 3(3), 1957, 255-269.
std::vector<std::int32_t> regular_columns(const NumberRows& matrix,
                                          const std::vector<double>& good_enough);

}  // namespace chi::structure
