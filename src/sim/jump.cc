#include "sim/jump.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "expr/incidence.h"
#include "expr/linearity.h"
#include "expr/substitute.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// The jump equations of one plan over three kinds of leaves: the values after the instant take the
/// places of x_j^(d_j - 1); the values before it and the impulses get variables of their own.
class JumpEquations {
 public:
  JumpEquations(const SolverContext& context, const Plan& plan)
      : pool_(context.pool), analysis_(plan.analysis()) {}

  /// Of unknown j: its value before the instant, and its impulse.
  VarRef before(std::size_t j) const {
    return {expr::VarId{kFirstExtra + 2 * static_cast<std::int32_t>(j)}, 0};
  }
  VarRef before(VarRef x) const {
    return before(at(static_cast<std::int32_t>(analysis_.unknown_index(x.var))));
  }
  VarRef impulse(std::size_t j) const {
    return {expr::VarId{kFirstExtra + 2 * static_cast<std::int32_t>(j) + 1}, 0};
  }

  structure::BlockOrder order() {
    structure::Analysis jump;
    std::vector<VarRef> given;
    for (std::size_t j = 0; j < analysis_.unknowns.size(); ++j) {
      const int d = analysis_.d[j];
      if (d == 0) continue;
      jump.unknowns.push_back(analysis_.unknowns[j]);
      jump.d.push_back(d - 1);
      for (int k = 0; k < d - 1; ++k) given.push_back({analysis_.unknowns[j], k});
    }
    for (std::size_t j = 0; j < analysis_.unknowns.size(); ++j) {
      if (analysis_.d[j] > 0) continue;
      jump.unknowns.push_back(impulse(j).var);
      jump.d.push_back(0);
    }
    jump.is_declared.assign(jump.unknowns.size(), 1);
    for (std::size_t i = 0; i < analysis_.c.size(); ++i) {
      jump.kept.push_back(analysis_.kept[i]);
      jump.c.push_back(0);
      const int c = analysis_.c[i];
      jump.derivatives.push_back({c > 0 ? analysis_.derivatives[i][at(c - 1)] : integral(i)});
    }
    std::sort(given.begin(), given.end());
    return structure::order_blocks(pool_, jump, given);
  }

  /// The value that the highest derivative of unknown j has now.
  VarRef present(std::size_t j) const {
    return {expr::VarId{kFirstExtra + (1 << 27) + static_cast<std::int32_t>(j)}, 0};
  }
  /// The integrated rows, with the numbers of their slopes in `slopes`.
  const std::vector<IntegratedRow>& integrated() const { return integrated_; }
  const std::vector<ExprId>& slopes() const { return slopes_; }
  /// A row that is not seen to be linear in the highest derivatives of these unknowns: a product of
  /// them, or a function.
  struct Doubtful {
    ExprId row;
    std::vector<std::size_t> unknowns;
  };
  const std::vector<Doubtful>& doubtful() const { return doubtful_; }

 private:
  static constexpr std::int32_t kFirstExtra = 1 << 29;  // ids that no variable of a model has

  /// Σ_j ∂f_i/∂x_j^(d_j) times the jump or the impulse.
  ExprId integral(std::size_t i) {
    const ExprId row = analysis_.derivatives[i].front();
    std::vector<ExprId> leading;
    std::vector<std::size_t> unknown;
    std::vector<expr::Replacement> mean;
    for (const ExprId leaf : expr::variables(pool_, std::array{row}).node) {
      const VarRef x = pool_.variable(leaf);
      const int j = analysis_.unknown_index(x.var);
      if (j < 0) continue;
      const int d = analysis_.d[at(j)];
      if (x.order == d) {
        leading.push_back(leaf);
        unknown.push_back(at(j));
      } else if (x.order == d - 1) {
        const ExprId old = expr::variable(pool_, before(at(j)).var);
        mean.push_back(
            {leaf, expr::mul(pool_, expr::constant(pool_, 0.5), expr::add(pool_, leaf, old))});
      }
    }
    if (leading.empty()) return expr::constant(pool_, 0);
    if (expr::linearity(pool_, std::array{row}, leading)[0] == expr::Linearity::Nonlinear) {
      // Its slopes are taken where they are; that is right if it is linear along the jump.
      for (std::size_t k = 0; k < leading.size(); ++k) {
        mean.push_back({leading[k], expr::variable(pool_, present(unknown[k]).var)});
      }
      doubtful_.push_back({row, unknown});
    }
    ExprId sum = expr::constant(pool_, 0);
    IntegratedRow& terms = integrated_.emplace_back();
    for (std::size_t k = 0; k < leading.size(); ++k) {
      const std::size_t j = unknown[k];
      const int d = analysis_.d[j];
      const ExprId slope = expr::substitute(pool_, expr::partial(pool_, row, leading[k]), mean);
      const ExprId step =
          d == 0 ? expr::variable(pool_, impulse(j).var)
                 : expr::sub(pool_, expr::variable(pool_, analysis_.unknowns[j], d - 1),
                             expr::variable(pool_, before(j).var));
      sum = expr::add(pool_, sum, expr::mul(pool_, slope, step));
      terms.terms.push_back({{analysis_.unknowns[j], std::max(d - 1, 0)}, 0, d == 0});
      slopes_.push_back(slope);
    }
    return sum;
  }

  expr::Pool& pool_;
  const structure::Analysis& analysis_;
  std::vector<IntegratedRow> integrated_;
  std::vector<ExprId> slopes_;  // of all terms, one row after the other
  std::vector<Doubtful> doubtful_;
};

template <class Place>
std::vector<ConservedSum> sums_of(const SolverContext& context, const JumpEquations& equations,
                                  std::vector<double>& frame, const Place& place) {
  code::Formulas formulas(context.pool, equations.slopes(), context.leaves, context.boxes);
  frame.resize(std::max(frame.size(), at(context.leaves.size())), 0.0);
  std::vector<double> slopes(equations.slopes().size());
  formulas.evaluate_each(frame.data(), slopes.data());
  std::vector<IntegratedRow> rows = equations.integrated();
  set_slopes(rows, slopes);
  return conserved_sums(rows, [&](VarRef x) {
    return std::pair(frame[place(equations.before(x))], frame[place(x)]);
  });
}

/// The row, with the highest derivatives moved along their impulses to both sides and far, changes
/// in proportion: a sum that is written as a function with a loop does.
template <class Place>
bool is_linear_along(const SolverContext& context, const JumpEquations& equations,
                     const structure::Analysis& analysis, const JumpEquations::Doubtful& doubtful,
                     const std::vector<double>& frame, double tolerance, const Place& place) {
  std::vector<double> probe = frame;
  std::vector<double> weights, present;
  bool still = true;
  for (const std::size_t j : doubtful.unknowns) {
    const int d = analysis.d[j];
    present.push_back(frame[place(equations.present(j))]);
    if (d == 0) {
      weights.push_back(frame[place(equations.impulse(j))]);
      still = still && std::abs(weights.back()) <= tolerance;
      continue;
    }
    const std::size_t lower = place({analysis.unknowns[j], d - 1});
    const double before = frame[place(equations.before(j))];
    weights.push_back(frame[lower] - before);
    still = still && std::abs(weights.back()) <= tolerance * (1 + std::abs(before));
    probe[lower] = 0.5 * (frame[lower] + before);
  }
  if (still) return true;
  code::Formulas formula(context.pool, std::array{doubtful.row}, context.leaves, context.boxes);
  probe.resize(std::max(probe.size(), at(context.leaves.size())), 0.0);
  const auto move = [&](std::size_t k, double distance) {
    const std::size_t j = doubtful.unknowns[k];
    probe[place({analysis.unknowns[j], analysis.d[j]})] = present[k] + distance * weights[k];
  };
  const auto value = [&] {
    double result = 0;
    formula.evaluate_each(probe.data(), &result);
    return result;
  };
  for (std::size_t k = 0; k < weights.size(); ++k) move(k, 0);
  const double here = value();
  double size = 1e-3 * std::abs(here);  // of the terms, which may add up to nothing
  for (std::size_t k = 0; k < weights.size(); ++k) {
    move(k, 1);
    size += std::abs(value() - here);
    move(k, 0);
  }
  double step = 0;
  for (const double distance : {1.0, -1.0, 1e3, -1e3}) {
    for (std::size_t k = 0; k < weights.size(); ++k) move(k, distance);
    const double moved = value() - here;
    if (distance == 1) step = moved;
    if (!(std::abs(moved - distance * step) <= 1e-9 * std::abs(distance) * size)) return false;
  }
  return true;
}

}  // namespace

JumpResult solve_jump(const SolverContext& context, Plan& plan, std::vector<double>& frame,
                      double tolerance) {
  JumpResult result;
  expr::Pool& pool = context.pool;
  const structure::Analysis& analysis = plan.analysis();
  const auto place = [&](VarRef x) {
    const std::int32_t p = context.leaves.place(expr::variable(pool, x.var, x.order));
    if (frame.size() <= at(p)) frame.resize(at(p) + 1, 0.0);
    return at(p);
  };
  // Constraints below the level that impulses reach must hold already.
  std::vector<ExprId> lower;
  std::vector<std::int32_t> lower_rows;
  for (std::size_t i = 0; i < analysis.c.size(); ++i) {
    for (int k = 0; k + 1 < analysis.c[i]; ++k) {
      lower.push_back(analysis.derivatives[i][at(k)]);
      lower_rows.push_back(analysis.kept[i]);
    }
  }
  JumpEquations equations(context, plan);
  const structure::BlockOrder order = equations.order();
  if (!order.is_square()) {
    result.why = "the jump is not determined by the equations";
    return result;
  }
  SystemSolver solver(context, order);
  code::Formulas checks(pool, lower, context.leaves, context.boxes);
  for (std::size_t j = 0; j < analysis.unknowns.size(); ++j) {
    const double now = frame[place({analysis.unknowns[j], analysis.d[j]})];
    frame[place(equations.present(j))] = now;
    if (analysis.d[j] == 0) {
      frame[place(equations.impulse(j))] = 0;
    } else {
      frame[place(equations.before(j))] = frame[place({analysis.unknowns[j], analysis.d[j] - 1})];
    }
  }
  if (frame.size() < at(context.leaves.size())) frame.resize(at(context.leaves.size()), 0.0);
  std::vector<double> residuals(lower.size());
  checks.evaluate_each(frame.data(), residuals.data());
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    if (std::abs(residuals[i]) <= tolerance) continue;
    result.violated_rows.push_back(lower_rows[i]);
    result.violations.push_back(residuals[i]);
    result.why = "a constraint is violated that no impulse can satisfy";
  }
  if (!result.violated_rows.empty()) return result;
  if (!solver.solve(frame.data(), Effort::Full)) {
    result.why = "the equations of the jump have no solution";
    return result;
  }
  for (std::size_t j = 0; j < analysis.unknowns.size(); ++j) {
    const VarRef x{analysis.unknowns[j], analysis.d[j] - 1};
    if (analysis.d[j] == 0) {
      const double weight = frame[place(equations.impulse(j))];
      if (weight != 0) result.changes.push_back({{analysis.unknowns[j], 0}, 0, weight, true});
    } else {
      const double before = frame[place(equations.before(j))], after = frame[place(x)];
      if (before != after) result.changes.push_back({x, before, after, false});
    }
  }
  result.conserved = sums_of(context, equations, frame, place);
  for (const JumpEquations::Doubtful& doubtful : equations.doubtful()) {
    if (is_linear_along(context, equations, analysis, doubtful, frame, tolerance, place)) continue;
    result.why = "an equation is not linear in what becomes impulsive";
    return result;
  }
  result.solved = plan.solve_leading(frame);
  if (!result.solved) result.why = "the equations have no solution after the jump";
  return result;
}

}  // namespace chi::sim
