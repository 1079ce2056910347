#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "code/distributions.h"
#include "sim/processes/life.h"
#include "sim/processes/scheduler.h"

// Processes that statements start. A started process takes the place of one with the same code that
// has ended, if there is one, so that memory follows the most that live at one time.
namespace chi::sim {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

Scheduler::~Scheduler() = default;

/// Calendar, ready set and watch lists have room for `count` processes.
void Scheduler::make_room_for_processes(std::int32_t count) {
  if (model_.starts.empty() || count <= process_room_) return;
  if (started_bodies_.empty()) started_bodies_.resize(at(program_.bodies.size()));
  process_room_ = std::max(count, 2 * process_room_);
  lives_.resize(at(process_room_));
  calendar_.grow(process_room_);
  ready_.grow(process_room_);
  watches_.grow(process_room_);
  if (!lines_.empty()) retries_.resize(at(process_room_));
}

Scheduler::StartedBody& Scheduler::started_body(code::RoutineId id) {
  StartedBody& kept = started_bodies_[at(id.index)];
  if (kept.known) return kept;
  kept.known = true;
  const code::Routine& routine = program_.bodies[id];
  const flat::Body& body = model_.bodies[flat::BodyId{id.index}];
  const sema::TypedModel& typed = model_.typed;
  const auto& info = typed.definitions[at(body.definition)];
  for (const code::Selection& selection : routine.selections)
    kept.most_offers = std::max(kept.most_offers, selection.offers);
  const auto own = [&](std::int32_t reg, sema::TypeId type) {
    const code::RuntimeType& runtime = program_.types.known(type);
    if (!runtime.is_plain) kept.owned.emplace_back(reg, &runtime);
  };
  for (std::size_t i = 0; i < body.locals.size(); ++i)
    own(routine.local_offsets[i], body.locals[i]);
  for (std::size_t i = 0; i < body.params.size(); ++i) {
    const sema::Decl& decl = typed.decls[info.params[i]];
    if (decl.kind == sema::DeclKind::RefParam) continue;
    const sema::TypeId channel = typed.types.channel_of(decl.type);
    if (!channel) {
      own(routine.param_offsets[i], body.params[i]);
    } else if (std::get<sema::Channel>(typed.types[channel]).direction ==
               sema::Direction::Receive) {
      kept.receives.emplace_back(routine.param_offsets[i],
                                 program_.types.known(body.params[i]).slots);
    }
  }
  return kept;
}

/// A process with this code that is not alive; -1 if there are too many.
std::int32_t Scheduler::vacant_process(code::RoutineId id) {
  StartedBody& kept = started_body(id);
  const code::Routine& routine = program_.bodies[id];
  if (!kept.vacant.empty()) {
    const std::int32_t process = kept.vacant.back();
    kept.vacant.pop_back();
    machine_.clear_frame(routine, processes_[at(process)].frame - machine_.memory());
    return process;
  }
  if (processes_.size() == processes_.capacity()) return -1;
  const std::int64_t frame = machine_.start_frame(routine);
  if (frame < 0) return -1;
  const auto process = static_cast<std::int32_t>(processes_.size());
  processes_.emplace_back();
  make_room_for_processes(process + 1);
  ProcessState& state = processes_.back();
  state.routine = &routine;
  state.code = routine.code.data();
  state.offers = routine.offers.data();
  state.frame = machine_.memory() + frame;
  state.first_end = static_cast<std::int32_t>(ends_.size());
  ends_.resize(ends_.size() + at(kept.most_offers));
  if (is_native_) state.native = native_->body(id);
  lives_[at(process)].body = id;
  return process;
}

/// The process has evaluated the arguments, and goes on with the number of the new one.
Scheduler::Choice Scheduler::start_process(std::int32_t creator, std::int32_t place) {
  const ProcessState& self = processes_[at(creator)];
  const code::Instr& in = self.code[place];
  const code::StartSite& site = self.routine->starts[at(in.c)];
  const std::int32_t process = vacant_process(site.body);
  if (process < 0) {
    code::Failure failure;
    failure.error = code::RunError::TooManyProcesses;
    failure.span = self.routine->spans[at(place)];
    failure.facts[0] = static_cast<std::int64_t>(processes_.size()) - model_.processes.size();
    report(name(creator), failure);
    return Choice::Failed;
  }
  Life& parent = lives_[at(creator)];
  if (parent.key == 0) parent.key = start_key(model_.blocks[at(self.block)], options_.seed);
  Life& life = lives_[at(process)];
  life.key = code::stream_key(parent.key, fmt::format_int(++parent.starts).c_str());
  life.starts = 0;
  life.number = ++started_count_;
  life.has_handle = site.keeps_handle;
  life.name.clear();
  if (!lines_.empty()) retries_[at(process)] = {};
  ProcessState& state = processes_[at(process)];
  give_arguments(self, site, state.frame);
  for (const code::StreamPlace& stream : state.routine->streams) {
    code::distribution_start(code::stream_key(life.key, stream.name), state.frame + stream.reg);
  }
  self.frame[in.a].i = life.number;
  if (life.has_handle) machine_.started.emplace(life.number, process);
  for (const auto& [reg, count] : started_body(site.body).receives) {
    for (std::int32_t i = 0; i < count; ++i) {
      ChannelState& channel = channels_[at(static_cast<std::int32_t>(state.frame[reg + i].i))];
      ++lines_of(channel).receivers_left;
      channel.deaf = false;
    }
  }
  ++unfinished_;
  interpreter_.block = -1;
  std::int32_t pc = state.routine->init_pc;
  if (interpreter_.run(*state.routine, state.frame, pc) == code::Stop::Failed) {
    report(name(process), interpreter_.failure());
    return Choice::Failed;
  }
  state.pc = state.routine->main_pc;
  state.state = State::Ready;
  if (state.pc >= 0) {
    ready_.insert(process);
  } else {
    finish_process(process);
  }
  return ended_ ? Choice::Failed : Choice::GoOn;
}

void Scheduler::give_arguments(const ProcessState& creator, const code::StartSite& site,
                               code::Slot* frame) {
  const code::Routine& routine = program_.bodies[site.body];
  for (std::size_t i = 0; i < site.arguments.size(); ++i) {
    const code::StartSite::Argument& argument = site.arguments[i];
    const code::Slot* const from = creator.frame + argument.reg;
    code::Slot* const to = frame + routine.param_offsets[i];
    const std::int32_t stride = argument.stride > 0 ? argument.stride : argument.slots;
    const std::int32_t copied = argument.stride > 0 ? argument.copied : argument.slots;
    for (std::int32_t k = 0; k < argument.slots; k += stride) std::copy_n(from + k, copied, to + k);
  }
}

/// A started process has done its last statement: its place is free, and who waits for it goes on.
void Scheduler::end_started(std::int32_t process) {
  ProcessState& state = processes_[at(process)];
  Life& life = lives_[at(process)];
  StartedBody& kept = started_body(life.body);
  for (const auto& [reg, count] : kept.receives) {
    for (std::int32_t i = 0; i < count && !ended_; ++i)
      lose_receiver(static_cast<std::int32_t>(state.frame[reg + i].i));
  }
  for (const auto& [reg, type] : kept.owned)
    code::release(machine_.heap(), *type, state.frame + reg);
  kept.vacant.push_back(process);
  if (life.has_handle) tell_end(life.number);
}

void Scheduler::tell_end(std::int64_t number) {
  machine_.started.erase(number);
  const auto [first, last] = waits_for_end_.equal_range(number);
  if (first == last) return;
  woken_.clear();
  for (auto it = first; it != last; ++it) woken_.push_back(it->second);
  std::sort(woken_.begin(), woken_.end());
  look_again();
}

void Scheduler::wait_for_ends(std::int32_t process, const code::Selection& selection) {
  ProcessState& state = processes_[at(process)];
  for (const code::Ending& ending : selection.ends) {
    const std::int32_t guard =
        ending.offer < 0 ? -1 : state.offers[selection.first_offer + ending.offer].guard;
    if (guard >= 0 && state.frame[guard].i == 0) continue;
    waits_for_end_.emplace(state.frame[ending.reg].i, process);
    state.asking |= kEnds;
  }
}

void Scheduler::leave_ends(std::int32_t process) {
  const ProcessState& state = processes_[at(process)];
  for (const code::Ending& ending : state.routine->selections[at(state.waits_at)].ends) {
    const auto [first, last] = waits_for_end_.equal_range(state.frame[ending.reg].i);
    const auto found =
        std::find_if(first, last, [&](const auto& entry) { return entry.second == process; });
    if (found != last) waits_for_end_.erase(found);
  }
}

code::RoutineId Scheduler::body_of(std::int32_t process) const {
  if (is_started(process)) return lives_[at(process)].body;
  return code::RoutineId{model_.blocks[at(processes_[at(process)].block)].body.index};
}

/// `Customer#17`: the seventeenth process that was started.
std::string_view Scheduler::started_name(std::int32_t process) const {
  const Life& life = lives_[at(process)];
  if (life.name.empty())
    life.name = fmt::format("{}#{}", program_.bodies[life.body].name, life.number);
  return life.name;
}

/// --choice random: the first process behind it of another priority. Those that are started have
/// priority 0, behind which those of the model come that have a higher number.
std::int32_t Scheduler::group_end(std::int32_t process) const {
  const auto all = static_cast<std::int32_t>(processes_.size());
  if (is_started(process)) return all;
  const std::int32_t end = group_end_[at(process)];
  const bool last =
      end == first_monitor_ && model_.processes[flat::ProcessId{end - 1}].priority == 0;
  return last ? all : end;
}

}  // namespace chi::sim
