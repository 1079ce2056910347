#include "sim/algebra/better_guess.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "expr/incidence.h"
#include "sim/algebra/isolate.h"

namespace chi::sim {
namespace {

using expr::ExprId;

// The value that the row gives to this unknown, zero if it gives none.
double value_from(const SolverContext& context, ExprId row, ExprId unknown, const double* frame) {
  const std::optional<Isolated> isolated = isolate(context.pool, row, unknown);
  if (!isolated) return 0;
  double value = 0;
  code::Formulas formula(context.pool, std::span(&isolated->value, 1), context.leaves,
                         context.boxes);
  return formula.evaluate(frame, &value) && std::isfinite(value) ? value : 0;
}

}  // namespace

bool better_guess(const SolverContext& context, std::span<const ExprId> rows,
                  std::span<const ExprId> unknowns, double* frame) {
  const expr::Occurrences found = expr::variables(context.pool, rows);
  const auto is_open = [&](ExprId e) {
    return frame[context.leaves.place(e)] == 0 && std::ranges::find(unknowns, e) != unknowns.end();
  };
  bool any = false;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < found.rows(); ++i) {
      const auto leaves = found.row(i);
      const auto open = std::ranges::find_if(leaves, is_open);
      if (open == leaves.end() || std::any_of(open + 1, leaves.end(), is_open)) continue;
      const double value = value_from(context, rows[static_cast<std::size_t>(i)], *open, frame);
      if (value == 0) continue;
      frame[context.leaves.place(*open)] = value;
      any = changed = true;
    }
  }
  return any;
}

}  // namespace chi::sim
