#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "code/print_value.h"
#include "sim/processes/name_ranges.h"
#include "sim/processes/scheduler.h"

// Who waits for what, in words: for deadlocks, livelocks and communications that nobody can answer.
namespace chi::sim {
namespace {

constexpr std::size_t kMaxShown = 60;  // bytes of a value in a report

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Reports list this many processes one by one; a model may have a hundred thousand. Of more those
/// that wait at the same place for the same become one.
constexpr std::size_t kMaxListed = 50;
/// Names of no regularity at all: this many pieces, before only the first and the last are named;
/// and in what they wait for.
constexpr std::size_t kMaxPieces = 1000;
constexpr std::size_t kMaxPiecesInCause = 4;

std::string quoted(std::string_view name) { return fmt::format("`{}`", name); }

/// What stands in quotes, one after the other.
std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t begin = text.find('`'); begin != std::string_view::npos;) {
    const std::size_t end = text.find('`', begin + 1);
    if (end == std::string_view::npos) break;
    names.emplace_back(text.substr(begin + 1, end - begin - 1));
    begin = text.find('`', end + 1);
  }
  return names;
}

/// Texts that differ in the indices of names only, as one.
std::string together(std::span<const std::string> texts) {
  std::vector<std::vector<std::string>> names;  // by their place in the text
  for (const std::string& text : texts) {
    const std::vector<std::string> found = names_in(text);
    names.resize(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) names[i].push_back(found[i]);
  }
  std::string_view rest = texts.front();
  std::string result;
  for (const std::vector<std::string>& of_one_place : names) {
    const std::size_t begin = rest.find('`');
    result += rest.substr(0, begin);
    const bool equal =
        std::equal(of_one_place.begin() + 1, of_one_place.end(), of_one_place.begin());
    result += equal ? quoted(of_one_place.front()) : name_ranges(of_one_place, kMaxPiecesInCause);
    rest.remove_prefix(rest.find('`', begin + 1) + 1);
  }
  return result + std::string(rest);
}

}  // namespace

Span Scheduler::waiting_span(std::int32_t process) const {
  const ProcessState& state = processes_[at(process)];
  switch (state.state) {
    case State::Sending:
    case State::Receiving: return state.routine->offers[at(state.waits_at)].span;
    case State::Selecting: return state.routine->selections[at(state.waits_at)].span;
    case State::Delayed:
    case State::Ready:
    case State::Finished: return state.routine->spans[at(std::max(state.pc - 1, 0))];
  }
  return {};
}

/// What the other end of a channel does.
std::string Scheduler::partner_text(std::int32_t channel, bool sending) const {
  const flat::Channel& c = model_.channels[flat::ChannelId{channel}];
  if (c.many >= 0) return many_partners_text(channel, sending);
  const std::int32_t partner = (sending ? c.receiver : c.sender).index;
  const std::string_view verb = sending ? "receive" : "send";
  if (partner < 0) return fmt::format("no process is connected there to {}", verb);
  switch (processes_[at(partner)].state) {
    case State::Finished:
      return fmt::format("`{}`, which could {}, has finished", name(partner), verb);
    case State::Delayed:
      return fmt::format("`{}`, which could {}, is in a delay", name(partner), verb);
    default: return fmt::format("`{}`, which could {}, waits elsewhere", name(partner), verb);
  }
}

std::string Scheduler::waiting_cause(std::int32_t process, bool with_values) const {
  const ProcessState& state = processes_[at(process)];
  const auto channel_text = [&](const code::Offer& offer) {
    const auto channel = static_cast<std::int32_t>(state.frame[offer.channel].i);
    const bool sending = offer.kind == code::Offer::Kind::Send;
    return fmt::format("to {} `{}` ({})", sending ? "send on" : "receive from",
                       model_.channels[flat::ChannelId{channel}].name,
                       partner_text(channel, sending));
  };
  switch (state.state) {
    case State::Sending:
    case State::Receiving: return channel_text(state.routine->offers[at(state.waits_at)]);
    case State::Delayed: return "for an infinite delay";
    case State::Selecting: break;
    case State::Ready:
    case State::Finished: return "";
  }
  const code::Selection& selection = state.routine->selections[at(state.waits_at)];
  std::string text;
  for (std::int32_t i = 0; i < selection.offers; ++i) {
    const code::Offer& offer = state.routine->offers[at(selection.first_offer + i)];
    if (offer.guard >= 0 && state.frame[offer.guard].i == 0) continue;
    if (offer.kind == code::Offer::Kind::Delay) continue;
    if (offer.kind == code::Offer::Kind::Immediate) continue;
    if (!text.empty()) text += ", or ";
    text += channel_text(offer);
  }
  for (const code::Watched& watched : selection.watched) {
    if (!text.empty()) text += ", or ";
    text += "for a change of " + watched_text(state, watched, with_values);
  }
  for (const code::Ending& ending : selection.ends) {
    const auto started = machine_.started.find(state.frame[ending.reg].i);
    if (started == machine_.started.end()) continue;
    if (!text.empty()) text += ", or ";
    text += fmt::format("for the end of `{}`", name(started->second));
  }
  for (const code::Noted& noted : selection.conditions) {
    if (state.frame[noted.reg].i == 0) continue;
    if (!text.empty()) text += ", or ";
    text += "for a condition on variables of equations that are at rest";
    break;
  }
  if (!text.empty()) return text;
  return "for a condition that no other process can change";
}

/// A shared variable by name, with its value: `n` (now 3).
std::string Scheduler::watched_text(const ProcessState& process, const code::Watched& watched,
                                    bool with_value) const {
  const std::int64_t slot = process.frame[watched.reg].i;
  const auto behind = std::upper_bound(
      by_slot_.begin(), by_slot_.end(), slot,
      [&](std::int64_t s, auto variable) { return s < frames_.variable[variable]; });
  const flat::VariableId found = behind[-1];
  const flat::Variable& variable = model_.variables[found];
  if (!with_value) return quoted(variable.name);
  std::string value;
  code::print_briefly(program_.types, program_.types.known(variable.type),
                      machine_.memory() + frames_.variable[found], kMaxShown, value);
  if (value.size() > kMaxShown) return quoted(variable.name);
  return fmt::format("`{}` (now {})", variable.name, value);
}

Deadlock Scheduler::explain_deadlock() {
  by_slot_.clear();
  for (flat::VariableId v{0}; v.index < model_.variables.size(); ++v.index) {
    if (frames_.variable[v] >= 0) by_slot_.push_back(v);
  }
  std::stable_sort(by_slot_.begin(), by_slot_.end(),
                   [&](auto a, auto b) { return frames_.variable[a] < frames_.variable[b]; });
  std::vector<std::int32_t> waiting;
  for (std::int32_t p = 0; p < static_cast<std::int32_t>(processes_.size()); ++p) {
    if (processes_[at(p)].state != State::Finished && !is_monitor(p)) waiting.push_back(p);
  }
  if (waiting.size() > kMaxListed) return explain_deadlock_of_many(waiting);
  Deadlock deadlock;
  for (const std::int32_t p : waiting)
    deadlock.waiting.push_back({quoted(name(p)), waiting_span(p), waiting_cause(p, true)});
  return deadlock;
}

Deadlock Scheduler::explain_deadlock_of_many(std::span<const std::int32_t> waiting) const {
  struct Group {
    Span span;
    std::vector<std::string> names, causes;
  };
  std::vector<Group> groups;
  std::map<std::pair<std::uint32_t, std::string>, std::size_t> number;
  for (const std::int32_t p : waiting) {
    const Span span = waiting_span(p);
    std::string cause = waiting_cause(p, false);
    // Instances of one process that wait there for the same.
    std::string kind = without_indices(name(p)) + '\n' + without_indices(cause);
    const auto [found, is_new] = number.try_emplace({span.begin, std::move(kind)}, groups.size());
    if (is_new) groups.push_back({span, {}, {}});
    Group& group = groups[found->second];
    group.names.emplace_back(name(p));
    group.causes.push_back(std::move(cause));
  }
  Deadlock deadlock;
  for (const Group& group : groups) {
    deadlock.waiting.push_back({.process = name_ranges(group.names, kMaxPieces),
                                .span = group.span,
                                .cause = together(group.causes),
                                .count = group.names.size()});
  }
  return deadlock;
}

/// The scalar variables of a process, as `x = 1, b = true`; at most ten.
std::string Scheduler::values_text(std::int32_t process) const {
  if (is_started(process)) return "";
  const flat::Block& block = model_.blocks[at(model_.processes[flat::ProcessId{process}].block)];
  std::string text;
  int listed = 0;
  for (const flat::VariableId id : block.variables) {
    if (!id || listed == 10) continue;
    const flat::Variable& variable = model_.variables[id];
    const code::RuntimeType& type = program_.types.known(variable.type);
    if (type.kind >= code::TypeKind::Function) continue;
    if (listed++ > 0) text += ", ";
    text +=
        fmt::format("{} = ", model_.typed.ast.symbols.text(model_.typed.decls[variable.decl].name));
    code::print_briefly(program_.types, type, machine_.memory() + frames_.variable[id], kMaxShown,
                        text);
  }
  return text;
}

/// The number of actions that was too many.
std::int64_t Scheduler::exceeded() const {
  const bool is_by_equations = physics != nullptr && physics->answered > options_.max_answered;
  return is_by_equations ? options_.max_answered : options_.max_actions;
}

Livelock Scheduler::explain_livelock(const std::vector<std::int32_t>& active) const {
  Livelock livelock{.actions = exceeded()};
  for (const std::int32_t process : active) {
    if (livelock.active.size() == kMaxListed) break;
    const ProcessState& state = processes_[at(process)];
    const std::int32_t pc = state.state == State::Ready ? state.pc : std::max(state.pc - 1, 0);
    livelock.active.push_back(
        {quoted(name(process)), state.routine->spans[at(pc)], values_text(process)});
  }
  return livelock;
}

Livelock Scheduler::explain_loop(std::int32_t process, std::int32_t loop_end) const {
  const Span span = processes_[at(process)].routine->spans[at(loop_end)];
  return {{{quoted(name(process)), span, values_text(process)}}, exceeded()};
}

/// A plain send to a process that has finished, or that never was, can never happen: false, and
/// reported.
bool Scheduler::check_partner(std::int32_t process, const code::Offer& offer) {
  if (offer.kind != code::Offer::Kind::Send) return true;
  const auto channel = static_cast<std::int32_t>(processes_[at(process)].frame[offer.channel].i);
  const flat::Channel& c = model_.channels[flat::ChannelId{channel}];
  const std::int32_t partner = c.receiver.index;
  if (c.many >= 0 && !channels_[at(channel)].deaf) return true;
  if (partner >= 0 && processes_[at(partner)].state != State::Finished) return true;
  outcome_.why = NobodyThere{std::string(name(process)), offer.span, c.name,
                             partner < 0 ? std::string() : std::string(name(partner))};
  return false;
}

}  // namespace chi::sim
