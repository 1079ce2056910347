#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "expr/cone.h"
#include "sim/engine/engine.h"

// How statements ask the equations: values, conditions, assignments (decisions/005).
namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

// Brings the frame and the memory of a part to the present time.
void Engine::bring(std::int32_t number) {
  Member& member = members_[at(number)];
  const double now = workshop_.machine.time;
  if (member.time == now) return;
  member.time = now;
  member.run->keep_past(now);
  member.run->values_at(now);
  member.run->arrive();
  member.part->store();
}

void Engine::visit(std::int32_t block) {
  if (has_arrived_) arrive_at_memories();
  for (const std::int32_t m : visible_[at(block)]) bring(m);
}

bool Engine::settle() {
  if (asking < 0) return true;
  for (const std::int32_t m : visible_[at(asking)]) {
    bring(m);
    if (!settle(m)) return false;
  }
  return true;
}

bool Engine::settle(std::int32_t number) {
  Member& member = members_[at(number)];
  if (!member.due.has_to_settle()) return true;
  ++answered;
  Part& part = *member.part;
  Plan* const plan = part.plan();
  StateVariant* const variant = part.variant();
  const Sides sides = part.sides();
  std::vector<int> slid;
  for (const int b : part.mode_borders()) {
    if (part.slides_on(b)) slid.push_back(b);
  }
  const bool was_assigned = member.due.was_assigned();
  member.time = workshop_.machine.time;
  workshop_.tells_sliding = observer != nullptr || workshop_.options.sliding == Sliding::Error;
  if (!part.settle(member.time) && !(open_gates(number) && part.settle(member.time))) {
    if (plan == nullptr || member.run->fixed_steps() == nullptr) {
      return fail(at_limit(member, *part.failure()));
    }
    part.load(member.time);  // the next time step finds a mode, or tells why there is none
  }
  member.due.settled();
  if (member.unsolved) {
    const structure::Analysis& analysis = part.plan()->analysis();
    for (const expr::VarId v : member.unsolved_for) {
      const int j = analysis.unknown_index(v);
      if (j < 0 || (analysis.d[at(j)] > 0 && !analysis.is_declared[at(j)])) {
        return fail(*member.unsolved);
      }
    }
    member.unsolved.reset();
    member.unsolved_for.clear();
  }
  part.refresh_sides();
  tell_changes(member, plan, sides, slid);
  if (was_assigned || part.plan() != plan || part.variant() != variant || !part.jumps().empty() ||
      part.has_break(sides)) {
    member.due.restart_after_settling(part.plan() == plan && part.variant() == variant);
  }
  // The dense output crossed a border, but from there the equations lead back, or stay on it:
  // within the tolerances both are right. The motion goes on as the equations say.
  for (const Event& event : member.run->events()) {
    if (event.border < 0 || event.time != member.time || event.direction == 0) continue;
    const Side side = part.sides()[at(event.border)];
    const bool contradicts =
        side == Side::On || side == (event.direction > 0 ? Side::Minus : Side::Plus);
    if (contradicts && side == sides[at(event.border)]) {
      member.due.request(Due::Motion::Restart);
    }
  }
  if (plan != nullptr && part.plan() != plan) {
    ++mode_switches_;
    for (const int b : part.mode_borders()) {
      const auto was = static_cast<int>(sides[at(b)].side());
      const auto is = static_cast<int>(part.sides()[at(b)].side());
      if (was != is) note_in_series(member, b, is > was ? 1 : -1);
    }
  }
  list(number);
  return true;
}

bool Engine::refresh(std::int64_t slot, std::int32_t count) {
  for (std::int64_t s = slot; s < slot + count; ++s) {
    const auto found = substituted_.find(s);
    if (found == substituted_.end()) continue;
    double value = 0;
    if (!evaluate_now(found->second.value, &value, found->second.span)) return false;
    store_substituted(s, found->second, value);
  }
  return true;
}

bool Engine::about_to_assign(std::int64_t slot, std::int32_t count) {
  const auto make_ready = [&](const Reader& reader) {
    bring(reader.member);
    if (!reader.decides_unknowns || settle(reader.member)) return true;
    // Between two assignments nothing has to hold. It is an error only if a value is kept that
    // should have been computed now: `settle` will see.
    Member& member = members_[at(reader.member)];
    const auto* failure = std::get_if<ModelFailure>(&outcome_.why);
    if (failure == nullptr) return false;
    if (!member.unsolved) {
      member.unsolved = failure->diagnostic;
      std::optional<Diagnostic> why;
      const ModeEquations* const mode = member.part->present_equations(why);
      if (mode != nullptr) member.unsolved_for = mode->system.declared;
    }
    outcome_ = {};
    return true;
  };
  for (std::int64_t s = slot; s < slot + count; ++s) {
    if (!is_in_round_ && determined_.contains(s)) return fail_determined(s);
    const auto found = readers_.find(s);
    if (found == readers_.end()) continue;
    for (const Reader& reader : found->second) {
      if (!make_ready(reader)) return false;
    }
  }
  return std::all_of(box_readers_.begin(), box_readers_.end(), make_ready);
}

void Engine::assigned(std::int64_t slot, std::int32_t count) {
  for (std::int64_t s = slot; s < slot + count; ++s) {
    touch_memories(s);
    const auto found = readers_.find(s);
    if (found == readers_.end()) continue;
    const std::int32_t flat_slot = flat_slot_of_.at(s);
    for (const Reader& reader : found->second) {
      members_[at(reader.member)].due.request(Due::Values::Assigned);
      together(members_[at(reader.member)]).assigned_at = workshop_.machine.time;
      forget_crossed(members_[at(reader.member)], flat_slot);
      list(reader.member);
    }
    is_set_[at(flat_slot)] = 1;
  }
  for (const Reader& reader : box_readers_) {
    members_[at(reader.member)].due.request(Due::Values::Assigned);
    list(reader.member);
  }
}

bool Engine::holds(std::int32_t block, std::int32_t condition, bool* truth) {
  ++answered;
  const Awaited& asked = awaited(block, condition);
  bring(asked.member);
  if (!settle(asked.member)) return false;
  Member& member = members_[at(asked.member)];
  const bool reloaded = member.part->reload();
  if (member.part->renew_steps() || reloaded) {
    member.part->update_sides();
    member.due.request(Due::Motion::Search);
    list(asked.member);
  }
  member.part->look();
  return truth_of(asked, is_looked_at_now(asked), truth) && (!*truth || notice_no_rest(asked));
}

/// Who came for an event sees what holds at that instant first, all of it; and no more when it has
/// passed and comes back.
bool Engine::is_looked_at_now(const Awaited& asked) const {
  if (asked.look == nullptr || asked.look->came_at != workshop_.machine.time) return false;
  Look& look = *asked.look;
  if (std::ranges::find(look.asked, &asked) != look.asked.end()) {
    look.came_at = -1;
    return false;
  }
  look.asked.push_back(&asked);
  return true;
}

bool Engine::looks_twice(std::int32_t block, std::int32_t condition) {
  Look& look = *awaited(block, condition).look;
  const bool has_seen_instant = look.came_at == workshop_.machine.time;
  look.came_at = -1;
  return has_seen_instant;
}

bool Engine::truth_of(const Awaited& asked, bool at_instant, bool* truth) {
  Member& member = members_[at(asked.member)];
  Part& part = *member.part;
  const auto [now, is_reached] = part.truth_now(asked.condition);
  if (now == Truth::Undefined && part.is_on_border()) {
    // `x > 0 and ln(x) > 1` where x is zero: what comes just behind this instant is looked for.
    *truth = asked.wanted == code::Wanted::False;
    return true;
  }
  if (now == Truth::Undefined) {
    return fail(part.explain_undefined("the condition",
                                       part.conditions().condition(asked.condition), asked.span));
  }
  *truth = now == Truth::True;
  if (is_reached && asked.wanted == code::Wanted::Either && is_crossing(member)) {
    *truth = truth_crossing(member, asked.condition, false) == Truth::True;
    return true;
  }
  // Where a border is reached, what holds from now on counts: a ball that has just bounced does not
  // find itself on the floor again. Only the process that waited for the event passes if the
  // condition holds at the instant itself, once.
  if (at_instant || asked.wanted == code::Wanted::Either || !is_reached) return true;
  const bool is_guard = asked.wanted == code::Wanted::Lasting;
  if (is_guard && asked.look->lasts_at != workshop_.machine.time) return true;
  // A process woken by a deadline on a border saw no state event: the sides after this instant are
  // not known yet.
  if (part.refresh_sides()) {
    member.due.request(Due::Motion::Search);
    list(asked.member);
  }
  *truth = (is_crossing(member) ? truth_crossing(member, asked.condition, true)
                                : part.truth_after(asked.condition)) == Truth::True;
  return true;
}

int Engine::crossing_of(const Member& member, int border) const {
  const auto found = std::ranges::find(member.crossed, border, &Member::Crossed::border);
  return found == member.crossed.end() ? 0 : found->direction;
}

/// An assignment to what a surface is made of says anew on which side it is.
void Engine::forget_crossed(Member& member, std::int32_t flat_slot) {
  const expr::Pool& pool = workshop_.pool();
  std::erase_if(member.crossed, [&](const Member::Crossed& crossed) {
    const expr::Cone cone(pool, std::array{member.part->difference(crossed.border)});
    return std::ranges::any_of(cone.nodes(), [&](ExprId e) {
      const expr::Op op = pool.op(e);
      if (op == expr::Op::Variable) return pool.variable(e).var.index == flat_slot;
      if (op != expr::Op::DiscreteReal && op != expr::Op::DiscreteBool) return false;
      if (pool.discrete(e).index >= kFirstHeld) return false;
      const auto& source = workshop_.model.equations.discrete[pool.discrete(e)].source;
      const auto* slot = std::get_if<flat::DiscreteSlot>(&source);
      return slot != nullptr && slot->slot == flat_slot;
    });
  });
}

/// With surfaces that the motion crosses at this instant on the side that it crosses to (laws.md
/// §9). `after`: just after the instant, where that matters for those that it slides along since.
Truth Engine::truth_crossing(Member& member, int condition, bool after) {
  Part& part = *member.part;
  const std::span<const Part::BorderValue> values = part.border_values(part.frame());
  return part.conditions().truth_of(condition, [&](const Relation& relation) {
    const int b = relation.border;
    const Part::BorderValue g = values[at(b)];
    const int crossing = crossing_of(member, b);
    int sign = std::abs(g.value) <= g.band ? 0 : g.value > 0 ? 1 : -1;
    if (after) {
      const Side side = side_of(part.sides(), b);
      if (side == Side::None) return Truth::Undefined;
      sign = !is_open(side) ? static_cast<int>(side) : crossing;
    } else if (std::isnan(g.value)) {
      return Truth::Undefined;
    } else if (sign == 0) {
      sign = crossing;
    }
    return relation_holds(relation.op, sign * relation.orientation) ? Truth::True : Truth::False;
  });
}

double Engine::value_of(VarRef x) {
  if (x.order == 0) {
    const std::int32_t owner = parts_.part_of_slot[at(x.var.index)];
    if (owner >= 0 && !is_viewing_) bring(owner);
    return workshop_.memory(x.var.index).r;
  }
  const std::int32_t part = parts_.part_of_slot[at(x.var.index)];
  if (part < 0) return 0;
  if (!is_viewing_) bring(part);
  Member& member = members_[at(part)];
  Part& p = *member.part;
  std::vector<double>& frame = is_viewing_ && member.run->moves() ? member.output : p.frame();
  if (p.plan() == nullptr) return 0;
  const structure::Analysis& analysis = p.plan()->analysis();
  const int j = analysis.unknown_index(x.var);
  if (j < 0) return 0;
  const int beyond = x.order - analysis.d[at(j)];
  if (beyond > 0) {  // no equation mentions it: by differentiating them
    p.plan()->build_tower(beyond);
    p.fit(frame);
    if (!p.plan()->climb(frame.data(), beyond)) return std::numeric_limits<double>::quiet_NaN();
  }
  const std::int32_t place = p.place(x);
  p.fit(frame);
  return frame[at(place)];
}

expr::Value Engine::evaluate_at(ExprId e, double time) {
  expr::Point point;
  point.time = time;
  point.variable = [this](VarRef x) { return value_of(x); };
  point.discrete = [this](expr::DiscreteId d) { return discrete_value(d); };
  point.delayed = [this, time](ExprId delay, double tau) { return delayed(delay, tau, time); };
  point.opaque = [this](expr::FunctionId f, std::span<const double> arguments) {
    return boxes_->call(f, arguments);
  };
  return expr::evaluate(workshop_.pool(), e, point);
}

double Engine::delayed(ExprId delay, double tau, double time) {
  const expr::Pool& pool = workshop_.pool();
  const ExprId operand = pool.operand(delay, 0);
  std::optional<double> before;
  if (pool.operands(delay).size() > 2) before = evaluate_at(pool.operand(delay, 2), time).value;
  const auto past_in = [&](std::int32_t member) {
    if (!is_viewing_) bring(member);
    return members_[at(member)].part->delays().value(operand, time, tau, before);
  };
  if (const auto keeper = keeper_.find(operand); keeper != keeper_.end()) {
    if (const std::optional<double> value = past_in(keeper->second)) return *value;
  }
  // One of the equations, or a derivative.
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (!members_[m].part->delays().keeps_past()) continue;
    if (const std::optional<double> value = past_in(static_cast<std::int32_t>(m))) return *value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

bool Engine::evaluate_now(ExprId e, double* result, Span span) {
  const expr::Value value = evaluate_at(e, workshop_.machine.time);
  *result = value.value;
  if (value.fault == expr::Fault::None) return true;
  if (auto why = explain_box(value.where, -1)) return fail(std::move(*why));
  const bool of_delay = value.where && workshop_.pool().op(value.where) == expr::Op::Delay &&
                        value.fault == expr::Fault::OutsideDomain;
  return fail({.code = DiagCode::ConditionUndefined,
               .span = span,
               .message = fmt::format("this has no value at t = {}: {}", workshop_.machine.time,
                                      of_delay ? "the time of a `delay` is not positive"
                                               : expr::fault_text(value.fault))});
}

bool Engine::value(std::int32_t block, std::int32_t number, double* result) {
  ++answered;
  const Span span = workshop_.model.typed.ast.exprs[program_.values[at(number)].source].span;
  Diagnostics problems;
  const std::vector<ExprId>* const scalars = asked_value(block, number, problems);
  if (scalars == nullptr) return fail(problems.all().front());
  for (std::size_t i = 0; i < scalars->size(); ++i) {
    if (!evaluate_now((*scalars)[i], result + i, span)) return false;
  }
  return true;
}

const std::vector<ExprId>* Engine::asked_value(std::int32_t block, std::int32_t number,
                                               Diagnostics& problems) {
  const auto found = values_.find(key(block, number));
  if (found != values_.end()) return &found->second;
  const code::AskedValue& row = program_.values[at(number)];
  auto scalars = statements_.value(block, row.indices, row.source, problems);
  return scalars ? &values_.emplace(key(block, number), std::move(*scalars)).first->second
                 : nullptr;
}

void Engine::watch(std::int32_t process, std::int32_t block, std::int32_t condition) {
  Awaited& asked = awaited(block, condition);
  Member& member = members_[at(asked.member)];
  member.run->watch(asked.condition);
  // Nobody followed these borders since they were watched last.
  if (member.part->renew_steps()) member.part->update_sides();
  member.part->refresh_sides();
  member.due.request(Due::Motion::Search);
  list(asked.member);
  bool seen = false;
  member.part->look();
  truth_of(asked, false, &seen);
  member.watching.push_back({process, &asked, seen});
  if (watched_by_.size() <= at(process)) watched_by_.resize(at(process) + 1);
  watched_by_[at(process)].push_back(asked.member);
}

void Engine::unwatch(std::int32_t process) {
  if (watched_by_.size() <= at(process)) return;
  for (const std::int32_t number : watched_by_[at(process)]) {
    Member& member = members_[at(number)];
    std::erase_if(member.watching, [&](const Watching& w) {
      if (w.process != process) return false;
      member.run->unwatch(w.awaited->condition);
      return true;
    });
    member.due.request(Due::Motion::Search);
    list(number);
  }
  watched_by_[at(process)].clear();
}

/// Mode and values of all parts, and who waits for what holds now.
bool Engine::settle_all(std::vector<std::int32_t>& woken) {
  ++answered;
  for (std::size_t i = 0; i < changed_.size(); ++i) {
    if (!settle(changed_[i])) return false;
  }
  for (const std::int32_t number : changed_) {
    Member& member = members_[at(number)];
    if (!member.due.has_to_search()) continue;
    if (!member.watching.empty() && !member.part->equations().steps.empty()) {
      bring(number);
      if (member.part->renew_steps()) member.part->update_sides();
    }
    if (!member.watching.empty()) member.part->look();
    for (Watching& w : member.watching) {
      bool truth = false;
      w.awaited->look->lasts_at = workshop_.machine.time;  // nothing else happens at this instant
      if (!truth_of(*w.awaited, false, &truth)) return false;
      if (truth == w.seen) continue;
      w.seen = truth;
      woken.push_back(w.process);
    }
  }
  std::sort(woken.begin(), woken.end());
  woken.erase(std::unique(woken.begin(), woken.end()), woken.end());
  return true;
}

/// Processes run between rounds.
bool Engine::finish_discrete_phase(std::vector<std::int32_t>& woken) {
  if (has_arrived_) arrive_at_memories();
  if (have_memories_failed_) return false;
  while (true) {
    if (!settle_all(woken)) return false;
    if (!woken.empty() || memories_.empty()) break;
    const Round round = run_round(false);
    if (round == Round::Failed) return false;
    if (round == Round::Rests) break;
  }
  if (recorder != nullptr && woken.empty()) bring_all();
  return true;
}

}  // namespace chi::sim
