#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace chi::structure {

/// A sparse matrix of whole numbers, by rows; a column occurs once in a row.
struct IntegerRows {
  std::vector<std::int32_t> row_start = {0};
  std::vector<std::int32_t> column;
  std::vector<std::int64_t> coefficient;

  void add(std::int32_t col, std::int64_t value) {
    column.push_back(col);
    coefficient.push_back(value);
  }
  void end_row() { row_start.push_back(static_cast<std::int32_t>(column.size())); }
  int rows() const { return static_cast<int>(row_start.size()) - 1; }
};

/// Σ coefficient * row has no entry left in a column that counts.
struct Dependency {
  std::int32_t row = 0;  ///< one of the rows, that is in no other dependency found
  std::vector<std::pair<std::int32_t, std::int64_t>> of;    ///< ascending; `row` is among them
  std::vector<std::pair<std::int32_t, std::int64_t>> rest;  ///< entries in other columns, ascending
  /// False if the coefficients in `of` outgrew 64 bits: they are 0 then, and `rest` is right up to
  /// a factor.
  bool has_coefficients = true;
};

/// Linear dependencies between the rows in the columns with `counts[column] /= 0`, exactly: if the
/// rows named by `Dependency::row` are left out, no dependency is left that this would find.
///
/// Done twice: with the rows of coefficients 1 and -1 alone, then with all. First all rows go that
/// have a column of their own, again and again: they depend on nothing. In
/// models that is nearly all. What is left is eliminated without fractions, the column with the
/// fewest entries first, the shortest of its rows being added to the others: on the equations of a
/// network (each flow in two of them, with coefficients 1 and -1) it contracts edges and is near
/// linear. A row whose numbers outgrow 64 bits counts as independent; so do all that are left when
/// the work exceeds a multiple of the size of the matrix. So what is found is right, but a
/// dependency between very long or very large combinations can be missed.
std::vector<Dependency> find_dependencies(const IntegerRows& rows, const std::vector<char>& counts);

}  // namespace chi::structure
