#include "sim/part/time_borders.h"

#include <array>
#include <cmath>
#include <limits>

#include "expr/incidence.h"
#include "expr/linearity.h"
#include "expr/rounding_size.h"
#include "sim/part/tolerances.h"

namespace chi::sim {
namespace {

using expr::ExprId;

std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

/// What can change between events by other means than time: moving variables, delays, functions
/// that only statements can compute.
bool has_other_motion(const expr::Pool& pool, ExprId e,
                      numerics::FunctionRef<bool(expr::VarRef)> may_move) {
  if (pool.has(e, expr::kHasDelay) || pool.has(e, expr::kHasCall)) return true;
  const expr::Occurrences leaves = expr::variables(pool, std::array{e});
  return std::ranges::any_of(leaves.node,
                             [&](ExprId leaf) { return may_move(pool.variable(leaf)); });
}

}  // namespace

void TimeBorders::prepare(expr::Pool& pool, std::span<const Border> borders,
                          code::FormulaLeaves& leaves, code::Boxes* boxes,
                          numerics::FunctionRef<bool(expr::VarRef)> may_move) {
  const std::size_t known = entry_of_.size();
  entry_of_.resize(borders.size(), -1);
  for (std::size_t b = known; b < borders.size(); ++b) {
    const ExprId difference = borders[b].difference;
    if (!pool.has(difference, expr::kHasTime) || has_other_motion(pool, difference, may_move)) {
      continue;
    }
    std::vector<ExprId> roots;
    const auto line = borders[b].corners.empty() ? expr::affine_in_time(pool, difference, {})
                                                 : std::optional<expr::TimeLine>{};
    if (line) roots = {line->rate, line->offset};
    roots.push_back(expr::rounding_sizes(pool, std::array{difference}).front());
    entry_of_[b] = static_cast<std::ptrdiff_t>(entries_.size());
    entries_.push_back(
        {std::make_unique<code::Formulas>(pool, roots, leaves, boxes), line.has_value()});
  }
}

std::optional<TimeBorders::Due> TimeBorders::due(int border, const double* frame) {
  const std::ptrdiff_t k = entry(border);
  if (k < 0 || !entries_[at(k)].is_affine) return std::nullopt;
  std::array<double, 3> values{};
  entries_[at(k)].formulas->evaluate_each(frame, values.data());
  const auto [rate, offset, size] = values;
  const double time = 0.0 - offset / rate;
  if (rate == 0 || !std::isfinite(time)) return std::nullopt;
  return Due{time, rate > 0 ? 1 : -1};
}

double TimeBorders::resolution(double due) { return tolerance::kTimeResolution * std::abs(due); }

double TimeBorders::rounding(int border, const double* frame) {
  const std::ptrdiff_t k = entry(border);
  if (k < 0) return 0;
  std::array<double, 3> values{};
  entries_[at(k)].formulas->evaluate_each(frame, values.data());
  const double size = values[entries_[at(k)].is_affine ? 2 : 0];
  return std::isfinite(size) ? tolerance::kFunctionRounding * size : 0;
}

}  // namespace chi::sim
