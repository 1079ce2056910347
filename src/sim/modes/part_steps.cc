#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_set>

#include <fmt/format.h>

#include "expr/incidence.h"
#include "flat/activity.h"
#include "sim/modes/part.h"
#include "sim/modes/tolerances.h"

// What moves in steps, such as `floor`, is held between events. Held values that the mode does not
// need are followed by nobody: they are out of date, and may have no value.
namespace chi::sim {
namespace {

using expr::ExprId;
using expr::Op;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

bool is_discrete(Op op) { return op == Op::DiscreteReal || op == Op::DiscreteBool; }

}  // namespace

void Part::enter_steps() {
  std::vector<ExprId> arguments;
  for (const HeldStep& held : equations_.steps) {
    arguments.push_back(held.argument);
    leaves_.place(held.leaf);
  }
  enter_inputs(arguments);
  step_formulas_ =
      std::make_unique<code::Formulas>(workshop_.pool(), arguments, leaves_, workshop_.boxes);
  step_values_.resize(arguments.size());
  last_held_.resize(arguments.size(), 0.0);
  followed_steps_.resize(arguments.size(), 0);
  steps_in_.clear();
}

/// Brings what is held in line with its arguments, just after this instant; whether any that is
/// `needed`, or any at all, changed. Before there is a mode, only by their values. Those that are
/// `right` stay as they are.
bool Part::hold_steps(const std::vector<char>* needed, const std::vector<char>* right) {
  if (equations_.steps.empty()) return false;
  bool changed = false, is_known = false;
  fit(frame_);
  for (std::size_t i = 0; i < equations_.steps.size(); ++i) {
    if (right != nullptr && (*right)[i] != 0) continue;
    // Inner ones come first, and outer ones depend on them.
    if (!is_known) step_formulas_->evaluate_each(frame_.data(), step_values_.data());
    double held = held_value(equations_.steps[i], step_values_[i]);
    const bool is_needed = needed == nullptr || (*needed)[i] != 0;
    if (std::isnan(held) && needed != nullptr && is_needed) held = step_behind(i);
    double& value = frame_[at(leaves_.place(equations_.steps[i].leaf))];
    is_known = value == held || (std::isnan(value) && std::isnan(held));
    value = held;
    if (std::isnan(held)) continue;
    changed = changed || (is_needed && last_held_[i] != held);
    last_held_[i] = held;
  }
  steps_time_ = frame_[at(time_place_)];
  return changed;
}

/// Not a number if the argument has no value.
double Part::held_value(const HeldStep& step, double argument) {
  if (!std::isfinite(argument)) return kNoValue;
  if (step.kind == HeldStep::Kind::Call) return argument;
  if (step.kind == HeldStep::Kind::Piece) return held_piece(step, argument);
  const double nearest = std::round(argument);
  const double band =
      std::min(tolerance::kWidestStepBand,
               kRelativeBand * std::abs(nearest) + tolerance::kBandOfAtol * workshop_.options.atol);
  if (std::abs(argument - nearest) > band) return std::floor(argument);
  Climbed climbed;
  const int sign = plan_ == nullptr ? 0
                                    : derivative_sign(*plan_, frame_, step.argument,
                                                      tolerance::kRestingArgument, climbed);
  const bool rests = sign == 0 && step.kind == HeldStep::Kind::Round;
  return sign < 0 ? nearest - 1 : rests ? std::round(nearest - 0.5) : nearest;
}

/// Near the end of a piece the one that the argument goes to.
double Part::held_piece(const HeldStep& step, double argument) {
  const auto table = [&](expr::FunctionId f, double x) {
    return workshop_.boxes->call(f, std::array{x});
  };
  const double piece = table(step.piece, argument);
  const double lower = table(step.borders.lower, piece);
  const double upper = table(step.borders.upper, piece);
  const bool is_below = argument - lower > upper - argument;
  const double border = is_below ? upper : lower;
  const double band =
      kRelativeBand * std::abs(border) + tolerance::kBandOfAtol * workshop_.options.atol;
  if (std::abs(argument - border) > std::min(band, tolerance::kBandOfPiece * (upper - lower)))
    return piece;
  Climbed climbed;
  const int sign = plan_ == nullptr ? 0
                                    : derivative_sign(*plan_, frame_, step.argument,
                                                      tolerance::kRestingArgument, climbed);
  if (is_below) return sign > 0 ? piece + 1 : piece;
  return sign < 0 ? piece - 1 : piece;
}

/// On a border, rounding may take the argument out of its domain, as in `y > 0` and floor(sqrt(y)):
/// then its value is looked for just behind the instant.
double Part::step_behind(std::size_t step) {
  if (!has_started_ || plan_ == nullptr || plan_->is_singular() || plan_->is_static()) {
    return kNoValue;
  }
  const std::span<const BorderValue> values = border_values(frame_);
  if (std::ranges::none_of(values,
                           [](const BorderValue& g) { return std::abs(g.value) <= g.band; }))
    return kNoValue;
  const std::vector<VarRef> known = structure::known_values(plan_->analysis());
  std::vector<std::pair<std::size_t, std::size_t>> moving;  // places: of a value, of its slope
  for (const VarRef x : known) {
    moving.emplace_back(at(place(x)), at(place({x.var, x.order + 1})));
  }
  fit(frame_);
  const double now = frame_[at(time_place_)];
  for (const double part : tolerance::kBehindInstant) {
    const double later = part * (now == 0 ? tolerance::kLookedFromZero : std::abs(now));
    std::vector<double> frame = frame_;
    for (std::size_t i = 0; i < last_held_.size(); ++i) {
      double& held = frame[at(leaves_.place(equations_.steps[i].leaf))];
      if (std::isnan(held)) held = last_held_[i];
    }
    for (const auto& [value, slope] : moving) frame[value] += later * frame_[slope];
    frame[at(time_place_)] += later;
    if (!plan_->ip_solver().solve(frame.data(), Effort::Near)) continue;
    std::vector<double> arguments(step_values_.size());
    step_formulas_->evaluate_each(frame.data(), arguments.data());
    const double held = held_value(equations_.steps[step], arguments[step]);
    if (!std::isnan(held)) return held;
  }
  return kNoValue;
}

/// Before a mode is looked for: what nobody followed, by the values there are.
void Part::hold_others() { hold_steps(nullptr, has_started_ ? &followed_steps_ : nullptr); }

bool Part::renew_steps() {
  if (equations_.steps.empty() || steps_time_ == frame_[at(time_place_)]) return false;
  return hold_steps(nullptr, &followed_steps_);
}

/// Which mode needs what has no value is known when it is found.
void Part::fill_missing_steps() {
  for (std::size_t i = 0; i < equations_.steps.size(); ++i) {
    double& value = frame_[at(leaves_.place(equations_.steps[i].leaf))];
    if (std::isnan(value)) value = last_held_[i];
  }
}

/// What is held and occurs in an expression, by number.
const std::vector<int>& Part::steps_in(ExprId e) {
  const auto [place, is_new] = steps_in_.try_emplace(e);
  if (!is_new) return place->second;
  const expr::Pool& pool = workshop_.pool();
  const expr::Occurrences found = expr::occurrences(
      pool, std::array{e}, {},
      [&](ExprId leaf) {
        return is_discrete(pool.op(leaf)) && pool.discrete(leaf).index >= kFirstHeld ? leaf
                                                                                     : ExprId{};
      },
      expr::kHasDiscrete);
  for (std::size_t i = 0; i < equations_.steps.size(); ++i) {
    if (std::ranges::find(found.node, equations_.steps[i].leaf) != found.node.end()) {
      place->second.push_back(static_cast<int>(i));
    }
  }
  return place->second;
}

bool Part::is_split(int condition) const {
  const auto borders = conditions_.borders_of(condition);
  return std::ranges::any_of(borders,
                             [&](int b) { return sides_[at(b)] == Side::Kink || slides_on(b); });
}

/// The conditions that the equations of the present mode depend on: not those in closed branches.
/// `condition_truths` are those of the present sides then.
const std::vector<int>& Part::active_conditions() {
  const std::vector<Truth>& truths = condition_truths(sides_);
  std::vector<char>& key = active_key_;
  key.clear();
  for (const int c : mode_conditions_) {
    key.push_back(static_cast<char>(static_cast<int>(truths[at(c)]) + (is_split(c) ? 4 : 0)));
  }
  const auto [place, is_new] = active_.try_emplace(key);
  if (!is_new) return place->second;
  std::vector<char> active(at(conditions_.size()), 0);
  for (const int c : delay_conditions_) active[at(c)] = 1;
  const flat::EquationSet& set = equations_.set;
  std::vector<char> is_open(at(set.branches.size()), 0);
  const auto is_active = [&](flat::BranchId b) { return !b || is_open[at(b.index)] != 0; };
  for (const flat::Choice& choice : set.choices) {
    if (!is_active(choice.parent)) continue;
    for (std::int32_t b = choice.first; b < choice.first + choice.count; ++b) {
      const int guard = guard_conditions_[at(b)];
      active[at(guard)] = 1;
      is_open[at(b)] = truths[at(guard)] == Truth::True || is_split(guard) ? 1 : 0;
      if (is_open[at(b)] != 0 && !is_split(guard)) break;
    }
  }
  for (const flat::Equation& e : set.equations) {
    if (is_active(e.branch)) add_active(e.left, truths, active);
  }
  for (std::size_t c = 0; c < active.size(); ++c) {
    if (active[c] != 0) place->second.push_back(static_cast<int>(c));
  }
  return place->second;
}

void Part::add_active(ExprId row, const std::vector<Truth>& truths, std::vector<char>& active) {
  const expr::Pool& pool = workshop_.pool();
  std::vector<ExprId> pending{row};
  std::unordered_set<ExprId> seen;
  while (!pending.empty()) {
    const ExprId e = pending.back();
    pending.pop_back();
    if (!pool.has(e, expr::kHasEvented) || !seen.insert(e).second) continue;
    const expr::Operands operands = pool.operands(e);
    const int c = pool.op(e) == Op::If ? conditions_.find(operands[0]) : -1;
    if (c >= 0) active[at(c)] = 1;
    const bool is_decided = c >= 0 && truths[at(c)] != Truth::Undefined && !is_split(c);
    for (int i = c >= 0 ? 1 : 0; i < operands.size(); ++i) {
      if (is_decided && (i == 1) != (truths[at(c)] == Truth::True)) continue;
      pending.push_back(operands[i]);
    }
  }
}

void Part::mark_needed_steps(std::span<const int> conditions, bool all, std::vector<char>& marked) {
  marked.assign(equations_.steps.size(), 0);
  if (marked.empty()) return;
  const auto mark = [&](ExprId e) {
    for (const int s : steps_in(e)) marked[at(s)] = 1;
  };
  if (plan_ != nullptr) {
    const auto [place, is_new] = steps_of_plan_.try_emplace(&plan_->equations());
    if (is_new) {
      const ModeEquations& mode = plan_->equations();
      for (const auto* rows : {&mode.system.rows, &mode.checks}) std::ranges::for_each(*rows, mark);
      for (std::size_t i = 0; i < marked.size(); ++i) {
        if (marked[i] != 0) place->second.push_back(static_cast<int>(i));
      }
    }
    for (const int s : place->second) marked[at(s)] = 1;
  }
  std::vector<int> asked = active_conditions();
  for (const int c : conditions) {
    if (all) mark(conditions_.condition(c));
    if (!all) asked.push_back(c);
  }
  std::vector<char> borders(sides_.size(), 0);
  std::vector<ExprId> plain;
  conditions_.mark_deciding(asked, cheap_borders().is_cheap, open_borders(), borders, &plain);
  for (std::size_t b = 0; b < borders.size(); ++b) {
    if (borders[b] != 0) mark(conditions_.borders()[b].difference);
  }
  std::ranges::for_each(plain, mark);
  for (std::size_t i = marked.size(); i-- > 0;) {
    if (marked[i] != 0) mark(equations_.steps[i].argument);
  }
}

const std::vector<char>& Part::follow_steps(std::span<const int> conditions, bool all) {
  mark_needed_steps(conditions, all, followed_steps_);
  return followed_steps_;
}

expr::Value Part::value_here(ExprId e) {
  const expr::Pool& pool = workshop_.pool();
  const expr::Point point = point_here();
  expr::Value value = expr::evaluate(pool, e, point);
  while (value.where && is_discrete(pool.op(value.where))) {
    const auto held = std::ranges::find(equations_.steps, value.where, &HeldStep::leaf);
    if (held == equations_.steps.end()) break;
    const expr::Value inside = expr::evaluate(pool, held->argument, point);
    if (!inside.where) break;  // too large
    value = inside;
  }
  return value;
}

/// Whether the mode that was found needs a value that does not exist: `failure`.
bool Part::needs_missing_step() {
  if (plan_ == nullptr) return false;
  const auto is_missing = [&](int s) {
    return std::isnan(frame_[at(leaves_.place(equations_.steps[at(s)].leaf))]);
  };
  const auto has_missing = [&](ExprId e) { return std::ranges::any_of(steps_in(e), is_missing); };
  bool any = false;
  for (std::size_t i = 0; i < equations_.steps.size(); ++i) {
    any = any || is_missing(static_cast<int>(i));
  }
  if (!any) return false;
  const ModeEquations& mode = plan_->equations();
  for (std::size_t i = 0; i < mode.system.rows.size(); ++i) {
    const ExprId row = mode.system.rows[i];
    if (!has_missing(row)) continue;
    const expr::Value value = value_here(row);
    if (value.fault == expr::Fault::None) continue;
    const auto number = static_cast<std::int32_t>(i);
    failure_ = explain_box(*plan_, number, row);
    if (!failure_) failure_ = explain_missing_step(value, row, row_span(mode, number));
    return true;
  }
  // Conditions that have no value now.
  Sides sides = sides_;
  for (std::size_t b = 0; b < sides.size(); ++b) {
    if (has_missing(conditions_.borders()[b].difference)) sides[b] = Side::None;
  }
  PlanResult result = plan_for(sides);
  if (result.plan != nullptr || !result.why) return false;
  failure_ = std::move(result.why);
  return true;
}

}  // namespace chi::sim
