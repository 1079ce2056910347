#include "sim/algebra/torn_newton.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "expr/differentiate.h"
#include "expr/incidence.h"
#include "expr/substitute.h"
#include "graph/tearing.h"
#include "sim/algebra/isolate.h"
#include "sim/algebra/tolerances.h"

namespace chi::sim {
namespace {

using expr::ExprId;

constexpr std::size_t kMostUnknowns = 200;  // of a block: beyond, sparse matrices pay
constexpr std::size_t kMostTorn = 12;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

graph::Tearing tear(const expr::Pool& pool, const expr::Jacobian& jacobian) {
  const std::int32_t n = jacobian.rows();
  graph::BipartiteBuilder builder(n, n);
  for (std::int32_t i = 0; i < n; ++i) {
    builder.add({i}, {i});  // the match, even where its derivative is zero everywhere
    for (std::int32_t k = jacobian.row_start[at(i)]; k < jacobian.row_start[at(i) + 1]; ++k) {
      builder.add({i}, {jacobian.column[at(k)]});
    }
  }
  const graph::Bipartite pattern = builder.build();
  Table<graph::EdgeId, std::uint8_t> may_solve(pattern.num_edges(), 0);
  for (std::int32_t i = 0; i < n; ++i) {
    for (std::int32_t k = jacobian.row_start[at(i)]; k < jacobian.row_start[at(i) + 1]; ++k) {
      const bool number = pool.op(jacobian.entry[at(k)]) == expr::Op::Constant;
      may_solve[pattern.find_edge({i}, {jacobian.column[at(k)]})] = number ? 1 : 0;
    }
  }
  return graph::tear(pattern, may_solve);
}

}  // namespace

std::optional<TornNewton> TornNewton::make(const SolverContext& context,
                                           std::span<const structure::BlockOrder::Row> rows,
                                           std::span<const expr::VarRef> unknowns) {
  expr::Pool& pool = context.pool;
  if (rows.size() != unknowns.size() || rows.size() > kMostUnknowns) return std::nullopt;
  std::vector<ExprId> roots, leaves;
  for (const structure::BlockOrder::Row& row : rows) {
    if (pool.has(row.expr, expr::kHasDelay)) return std::nullopt;
    roots.push_back(row.expr);
  }
  for (const expr::VarRef x : unknowns) leaves.push_back(leaf_of(pool, x));
  const expr::Jacobian slopes = expr::jacobian(pool, roots, leaves);
  const graph::Tearing tearing = tear(pool, slopes);
  if (tearing.torn.size() > kMostTorn) return std::nullopt;

  std::vector<expr::Replacement> assigned;
  std::vector<ExprId> values;
  for (const graph::Tearing::Step& step : tearing.explicit_part) {
    const ExprId leaf = leaves[at(step.var.index)];
    const std::optional<Isolated> solved = isolate(pool, roots[at(step.eq.index)], leaf);
    if (!solved || !solved->divisors.empty()) return std::nullopt;
    values.push_back(expr::substitute(pool, solved->value, assigned));
    assigned.push_back({leaf, values.back()});
  }
  std::vector<ExprId> residuals, torn;
  for (const graph::EqId eq : tearing.residuals) residuals.push_back(roots[at(eq.index)]);
  for (const graph::VarId var : tearing.torn) torn.push_back(leaves[at(var.index)]);
  residuals = expr::substitute(pool, residuals, assigned);
  const expr::Jacobian jacobian = expr::jacobian(pool, residuals, torn);
  std::vector<ExprId> code = residuals;
  code.insert(code.end(), jacobian.entry.begin(), jacobian.entry.end());
  TornNewton result(code::Formulas(pool, code, context.leaves, context.boxes),
                    code::Formulas(pool, values, context.leaves, context.boxes));
  for (std::int32_t i = 0; i < jacobian.rows(); ++i) {
    for (std::int32_t k = jacobian.row_start[at(i)]; k < jacobian.row_start[at(i) + 1]; ++k) {
      result.entry_places_.push_back(at(i) * torn.size() + at(jacobian.column[at(k)]));
    }
  }
  for (const graph::VarId var : tearing.torn) {
    result.torn_places_.push_back(context.leaves.place(leaves[at(var.index)]));
    result.nominal_.push_back(context.nominal ? context.nominal(unknowns[at(var.index)]) : 1.0);
  }
  std::vector<ExprId> bent = expr::variables(pool, slopes.entry).node;  // by them slopes change
  std::ranges::sort(bent);
  for (std::size_t k = 0; k < assigned.size(); ++k) {
    const ExprId leaf = assigned[k].what;
    result.assigned_places_.push_back(context.leaves.place(leaf));
    if (!std::ranges::binary_search(bent, leaf)) continue;
    const double nominal = context.nominal ? context.nominal(pool.variable(leaf)) : 1.0;
    result.bent_.push_back({k, nominal});
  }
  result.values_.resize(code.size());
  result.matrix_.resize(torn.size() * torn.size());
  result.step_.resize(torn.size());
  result.assigned_.resize(values.size());
  return result;
}

// Gaussian elimination with row pivoting, of the matrix and the residuals together.
bool TornNewton::factor_and_step() {
  const std::size_t n = torn_places_.size();
  std::ranges::fill(matrix_, 0.0);
  for (std::size_t k = 0; k < entry_places_.size(); ++k) {
    matrix_[entry_places_[k]] = values_[n + k];
  }
  std::copy_n(values_.begin(), n, step_.begin());
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(matrix_[i * n + k]) > std::abs(matrix_[pivot * n + k])) pivot = i;
    }
    if (matrix_[pivot * n + k] == 0) return false;
    if (pivot != k) {
      std::swap_ranges(&matrix_[k * n], &matrix_[k * n] + n, &matrix_[pivot * n]);
      std::swap(step_[k], step_[pivot]);
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = matrix_[i * n + k] / matrix_[k * n + k];
      if (factor == 0) continue;
      for (std::size_t j = k + 1; j < n; ++j) matrix_[i * n + j] -= factor * matrix_[k * n + j];
      step_[i] -= factor * step_[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) step_[k] -= matrix_[k * n + j] * step_[j];
    step_[k] /= matrix_[k * n + k];
  }
  return true;
}

bool TornNewton::solve(double* frame) {
  constexpr int kMostSteps = 8;
  double last = tolerance::kNearSolution;
  for (iterations_ = 1;; ++iterations_) {
    if (iterations_ > kMostSteps || !equations_.evaluate(frame, values_.data())) return false;
    if (!factor_and_step()) return false;
    double size = 0;
    is_settled_ = true;
    for (std::size_t j = 0; j < step_.size(); ++j) {
      double& x = frame[torn_places_[j]];
      const double change = std::abs(step_[j]) / std::max(std::abs(x), nominal_[j]);
      if (!(change <= size)) size = change;  // NaN too
      x -= step_[j];
      is_settled_ = is_settled_ && std::abs(step_[j]) <= tolerance::kSettled * std::abs(x);
    }
    if (size <= tolerance::kQuadratic) break;  // what is left is the square of that
    if (!(size < last)) {
      if (!(last <= tolerance::kStagnation)) return false;
      break;
    }
    last = 0.5 * size;
  }
  if (!assignments_.evaluate(frame, assigned_.data())) return false;
  // Where an assigned unknown changes much with those that were cut, a small step of these leads to
  // another solution than the one that is near.
  for (const auto& [k, nominal] : bent_) {
    const double guess = frame[assigned_places_[k]];
    const double size = std::max(std::abs(guess), nominal);
    if (!(std::abs(assigned_[k] - guess) <= tolerance::kNearSolution * size)) return false;
  }
  for (std::size_t k = 0; k < assigned_.size(); ++k) {
    if (!std::isfinite(assigned_[k])) return false;
    frame[assigned_places_[k]] = assigned_[k];
  }
  return true;
}

}  // namespace chi::sim
