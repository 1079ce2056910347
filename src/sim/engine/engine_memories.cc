#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "expr/operation.h"
#include "expr/print.h"
#include "flat/scalars.h"
#include "sim/engine/engine.h"

// Rounds of an instant: with all memories fixed the mode and the values, then all memories take
// their next values at once, until none changes (laws.md §8).
namespace chi::sim {
namespace {

using expr::DiscreteId;
using expr::ExprId;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Rounds at one instant that are taken for endless.
constexpr std::int64_t kMostRounds = 100'000;
/// Whole numbers up to here are exact as reals.
constexpr double kLargestWhole = 9007199254740992.0;

}  // namespace

/// The relations of memories as conditions of parts, and what has to be followed for them.
void Engine::watch_memories(std::size_t first) {
  std::vector<ExprId> translated;
  std::vector<Memories::Relation>& relations = memories_.relations();
  for (std::size_t r = 0; r < relations.size(); ++r) {
    const ExprId condition = parts_.together[first + r];
    Member& member = members_[at(relations[r].member)];
    relations[r].condition = member.part->add_condition(condition, relations[r].span,
                                                        parts_.steps_of_together[first + r]);
    member.memory_relations.push_back(static_cast<int>(r));
    translated.push_back(condition);
  }
  for (const Memories::Watch& watch : memories_.watches(translated)) {
    std::vector<HeldStep> steps;
    for (const int r : watch.relations) {
      add_steps(steps, parts_.steps_of_together[first + at(r)]);
    }
    Member& member = members_[at(watch.member)];
    member.run->watch(member.part->add_condition(watch.condition, watch.span, steps));
  }
}

void Engine::map_memories() {
  const flat::FlatModel& model = workshop_.model;
  const auto slot_of = [&](std::int32_t flat_slot) {
    return memory_slot(model, workshop_.frames, flat_slot);
  };
  for (const flat::Memory& memory : model.equations.memories) {
    if (memory.slot >= 0) determined_.insert(slot_of(memory.slot));
  }
  for (const flat::Substitution& s : model.equations.substitutions) {
    if (s.discrete) determined_.insert(slot_of(s.variable.var.index));
  }
  if (memories_.empty()) return;
  for (std::size_t m = 0; m < model.equations.memories.size(); ++m) {
    const flat::Memory& memory = model.equations.memories[m];
    if (memory.slot < 0 && workshop_.pool().op(memory.value) == expr::Op::Boolean) {
      gates_.push_back(static_cast<int>(m));
    }
  }
  for (DiscreteId id{0}; id.index < model.equations.discrete.size(); ++id.index) {
    const auto* slot = std::get_if<flat::DiscreteSlot>(&model.equations.discrete[id].source);
    if (slot != nullptr && memories_.is_read(id)) remembered_[slot_of(slot->slot)].push_back(id);
  }
}

/// With its memories fixed the part has no solution: they are found together with the values.
/// Whether that is another problem.
bool Engine::open_gates(std::int32_t number) {
  bool opens = false;
  for (const int gate : gates_) {
    if (memories_.kept(gate) != 0) continue;
    const auto& readers = readers_[-1 - gate];
    if (std::ranges::find(readers, number, &Reader::member) == readers.end()) continue;
    memories_.keep(gate, 1);
    open_gates_.push_back(gate);
    opens = true;
  }
  return opens;
}

void Engine::close_gates() {
  for (const int gate : open_gates_) {
    memories_.keep(gate, 0);
    for (const Reader& reader : readers_[-1 - gate]) {
      members_[at(reader.member)].due.request(Due::Values::Assigned);
      list(reader.member);
    }
  }
  open_gates_.clear();
}

double Engine::memory_now(int memory) {
  const flat::Memory& m = memories_[memory];
  return m.slot < 0 ? memories_.kept(memory) : static_cast<double>(workshop_.memory(m.slot).i);
}

/// A statement assigned what memories may read.
void Engine::touch_memories(std::int64_t slot) {
  if (memories_.empty()) return;
  if (const auto found = remembered_.find(slot); found != remembered_.end()) {
    for (const DiscreteId id : found->second) memories_.touch(id);
  }
  memories_.touch_boxed();
  if (!is_in_round_) memories_.disturb();
}

/// What was reached counts as crossed, before the mode is decided and before any process runs.
void Engine::arrive_at_memories() {
  has_arrived_ = false;
  if (run_round(true) == Round::Failed) have_memories_failed_ = true;
}

void Engine::see_truths(std::int32_t number, const Sides& sides) {
  Member& member = members_[at(number)];
  const std::vector<Truth>& truths = member.part->truths_by(sides);
  for (const int r : member.memory_relations) {
    memories_.see(r, truths[at(memories_.relations()[at(r)].condition)]);
  }
}

/// What `pre` and `rises` look back at, where no variable has an initialiser for it: what is there
/// at the start has been there before.
void Engine::start_memories() {
  have_memories_started_ = true;
  const expr::Point point = point_of_memories();
  const auto now = [this](int memory) { return memory_now(memory); };
  for (std::size_t m = 0; m < workshop_.model.equations.memories.size(); ++m) {
    const int memory = static_cast<int>(m);
    if (memories_[memory].slot >= 0) continue;
    const expr::Value value = memories_.value(memory, point, now);
    if (value.fault == expr::Fault::None) memories_.keep(memory, value.value);
  }
}

expr::Point Engine::point_of_memories() {
  expr::Point point;
  point.time = workshop_.machine.time;
  point.variable = [this](expr::VarRef x) { return value_of(x); };
  point.discrete = [this](DiscreteId id) { return discrete_value(id); };
  point.opaque = [this](expr::FunctionId f, std::span<const double> arguments) {
    return boxes_->call(f, arguments);
  };
  return point;
}

/// A surface whose crossing changes a memory is left by it: the part slides along it only because
/// the memory was kept fixed. The change counts if the memory keeps it on the surface itself.
bool Engine::leaves_surface(std::vector<Memories::Change>& changes) {
  const expr::Point point = point_of_memories();
  const auto now = [this](int memory) { return memory_now(memory); };
  for (const Side side : {Side::Plus, Side::Minus}) {
    std::vector<std::int32_t> sliding;
    for (const std::int32_t number : changed_) {
      Part& part = *members_[at(number)].part;
      if (members_[at(number)].memory_relations.empty()) continue;
      Sides sides = part.sides();
      for (int b = 0; b < static_cast<int>(sides.size()); ++b) {
        if (!part.slides_on(b)) continue;
        sides[at(b)] = side;
        if (sliding.empty() || sliding.back() != number) sliding.push_back(number);
      }
      if (!sliding.empty() && sliding.back() == number) see_truths(number, sides);
    }
    if (sliding.empty()) return false;
    const bool good = memories_.compute(point, now, changes);
    for (const std::int32_t number : sliding)
      see_truths(number, members_[at(number)].part->sides());
    if (!good) continue;
    const auto changed = [&](int memory) {
      const auto mine = std::ranges::find(changes, memory, &Memories::Change::memory);
      return mine == changes.end() ? memory_now(memory) : mine->after;
    };
    expr::Point beyond = point;
    beyond.discrete = [&](DiscreteId id) {
      for (const Memories::Change& change : changes) {
        if (memories_[change.memory].now == id) return change.after;
      }
      return discrete_value(id);
    };
    const bool lasts = std::ranges::all_of(changes, [&](const Memories::Change& change) {
      return memories_.value(change.memory, beyond, changed).value == change.after;
    });
    if (lasts && !changes.empty()) return true;
  }
  changes.clear();
  return false;
}

Engine::Round Engine::run_round(bool arriving) {
  const double time = workshop_.machine.time;
  if (time != round_time_) {
    memories_.disturb();
    rounds_here_ = 0;
    round_time_ = time;
  }
  for (const std::int32_t number : changed_) {
    Member& member = members_[at(number)];
    if (member.memory_relations.empty() || member.part->plan() == nullptr) continue;
    Part& part = *member.part;
    bring(number);
    if (arriving) {
      Sides sides = part.sides();
      for (const Event& event : member.run->events()) {
        if (event.time != time || event.border < 0 || event.direction == 0) continue;
        if (!consequence_of(event.kind).of_border) continue;
        sides[at(event.border)] = event.direction > 0 ? Side::Plus : Side::Minus;
      }
      see_truths(number, sides);
      continue;
    }
    if (part.renew_steps()) part.update_sides();
    if (part.refresh_sides()) member.due.request(Due::Motion::Search);
    see_truths(number, part.sides());
  }
  if (!have_memories_started_) start_memories();
  if (!memories_.has_work() && arriving) return Round::Rests;
  const expr::Point point = point_of_memories();
  const auto now = [this](int memory) { return memory_now(memory); };
  if (!memories_.compute(point, now, changes_)) {
    const Memories::Failed& failed = memories_.failed();
    if (auto why = explain_box(failed.value.where, memories_[failed.memory].block)) {
      fail(std::move(*why));
    } else {
      fail({.code = DiagCode::ConditionUndefined,
            .span = memories_[failed.memory].span,
            .message = fmt::format("this has no value at t = {}: {}", time,
                                   expr::fault_text(failed.value.fault))});
    }
    return Round::Failed;
  }
  if (changes_.empty() && (arriving || !leaves_surface(changes_))) return Round::Rests;
  for (const Memories::Change& change : changes_) {
    if (!check_value(change)) return Round::Failed;
  }
  make_round(changes_);
  const auto cycle = memories_.made(changes_);
  if (!cycle.empty()) return fail_restless(cycle), Round::Failed;
  if (++rounds_here_ > kMostRounds) return fail_restless({}), Round::Failed;
  return Round::Changed;
}

bool Engine::check_value(const Memories::Change& change) {
  const flat::Memory& memory = memories_[change.memory];
  const bool is_whole =
      change.after == std::floor(change.after) && std::abs(change.after) <= kLargestWhole;
  const bool is_below = memory.natural && change.after < 0;
  if (is_whole && !is_below) return true;
  return fail({.code = is_whole ? DiagCode::RunNegativeNat : DiagCode::RunOverflow,
               .span = memory.span,
               .message = fmt::format("the discrete equation for `{}` gives {} at t = {}, which is "
                                      "no `{}` number",
                                      memories_.name(change.memory), change.after,
                                      workshop_.machine.time, memory.natural ? "nat" : "int")});
}

/// All at once: the equations see the memories before, or all after.
void Engine::make_round(const std::vector<Memories::Change>& changes) {
  is_in_round_ = true;
  ++rounds_;
  const auto slot_of = [&](const Memories::Change& change) -> std::int64_t {
    const std::int32_t slot = memories_[change.memory].slot;
    return slot < 0 ? -1 - change.memory : memory_slot(workshop_.model, workshop_.frames, slot);
  };
  for (const Memories::Change& change : changes) {
    if (const auto found = readers_.find(slot_of(change)); found != readers_.end()) {
      for (const Reader& reader : found->second) bring(reader.member);
    }
  }
  for (const Memories::Change& change : changes) {
    const std::int64_t slot = slot_of(change);
    if (slot < 0) {
      memories_.keep(change.memory, change.after);
    } else {
      workshop_.machine.memory()[slot].i = static_cast<std::int64_t>(change.after);
    }
  }
  for (const Memories::Change& change : changes) {
    const std::int64_t slot = slot_of(change);
    if (slot >= 0) touch_memories(slot);
    const auto found = readers_.find(slot);
    if (found == readers_.end()) continue;
    for (const Reader& reader : found->second) {
      members_[at(reader.member)].due.request(Due::Values::Assigned);
      list(reader.member);
    }
  }
  is_in_round_ = false;
  close_gates();
  if (observer == nullptr) return;
  std::string what;
  constexpr std::size_t kMostTold = 10;
  std::size_t told = 0;
  for (const Memories::Change& change : changes) {
    if (memories_[change.memory].slot < 0) continue;
    if (told++ == kMostTold) {
      what += ", ...";
      break;
    }
    what += (what.empty() ? "" : ", ") + change_text(change);
  }
  if (!what.empty()) {
    observer->note(workshop_.machine.time, "round", what, memories_[changes.front().memory].span);
  }
}

std::string Engine::change_text(const Memories::Change& change) const {
  const std::string value = memories_[change.memory].boolean
                                ? (change.after != 0 ? "true" : "false")
                                : fmt::format("{}", change.after);
  return fmt::format("{} = {}", memories_.name(change.memory), value);
}

bool Engine::fail_determined(std::int64_t slot) {
  for (const flat::Memory& memory : workshop_.model.equations.memories) {
    if (memory.slot < 0 || memory_slot(workshop_.model, workshop_.frames, memory.slot) != slot)
      continue;
    return fail({.code = DiagCode::AssignToDiscrete,
                 .span = memory.span,
                 .message = fmt::format("a statement gives `{}` a value, which a discrete equation "
                                        "determines",
                                        flat::scalar_name(workshop_.model, memory.slot))});
  }
  const flat::Substitution& s = substituted_.at(slot);
  return fail({.code = DiagCode::AssignToDiscrete,
               .span = s.span,
               .message = fmt::format("a statement gives `{}` a value, which a discrete equation "
                                      "determines",
                                      flat::scalar_name(workshop_.model, s.variable.var.index))});
}

bool Engine::fail_restless(const std::vector<std::vector<Memories::Change>>& cycle) {
  Diagnostic d{.code = DiagCode::MemoriesRestless};
  constexpr std::size_t kMostTold = 8;
  std::string text;
  std::vector<std::vector<Memories::Change>> shown = cycle;
  if (shown.empty()) shown.push_back(changes_);
  for (std::size_t r = 0; r < shown.size() && r < kMostTold; ++r) {
    std::string round;
    for (std::size_t i = 0; i < shown[r].size() && i < kMostTold; ++i) {
      const Memories::Change& change = shown[r][i];
      round += (i == 0 ? "" : ", ") + change_text(change);
      const Span span = memories_[change.memory].span;
      const bool is_told =
          (d.span && *d.span == span) ||
          std::ranges::any_of(d.labels, [&](const auto& l) { return l.span == span; });
      if (is_told) continue;
      if (!d.span) {
        d.span = span;
      } else {
        d.labels.push_back({span, "and this one"});
      }
    }
    text += (r == 0 ? "" : "; then ") + round;
  }
  if (shown.size() > kMostTold) text += "; ...";
  d.message = cycle.empty()
                  ? fmt::format(
                        "discrete equations have not come to rest at t = {} after {} rounds; "
                        "the last one: {}",
                        workshop_.machine.time, kMostRounds, text)
                  : fmt::format("discrete equations do not come to rest at t = {}: {}; and so on",
                                workshop_.machine.time, text);
  d.help =
      "in a round all memories take their new values at once; a value that depends on what it "
      "switches needs two thresholds";
  return fail(std::move(d));
}

}  // namespace chi::sim
