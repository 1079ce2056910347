#include "structure/row_matrix.h"

#include <algorithm>

#include "expr/cone.h"
#include "expr/incidence.h"

namespace chi::structure {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

std::span<const Occurrence> RowMatrix::unknowns_in(std::int32_t column) const {
  return std::span(occurrences)
      .subspan(at(start[at(column)]), at(start[at(column) + 1] - start[at(column)]));
}

std::vector<char> RowMatrix::columns_with_unknowns() const {
  std::vector<char> result(at(columns()), 0);
  for (std::int32_t c = 0; c < columns(); ++c) result[at(c)] = unknowns_in(c).empty() ? 0 : 1;
  return result;
}

RowMatrix row_matrix(const expr::Pool& pool, std::span<const expr::ExprId> rows,
                     std::span<const expr::VarId> unknowns) {
  RowMatrix matrix;
  expr::NodeIndex column_of(pool.size());
  std::vector<expr::ExprId> terms;
  BodyForms bodies;
  matrix.forms.reserve(rows.size());
  for (const expr::ExprId row : rows) {
    matrix.forms.push_back(linear_form(pool, row, bodies));
    for (const LinearForm::Term& term : matrix.forms.back().terms) {
      std::int32_t column = column_of.find(term.node);
      if (column < 0) {
        column = static_cast<std::int32_t>(terms.size());
        column_of.set(term.node, column);
        terms.push_back(term.node);
        matrix.is_leaf.push_back(pool.op(term.node) == expr::Op::Variable);
      }
      matrix.entries.add(column, term.coefficient);
    }
    matrix.entries.end_row();
  }
  // The constants get their column last, when its number is known.
  matrix.is_leaf.push_back(0);
  IntegerRows with_constants;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::int32_t k = matrix.entries.row_start[r]; k < matrix.entries.row_start[r + 1]; ++k) {
      with_constants.add(matrix.entries.column[at(k)], matrix.entries.coefficient[at(k)]);
    }
    if (const std::int64_t constant = matrix.forms[r].constant; constant != 0) {
      with_constants.add(matrix.constant_column(), constant);
    }
    with_constants.end_row();
  }
  matrix.entries = std::move(with_constants);

  const expr::Occurrences inside = expr::variables(pool, terms);
  matrix.start.push_back(0);
  expr::VarId last;
  std::int32_t unknown = -1;
  for (int t = 0; t < inside.rows(); ++t) {
    for (const expr::ExprId node : inside.row(t)) {
      const expr::VarRef x = pool.variable(node);
      if (x.var != last) {
        const auto place = std::lower_bound(unknowns.begin(), unknowns.end(), x.var);
        const bool is_unknown = place != unknowns.end() && *place == x.var;
        unknown = is_unknown ? static_cast<std::int32_t>(place - unknowns.begin()) : -1;
        last = x.var;
      }
      if (unknown >= 0) matrix.occurrences.push_back({unknown, x.order});
    }
    matrix.start.push_back(static_cast<std::int32_t>(matrix.occurrences.size()));
  }
  matrix.start.push_back(matrix.start.back());  // the constants
  return matrix;
}

graph::Signature signature(const RowMatrix& matrix, int unknowns) {
  graph::SignatureBuilder builder(matrix.entries.rows(), unknowns);
  for (std::int32_t r = 0; r < matrix.entries.rows(); ++r) {
    for (std::int32_t k = matrix.entries.row_start[at(r)]; k < matrix.entries.row_start[at(r) + 1];
         ++k) {
      for (const Occurrence& x : matrix.unknowns_in(matrix.entries.column[at(k)])) {
        builder.add({r}, {x.unknown}, x.order);
      }
    }
  }
  return builder.build();
}

}  // namespace chi::structure
