#include "sim/jump_equations.h"

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

JumpEquations::JumpEquations(const SolverContext& context, const Plan& plan)
    : pool_(context.pool), analysis_(plan.analysis()) {
  for (const VarRef weight : plan.equations().weights) {
    weights_.push_back(at(static_cast<std::int32_t>(analysis_.unknown_index(weight.var))));
  }
}

/// Ids that no variable of a model has.
VarRef JumpEquations::extra(int kind, std::size_t j) {
  constexpr std::int32_t kFirst = 1 << 29, kKinds = 8;
  return {expr::VarId{kFirst + kKinds * static_cast<std::int32_t>(j) + kind}, 0};
}

VarRef JumpEquations::before(VarRef x) const {
  return before(at(static_cast<std::int32_t>(analysis_.unknown_index(x.var))));
}

ExprId JumpEquations::leaf(VarRef x) const { return expr::variable(pool_, x.var, x.order); }

structure::BlockOrder JumpEquations::order() {
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

/// Σ_j ∂f_i/∂x_j^(d_j) times the jump or the impulse.
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
    if (x.order == d - 1) {
      mean.push_back({node, expr::mul(pool_, expr::constant(pool_, 0.5),
                                      expr::add(pool_, node, leaf(before(at(j)))))});
    }
    if (x.order != d) continue;
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
  ExprId sum = expr::constant(pool_, 0);
  IntegratedRow& terms = integrated_.emplace_back();
  for (std::size_t k = 0; k < leading.size(); ++k) {
    const std::size_t j = unknown[k];
    const int d = analysis_.d[j];
    ExprId slope = expr::substitute(pool_, expr::partial(pool_, row, leading[k]), mean);
    if (const auto w = std::ranges::find(weights_, j); w != weights_.end()) {
      slope = weight_slope(static_cast<std::size_t>(w - weights_.begin()), slope, factors, others);
    }
    const ExprId step =
        d == 0 ? leaf(impulse(j))
               : expr::sub(pool_, leaf({analysis_.unknowns[j], d - 1}), leaf(before(j)));
    sum = expr::add(pool_, sum, expr::mul(pool_, slope, step));
    terms.terms.push_back({{analysis_.unknowns[j], std::max(d - 1, 0)}, 0, d == 0});
    slopes_.push_back(slope);
  }
  return sum;
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
