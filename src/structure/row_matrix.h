#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "expr/expr.h"
#include "graph/signature.h"
#include "structure/dependencies.h"
#include "structure/linear_form.h"

namespace chi::structure {

/// x^(order), x the unknown with this number.
struct Occurrence {
  std::int32_t unknown = -1;
  std::int32_t order = 0;
};

/// The linear forms of all rows as one matrix of whole numbers: a column per term, and the last
/// column for the constants; and which unknowns occur in each term.
struct RowMatrix {
  std::vector<LinearForm> forms;        ///< per row
  IntegerRows entries;                  ///< per row, in the order of the terms of its form
  std::vector<char> is_leaf;            ///< per column: the term is a variable or derivative
  std::vector<std::int32_t> start;      ///< per column, into `occurrences`
  std::vector<Occurrence> occurrences;  ///< ascending by unknown and order within a column

  int columns() const { return static_cast<int>(is_leaf.size()); }
  int constant_column() const { return columns() - 1; }
  /// The unknowns in the term; none if its value is known.
  std::span<const Occurrence> unknowns_in(std::int32_t column) const;
  std::vector<char> columns_with_unknowns() const;
};

/// `unknowns` ascending. Near linear in the size of the rows.
RowMatrix row_matrix(const expr::Pool& pool, std::span<const expr::ExprId> rows,
                     std::span<const expr::VarId> unknowns);

/// Pryce's signature matrix of the rows: what cancels in a form does not count.
graph::Signature signature(const RowMatrix& matrix, int unknowns);

}  // namespace chi::structure
