#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "flat/scalars.h"
#include "graph/union_find.h"
#include "sim/engine/engine.h"
#include "sim/engine/tolerances.h"

// Events that accumulate: the instant of their limit, and what holds there (accumulation.h).
namespace chi::sim {
namespace {

using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// FNV-1a, word by word.
constexpr std::uint64_t kHashStart = 0xcbf29ce484222325u;
std::uint64_t mix(std::uint64_t hash, std::uint64_t word) { return (hash ^ word) * 0x100000001b3u; }

}  // namespace

/// Which parts the statements of one process see together.
void Engine::join_parts() {
  const auto count = static_cast<int>(members_.size());
  graph::UnionFind groups(count);
  for (std::size_t b = 0; b < visible_.size(); ++b) {
    const code::Routine& body =
        program_.bodies[code::RoutineId{workshop_.model.blocks[b].body.index}];
    if (body.main_pc < 0) continue;
    for (const std::int32_t m : visible_[b]) groups.unite(visible_[b].front(), m);
  }
  std::vector<std::int32_t> number(members_.size(), -1);
  for (int m = 0; m < count; ++m) {
    std::int32_t& n = number[at(groups.find(m))];
    if (n < 0) {
      n = static_cast<std::int32_t>(together_.size());
      together_.emplace_back();
    }
    members_[at(m)].together = n;
    together_[at(n)].members.push_back(m);
  }
}

/// A border was met, or its side changed, at this instant.
void Engine::note_in_series(const Member& member, int border, int direction) {
  Together& group = together(member);
  const double now = workshop_.machine.time;
  if (group.time != now) group.directions.clear();
  group.time = now;
  const std::pair<std::int32_t, int> place{member.part->number(), border};
  group.directions.try_emplace(place, direction);
  group.last_at[place] = now;
}

/// An explicit choice wins; else the run passes the limits of contacts with restitution.
bool Engine::may_pass_limit(const Together& group) const {
  if (workshop_.options.zeno != Zeno::Auto) return workshop_.options.zeno == Zeno::Continue;
  return std::ranges::any_of(group.directions, [&](const auto& entry) {
    const auto& [member, border] = entry.first;
    return members_[at(member)].part->conditions().borders()[at(border)].has_restitution;
  });
}

/// What of the memory belongs to no part: the slots of reals, and those of all else.
void Engine::map_memory() {
  const flat::FlatModel& model = workshop_.model;
  const sema::Types& types = model.typed.types;
  for (std::int32_t s = 0; s < model.variable_slots; ++s) {
    const bool is_real = types.is_real_based(flat::scalar_type(model, s));
    if (is_real && parts_.part_of_slot[at(s)] >= 0) continue;
    (is_real ? other_reals_ : other_slots_).push_back(memory_slot(model, workshop_.frames, s));
  }
  memory_is_mapped_ = true;
}

/// The differential variables of the present modes, with the derivatives below the highest.
void Engine::enter_moving(Together& group) {
  for (const std::int32_t m : group.members) {
    const Plan* const plan = members_[at(m)].part->plan();
    if (plan == nullptr) continue;
    const structure::Analysis& analysis = plan->analysis();
    for (std::size_t j = 0; j < analysis.unknowns.size(); ++j) {
      for (int k = 0; k < analysis.d[j]; ++k) {
        const std::pair<std::int32_t, VarRef> x{m, {analysis.unknowns[j], k}};
        const auto next = static_cast<int>(group.moving.size());
        if (group.number_of.try_emplace(x, next).second) group.moving.push_back(x);
      }
    }
  }
}

/// All reals that no equation can determine, then what moves.
Accumulation::Snapshot Engine::snapshot(Together& group) {
  enter_moving(group);
  const code::Slot* const memory = workshop_.machine.memory();
  Accumulation::Snapshot result{.values = {},
                                .memory = kHashStart,
                                .by_statement = group.assigned_at == workshop_.machine.time};
  for (const std::int64_t slot : other_reals_) result.values.push_back(memory[slot].r);
  for (const auto& [m, x] : group.moving) {
    bring(m);
    Part& part = *members_[at(m)].part;
    const std::int32_t place = part.place(x);
    part.fit(part.frame());
    result.values.push_back(part.frame()[at(place)]);
  }
  for (const std::int64_t slot : other_slots_) {
    result.memory = mix(result.memory, static_cast<std::uint64_t>(memory[slot].i));
  }
  return result;
}

/// After the events of an instant, before time passes.
bool Engine::seek_limits(double until) {
  if (workshop_.options.zeno == Zeno::Stop || workshop_.options.solver == SolverChoice::Timestep) {
    return true;
  }
  for (std::size_t i = 0; i < changed_.size(); ++i) {
    Together& group = together(members_[at(changed_[i])]);
    if (group.limit_at == workshop_.machine.time && !rests(group)) return fail_without_rest(group);
    if (group.time != workshop_.machine.time || !may_pass_limit(group)) continue;
    seek_limit(group, until);
    group.time = -1;
  }
  return true;
}

/// If events accumulate before `until`, their parts go to the limit at once.
void Engine::seek_limit(Together& group, double until) {
  constexpr std::size_t kFew = 100;
  const double now = workshop_.machine.time;
  if (!memory_is_mapped_) map_memory();
  const bool always =
      group.members.size() + group.moving.size() + other_reals_.size() + other_slots_.size() <=
      kFew;
  Accumulation::Event event{.time = now, .kind = kHashStart, .phase = kHashStart};
  for (const auto& [place, direction] : group.directions) {
    event.kind = mix(mix(event.kind, static_cast<std::uint64_t>(place.first)),
                     static_cast<std::uint64_t>(place.second));
    event.phase = mix(mix(event.phase, event.kind), static_cast<std::uint64_t>(direction + 1));
  }
  if (!group.accumulation.note(
          event, [&] { return snapshot(group); }, always))
    return;
  const RunOptions& options = workshop_.options;
  const auto values = static_cast<int>(other_reals_.size() + group.moving.size());
  std::optional<Accumulation::Limit> limit =
      group.accumulation.limit(values, {options.rtol, options.atol});
  if (!limit) return;
  const double slack = std::max(limit->time_error, tolerance::kAtOnce * std::abs(limit->time));
  if (std::abs(limit->time - until) <= slack) limit->time = until;
  if (!(limit->time > now) || limit->time > until) return;
  std::map<std::int32_t, std::vector<double>> frames;
  for (const std::int32_t m : group.members) {
    Member& member = members_[at(m)];
    if (!member.run->would_move()) continue;
    bring(m);
    frames[m] = member.part->frame();
    frames[m][0] = limit->time;
  }
  for (std::size_t i = 0; i < group.moving.size(); ++i) {
    const auto& [m, x] = group.moving[i];
    const std::size_t k = other_reals_.size() + i;
    const double size = std::max(std::abs(limit->values[k]), limit->sizes[k]);
    const double zero = std::max(10 * limit->errors[k],
                                 tolerance::kZeroLimit * (options.rtol * size + options.atol));
    if (std::abs(limit->values[k]) <= zero) limit->values[k] = 0;
    const auto frame = frames.find(m);
    if (frame != frames.end()) frame->second[at(members_[at(m)].part->place(x))] = limit->values[k];
  }
  group.limit = std::move(limit);
  for (const auto& [m, frame] : frames) {
    if (crosses_others(group, m, frame)) return;
  }
  for (auto& [m, frame] : frames) {
    members_[at(m)].run->leap(now, group.limit->time, std::move(frame));
    follow(m);
  }
}

/// Whether a border that takes no part in the series lies between the last event and the limit.
bool Engine::crosses_others(const Together& group, std::int32_t number,
                            const std::vector<double>& frame) {
  Part& part = *members_[at(number)].part;
  const double begin = group.accumulation.time(group.limit->period);
  const auto values_before = part.border_values(part.frame());
  const std::vector<Part::BorderValue> before(values_before.begin(), values_before.end());
  const std::span<const Part::BorderValue> after = part.border_values(frame);
  for (std::size_t b = 0; b < before.size(); ++b) {
    const auto known = group.last_at.find({number, static_cast<int>(b)});
    if (known != group.last_at.end() && known->second > begin) continue;
    const double x = before[b].value, y = after[b].value;
    if (x * y < 0 && std::abs(x) > before[b].band && std::abs(y) > after[b].band) return true;
  }
  return false;
}

/// A part has come to the limit; the first one of its group tells.
void Engine::arrive_at_limit(std::int32_t number) {
  Member& member = members_[at(number)];
  Together& group = together(member);
  const double now = workshop_.machine.time;
  const bool is_first = group.limit_at != now;
  if (is_first) {
    const double begin = group.accumulation.time(group.limit->period);
    group.limit_at = now;
    group.passes = 0;
    group.borders.clear();
    for (const auto& [border, time] : group.last_at) {
      if (time > begin) group.borders.push_back(border);
    }
    group.values.clear();
  }
  const std::span<const Part::BorderValue> values =
      member.part->border_values(member.part->frame());
  for (const auto& [m, border] : group.borders) {
    if (m != number) continue;
    member.part->touch(border, now, std::abs(values[at(border)].value), true, false);
  }
  member.chatter = {};
  if (!is_first) return;
  double error = 0;
  for (std::size_t i = 0; i < group.moving.size(); ++i) {
    const auto& [m, x] = group.moving[i];
    const std::size_t k = other_reals_.size() + i;
    error = std::max(error, group.limit->errors[k]);
    if (group.values.size() > 200 || x.var.index >= workshop_.model.variable_slots) continue;
    group.values += fmt::format("{}{} = {:.10g}", group.values.empty() ? "" : ", ",
                                members_[at(m)].part->variable_name(x), group.limit->values[k]);
  }
  if (observer != nullptr) {
    const auto& [m, border] = group.borders.front();
    observer->zeno(now, borders_text(group), members_[at(m)].part->border_span(border),
                   {.values = group.values,
                    .events = group.limit->events,
                    .time_error = group.limit->time_error,
                    .error = error});
  }
  group.accumulation.forget();
  group.rest = snapshot(group);
}

/// "y = 0 and x - 1 = 0".
std::string Engine::borders_text(const Together& group) const {
  std::string text;
  for (const auto& [m, border] : group.borders) {
    if (text.size() > 120) break;
    Part& part = *members_[at(m)].part;
    text +=
        fmt::format("{}{} = 0", text.empty() ? "" : " and ", part.text(part.difference(border)));
  }
  return text;
}

bool Engine::is_at_limit(const Member& member) const {
  return together(member).limit_at == workshop_.machine.time;
}

/// What is told of a failure at a limit.
Diagnostic Engine::at_limit(const Member& member, Diagnostic why) const {
  if (!is_at_limit(member)) return why;
  const Together& group = together(member);
  why.notes.push_back(fmt::format("events accumulate at this time: {}; there {}",
                                  borders_text(group), group.values));
  return why;
}

/// A condition that took part in the series holds at the limit, and lets a statement pass; again
/// and again, if what the statements do there leads back to it at once.
bool Engine::notice_no_rest(const Awaited& passed) {
  constexpr int kMostPasses = 50;
  Member& member = members_[at(passed.member)];
  if (!is_at_limit(member)) return true;
  Together& group = together(member);
  const auto is_of_series = [&](int border) {
    return std::ranges::find(group.borders, std::pair{passed.member, border}) !=
           group.borders.end();
  };
  if (std::ranges::none_of(member.part->conditions().borders_of(passed.condition), is_of_series)) {
    return true;
  }
  return ++group.passes <= kMostPasses || fail_without_rest(group);
}

/// Whether the statements leave their parts alone at the limit, or change something: what passes
/// there, assigns, and changes nothing, would have had to keep up what the events kept up.
bool Engine::rests(Together& group) {
  if (group.passes == 0 || group.assigned_at != workshop_.machine.time) return true;
  const Accumulation::Snapshot now = snapshot(group);
  if (now.memory != group.rest.memory) return true;
  const RunOptions& options = workshop_.options;
  for (std::size_t k = other_reals_.size(); k < group.rest.values.size(); ++k) {
    const double size = group.limit->sizes[k];
    const double zero = tolerance::kZeroLimit * (options.rtol * size + options.atol);
    if (std::abs(now.values[k] - group.rest.values[k]) > zero) return true;
  }
  for (std::size_t k = 0; k < other_reals_.size(); ++k) {
    const bool is_read = readers_.contains(other_reals_[k]);
    if (is_read && now.values[k] != group.rest.values[k]) return true;
  }
  return false;
}

bool Engine::fail_without_rest(const Together& group) {
  const auto& [m, border] = group.borders.front();
  Part& part = *members_[at(m)].part;
  Diagnostic why{.code = DiagCode::Zeno,
                 .span = part.border_span(border),
                 .message = fmt::format("events accumulate at t = {:.10g}, and there is no "
                                        "alternative for what comes after: where {} the equations "
                                        "lead back at once",
                                        workshop_.machine.time, borders_text(group)),
                 .notes = {fmt::format("there {}", group.values)},
                 .help =
                     "give the equations an alternative that holds there, at rest for "
                     "instance, as a floor that can hold what falls on it"};
  if (part.has_modes()) why.notes.push_back(fmt::format("the mode there: {}", part.mode_text()));
  return fail(std::move(why));
}

}  // namespace chi::sim
