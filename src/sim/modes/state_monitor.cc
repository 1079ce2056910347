#include "sim/modes/state_monitor.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "expr/build.h"
#include "expr/differentiate.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Largest number of differentiated equations whose choice is watched at every step.
constexpr std::size_t kMaxWatched = 1000;
/// Smaller matrices are factored faster with all their zeros.
constexpr std::size_t kDense = 16;

}  // namespace

StateMonitor::StateMonitor(const SolverContext& context, const Plan& plan) : plan_(plan) {
  expr::Pool& pool = context.pool;
  const structure::Analysis& analysis = plan.analysis();
  std::vector<ExprId> rows, leaves;
  for (std::size_t i = 0; i < analysis.c.size(); ++i) {
    if (analysis.c[i] == 0) continue;
    rows.push_back(analysis.derivatives[i].back());
    differentiated_.push_back(analysis.c[i]);
  }
  for (std::size_t j = 0; j < analysis.unknowns.size(); ++j) {
    leaves.push_back(expr::variable(pool, analysis.unknowns[j], analysis.d[j]));
  }
  if (rows.size() > kMaxWatched) return;
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
  // On the level below fewer equations have what these determine to choose from.
  if (rows.size() == columns_.size() &&
      std::ranges::adjacent_find(differentiated_, std::not_equal_to()) == differentiated_.end()) {
    return;
  }
  values_.resize(entries_.size());
  sizes_.resize(columns_.size());
  formulas_ = std::make_unique<code::Formulas>(pool, jacobian.entry, context.leaves, context.boxes);
}

void StateMonitor::use(const StateVariant& variant) {
  if (used_ == &variant) return;
  used_ = &variant;
  levels_.clear();
  const int most = *std::ranges::max_element(differentiated_);
  for (int number = 0; number < most; ++number) {
    if (auto level = make_level(variant, number)) levels_.push_back(std::move(*level));
  }
}

/// The patterns of D and R; none if there is nothing in R. The entries of the Jacobian are those of
/// the highest level, since f^(c - k) is to x^(d - k) what f^(c) is to x^(d).
std::optional<StateMonitor::Level> StateMonitor::make_level(const StateVariant& variant,
                                                            int number) const {
  const structure::Analysis& analysis = plan_.analysis();
  const auto& dummies = variant.choice.dummies;
  const auto depends = [&](std::int32_t column, int level) {
    const std::size_t j = at(columns_[at(column)]);
    const VarRef x{analysis.unknowns[j], analysis.d[j] - level};
    return level < 0 || std::binary_search(dummies.begin(), dummies.end(), x);
  };
  Level level;
  std::int32_t rows = 0;
  for (const int c : differentiated_) level.row.push_back(c > number ? rows++ : -1);
  const std::int32_t columns = static_cast<std::int32_t>(columns_.size());
  std::vector<std::int32_t> place_of(columns_.size(), -1);
  for (std::int32_t column = 0; column < columns; ++column) {
    if (!depends(column, number)) continue;
    place_of[at(column)] = static_cast<std::int32_t>(level.dependent.size());
    level.dependent.push_back(column);
  }
  bool has_choice = false;
  level.rest.resize(columns_.size());
  level.place.assign(entries_.size(), -1);
  numerics::PatternBuilder builder(rows, static_cast<std::int32_t>(level.dependent.size()));
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const auto [row, column] = entries_[k];
    if (level.row[at(row)] < 0 || !depends(column, number - 1)) continue;
    if (place_of[at(column)] >= 0) {
      builder.add(level.row[at(row)], place_of[at(column)]);
    } else {
      level.rest[at(column)].push_back(static_cast<std::int32_t>(k));
      has_choice = true;
    }
  }
  if (!has_choice) return std::nullopt;
  if (std::ssize(level.dependent) != rows) return level;
  const numerics::SparsePattern pattern = builder.build();
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const auto [row, column] = entries_[k];
    if (level.row[at(row)] < 0 || place_of[at(column)] < 0) continue;
    level.place[k] = numerics::find_entry(pattern, level.row[at(row)], place_of[at(column)]);
  }
  level.lu =
      std::make_unique<numerics::LuSolver<double>>(pattern, level.dependent.size() <= kDense);
  return level;
}

std::optional<StateMonitor::Growth> StateMonitor::growth(
    const StateVariant& variant, std::span<const double> frame,
    numerics::FunctionRef<double(VarRef)> size) {
  use(variant);
  Growth result;
  if (levels_.empty()) return result;
  if (!formulas_->evaluate_each(frame.data(), values_.data())) return std::nullopt;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    sizes_[c] = size({plan_.analysis().unknowns[at(columns_[c])], 0});
  }
  for (Level& level : levels_) add_growth(level, result);
  return result;
}

void StateMonitor::add_growth(Level& level, Growth& result) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr Growth kSingular{kInfinity, kInfinity};
  if (!level.lu) {
    result = kSingular;
    return;
  }
  const std::span<double> matrix = level.lu->entries();
  for (std::size_t k = 0; k < values_.size(); ++k) {
    if (level.place[k] >= 0) matrix[at(level.place[k])] = values_[k];
  }
  if (!level.lu->factor()) {
    result = kSingular;
    return;
  }
  for (std::size_t c = 0; c < level.rest.size(); ++c) {
    if (level.rest[c].empty()) continue;
    solution_.assign(level.dependent.size(), 0.0);
    for (const std::int32_t k : level.rest[c]) {
      solution_[at(level.row[at(entries_[at(k)].first)])] = values_[at(k)];
    }
    level.lu->solve(solution_);
    for (std::size_t i = 0; i < solution_.size(); ++i) {
      const double entry = std::abs(solution_[i]);
      if (std::isnan(entry)) {
        result = kSingular;
        return;
      }
      result.plain = std::max(result.plain, entry);
      const double sized = entry * sizes_[c] / sizes_[at(level.dependent[i])];
      result.sized = std::max(result.sized, sized);
    }
  }
}

}  // namespace chi::sim
