#include "sim/algebra/symbolic_jacobian.h"

#include <algorithm>
#include <cstddef>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "expr/incidence.h"
#include "expr/substitute.h"

namespace chi::sim {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// The derivative of delay(x, tau) by tau asks for past values of x', which nobody keeps. Without
// them the matrix is not exact there, but good enough for an iteration.
void drop_unknown_delays(const SolverContext& context, std::vector<expr::ExprId>& entries) {
  const bool none = std::ranges::none_of(
      entries, [&](expr::ExprId e) { return context.pool.has(e, expr::kHasDelay); });
  if (none) return;
  std::vector<expr::Replacement> gone;
  const expr::Occurrences found = expr::delays(context.pool, entries);
  const expr::ExprId zero = expr::constant(context.pool, 0);
  std::vector<expr::ExprId> delays = found.node;
  std::ranges::sort(delays);
  delays.erase(std::unique(delays.begin(), delays.end()), delays.end());
  for (const expr::ExprId d : delays) {
    if (context.leaves.find(d) < 0) gone.push_back({d, zero});
  }
  if (!gone.empty()) entries = expr::substitute(context.pool, entries, gone);
}

}  // namespace

SymbolicJacobian::SymbolicJacobian(const SolverContext& context,
                                   std::span<const expr::ExprId> roots,
                                   std::span<const expr::ExprId> leaves) {
  expr::Jacobian j = expr::jacobian(context.pool, roots, leaves);
  drop_unknown_delays(context, j.entry);
  pattern_.rows = static_cast<int>(roots.size());
  pattern_.cols = static_cast<int>(leaves.size());
  std::vector<int> position;
  order_by_columns(j.row_start, j.column, position);
  constants_.assign(j.entry.size(), 0.0);
  std::vector<expr::ExprId> varying;
  for (int i = 0; i < j.rows(); ++i) {
    for (std::size_t k = at(j.row_start[at(i)]); k < at(j.row_start[at(i) + 1]); ++k) {
      if (context.pool.op(j.entry[k]) == expr::Op::Constant) {
        constants_[at(position[k])] = context.pool.constant(j.entry[k]);
        continue;
      }
      varying.push_back(j.entry[k]);
      places_.push_back(position[k]);
      rows_.push_back(i);
    }
  }
  if (varying.empty()) return;
  formulas_.emplace(context.pool, varying, context.leaves, context.boxes);
  out_.resize(varying.size());
}

// From compressed rows to compressed columns; position[k] is where entry k went.
void SymbolicJacobian::order_by_columns(std::span<const std::int32_t> row_start,
                                        std::span<const std::int32_t> column,
                                        std::vector<int>& position) {
  std::vector<int>& starts = pattern_.column_starts;
  starts.assign(at(pattern_.cols) + 1, 0);
  for (const std::int32_t c : column) ++starts[at(c) + 1];
  for (std::size_t c = 0; c < at(pattern_.cols); ++c) starts[c + 1] += starts[c];
  std::vector<int> next(starts.begin(), starts.end() - 1);
  pattern_.row_indices.resize(column.size());
  position.resize(column.size());
  for (std::size_t i = 0; i + 1 < row_start.size(); ++i) {
    for (std::size_t k = at(row_start[i]); k < at(row_start[i + 1]); ++k) {
      position[k] = next[at(column[k])]++;
      pattern_.row_indices[at(position[k])] = static_cast<int>(i);
    }
  }
}

bool SymbolicJacobian::evaluate(const double* frame, std::span<double> values) {
  const bool ok = !formulas_ || formulas_->evaluate(frame, out_.data());
  fill(values);
  return ok;
}

bool SymbolicJacobian::evaluate_each(const double* frame, std::span<double> values) {
  const bool ok = !formulas_ || formulas_->evaluate_each(frame, out_.data());
  fill(values);
  return ok;
}

void SymbolicJacobian::fill(std::span<double> values) const {
  std::ranges::copy(constants_, values.begin());
  for (std::size_t k = 0; k < places_.size(); ++k) values[at(places_[k])] = out_[k];
}

code::FormulaFault SymbolicJacobian::fault() const {
  if (!formulas_) return {};
  code::FormulaFault fault = formulas_->fault();
  if (fault.root >= 0) fault.root = rows_[at(fault.root)];
  return fault;
}

}  // namespace chi::sim
