#include <algorithm>
#include <array>
#include <cmath>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "expr/incidence.h"
#include "expr/substitute.h"
#include "sim/modes/part.h"
#include "sim/modes/tolerances.h"

// On which side of its borders a part is right after an instant (semantics.md §4).
namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Derivatives looked at where a difference and its lower derivatives vanish.
constexpr int kHighestDerivative = 4;

}  // namespace

void Part::right_sides(Plan& plan, std::vector<double>& frame, const Sides& assumed, Sides& out) {
  fit(frame);
  const std::span<const BorderValue> values = border_values(frame);
  out = assumed;
  // On a border, rounding may take another difference out of its domain: `x >= 0 and sqrt(x) > 1`.
  const bool on_border = std::any_of(values.begin(), values.end(), [](const BorderValue& g) {
    return std::abs(g.value) <= g.band;
  });
  Climbed climbed;
  for (std::size_t b = 0; b < out.size(); ++b) {
    const auto border = static_cast<int>(b);
    if (assumed[b] == Side::Slide) {
      out[b] = side_of_weight(plan, frame, border, climbed);
    } else if (assumed[b] == Side::Kink && is_near_kink(border, values[b].value, frame) &&
               is_still_kink(&plan, assumed, border, frame)) {
      out[b] = Side::Kink;
    } else if (!std::isnan(values[b].value)) {
      // Corners come before the border: what is right of them tells how it moves.
      out[b] = side_after(plan, frame, border, values[b], out, climbed);
    } else if (!on_border) {
      out[b] = Side::None;
    } else if (assumed[b] == Side::None) {
      out[b] = Side::On;
    }
  }
  for (std::size_t b = 0; b < out.size(); ++b) {
    if (assumed[b] == Side::Rest && out[b] == Side::On) out[b] = Side::Rest;
    if (assumed[b] != Side::Follow || out[b] != Side::On) continue;
    out[b] = assumed[b];
    if (const Side side = side_of(out, static_cast<int>(b)); side != Side::Follow) out[b] = side;
  }
}

Side Part::side_after(Plan& plan, std::vector<double>& frame, int border, BorderValue g,
                      const Sides& sides, Climbed& climbed) {
  if (std::abs(g.value) > g.band) return g.value > 0 ? Side::Plus : Side::Minus;
  if (const auto due = time_borders_.due(border, frame.data())) {
    return due->direction > 0 ? Side::Plus : Side::Minus;
  }
  return static_cast<Side>(derivative_sign(plan, frame, differences(sides)[at(border)],
                                           vanishing_slope(frame, border), climbed));
}

int Part::direction(int border, std::vector<double>& frame) {
  Climbed climbed;
  return derivative_sign(*plan_, frame, difference(border), tolerance::kZeroDerivative, climbed);
}

/// Where an extremum was located, the first derivative is zero to half the digits only.
double Part::vanishing_slope(const std::vector<double>& frame, int border) const {
  return arrival_.grazes(border, frame[at(time_place_)]) ? tolerance::kZeroDerivativeAtExtremum
                                                         : tolerance::kZeroDerivative;
}

/// Sliding lasts while the weights are between 0 and 1; at an end their derivative decides.
Side Part::side_of_weight(Plan& plan, std::vector<double>& frame, int border, Climbed& climbed) {
  const VarRef weight = weight_of(border);
  const double w = frame[at(place(weight))];
  const auto& mine = plan.equations().sliding;
  if (std::find(mine.begin(), mine.end(), border) == mine.end() || std::isnan(w)) return Side::On;
  if (w < -tolerance::kEndOfSliding) return Side::Minus;
  if (w > 1 + tolerance::kEndOfSliding) return Side::Plus;
  const bool low = w<tolerance::kEndOfSliding, high = w> 1 - tolerance::kEndOfSliding;
  if (!low && !high) return Side::Slide;
  const int direction = derivative_sign(plan, frame, expr::variable(workshop_.pool(), weight.var),
                                        vanishing_slope(frame, border), climbed);
  if (low && direction < 0) return Side::Minus;
  if (high && direction > 0) return Side::Plus;
  return Side::Slide;
}

int Part::derivative_sign(Plan& plan, std::vector<double>& frame, ExprId difference,
                          double relative_zero, Climbed& climbed) {
  expr::Pool& pool = workshop_.pool();
  const structure::Analysis& analysis = plan.analysis();
  for (int k = 1; k <= kHighestDerivative; ++k) {
    DerivativeFormula& formula = derivatives_[{&plan.equations(), difference, k}];
    if (!formula.formulas && !formula.vanishes) {
      const ExprId lower = k == 1 ? difference : plan.time_derivative(difference, k - 1);
      const ExprId derivative = plan.time_derivative(difference, k);
      if (expr::is_zero(pool, derivative)) {
        formula.vanishes = true;
      } else {
        // The terms of the derivative, by size: what is small beside them is rounding.
        ExprId size = expr::constant(pool, 0);
        const expr::Occurrences in_lower = expr::variables(pool, std::array{lower});
        for (const ExprId leaf : in_lower.node) {
          const VarRef x = pool.variable(leaf);
          if (analysis.unknown_index(x.var) < 0) continue;
          const ExprId term = expr::mul(pool, expr::partial(pool, lower, leaf),
                                        expr::variable(pool, x.var, x.order + 1));
          size = expr::add(pool, size, expr::unary(pool, expr::Op::Abs, term));
        }
        const expr::Occurrences in_derivative = expr::variables(pool, std::array{derivative});
        for (const ExprId leaf : in_derivative.node) {
          const VarRef x = pool.variable(leaf);
          const int j = analysis.unknown_index(x.var);
          if (j >= 0) formula.levels = std::max(formula.levels, x.order - analysis.d[at(j)]);
        }
        std::vector<ExprId> roots = {derivative, size};
        for (const ExprId leaf : in_derivative.node) {
          const VarRef x = pool.variable(leaf);
          const int j = analysis.unknown_index(x.var);
          if (j < 0 || x.order != analysis.d[at(j)] + formula.levels) continue;
          formula.unknowns.push_back(j);
          roots.push_back(expr::partial(pool, derivative, leaf));
        }
        plan.build_tower(formula.levels);
        formula.formulas = std::make_unique<code::Formulas>(pool, roots, leaves_, workshop_.boxes);
      }
    }
    if (formula.vanishes) return 0;
    fit(frame);
    fit(frame_);
    fill_delays(frame);
    std::vector<double>& values = derivative_values_;
    values.resize(2 + formula.unknowns.size());
    if (!plan.climb(frame.data(), formula.levels, climbed.levels)) {
      // Some derivative is infinite, as that of sqrt(x) at 0; by what is known the difference may
      // have one all the same.
      const ExprId known = expr::substitute(pool, difference, plan.ip_solver().assigned());
      if (known == difference) return 0;
      return derivative_sign(plan, frame, known, relative_zero, climbed);
    }
    climbed.levels = std::max(climbed.levels, formula.levels);
    formula.formulas->evaluate_each(frame.data(), values.data());
    if (std::isnan(values[0])) return 0;
    const double size = std::isnan(values[1]) ? 0 : values[1];
    const double zero =
        relative_zero * std::max(size, relative_zero > tolerance::kZeroDerivative ? 1.0 : 0.0) +
        tolerance::kZeroDerivativeOfOne;
    if (std::abs(values[0]) <= zero) continue;
    Climbed::Level& level = climbed.known.at(at(formula.levels));
    if (level.largest < 0) level.largest = plan.largest(frame, formula.levels);
    if (std::abs(values[0]) < tolerance::kSuspiciousDerivative * level.largest) {
      std::vector<double>& rounding = level.rounding;
      if (rounding.empty()) rounding = plan.rounding(frame, formula.levels);
      double noise = 0;
      for (std::size_t i = 0; i < formula.unknowns.size(); ++i) {
        noise += std::abs(values[2 + i]) * rounding[at(formula.unknowns[i])];
      }
      if (std::abs(values[0]) <= noise) continue;
    }
    if (weighs_errors_) {
      const double value = values[0];
      if (std::abs(value) <= derivative_error(plan, frame, formula, value, climbed)) continue;
      return value > 0 ? 1 : -1;
    }
    return values[0] > 0 ? 1 : -1;
  }
  return 0;
}

/// By trying, as `uncertainty`: a current that is off by its tolerance through an inductor that two
/// diodes just begin to share has a slope of its own, and says nothing of which one conducts.
double Part::derivative_error(Plan& plan, std::vector<double>& frame, DerivativeFormula& formula,
                              double value, Climbed& climbed) {
  constexpr std::uint32_t kDraws = 4;
  if (!climbed.moved) {
    climbed.moved.emplace();
    StateVariant* const variant = plan.is_static() ? nullptr : variant_at(plan, frame);
    std::uint32_t bits = 1;
    for (std::uint32_t draw = 0; variant != nullptr && variant->solver && draw < kDraws; ++draw) {
      Climbed::Moved one{.frame = frame};
      for (const VarRef x : variant->choice.states) {
        bits = 1664525 * bits + 1013904223;  // Numerical Recipes' generator: the same in every run
        double& state = one.frame[at(place(x))];
        const double step = workshop_.options.rtol * std::abs(state) + workshop_.options.atol;
        state += (bits >> 31) != 0 ? step : -step;
      }
      if (variant->solver->solve(one.frame.data(), Effort::Near)) {
        climbed.moved->push_back(std::move(one));
      }
    }
  }
  double most = 0;
  for (Climbed::Moved& one : *climbed.moved) {
    fit(one.frame);
    if (!plan.climb(one.frame.data(), formula.levels, one.levels)) continue;
    one.levels = std::max(one.levels, formula.levels);
    std::vector<double> values(derivative_values_.size());
    formula.formulas->evaluate_each(one.frame.data(), values.data());
    const double off = std::abs(values[0] - value);
    if (std::isfinite(off)) most = std::max(most, off);
  }
  return 2 * most;
}

}  // namespace chi::sim
