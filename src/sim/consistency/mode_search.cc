#include "sim/consistency/mode_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/cancel.h"
#include "flat/scalars.h"

namespace chi::sim {
namespace {

using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Weights, which are numbers between 0 and 1, are known to this.
constexpr double kWeightBand = 1e-9;

/// Searches whose result is kept.
constexpr std::size_t kMostRemembered = 10000;

}  // namespace

bool ModeSearch::run() {
  const bool found = search();
  SearchCounts& counts = part_.searches_;
  if (found) {
    counts.note(*part_.found_by_);
  } else {
    ++counts.failed;
    explain();
  }
  return found;
}

bool ModeSearch::search() {
  if (find()) return true;
  if (!met_stuck_) return false;
  show_loaded();
  jumps_ = false;
  avoids_stuck_ = false;
  budget_ = budget_when_met_;
  return find();
}

bool ModeSearch::is_avoided(const Attempt& attempt) {
  if (!avoids_stuck_ || !part_.is_stuck(*attempt.plan, attempt.frame)) return false;
  if (!std::exchange(met_stuck_, true)) {
    budget_when_met_ = budget_;
    budget_ = std::min(budget_, kForOthers);
  }
  return true;
}

bool ModeSearch::note(Strategy strategy) {
  part_.found_by_ = strategy;
  return true;
}

bool ModeSearch::try_ways(std::span<const Way> ways) {
  return std::ranges::any_of(ways,
                             [&](const Way& way) { return way.run(*this) && note(way.strategy); });
}

bool ModeSearch::may_slide() const { return part_.workshop_.options.sliding != Sliding::Error; }

bool ModeSearch::find() {
  using S = ModeSearch;
  static constexpr std::array kFirst = {
      Way{Strategy::ExactIteration, [](S& s) { return !s.jumps_ && s.iterate_exactly(s.start_); }},
      Way{Strategy::Iteration, [](S& s) { return s.iterate(s.start_); }},
  };
  static constexpr std::array kOthers = {
      Way{Strategy::Kinks,
          [](S& s) { return s.find_kinks(s.start_, Kinks::Assigned) && s.iterate(s.start_); }},
      Way{Strategy::OneStep, [](S& s) { return !s.jumps_ && s.take_one_step(false); }},
      Way{Strategy::OneStep, [](S& s) { return !s.jumps_ && s.take_within_errors(); }},
      Way{Strategy::OneStep, [](S& s) { return !s.jumps_ && s.take_one_step(true); }},
      Way{Strategy::EqualValues, [](S& s) { return s.take_indifferent(); }},
      Way{Strategy::ActiveSet, [](S& s) { return s.iterate_sliding(s.start_); }},
      Way{Strategy::ActiveSet,
          [](S& s) { return s.start_ != s.without_kinks_ && s.iterate_sliding(s.without_kinks_); }},
      Way{Strategy::AllKinks,
          [](S& s) { return s.find_kinks(s.start_, Kinks::Any) && s.iterate(s.start_); }},
      Way{Strategy::WholeLaws, [](S& s) { return s.take_whole(s.start_); }},
      Way{Strategy::Resting, [](S& s) { return s.take_resting(); }},
      Way{Strategy::Touch, [](S& s) { return s.take_touch(); }},
  };
  static constexpr std::array kLast = {
      Way{Strategy::SharedRest,
          [](S& s) { return s.iterate_sliding(s.start_, true) || s.take_shared(); }},
      Way{Strategy::ByValue, [](S& s) { return s.take_by_value(); }},
  };
  loaded_ = part_.frame_;
  start_ = start_sides();
  if (part_.is_crowded() || is_singular_corner()) find_any_kinks(start_);
  const Sides first = with_reached_open(start_);
  Plan* const asked = part_.plan_for(start_).plan;
  if (const auto before = part_.taken_.find({first, asked}); before != part_.taken_.end()) {
    if (take_again(before->second)) return note(Strategy::Remembered);
    part_.taken_.erase(before);
    forget_attempts();  // what was right another time must not decide what is in doubt now
  }
  leave_surfaces(start_);
  if (initial_ && start_as_set(start_)) return note(Strategy::StartAsSet);
  for (const bool jumps : {false, true}) {
    if (jumps && (!may_jump() || (met_stuck_ && avoids_stuck_))) break;
    jumps_ = jumps;
    bool found = try_ways(kFirst);
    const bool has_solution = attempt(start_).solved;
    without_kinks_ = start_;
    found = found || try_ways(kOthers);
    if (!found) continue;
    // A switch that opens leads through the same modes without a solution every time, and diodes
    // take over from each other in the same order.
    const bool was_long = !has_solution || *part_.found_by_ == Strategy::OneStep;
    if (!jumps && asked != nullptr && was_long && part_.jumps_.empty()) {
      if (part_.taken_.size() >= kMostRemembered) part_.taken_.clear();
      part_.taken_[{first, asked}] = {part_.sides_, stayed_, is_within_errors_};
    }
    return true;
  }
  if (met_stuck_ && avoids_stuck_) return false;
  const bool jumps = std::exchange(jumps_, false);
  budget_ = std::max(budget_, kForRest);
  if (try_ways(kLast)) return true;
  jumps_ = jumps;
  return false;
}

/// The same sides, with those of reached surfaces left open: the event is part of what the next
/// mode depends on.
Sides ModeSearch::with_reached_open(Sides sides) {
  const std::span<const Part::BorderValue> values = part_.border_values(loaded_);
  for (const int b : part_.mode_borders_) {
    if (std::abs(values[at(b)].value) <= values[at(b)].band) sides[at(b)] = Side::On;
  }
  return sides;
}

/// What the search found when it began like this, if it is right now, too.
bool ModeSearch::take_again(const Part::Taken& before) {
  part_.weighs_errors_ = before.within_errors;
  const auto is_right = [&] {
    if (before.right.empty()) return take(before.sides);
    Attempt& a = attempt(before.sides);
    if (!a.solved || a.jumped || !a.after.empty() || a.right != before.right) return false;
    if (part_.plan_for(before.sides).plan != a.plan || is_avoided(a)) return false;
    if (!a.plan->is_leading_regular(a.frame)) return false;
    show(a);
    stay(a, before.sides);
    return true;
  };
  const bool found = is_right();
  part_.weighs_errors_ = false;
  return found;
}

void ModeSearch::forget_attempts() {
  show_loaded();
  attempts_.clear();
  order_.clear();
  assumed_.clear();
}

/// The values that the search begins with.
void ModeSearch::load(Attempt& attempt) {
  attempt.frame = loaded_;
  const ModeEquations& mode = attempt.plan->equations();
  for (const std::vector<VarRef>* const weights : {&mode.weights, &mode.shares}) {
    for (const VarRef weight : *weights) {
      const std::size_t place = at(part_.place(weight));
      part_.fit(attempt.frame);  // it may be a new one
      attempt.frame[place] = 0.5;
    }
  }
  part_.fit(attempt.frame);
  attempt.plan->set_switches(attempt.frame);
}

/// The part has the values of this attempt.
void ModeSearch::show(const Attempt& attempt) {
  part_.frame_ = attempt.frame;
  part_.fit(part_.frame_);
  shown_ = &attempt;
}

void ModeSearch::show_loaded() {
  if (shown_ != nullptr) part_.frame_ = loaded_;
  shown_ = nullptr;
  part_.fit(part_.frame_);
}

ModeSearch::Attempt& ModeSearch::attempt(const Sides& sides) {
  check_cancelled();
  const auto [place, is_new] = attempts_.try_emplace({sides, jumps_});
  Attempt& attempt = place->second;
  if (!is_new) return attempt;
  --budget_;
  ++part_.searches_.tried;
  order_.push_back(&attempt);
  assumed_.push_back(sides);
  show_loaded();
  Part::PlanResult result = part_.plan_for(sides);
  attempt.plan = result.plan;
  attempt.why = std::move(result.why);
  if (attempt.plan == nullptr) return attempt;
  load(attempt);
  solve(attempt, sides);
  if (attempt.solved && !has_weights(attempt, sides)) refuse_weights(attempt);
  if (!attempt.solved) return attempt;
  if (!initial_ && !attempt.jumped) rest_on_kinks(attempt, sides);
  choose_shares(attempt);
  part_.right_sides(*attempt.plan, attempt.frame, sides, attempt.right);
  show(attempt);
  if (attempt.jumped) let_impulses_decide(attempt);
  attempt.next = part_.plan_for(attempt.right).plan;
  return attempt;
}

void ModeSearch::refuse_weights(Attempt& attempt) {
  attempt.solved = false;
  const std::vector<int>& sliding = attempt.plan->equations().sliding;
  std::string names;
  for (const int b : sliding) {
    names += fmt::format("{}`{} = 0`", names.empty() ? "" : " and ",
                         part_.text(part_.conditions_.borders()[at(b)].difference));
  }
  attempt.why = Diagnostic{
      .code = DiagCode::NoConsistentMode,
      .span = part_.border_span(sliding.front()),
      .message = fmt::format("the equations do not determine a motion along {} at t = {:.10g}",
                             names, time()),
      .help =
          "say what holds where the conditions change: an alternative with `=`, or a law "
          "that does not step there"};
}

/// Equations that turn out singular, or leave unknowns open, may hide constraints that only numbers
/// show; but not where an impulse asks for another mode.
void ModeSearch::solve(Attempt& attempt, const Sides& sides) {
  if (solve_plan(attempt, sides) || attempt.plan->is_singular()) return;
  if (attempt.plan->has_switches()) {  // what is written out can be told more of
    Part::PlanResult result = part_.plan_for(sides, true);
    attempt = Attempt{.plan = result.plan, .why = std::move(result.why)};
    if (attempt.plan == nullptr) return;
    load(attempt);
    if (solve_plan(attempt, sides) || attempt.plan->is_singular()) return;
  }
  if (!attempt.refused.empty() && impact_sides(attempt, sides) != sides) return;
  std::vector<double> guess = loaded_;
  part_.fit(guess);
  if (Plan* const other = part_.plan_by_values(*attempt.plan, guess)) {
    attempt = Attempt{.plan = other};
    load(attempt);
    if (solve_plan(attempt, sides)) return;
  }
  refuse_dependent(attempt);
}

/// The solver that was asked last; the attempt knows whether it found a solution.
SystemSolver& ModeSearch::solve_ip(Attempt& attempt, const Sides& sides) {
  Plan& plan = *attempt.plan;
  SystemSolver& solver = plan.ip_solver(values_left_open(plan));
  part_.fit(attempt.frame);
  const auto solve = [&](SystemSolver& with, Effort effort) {
    if (effort == Effort::Full) load(attempt);
    attempt.solved = with.solve(attempt.frame.data(), effort);
    part_.iterations_ += with.iterations();
    return attempt.solved;
  };
  if (solve(solver, Effort::Near) || solve(solver, Effort::Full)) return solver;
  if (solve_on_borders(attempt, solver, sides)) return solver;
  if (&solver != &plan.ip_solver()) solve(plan.ip_solver(), Effort::Full);
  return plan.ip_solver();
}

/// False if it is worth a closer look at the numbers.
bool ModeSearch::solve_plan(Attempt& attempt, const Sides& sides) {
  Plan& plan = *attempt.plan;
  if (plan.is_singular() || !passes_checks(attempt)) return true;
  const bool nearest = part_.workshop_.options.initial == Initial::Nearest;
  if (initial_ && !nearest && !plan.ip().under_unknowns.empty()) {
    attempt.why = explain_open(plan);
    return false;
  }
  SystemSolver& solver = solve_ip(attempt, sides);
  if (attempt.solved) {
    if (part_.moved(plan, loaded_, attempt.frame) > kStill) {
      keep_values(attempt, initial_ ? kStill : Part::kTolerances);
    }
    if (part_.weighs_errors_) snap(attempt);
    if (initial_ && !within_bounds(attempt)) return true;
    // Unknowns that are left open hide whether the derivatives can be told apart.
    const structure::BlockOrder& order = solver.order();
    const std::size_t open = order.under_unknowns.size() - order.under_rows.size();
    if (solver.rank_deficiency() > static_cast<int>(open)) return false;
    // Values that happen to solve dependent equations are none that these determine.
    const bool is_new = initial_ || &plan != part_.plan_;
    if (is_new && solver.is_singular_at(attempt.frame.data())) return false;
    return open == 0 || plan.is_static() || plan.is_leading_regular(attempt.frame);
  }
  const bool singular = !solver.failure().singular_unknowns.empty();
  attempt.why = explain_unsolved(plan, solver.failure());
  attempt.is_undefined = solver.failure().status == numerics::SolveStatus::Undefined;
  load(attempt);
  if (initial_) {
    attempt.solved = solve_start(attempt);
  } else if (plan.can_jump() && !keep_values(attempt, kStill)) {
    solve_with_jump(attempt);
    if (!attempt.solved && attempt.refused.empty()) keep_values(attempt, Part::kTolerances);
  }
  return !singular && !(attempt.solved && plan.is_leading_singular(attempt.frame));
}

/// Newton's method keeps the ranges of variables; what equations determine by themselves may be
/// outside all the same. Ranges are for the start.
bool ModeSearch::within_bounds(Attempt& attempt) {
  const RunOptions& options = part_.workshop_.options;
  for (const VarRef x : attempt.plan->values()) {
    const double low = part_.context_.lower(x), high = part_.context_.upper(x);
    const double value = attempt.frame[at(part_.place(x))];
    const double slack = options.rtol * std::abs(value) + options.atol;
    if (value >= low - slack && value <= high + slack) continue;
    attempt.solved = false;
    attempt.why = Diagnostic{
        .code = DiagCode::NoConsistentValues,
        .span = part_.variable_span(x),
        .message = fmt::format("the equations make `{}` {:.6g} at the start, which is outside its "
                               "range {} .. {}",
                               part_.variable_name(x), value, low, high),
        .help = "widen the range, or look for what else determines the variable"};
    return false;
  }
  return true;
}

/// Equations in which nothing is unknown must hold as they are.
bool ModeSearch::passes_checks(Attempt& attempt) {
  const ModeEquations& mode = attempt.plan->equations();
  if (mode.checks.empty()) return true;
  const RunOptions& options = part_.workshop_.options;
  code::Formulas formulas(part_.workshop_.pool(), mode.checks, part_.leaves_,
                          part_.workshop_.boxes);
  part_.fit(attempt.frame);
  std::vector<double> residuals(mode.checks.size());
  formulas.evaluate_each(attempt.frame.data(), residuals.data());
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    if (std::abs(residuals[i]) <= Part::kTolerances * (options.rtol + options.atol)) continue;
    attempt.why = Diagnostic{
        .code = DiagCode::NoConsistentValues,
        .span = part_.equations_.set.equations[flat::EquationId{mode.checked_equations[i]}].span,
        .message =
            fmt::format("this equation does not hold at t = {}, and nothing in it is unknown",
                        loaded_[at(part_.time_place_)]),
        .notes = {fmt::format("it is off by {:.6g}", residuals[i])},
        .help = "declare one of its variables unknown"};
    return false;
  }
  return true;
}

/// The values that variables have at the start, be it the zero of their type, stay if there is a
/// mode for them. If they give an equation no value, that is what has to be told where there are no
/// others either; and it is not worth a long search.
bool ModeSearch::start_as_set(Sides start) {
  keeps_start_ = true;
  const bool found = iterate(start) || take_one_step(true) ||
                     (find_any_kinks(start) && iterate(start)) || take_whole(start);
  keeps_start_ = false;
  if (found) return true;
  Sides sides;
  if (const Attempt& last = last_of_chain(sides); !last.solved && last.is_undefined) {
    why_not_as_set_ = last.why;
    budget_ = std::min(budget_, kForUnset);
  }
  if (met_start_) forget_attempts();
  return false;
}

/// At the start, variables without a start value give way where the others leave no choice.
bool ModeSearch::solve_start(Attempt& attempt) {
  ModeEquations wider = attempt.plan->equations();
  for (const expr::VarId v : attempt.plan->analysis().unknowns) {
    if (v.index >= part_.workshop_.model.variable_slots) continue;
    if (!part_.workshop_.is_set(v.index)) wider.system.declared.push_back(v);
  }
  std::vector<expr::VarId>& declared = wider.system.declared;
  std::sort(declared.begin(), declared.end());
  declared.erase(std::unique(declared.begin(), declared.end()), declared.end());
  if (declared == attempt.plan->equations().system.declared) return false;
  met_start_ = met_start_ || keeps_start_;
  if (keeps_start_) return false;
  Plan* const plan = part_.plan_of(std::move(wider));
  if (plan->is_singular()) return false;
  SystemSolver& solver = plan->ip_solver();
  part_.fit(attempt.frame);
  const bool solved = solver.solve(attempt.frame.data(), Effort::Full);
  part_.iterations_ += solver.iterations();
  return solved;
}

void ModeSearch::solve_with_jump(Attempt& attempt) {
  const RunOptions& options = part_.workshop_.options;
  const double tolerance = Part::kTolerances * options.rtol;
  std::vector<double> frame = attempt.frame;
  JumpResult jump = solve_jump(part_.context_, *attempt.plan, frame, tolerance);
  if (!jump.solved) {
    if (!jump.violated_rows.empty()) {
      attempt.why = explain_violated(*attempt.plan, jump);
    } else if (!jump.why.empty() && attempt.why) {
      attempt.why->notes.push_back(jump.why);
    }
    return;
  }
  for (const Change& change : jump.changes) {
    const double size = std::max(std::abs(change.before), std::abs(change.after));
    const double allowed =
        change.is_impulse ? 0 : Part::kTolerances * (options.rtol * size + options.atol);
    const double moved = change.is_impulse ? 0 : std::abs(change.after - change.before);
    attempt.jumped = attempt.jumped || moved > allowed;
    if (is_exact_ && moved > kExact * allowed) attempt.jumped = met_small_jump_ = true;
  }
  // Weights are bounded: where sliding would take more than that, it has ended.
  bool ends = false;
  for (std::size_t k = 0; k < jump.weights.size(); ++k) {
    const double weight = jump.weights[k];
    if (std::isnan(weight)) continue;
    const Side side = weight < -kWeightBand      ? Side::Minus
                      : weight > 1 + kWeightBand ? Side::Plus
                                                 : Side::Slide;
    attempt.swept.emplace_back(attempt.plan->equations().sliding[k], side);
    ends = ends || side != Side::Slide;
  }
  if (ends && !attempt.jumped) return;
  if (attempt.jumped && options.jumps == Jumps::Error) attempt.forbidden = jump.changes;
  if (attempt.jumped && !jumps_) {
    attempt.refused = std::move(jump.changes);
    return;
  }
  attempt.frame = std::move(frame);
  attempt.changes = std::move(jump.changes);
  attempt.conserved = std::move(jump.conserved);
  attempt.solved = true;
}

/// An equation that is differentiated in the mode before and in this one must not step between
/// them: its derivative would be an impulse that no equation asked for (P2 = Casella, "Index
/// reduction", example 5: the set point of an ideal controller must be differentiable).
bool ModeSearch::steps(Attempt& attempt) {
  Plan* const before = part_.plan_;
  if (before == nullptr || before->is_singular()) return false;
  const structure::Analysis& now = attempt.plan->analysis();
  if (before == attempt.plan) {
    const std::vector<std::size_t>& rows = attempt.plan->switched_rows();
    return std::ranges::any_of(rows, [&](std::size_t i) { return steps(attempt, i); });
  }
  for (std::size_t i = 0; i < now.c.size(); ++i) {
    const std::int32_t e = attempt.plan->equations().equations[at(now.kept[i])];
    if (now.c[i] == 0 || e < 0) continue;
    const auto& equations = before->equations().equations;
    const auto row = std::find(equations.begin(), equations.end(), e) - equations.begin();
    if (row == static_cast<std::ptrdiff_t>(equations.size())) continue;
    const auto& kept = before->analysis().kept;
    const auto place = std::lower_bound(kept.begin(), kept.end(), static_cast<std::int32_t>(row));
    if (place == kept.end() || *place != row) continue;
    const auto there = static_cast<std::size_t>(place - kept.begin());
    if (before->analysis().c[there] == 0) continue;
    if (now.derivatives[i].front() == before->analysis().derivatives[there][0]) continue;
    if (steps(attempt, i)) return true;
  }
  return false;
}

bool ModeSearch::steps(Attempt& attempt, std::size_t row) {
  const structure::Analysis& now = attempt.plan->analysis();
  const expr::ExprId expr = now.derivatives[row].front();
  code::Formulas formulas(part_.workshop_.pool(), std::span(&expr, 1), part_.leaves_,
                          part_.workshop_.boxes);
  std::vector<double> old = loaded_;
  part_.fit(old);
  double residual = 0;
  formulas.evaluate_each(old.data(), &residual);
  const RunOptions& options = part_.workshop_.options;
  if (std::abs(residual) <= Part::kTolerances * (options.rtol + options.atol)) return false;
  const std::int32_t e = attempt.plan->equations().equations[at(now.kept[row])];
  attempt.why = Diagnostic{
      .code = DiagCode::JumpImpossible,
      .span = part_.equations_.set.equations[flat::EquationId{e}].span,
      .message =
          fmt::format("this equation steps by {:.6g} at t = {}, and others need its derivative",
                      std::abs(residual), loaded_[at(part_.time_place_)]),
      .help =
          "what is differentiated must be continuous: use a ramp or a filter instead of a step"};
  return true;
}

bool ModeSearch::take(const Sides& sides) {
  Attempt& found = attempt(sides);
  if (!found.consistent() || is_avoided(found)) return false;
  if (steps(found)) {
    found.solved = false;
    return false;
  }
  if (!found.goes_on) return take_what_follows(found);
  if (const std::optional<Sides> followers = with_followers(sides)) {
    if (take(*followers)) return true;
    if (!is_indifferent(sides, *followers)) return false;
  }
  const std::vector<char> held = held_borders(sides);
  if (!held.empty() && part_.workshop_.options.sliding == Sliding::Error) return false;
  part_.plan_ = found.plan;
  stayed_.clear();
  if (shown_ != &found) show(found);
  part_.sides_ = found.after.empty() ? found.right : found.after;
  part_.sides_time_ = time();
  tell_jump(found);
  part_.held_ = held;
  return true;
}

/// Per border: both sides push back, and its own value is what the equations have between them, as
/// sign(x) has at x = 0. That is sliding, too; but a border that the modeller compares with `=` has
/// a mode of its own.
std::vector<char> ModeSearch::held_borders(const Sides& sides) {
  std::vector<char> held;
  if (!part_.workshop_.tells_sliding) return held;
  for (const int b : part_.mode_borders_) {
    if (sides[at(b)] != Side::On || initial_ || !is_reached(loaded_, b)) continue;
    const auto relations = part_.conditions_.relations();
    const bool own = std::ranges::any_of(relations, [&](const Relation& r) {
      return r.border == b && (r.op == expr::Op::Equal || r.op == expr::Op::NotEqual);
    });
    // Where the equations are the same on both sides, so is where they lead.
    if (own || is_kink(sides, b, false)) continue;
    const auto pushes = [&](Side from, Side to) {
      Sides other = sides;
      other[at(b)] = from;
      const Attempt& there = attempt(other);
      return there.solved && there.plan != attempt(sides).plan && there.right[at(b)] == to;
    };
    if (!pushes(Side::Plus, Side::Minus) || !pushes(Side::Minus, Side::Plus)) continue;
    held.resize(sides.size(), 0);
    held[at(b)] = 1;
  }
  return held;
}

/// The values of an attempt are on this side of a border, by more than rounding.
bool ModeSearch::is_beside(const Attempt& a, int border, Side side) {
  constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();
  const int sign = side == Side::Plus ? 1 : side == Side::Minus ? -1 : 0;
  const double value = part_.border_value(border, a.frame).value;
  return sign * value > kRounding * part_.border_size(border, a.frame);
}

/// A mode in which a reached border rests, within the band but not on zero, is consistent with the
/// side it assumes. On zero it is not, if what holds there has a solution, be it one with a jump;
/// if it has none, as two contacts that hold one body, the side will do.
bool ModeSearch::take_resting() {
  const bool will_jump = !jumps_ && may_jump();
  for (std::size_t i = 0; i < order_.size(); ++i) {
    Attempt& a = *order_[i];
    if (!a.solved || (a.jumped && !jumps_)) continue;
    Sides sides = a.right;
    bool rests = false;
    for (const int b : part_.mode_borders_) {
      const Side assumed = assumed_[i][at(b)];
      if (sides[at(b)] != Side::On || assumed == Side::On || assumed == Side::Slide) continue;
      if (will_jump && !is_beside(a, b, assumed)) continue;
      sides[at(b)] = assumed;
      rests = true;
    }
    show(a);
    if (!rests || part_.plan_for(sides).plan != a.plan || is_avoided(a)) continue;
    if (a.after.empty()) {
      stay(a, sides);
    } else if (!take_what_follows(a)) {
      continue;
    }
    return true;
  }
  return false;
}

/// In this mode, on these sides, though the values do not quite say so.
void ModeSearch::stay(const Attempt& a, const Sides& sides) {
  part_.plan_ = a.plan;
  part_.sides_ = sides;
  stayed_ = a.right;
  part_.sides_time_ = std::numeric_limits<double>::quiet_NaN();
  tell_jump(a);
}

/// Both modes have a solution, without a jump, and it is the same one.
bool ModeSearch::have_same_values(const Attempt& a, const Attempt& b) {
  if (!a.solved || a.jumped || !b.solved || b.jumped) return false;
  if (!std::ranges::equal(a.plan->values(), b.plan->values())) return false;
  const RunOptions& options = part_.workshop_.options;
  return std::ranges::all_of(a.plan->values(), [&](const VarRef x) {
    const std::size_t place = at(part_.place(x));
    if (place >= std::min(a.frame.size(), b.frame.size())) return true;  // in no equation
    const double here = a.frame[place], there = b.frame[place];
    return std::abs(here - there) <= options.atol + options.rtol * std::abs(here);
  });
}

/// Where equations are continuous across a border, and the motion comes to rest on it, rounding
/// says of the modes on both sides that they lead to the other one. They have the same values:
/// either will do. Should the motion leave the border on the wrong side after all, that is an event
/// (PartRun::check_side).
bool ModeSearch::take_indifferent() {
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const Attempt& a = *order_[i];
    if (!a.solved || a.jumped || initial_) continue;
    Sides sides = a.right;
    bool is_reached_everywhere = true;
    for (const int b : part_.mode_borders_) {
      if (a.right[at(b)] == assumed_[i][at(b)]) continue;
      is_reached_everywhere = is_reached_everywhere && is_reached(a.frame, b);
      sides[at(b)] = assumed_[i][at(b)];
    }
    const auto other = attempts_.find({a.right, jumps_});
    if (!is_reached_everywhere || other == attempts_.end()) continue;
    const Attempt& there = other->second;
    if (!have_same_values(a, there)) continue;
    // A mode that goes on from there to a third one does not lead back.
    const bool leads_back = std::ranges::all_of(part_.mode_borders_, [&](int b) {
      return a.right[at(b)] == assumed_[i][at(b)] || there.right[at(b)] != a.right[at(b)];
    });
    if (!leads_back) continue;
    show(a);
    if (part_.plan_for(sides).plan != a.plan || is_avoided(a)) continue;
    stay(a, sides);
    return true;
  }
  return false;
}

/// What dies away, as a current in a resistor does, comes into the band of a border for good and is
/// always about to reach it. If the modes on both sides say so, and neither pushes back, the one in
/// whose solution the values are on the sides it assumes, now, has not ended yet.
bool ModeSearch::take_by_value() {
  for (std::size_t i = 0; i < order_.size(); ++i) {
    Attempt& a = *order_[i];
    if (!a.solved || a.jumped || a.consistent() || initial_) continue;
    Sides sides = a.right;
    bool holds = true;
    for (const int b : part_.mode_borders_) {
      if (a.right[at(b)] == assumed_[i][at(b)]) continue;
      holds = holds && has_not_ended(a, assumed_[i], b);
      sides[at(b)] = assumed_[i][at(b)];
    }
    show(a);
    if (!holds || part_.plan_for(sides).plan != a.plan || is_avoided(a)) continue;
    stay(a, sides);
    return true;
  }
  return false;
}

bool ModeSearch::has_not_ended(Attempt& a, const Sides& assumed, int border) {
  const Side side = assumed[at(border)];
  const double value = part_.border_value(border, a.frame).value;
  // By what the integration leaves, a motion that has just departed may be on the other side.
  if ((side == Side::Plus ? value : -value) < 0 && (side == Side::Plus || side == Side::Minus) &&
      a.plan == part_.plan_ && side == part_.sides_[at(border)] && part_.departs(border) &&
      std::abs(value) <= part_.uncertainty(border, a.frame)) {
    return true;
  }
  if (!is_beside(a, border, side)) return false;
  Sides other = assumed;
  other[at(border)] = a.right[at(border)];
  Attempt& there = attempt(other);
  if (!there.solved || there.jumped) return false;
  Part::Climbed climbed;
  const int direction =
      part_.derivative_sign(*there.plan, there.frame, part_.differences(other)[at(border)],
                            part_.vanishing_slope(there.frame, border), climbed);
  return direction != static_cast<int>(side);
}

/// A current of a microampere counts as one, and must not be lost because it is small: first a mode
/// is looked for, by what the values and the impulses say, in which next to nothing changes.
bool ModeSearch::iterate_exactly(const Sides& start) {
  if (initial_) return false;
  is_exact_ = true;
  met_small_jump_ = false;
  const bool found = iterate(start);
  is_exact_ = false;
  if (!found && met_small_jump_) forget_attempts();
  return found;
}

/// A border that changes its side again and again does so for ever, even if each time another one
/// changes with it: bodies in a row that rub.
bool ModeSearch::iterate(Sides sides) {
  constexpr int kMostChanges = 6;
  std::set<Sides> seen;
  std::vector<int> changes(sides.size(), 0);
  while (budget_ > 0) {
    if (take(sides)) return true;
    const Attempt& last = attempt(sides);
    if ((!last.solved && last.refused.empty()) || !seen.insert(sides).second) return false;
    const Sides next = last.solved ? last.right : impact_sides(last, sides);
    for (std::size_t b = 0; b < sides.size(); ++b) {
      if (next[b] != sides[b] && ++changes[b] > kMostChanges) return false;
    }
    sides = next;
  }
  return false;
}

}  // namespace chi::sim
