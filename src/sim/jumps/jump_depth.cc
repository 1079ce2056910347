#include "sim/jumps/jump_depth.h"

#include <algorithm>
#include <cmath>

#include "code/formulas.h"

namespace chi::sim {
namespace {

using expr::ExprId;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

std::vector<double> values_of(const SolverContext& context, const std::vector<ExprId>& roots,
                              std::vector<double>& frame) {
  std::vector<double> values(roots.size());
  if (roots.empty()) return values;
  code::Formulas formulas(context.pool, roots, context.leaves, context.boxes);
  frame.resize(std::max(frame.size(), at(context.leaves.size())), 0.0);
  formulas.evaluate_each(frame.data(), values.data());
  return values;
}

/// Constraints below the level that impulses of the first kind reach.
void find_violated(const SolverContext& context, const structure::Analysis& analysis,
                   std::vector<double>& frame, double tolerance, JumpDepth& result) {
  std::vector<ExprId> lower;
  std::vector<std::pair<std::int32_t, int>> places;  // the row, and the level that it is of
  for (std::size_t i = 0; i < analysis.c.size(); ++i) {
    for (int k = 0; k + 1 < analysis.c[i]; ++k) {
      lower.push_back(analysis.derivatives[i][at(k)]);
      places.emplace_back(analysis.kept[i], analysis.c[i] - 1 - k);
    }
  }
  const std::vector<double> residuals = values_of(context, lower, frame);
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    if (std::abs(residuals[i]) <= tolerance) continue;
    result.violated_rows.push_back(places[i].first);
    result.violations.push_back(residuals[i]);
    result.depth = std::max(result.depth, places[i].second);
  }
}

/// A row f that is 0 after the instant only has f' = -f(before) δ there, and so on: f^(o) has
/// -f^(o - 1 - q)(before) δ^(q).
void find_sources(const SolverContext& context, Plan& plan, std::vector<double>& frame,
                  double tolerance, JumpDepth& result) {
  const structure::Analysis& analysis = plan.analysis();
  struct Place {
    std::size_t row;
    int order;
    double factor;
  };
  std::vector<ExprId> steps;
  std::vector<Place> places;
  for (const structure::Combination& combination : analysis.combinations) {
    if (combination.by_values) continue;
    const auto kept = std::ranges::lower_bound(analysis.kept, combination.row);
    const auto row = static_cast<std::size_t>(kept - analysis.kept.begin());
    for (const structure::Combination::Term& term : combination.of) {
      for (int q = 0; q < term.order; ++q) {
        steps.push_back(
            plan.time_derivative(plan.equations().system.rows[at(term.row)], term.order - 1 - q));
        places.push_back({row, q, static_cast<double>(term.coefficient)});
      }
    }
  }
  const std::vector<double> values = values_of(context, steps, frame);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(std::abs(values[i]) > tolerance)) continue;
    result.sources.resize(analysis.c.size());
    std::vector<double>& of_row = result.sources[places[i].row];
    of_row.resize(std::max(of_row.size(), at(places[i].order) + 1), 0.0);
    of_row[at(places[i].order)] -= places[i].factor * values[i];
    result.depth = std::max(result.depth, analysis.c[places[i].row] + places[i].order);
  }
}

}  // namespace

JumpDepth jump_depth(const SolverContext& context, Plan& plan, std::vector<double>& frame,
                     double tolerance) {
  JumpDepth result;
  find_violated(context, plan.analysis(), frame, tolerance, result);
  find_sources(context, plan, frame, tolerance, result);
  return result;
}

}  // namespace chi::sim
