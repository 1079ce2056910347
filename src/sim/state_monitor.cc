#include "sim/state_monitor.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "expr/build.h"
#include "expr/differentiate.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Largest number of differentiated equations whose choice is watched at every step.
constexpr int kMaxWatched = 1000;
/// Smaller matrices are factored faster with all their zeros.
constexpr int kDense = 16;

}  // namespace

StateMonitor::StateMonitor(const SolverContext& context, const Plan& plan) : plan_(plan) {
  expr::Pool& pool = context.pool;
  const structure::Analysis& analysis = plan.analysis();
  std::vector<ExprId> rows, leaves;
  for (std::size_t i = 0; i < analysis.c.size(); ++i) {
    if (analysis.c[i] > 0) rows.push_back(analysis.derivatives[i].back());
  }
  for (std::size_t j = 0; j < analysis.unknowns.size(); ++j) {
    leaves.push_back(expr::variable(pool, analysis.unknowns[j], analysis.d[j]));
  }
  rows_ = static_cast<int>(rows.size());
  if (rows_ > kMaxWatched) return;
  const expr::Jacobian jacobian = expr::jacobian(pool, rows, leaves);
  std::vector<std::int32_t> column_of(leaves.size(), -1);
  for (int i = 0; i < jacobian.rows(); ++i) {
    for (std::int32_t k = jacobian.row_start[at(i)]; k < jacobian.row_start[at(i + 1)]; ++k) {
      std::int32_t& column = column_of[at(jacobian.column[at(k)])];
      if (column < 0) {
        column = static_cast<std::int32_t>(columns_.size());
        columns_.push_back(jacobian.column[at(k)]);
      }
      entries_.emplace_back(i, column);
    }
  }
  if (rows_ == static_cast<int>(columns_.size())) return;
  values_.resize(entries_.size());
  sizes_.resize(columns_.size());
  formulas_ = std::make_unique<code::Formulas>(pool, jacobian.entry, context.leaves, context.boxes);
}

/// The pattern of D.
void StateMonitor::use(const StateVariant& variant) {
  if (used_ == &variant) return;
  used_ = &variant;
  const structure::Analysis& analysis = plan_.analysis();
  const auto& dummies = variant.choice.dummies;
  dependent_.clear();
  std::vector<std::int32_t> number(columns_.size(), -1);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::size_t j = at(columns_[c]);
    const VarRef top{analysis.unknowns[j], analysis.d[j]};
    if (!std::binary_search(dummies.begin(), dummies.end(), top)) continue;
    number[c] = static_cast<std::int32_t>(dependent_.size());
    dependent_.push_back(static_cast<std::int32_t>(c));
  }
  lu_.reset();
  if (static_cast<int>(dependent_.size()) != rows_) return;
  numerics::PatternBuilder builder(rows_, rows_);
  rest_.assign(columns_.size(), {});
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const auto [row, column] = entries_[k];
    if (number[at(column)] >= 0) {
      builder.add(row, number[at(column)]);
    } else {
      rest_[at(column)].push_back(static_cast<std::int32_t>(k));
    }
  }
  const numerics::SparsePattern pattern = builder.build();
  place_.assign(entries_.size(), -1);
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const auto [row, column] = entries_[k];
    if (number[at(column)] < 0) continue;
    place_[k] = numerics::find_entry(pattern, row, number[at(column)]);
  }
  lu_ = std::make_unique<numerics::LuSolver<double>>(pattern, rows_ <= kDense);
}

std::optional<StateMonitor::Growth> StateMonitor::growth(
    const StateVariant& variant, std::span<const double> frame,
    numerics::FunctionRef<double(VarRef)> size) {
  if (!formulas_->evaluate_each(frame.data(), values_.data())) return std::nullopt;
  use(variant);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!lu_) return Growth{kInfinity, kInfinity};
  const std::span<double> matrix = lu_->entries();
  for (std::size_t k = 0; k < values_.size(); ++k) {
    if (place_[k] >= 0) matrix[at(place_[k])] = values_[k];
  }
  if (!lu_->factor()) return Growth{kInfinity, kInfinity};
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    sizes_[c] = size({plan_.analysis().unknowns[at(columns_[c])], 0});
  }
  Growth result;
  for (std::size_t c = 0; c < rest_.size(); ++c) {
    if (rest_[c].empty()) continue;
    solution_.assign(at(rows_), 0.0);
    for (const std::int32_t k : rest_[c]) solution_[at(entries_[at(k)].first)] = values_[at(k)];
    lu_->solve(solution_);
    for (std::size_t i = 0; i < solution_.size(); ++i) {
      const double entry = std::abs(solution_[i]);
      if (std::isnan(entry)) return Growth{kInfinity, kInfinity};
      result.plain = std::max(result.plain, entry);
      result.sized = std::max(result.sized, entry * sizes_[c] / sizes_[at(dependent_[i])]);
    }
  }
  return result;
}

}  // namespace chi::sim
