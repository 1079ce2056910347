#include "sim/algebra/independent_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/algebra/symbolic_jacobian.h"

namespace chi::sim {
namespace {

using structure::BlockOrder;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

constexpr std::size_t kMostEntries = 400'000;

}  // namespace

std::unique_ptr<IndependentRows> IndependentRows::make(const SolverContext& context,
                                                       std::span<const BlockOrder::Row> rows,
                                                       std::vector<expr::VarRef> unknowns,
                                                       std::vector<double>& frame) {
  if (rows.size() * unknowns.size() > kMostEntries) return nullptr;
  std::unique_ptr<IndependentRows> made(new IndependentRows(context, std::move(unknowns)));
  std::vector<expr::ExprId> roots, leaves;
  for (const BlockOrder::Row& row : rows) roots.push_back(row.expr);
  for (const expr::VarRef x : made->unknowns_) leaves.push_back(leaf_of(context.pool, x));
  enter_leaves(context, roots);
  SymbolicJacobian jacobian(context, roots, leaves);
  frame.resize(std::max(frame.size(), at(context.leaves.size())), 0.0);
  const numerics::SparsePattern& pattern = jacobian.pattern();
  std::vector<double> values(at(pattern.nonzeros()));
  if (!jacobian.evaluate(frame.data(), values)) return nullptr;
  made->dependencies_ = numerics::find_dependencies(pattern, values);
  // Transposed, so that the columns to choose from are the rows; each of size one.
  std::vector<double> matrix(rows.size() * leaves.size(), 0.0), sizes(rows.size(), 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    double& size = sizes[at(pattern.row_indices[k])];
    size = std::max(size, std::abs(values[k]));
  }
  for (int j = 0; j < pattern.cols; ++j) {
    for (int k = pattern.column_starts[at(j)]; k < pattern.column_starts[at(j + 1)]; ++k) {
      const std::size_t i = at(pattern.row_indices[at(k)]);
      if (values[at(k)] != 0) matrix[i * leaves.size() + at(j)] = values[at(k)] / sizes[i];
    }
  }
  numerics::RankRevealingQr qr;
  qr.factor(pattern.cols, pattern.rows, matrix);
  for (int k = 0; k < pattern.rows; ++k) {
    auto& to = k < qr.rank() ? made->basis_rows_ : made->rest_rows_;
    to.push_back(rows[at(qr.column_order()[at(k)])]);
  }
  if (!made->basis_rows_.empty()) {
    made->basis_.emplace(made->context_, made->basis_rows_, made->unknowns_);
  }
  if (!made->rest_rows_.empty()) {
    made->rest_.emplace(made->context_, made->rest_rows_, std::span<const expr::VarRef>());
  }
  return made;
}

IndependentRows::Result IndependentRows::solve(std::vector<double>& frame) {
  SolveFailure failure;
  if (basis_ && !basis_->solve(context_, frame.data(), Effort::Full, failure)) {
    return Result::Unsolved;
  }
  if (!rest_ || rest_->solve(context_, frame.data(), Effort::Full, failure)) return Result::Holds;
  return failure.fault ? Result::Unsolved : Result::RestIsOff;
}

}  // namespace chi::sim
