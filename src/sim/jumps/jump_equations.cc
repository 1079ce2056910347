#include "sim/jumps/jump_equations.h"

#include <algorithm>
#include <array>

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

}  // namespace

JumpEquations::JumpEquations(const SolverContext& context, const Plan& plan, const JumpDepth& depth,
                             int level)
    : pool_(context.pool),
      analysis_(plan.analysis()),
      mode_(plan.equations()),
      depth_(depth),
      level_(level) {
  for (const VarRef weight : plan.equations().weights) {
    weights_.push_back(at(static_cast<std::int32_t>(analysis_.unknown_index(weight.var))));
  }
}

/// Ids that no variable of a model has.
VarRef JumpEquations::extra(int kind, std::size_t j) {
  constexpr std::int32_t kFirst = 1 << 29, kKinds = 16;
  return {expr::VarId{kFirst + kKinds * static_cast<std::int32_t>(j) + kind}, 0};
}

VarRef JumpEquations::before(VarRef x) const {
  return before(at(static_cast<std::int32_t>(analysis_.unknown_index(x.var))));
}

ExprId JumpEquations::leaf(VarRef x) const { return expr::variable(pool_, x.var, x.order); }

std::optional<structure::BlockOrder> JumpEquations::order() {
  structure::Analysis jump;
  std::vector<VarRef> given;
  for (std::size_t j = 0; j < analysis_.unknowns.size(); ++j) {
    if (lower(j) < 0) continue;
    jump.unknowns.push_back(analysis_.unknowns[j]);
    jump.d.push_back(lower(j));
    for (int k = 0; k < lower(j); ++k) given.push_back({analysis_.unknowns[j], k});
  }
  for (std::size_t j = 0; j < analysis_.unknowns.size(); ++j) {
    if (lower(j) >= 0) continue;
    jump.unknowns.push_back(impulse(j).var);
    jump.d.push_back(0);
  }
  jump.is_declared.assign(jump.unknowns.size(), 1);
  for (std::size_t i = 0; i < analysis_.c.size(); ++i) {
    jump.kept.push_back(analysis_.kept[i]);
    jump.c.push_back(0);
    const int order = analysis_.c[i] - 1 - level_;
    const ExprId row = order >= 0 ? analysis_.derivatives[i][at(order)] : integral(i);
    jump.derivatives.push_back({order == 1 ? with_restitution(i, row) : row});
  }
  std::sort(given.begin(), given.end());
  if (!is_within(jump)) return std::nullopt;
  return structure::order_blocks(pool_, jump, given);
}

/// Whether no row has a derivative that is itself impulsive at this level, as a factor.
bool JumpEquations::is_within(const structure::Analysis& jump) const {
  return std::ranges::all_of(jump.derivatives, [&](const std::vector<ExprId>& row) {
    const expr::Occurrences found = expr::variables(pool_, std::array{row.front()});
    return std::ranges::all_of(found.node, [&](ExprId node) {
      const VarRef x = pool_.variable(node);
      const int j = jump.unknown_index(x.var);
      return j < 0 || x.order <= jump.d[at(j)];
    });
  });
}

/// The first derivative of a row after the instant; of the gap of a contact, what its law of impact
/// makes of the rate before it.
ExprId JumpEquations::with_restitution(std::size_t i, ExprId rate) {
  const std::int32_t equation = mode_.equations[at(analysis_.kept[i])];
  const auto contact = std::ranges::find(
      mode_.contacts, equation, [](const ModeEquations::Contact& c) { return c.equation; });
  if (contact == mode_.contacts.end()) return rate;
  std::vector<expr::Replacement> past;
  for (const ExprId node : expr::variables(pool_, std::array{rate}).node) {
    const VarRef x = pool_.variable(node);
    const int j = analysis_.unknown_index(x.var);
    if (j >= 0 && x.order == lower(at(j))) past.push_back({node, leaf(before(at(j)))});
  }
  const ExprId closing =
      expr::binary(pool_, expr::Op::Min, expr::substitute(pool_, std::array{rate}, past)[0],
                   expr::constant(pool_, 0));
  return expr::add(pool_, rate, expr::mul(pool_, contact->restitution, closing));
}

/// Σ_j ∂f_i/∂x_j^(d_j - c_i) times the jump or the impulse, and what comes from deeper levels.
ExprId JumpEquations::integral(std::size_t i) {
  const ExprId row = analysis_.derivatives[i].front();
  std::vector<ExprId> leading, factors;  // what is not a weight
  std::vector<std::size_t> unknown, others;
  std::vector<expr::Replacement> mean, weights;
  for (const ExprId node : expr::variables(pool_, std::array{row}).node) {
    const VarRef x = pool_.variable(node);
    const int j = analysis_.unknown_index(x.var);
    if (j < 0) continue;
    const int d = analysis_.d[at(j)];
    if (x.order == lower(at(j))) {
      mean.push_back({node, expr::mul(pool_, expr::constant(pool_, 0.5),
                                      expr::add(pool_, node, leaf(before(at(j)))))});
    }
    if (x.order != d - analysis_.c[i]) continue;
    leading.push_back(node);
    unknown.push_back(at(j));
    if (std::ranges::find(weights_, at(j)) != weights_.end()) {
      weights.push_back({node, leaf(present(at(j)))});
    } else {
      factors.push_back(node);
      others.push_back(at(j));
    }
  }
  if (leading.empty()) return expr::constant(pool_, 0);
  if (expr::linearity(pool_, std::array{row}, factors)[0] == expr::Linearity::Nonlinear) {
    // Its slopes are taken where they are; that is right if it is linear along the jump.
    for (std::size_t k = 0; k < factors.size(); ++k) {
      mean.push_back({factors[k], leaf(present(others[k]))});
    }
    doubtful_.push_back({row, others});
  }
  mean.insert(mean.end(), weights.begin(), weights.end());
  ExprId sum = carried_into(i);
  IntegratedRow terms;
  std::vector<ExprId> slopes;
  const bool is_whole = expr::is_zero(pool_, sum);
  for (std::size_t k = 0; k < leading.size(); ++k) {
    const std::size_t j = unknown[k];
    ExprId slope = expr::partial(pool_, row, leading[k]);
    if (depth_.depth > 0 && moves(slope)) moving_.push_back({j, 0});
    slope = expr::substitute(pool_, slope, mean);
    if (const auto w = std::ranges::find(weights_, j); w != weights_.end()) {
      slope = weight_slope(static_cast<std::size_t>(w - weights_.begin()), slope, factors, others);
    }
    const ExprId step =
        lower(j) < 0 ? leaf(impulse(j))
                     : expr::sub(pool_, leaf({analysis_.unknowns[j], lower(j)}), leaf(before(j)));
    sum = expr::add(pool_, sum, expr::mul(pool_, slope, step));
    terms.terms.push_back({{analysis_.unknowns[j], std::max(lower(j), 0)}, 0, lower(j) < 0});
    slopes.push_back(slope);
  }
  if (is_whole) {
    integrated_.push_back(std::move(terms));
    slopes_.insert(slopes_.end(), slopes.begin(), slopes.end());
  }
  return sum;
}

/// x_j^(d_j - c_i - r) is as singular there as the change r levels deeper.
ExprId JumpEquations::carried_into(std::size_t i) {
  const ExprId row = analysis_.derivatives[i].front();
  const bool has_source = depth_.source(i, level_ - analysis_.c[i]) != 0;
  ExprId sum = has_source ? expr::neg(pool_, leaf(source(i))) : expr::constant(pool_, 0);
  if (level_ == depth_.depth) return sum;
  for (const ExprId node : expr::variables(pool_, std::array{row}).node) {
    const VarRef x = pool_.variable(node);
    const int j = analysis_.unknown_index(x.var);
    if (j < 0) continue;
    const int levels = analysis_.d[at(j)] - analysis_.c[i] - x.order;
    if (levels < 1 || levels > depth_.depth - level_) continue;
    const ExprId slope = expr::partial(pool_, row, node);
    if (depth_.depth > 0 && moves(slope)) moving_.push_back({at(j), levels});
    sum = expr::add(pool_, sum, expr::mul(pool_, slope, leaf(carried(levels, at(j)))));
  }
  return sum;
}

bool JumpEquations::moves(ExprId slope) const {
  if (pool_.has(slope, expr::kHasTime | expr::kHasDelay)) return true;
  return std::ranges::any_of(expr::variables(pool_, std::array{slope}).node, [&](ExprId node) {
    return analysis_.unknown_index(pool_.variable(node).var) >= 0;
  });
}

/// K(reference) - bound K(0)
ExprId JumpEquations::weight_slope(std::size_t weight, ExprId slope,
                                   std::span<const ExprId> factors,
                                   std::span<const std::size_t> unknowns) {
  std::vector<expr::Replacement> there, nowhere;
  for (std::size_t k = 0; k < factors.size(); ++k) {
    there.push_back({factors[k], leaf(reference(unknowns[k]))});
    nowhere.push_back({factors[k], expr::constant(pool_, 0)});
  }
  const ExprId finite =
      expr::mul(pool_, leaf(bound(weights_[weight])), expr::substitute(pool_, slope, nowhere));
  slope = expr::sub(pool_, expr::substitute(pool_, slope, there), finite);
  weight_slopes_.push_back({weight, slope});
  return slope;
}

}  // namespace chi::sim
