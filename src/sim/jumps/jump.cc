#include "sim/jumps/jump.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "expr/build.h"
#include "sim/jumps/jump_depth.h"
#include "sim/jumps/jump_equations.h"
#include "sim/jumps/tolerances.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

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
  double size =
      tolerance::kAffineTerms * std::abs(here);  // of the terms, which may add up to nothing
  for (std::size_t k = 0; k < weights.size(); ++k) {
    move(k, 1);
    size += std::abs(value() - here);
    move(k, 0);
  }
  double step = 0;
  for (const double distance : {1.0, -1.0, tolerance::kFarAway, -tolerance::kFarAway}) {
    for (std::size_t k = 0; k < weights.size(); ++k) move(k, distance);
    const double moved = value() - here;
    if (distance == 1) step = moved;
    if (!(std::abs(moved - distance * step) <= tolerance::kAffine * std::abs(distance) * size))
      return false;
  }
  return true;
}

/// The weights of sliding, found together with the jump by Newton's method (jump_equations.h).
template <class Place>
class WeightSearch {
 public:
  WeightSearch(const SolverContext& context, const JumpEquations& equations,
               const structure::Analysis& analysis, std::vector<double>& frame, const Place& place)
      : equations_(equations), analysis_(analysis), frame_(frame), place_(place) {
    const std::size_t count = equations.weights().size();
    if (count == 0) return;
    std::vector<ExprId> slopes;
    for (const auto& one : equations.weight_slopes()) slopes.push_back(one.slope);
    formulas_.emplace(context.pool, slopes, context.leaves, context.boxes);
    for (std::size_t j = 0; j < analysis_.unknowns.size(); ++j) {
      at_reference(j) = frame_[place_({analysis_.unknowns[j], analysis_.d[j]})];
    }
    for (const std::size_t w : equations_.weights()) {
      frame_[place_(equations_.present(w))] = kMiddle;
      frame_[place_(equations_.bound(w))] = 0;
    }
    finite_ = slopes_by_weight();
    // Forces that begin with the impulse were zero before it: any others serve as well.
    for (std::size_t j = 0; j < analysis_.unknowns.size(); ++j) {
      at_reference(j) =
          1 + kGolden * static_cast<double>(j) - std::floor(kGolden * static_cast<double>(j));
    }
    first_ = slopes_by_weight();
  }

  bool solve(SystemSolver& solver) {
    constexpr int kRounds = 12;
    for (int round = 0; round < kRounds; ++round) {
      if (!solver.solve(frame_.data(), Effort::Full)) return false;
      if (!move()) return true;
    }
    return false;
  }

  /// See JumpResult; none if nothing tells to which side an impulse would take one of them.
  std::optional<std::vector<double>> means() {
    std::vector<double> result;
    for (std::size_t k = 0; k < equations_.weights().size(); ++k) {
      const std::size_t w = equations_.weights()[k];
      const double step = frame_[place_(equations_.impulse(w))];
      double mean = frame_[place_(equations_.present(w))];
      if (frame_[place_(equations_.bound(w))] == 0) {
        mean = std::numeric_limits<double>::quiet_NaN();
        double along = 0;
        for (std::size_t i = 0; i < finite_[k].size(); ++i) along += finite_[k][i] * first_[k][i];
        if (std::abs(step) > tolerance::kNoImpulse && along == 0) return std::nullopt;
        if (std::abs(step) > tolerance::kNoImpulse) {
          mean = std::copysign(std::numeric_limits<double>::infinity(), step * along);
        }
      }
      result.push_back(mean);
    }
    return result;
  }

 private:
  static constexpr double kMiddle = 0.5;
  static constexpr double kGolden = 0.6180339887498949;

  double& at_reference(std::size_t j) { return frame_[place_(equations_.reference(j))]; }

  std::vector<std::vector<double>> slopes_by_weight() {
    std::vector<double> values(equations_.weight_slopes().size());
    formulas_->evaluate_each(frame_.data(), values.data());
    std::vector<std::vector<double>> result(equations_.weights().size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      result[equations_.weight_slopes()[i].weight].push_back(values[i]);
    }
    return result;
  }

  /// The weights make their steps, and those which turn out to be factors of impulses are bound to
  /// these. Whether anything changed.
  bool move() {
    if (equations_.weights().empty()) return false;
    double largest = 0;
    const std::vector<double> before = frame_;
    for (std::size_t j = 0; j < analysis_.unknowns.size(); ++j) {
      if (std::ranges::find(equations_.weights(), j) != equations_.weights().end()) continue;
      const int d = analysis_.d[j];
      at_reference(j) = d == 0 ? frame_[place_(equations_.impulse(j))]
                               : frame_[place_({analysis_.unknowns[j], d - 1})] -
                                     frame_[place_(equations_.before(j))];
      largest = std::max(largest, std::abs(at_reference(j)));
    }
    for (const std::size_t w : equations_.weights()) frame_[place_(equations_.bound(w))] = 1;
    const std::vector<std::vector<double>> slopes = slopes_by_weight();
    bool moved = false;
    for (std::size_t k = 0; k < slopes.size(); ++k) {
      const std::size_t w = equations_.weights()[k];
      const bool was_bound = before[place_(equations_.bound(w))] != 0;
      const bool is_bound = std::ranges::any_of(slopes[k], [&](double slope) {
        return std::abs(slope) > tolerance::kNoImpulse * largest;
      });
      const double step = frame_[place_(equations_.impulse(w))];
      frame_[place_(equations_.bound(w))] = is_bound ? 1 : 0;
      if (was_bound && is_bound) frame_[place_(equations_.present(w))] += step;
      moved =
          moved || is_bound != was_bound || (is_bound && std::abs(step) > tolerance::kNoImpulse);
    }
    return moved;
  }

  const JumpEquations& equations_;
  const structure::Analysis& analysis_;
  std::vector<double>& frame_;
  const Place& place_;
  std::optional<code::Formulas> formulas_;
  std::vector<std::vector<double>> finite_, first_;  // slopes, of forces before, and at the start
};

/// Level by level, the deepest first; most jumps have one only.
class Jump {
 public:
  Jump(const SolverContext& context, Plan& plan, std::vector<double>& frame, double tolerance)
      : context_(context),
        plan_(plan),
        analysis_(plan.analysis()),
        frame_(frame),
        tolerance_(tolerance),
        depth_(jump_depth(context, plan, frame, tolerance)) {}

  JumpResult solve() {
    bool done = depth_.depth == 0 ||
                (depth_.depth <= JumpEquations::kDeepest && plan_.equations().weights.empty());
    for (int level = depth_.depth; done && level >= 0; --level) done = solve_level(level);
    if (!done && !depth_.violated_rows.empty()) {
      result_.violated_rows = depth_.violated_rows;
      result_.violations = depth_.violations;
      result_.why = "a constraint is violated that no impulse can satisfy";
    }
    if (!done) return std::move(result_);
    const std::vector<double> before = frame_;
    result_.solved = plan_.solve_leading(frame_);
    if (!result_.solved) result_.why = "the equations have no solution after the jump";
    for (const VarRef x : plan_.overruled()) {
      const double was = before[place(x)];
      if (value(x) != was) result_.changes.push_back({x, was, value(x), false});
    }
    return std::move(result_);
  }

 private:
  std::size_t place(VarRef x) {
    const std::int32_t p = context_.leaves.place(expr::variable(context_.pool, x.var, x.order));
    if (frame_.size() <= at(p)) frame_.resize(at(p) + 1, 0.0);
    return at(p);
  }
  double& value(VarRef x) { return frame_[place(x)]; }

  bool solve_level(int level) {
    JumpEquations equations(context_, plan_, depth_, level);
    const std::optional<structure::BlockOrder> found = equations.order();
    if (!found) {
      result_.why = "an equation is not linear in what becomes impulsive";
      return false;
    }
    const structure::BlockOrder& order = *found;
    if (!order.is_square()) {
      result_.why = "the jump is not determined by the equations";
      return false;
    }
    SystemSolver solver(context_, order);
    set_before(equations, level);
    const auto place_of = [this](VarRef x) { return place(x); };
    WeightSearch weights(context_, equations, analysis_, frame_, place_of);
    frame_.resize(std::max(frame_.size(), at(context_.leaves.size())), 0.0);
    std::optional<std::vector<double>> means;
    if (weights.solve(solver)) means = weights.means();
    if (!means) {
      result_.why = "the equations of the jump have no solution";
      return false;
    }
    result_.weights = std::move(*means);
    for (const std::size_t w : equations.weights()) {
      value({analysis_.unknowns[w], 0}) = value(equations.present(w));
    }
    tell_changes(equations);
    if (level == 0) result_.conserved = sums_of(context_, equations, frame_, place_of);
    const bool is_linear =
        depth_.depth > 0 ? is_constant(equations)
                         : std::ranges::all_of(equations.doubtful(), [&](const auto& doubtful) {
                             return is_linear_along(context_, equations, analysis_, doubtful,
                                                    frame_, tolerance_, place_of);
                           });
    if (!is_linear) result_.why = "an equation is not linear in what becomes impulsive";
    return is_linear && carry(equations);
  }

  void set_before(const JumpEquations& equations, int level) {
    for (std::size_t j = 0; j < analysis_.unknowns.size(); ++j) {
      value(equations.present(j)) = value({analysis_.unknowns[j], analysis_.d[j]});
      if (equations.lower(j) < 0) {
        value(equations.impulse(j)) = 0;
      } else {
        value(equations.before(j)) = value({analysis_.unknowns[j], equations.lower(j)});
      }
    }
    for (std::size_t i = 0; i < depth_.sources.size(); ++i) {
      const int order = level - analysis_.c[i];
      if (order >= 0) value(equations.source(i)) = depth_.source(i, order);
    }
  }

  void tell_changes(const JumpEquations& equations) {
    for (std::size_t j = 0; j < analysis_.unknowns.size(); ++j) {
      if (std::ranges::find(equations.weights(), j) != equations.weights().end()) continue;
      if (equations.lower(j) < 0) {
        const double weight = value(equations.impulse(j));
        if (weight != 0) result_.changes.push_back({{analysis_.unknowns[j], 0}, 0, weight, true});
      } else {
        const VarRef x{analysis_.unknowns[j], equations.lower(j)};
        const double before = value(equations.before(j)), after = value(x);
        if (before != after) result_.changes.push_back({x, before, after, false});
      }
    }
  }

  double change(const JumpEquations& equations, std::size_t j) {
    if (equations.lower(j) < 0) return value(equations.impulse(j));
    return value({analysis_.unknowns[j], equations.lower(j)}) - value(equations.before(j));
  }

  /// Where changes of several levels meet, their factors must be fixed.
  bool is_constant(const JumpEquations& equations) {
    return std::ranges::all_of(equations.moving(), [&](const JumpEquations::Moving& moving) {
      const std::size_t j = moving.unknown;
      const double step =
          moving.levels == 0 ? change(equations, j) : value(equations.carried(moving.levels, j));
      return std::abs(step) <= tolerance_;
    });
  }

  /// To the next level. False if something would be the derivative of an impulse.
  bool carry(const JumpEquations& equations) {
    double largest = 0;
    for (std::size_t j = 0; j < analysis_.unknowns.size(); ++j) {
      largest = std::max(largest, std::abs(change(equations, j)));
    }
    for (std::size_t j = 0; j < analysis_.unknowns.size(); ++j) {
      const double step = change(equations, j);
      if (equations.lower(j) < -1 && std::abs(step) > tolerance::kNoChange * largest) return false;
      for (int k = depth_.depth; k > 1; --k) {
        value(equations.carried(k, j)) = value(equations.carried(k - 1, j));
      }
      if (depth_.depth > 0) value(equations.carried(1, j)) = step;
    }
    return true;
  }

  const SolverContext& context_;
  Plan& plan_;
  const structure::Analysis& analysis_;
  std::vector<double>& frame_;
  double tolerance_;
  JumpDepth depth_;
  JumpResult result_;
};

}  // namespace

void add_changes(std::vector<Change>& to, std::span<const Change> later) {
  for (const Change& change : later) {
    const auto same = std::ranges::find_if(to, [&](const Change& c) {
      return c.variable == change.variable && c.is_impulse == change.is_impulse;
    });
    if (same == to.end()) {
      to.push_back(change);
    } else {
      same->after = change.is_impulse ? same->after + change.after : change.after;
    }
  }
}

JumpResult solve_jump(const SolverContext& context, Plan& plan, std::vector<double>& frame,
                      double tolerance) {
  return Jump(context, plan, frame, tolerance).solve();
}

}  // namespace chi::sim
