#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "sim/engine/engine.h"
#include "sim/interface/run_time_error.h"
#include "sim/modes/tolerances.h"

// What the event log is told, and events that come without end.
namespace chi::sim {
namespace {

using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

void Engine::tell_changes(Member& member, Plan* before, const Sides& sides_before,
                          const std::vector<int>& slid_before) {
  if (observer == nullptr) return;
  Part& part = *member.part;
  const double now = workshop_.machine.time;
  const Sides& sides = part.sides();
  for (const int b : part.mode_borders()) {
    const bool was = std::ranges::find(slid_before, b) != slid_before.end();
    const bool is = part.slides_on(b);
    if (was == is) continue;
    observer->slide(now, part.text(part.difference(b)) + " = 0", is, part.border_span(b));
  }
  const std::string_view found_by = part.found_by() ? name(*part.found_by()) : "";
  if (before != nullptr && part.plan() != before) {
    std::string changed;
    Span span = {};
    for (const Part::NamedChange& change : part.law_changes(sides_before, sides)) {
      if (changed.empty()) span = change.span;
      changed += (changed.empty() ? "" : ", ") + change.text;
    }
    for (const int b : part.mode_borders()) {
      if (sides[at(b)] == sides_before[at(b)] || part.is_of_law(b)) continue;
      const Side side = sides[at(b)];
      if (side == Side::Slide || side == Side::Follow || side == Side::Rest) continue;
      if (changed.empty()) span = part.border_span(b);
      const char* const relation = sides[at(b)] == Side::Plus    ? " > 0"
                                   : sides[at(b)] == Side::Minus ? " < 0"
                                                                 : " = 0";
      changed += (changed.empty() ? "" : ", ") + part.text(part.difference(b)) + relation;
    }
    if (changed.empty()) span = part.first_span();
    observer->mode_change(now, part.name(), part.mode_text(), changed, found_by, span);
  }
  if (before == nullptr && part.has_modes())
    observer->mode_change(now, part.name(), part.mode_text(), "", found_by, part.first_span());
  for (const Change& change : part.jumps()) {
    if (change.variable.var.index >= workshop_.model.variable_slots) continue;  // of our own
    observer->jump(now, variable_name(change.variable), change.before, change.after,
                   change.is_impulse ? "impulse" : "jump", part.variable_span(change.variable));
  }
  tell_conserved(part.conserved(), part.first_span());
}

void Engine::tell_conserved(const std::vector<ConservedSum>& sums, Span span) {
  if (observer == nullptr) return;
  for (const ConservedSum& sum : sums) {
    observer->conserved(workshop_.machine.time,
                        sum.text([this](VarRef x) { return variable_name(x); }), sum.before,
                        sum.after, span);
  }
}

/// Says which variables are states where that was not for the modeller's declarations to decide.
void Engine::tell_states(Member& member) {
  const StateVariant* const variant = member.part->variant();
  if (observer == nullptr || variant == nullptr || variant->id == member.told) return;
  const bool first = !member.told;
  member.told = variant->id;
  if (!member.part->plan()->has_choice() || (first && !variant->choice.was_free)) return;
  std::string names;
  for (const VarRef x : variant->choice.states) {
    if (names.size() > 200) break;
    names += (names.empty() ? "" : ", ") + variable_name(x);
  }
  observer->note(member.run->from(), "states", names.empty() ? "none" : names,
                 member.part->first_span());
}

/// The same words as for a statement: a box is executed like one.
std::optional<Diagnostic> Engine::explain_box(expr::ExprId node, std::int32_t block) {
  const expr::Pool& pool = workshop_.pool();
  const flat::Equations& equations = workshop_.model.equations;
  const code::Failure* failure = nullptr;
  if (pool.op(node) == expr::Op::DiscreteReal || pool.op(node) == expr::Op::DiscreteBool) {
    const expr::DiscreteId id = pool.discrete(node);
    if (id.index >= equations.discrete.size()) return std::nullopt;
    const auto* box = std::get_if<flat::BlackBox>(&equations.discrete[id].source);
    if (box == nullptr || !std::isnan(boxes_->discrete(id))) return std::nullopt;
    block = box->block;
    failure = boxes_->failure(id);
  } else if (pool.op(node) == expr::Op::Call) {
    expr::FunctionId f = pool.called(node);
    while (pool.function(f).parent) f = pool.function(f).parent;
    if (f.index >= equations.functions.size()) return std::nullopt;
    const auto* box = std::get_if<flat::BoxFunction>(&equations.functions[f]);
    if (box != nullptr) block = box->box.block;
    failure = boxes_->failure(f);
  }
  if (failure == nullptr) return std::nullopt;
  const auto& processes = workshop_.model.processes;
  const auto process =
      std::ranges::find_if(processes, [&](const flat::Process& p) { return p.block == block; });
  return explain_run_time_error(
      {process == processes.end() ? std::string() : process->name, *failure},
      workshop_.machine.time);
}

/// Event after event, and time hardly passes: chattering that is neither sliding nor Zeno.
bool Engine::notice_chattering(Member& member) {
  const double now = workshop_.machine.time;
  if (!member.chatter.is_crowded(now)) return true;
  const int border = member.run->events().front().border;
  const std::string what = border < 0
                               ? std::string("an event")
                               : "`" + member.part->text(member.part->difference(border)) + " = 0`";
  return fail(
      {.code = DiagCode::Zeno,
       .span = border < 0 ? member.part->first_span() : member.part->border_span(border),
       .message = fmt::format("{} events without time passing at t = {}: {} again and again",
                              ChatterWatch::kMostAtOnce, now, what),
       .help = "the modes on both sides of the condition send the motion back at once: give "
               "them a hysteresis, or a mode of its own for the border"});
}

/// Events whose distances shrink like a geometric series never get past its limit.
bool Engine::notice_zeno(std::int32_t number) {
  Member& member = members_[at(number)];
  const Plan* const plan = member.part->plan();
  const ChatterWatch::Event event{
      .now = workshop_.machine.time,
      .mode = plan == nullptr ? PlanId{} : plan->id(),
      .is_retreat = consequence_of(member.run->events().front().kind).is_retreat};
  const bool goes_on = may_pass_limit(together(member));
  const auto is_lost = [&] { return is_lost_in_rounding(member); };
  const auto limit = member.chatter.limit(event, goes_on, is_lost);
  return !limit || fail_zeno(member, *limit);
}

std::string Engine::border_text(const Member& member) const {
  const int border = member.run->events().front().border;
  return member.part->text(member.part->difference(border));
}

/// Whether what lies between events is no more than the rounding of the values it is computed from:
/// bodies so near to each other do not come apart again.
bool Engine::is_lost_in_rounding(Member& member) {
  const Event& event = member.run->events().front();
  if (event.border < 0) return false;
  Part& part = *member.part;
  return event.height <=
         tolerance::kDifferenceRounding * part.border_size(event.border, part.frame());
}

bool Engine::fail_zeno(Member& member, const ChatterWatch::Limit& found) {
  const Event& event = member.run->events().front();
  if (event.border < 0) return true;
  using Sign = ChatterWatch::Limit::Sign;
  const double limit = found.time;
  const std::string why =
      found.sign == Sign::Close
          ? fmt::format(
                "the last events were {:.3g} apart, nearer than places and speeds are known "
                "with these tolerances",
                found.step)
      : found.sign == Sign::Lost
          ? fmt::format(
                "between the last two events, {:.3g} apart, {} was {:.3g}, which is lost in "
                "rounding",
                found.step, border_text(member), event.height)
          : fmt::format("the last events were {:.3g} apart, each time {:.4g} of the time before",
                        found.step, found.ratio);
  const std::string what = border_text(member) + " = 0";
  if (observer != nullptr) observer->zeno(limit, what, member.part->border_span(event.border), {});
  const bool goes_on = may_pass_limit(together(member));
  return fail(
      {.code = DiagCode::Zeno,
       .span = member.part->border_span(event.border),
       .message =
           fmt::format("events accumulate towards t = {:.10g}: {} comes ever faster", limit, what),
       .notes = {why},
       .help = goes_on ? "this is as far as the events can be told apart, and `--zeno continue` "
                         "goes no further, since the next one would be missed: model what happens "
                         "there as a mode of its own; smaller tolerances may lead nearer"
                       : "model what happens there as a mode of its own, end the run before, or "
                         "use `--zeno continue`"});
}

}  // namespace chi::sim
