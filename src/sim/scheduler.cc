#include "sim/scheduler.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "code/print_value.h"

namespace chi::sim {
namespace {

/// Actions at one instant after which the run is taken for a livelock: far more than any model needs, reached in
/// seconds.
constexpr std::int64_t kMaxActions = 100'000'000;
constexpr std::int64_t kPulseEvery = 1 << 17;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

Scheduler::Scheduler(const flat::FlatModel& model, const code::Program& program, const RunOptions& options)
    : model_(model), program_(program), options_(options), machine_(program), interpreter_(machine_) {
  interpreter_.interrupted = options.interrupted;
  choice_key_ = code::stream_key(options.seed, "--choice random");
  frames_ = make_frames(model, machine_, options.seed);
  const std::int32_t count = model.processes.size();
  processes_.resize(at(count));
  channels_.resize(at(model.channels.size()));
  calendar_.resize(count);
  ready_.resize(count);
  watches_.resize(frames_.shared_slots, count);
  machine_.watchers = watches_.counts();
}

Outcome Scheduler::run() {
  if (recorder != nullptr) recorder->start(machine_.time);
  if (initialise()) {
    while (!ended_ && discrete_phase() && advance()) {
    }
  }
  flush_output(-1);
  outcome_.time = machine_.time;
  if (recorder != nullptr) recorder->finish(machine_.time);
  return std::move(outcome_);
}

bool Scheduler::initialise() {
  for (std::size_t b = 0; b < model_.blocks.size(); ++b) {
    const code::Routine& routine = program_.bodies[code::RoutineId{model_.blocks[b].body.index}];
    std::int32_t pc = routine.init_pc;
    const code::Stop stop = interpreter_.run(routine, machine_.memory() + frames_.base[b], pc);
    if (stop == code::Stop::Failed) {
      outcome_.why = RuntimeError{model_.blocks[b].path, interpreter_.failure()};
      return false;
    }
  }
  for (std::int32_t p = 0; p < model_.processes.size(); ++p) {
    const flat::Process& process = model_.processes[flat::ProcessId{p}];
    const auto block = at(process.block);
    ProcessState& state = processes_[at(p)];
    state.routine = &program_.bodies[code::RoutineId{model_.blocks[block].body.index}];
    state.frame = machine_.memory() + frames_.base[block];
    state.pc = state.routine->main_pc;
    if (state.pc < 0) {
      state.state = State::Finished;
      continue;
    }
    ready_.insert(p);
    ++unfinished_;
  }
  return true;
}

std::int32_t Scheduler::pick_ready() {
  const std::int32_t first = ready_.first();
  if (first < 0 || !options_.random_choice) return first;
  const std::int32_t later = ready_.next_from(choose(static_cast<std::int32_t>(processes_.size())));
  return later >= 0 ? later : first;
}

/// A number below `count` from the stream of choices.
std::int32_t Scheduler::choose(std::int32_t count) {
  code::SampleWords words(choice_key_, choices_++);
  return static_cast<std::int32_t>(words.below(static_cast<std::uint64_t>(count)));
}

bool Scheduler::discrete_phase() {
  std::vector<std::int32_t> active;  // filled only when a livelock is suspected
  for (std::int32_t process = pick_ready(); process >= 0; process = pick_ready()) {
    ready_.erase(process);
    ++counts_.resumptions;
    if (++actions_ > kMaxActions) {
      if (std::find(active.begin(), active.end(), process) == active.end()) active.push_back(process);
      if (actions_ > kMaxActions + 1000) {
        outcome_.why = explain_livelock(active);
        return false;
      }
    }
    if ((counts_.resumptions & (kPulseEvery - 1)) == 0 && pulse != nullptr) pulse->pulse(machine_.time, counts_);
    if (!resume(process)) return false;
    if (!machine_.changed.empty()) wake_watchers();
    if (options_.interrupted != nullptr && options_.interrupted->load(std::memory_order_relaxed)) {
      outcome_.why = Interrupted{};
      return false;
    }
  }
  return true;
}

void Scheduler::make_ready(std::int32_t process) {
  processes_[at(process)].state = State::Ready;
  ready_.insert(process);
}

/// Runs a process until it waits. False when that ended the run.
bool Scheduler::resume(std::int32_t process) {
  using code::Stop;
  ProcessState& state = processes_[at(process)];
  while (true) {
    const Stop stop = interpreter_.run(*state.routine, state.frame, state.pc);
    if (!machine_.output.empty()) flush_output(process);
    switch (stop) {
      case Stop::Delay:
        if (interpreter_.duration() <= 0) continue;
        state.state = State::Delayed;
        if (std::isfinite(interpreter_.duration())) calendar_.insert(machine_.time + interpreter_.duration(), process);
        return true;
      case Stop::Send:
      case Stop::Receive: {
        const std::int32_t number = interpreter_.operand();
        const code::Offer& offer = state.routine->offers[at(number)];
        const bool sending = stop == Stop::Send;
        ChannelState& channel = channel_of(state, offer);
        End& other = sending ? channel.receiver : channel.sender;
        if (other.process >= 0) {
          if (!communicate(process, offer, number)) return false;
          continue;
        }
        if (!check_partner(process, offer)) return false;
        (sending ? channel.sender : channel.receiver) = {process, number};
        state.state = sending ? State::Sending : State::Receiving;
        state.waits_at = number;
        return true;
      }
      case Stop::Select:
        switch (select(process, interpreter_.operand())) {
          case Choice::GoOn: continue;
          case Choice::Wait: return true;
          case Choice::Failed: return false;
        }
        continue;
      case Stop::LongLoop:
        actions_ += code::Interpreter::kPatience;
        interpreter_.patience = code::Interpreter::kPatience;
        if (options_.interrupted != nullptr && options_.interrupted->load(std::memory_order_relaxed)) {
          outcome_.why = Interrupted{};
          return false;
        }
        if (actions_ > kMaxActions) {
          outcome_.why = explain_livelock({process});
          return false;
        }
        continue;
      case Stop::Finished:
        finish_process(process);
        return !ended_;
      case Stop::Terminated:
        outcome_.why = Terminated{};
        return false;
      case Stop::ValueReady:  // only code of values ends so, and that is run by `transfer`
      case Stop::Failed: report(state, interpreter_.failure()); return false;
    }
  }
}

void Scheduler::report(const ProcessState& process, const code::Failure& failure) {
  const auto number = static_cast<std::int32_t>(&process - processes_.data());
  outcome_.why = RuntimeError{std::string(name(number)), failure};
}

const code::Offer& Scheduler::offer_of(End end) const {
  return processes_[at(end.process)].routine->offers[at(end.offer)];
}

Scheduler::ChannelState& Scheduler::channel_of(const ProcessState& process, const code::Offer& offer) {
  return channels_[static_cast<std::size_t>(process.frame[offer.channel].i)];
}

/// The running process meets the one that waits at the other end of the channel.
bool Scheduler::communicate(std::int32_t process, const code::Offer& offer, std::int32_t number) {
  const auto channel = static_cast<std::int32_t>(processes_[at(process)].frame[offer.channel].i);
  ChannelState& ends = channels_[at(channel)];
  const bool sending = offer.kind == code::Offer::Kind::Send;
  const End self{process, number};
  const End other = sending ? ends.receiver : ends.sender;
  if (!(sending ? transfer(self, other, channel) : transfer(other, self, channel))) return false;
  // The other goes on behind its statement, or in the body of its alternative.
  ProcessState& partner = processes_[at(other.process)];
  if (partner.state == State::Selecting) {
    partner.pc = offer_of(other).body_pc;
    withdraw(other.process);
    if (observer != nullptr) observer->selected(machine_.time, name(other.process), offer_of(other).span);
  } else {
    (sending ? ends.receiver : ends.sender) = {};
  }
  make_ready(other.process);
  return true;
}

/// Evaluates the sender's value now, and copies or moves it to where the receiver wants it.
bool Scheduler::transfer(End sender, End receiver, std::int32_t channel) {
  const code::Offer& from = offer_of(sender);
  const code::Offer& to = offer_of(receiver);
  ProcessState& source = processes_[at(sender.process)];
  if (from.value_pc >= 0) {
    std::int32_t pc = from.value_pc;
    if (interpreter_.run(*source.routine, source.frame, pc) != code::Stop::ValueReady) {
      report(source, interpreter_.failure());
      return false;
    }
  }
  ++counts_.communications;
  if (observer != nullptr) {
    std::string value;
    if (from.value >= 0) code::print_value(program_.types, program_.types[from.type], source.frame + from.value, value);
    observer->communication(machine_.time, model_.channels[flat::ChannelId{channel}].name, name(sender.process),
                            name(receiver.process), value, from.span);
  }
  if (to.value < 0) return true;
  const code::Slot* const value = source.frame + from.value;
  code::Slot* const target = processes_[at(receiver.process)].frame + to.value;
  std::memcpy(target, value, static_cast<std::size_t>(from.slots) * sizeof(code::Slot));
  if (!from.value_owned) {
    const code::RuntimeType& type = program_.types[from.type];
    if (!type.is_plain) code::retain(type, target);
  }
  return true;
}

/// Time passes to the next deadline. False when the run is over.
bool Scheduler::advance() {
  if (calendar_.empty()) {
    if (unfinished_ == 0) {
      outcome_.why = Finished{};
    } else {
      outcome_.why = explain_deadlock();
    }
    return false;
  }
  const double next = calendar_.next_time();
  if (next > options_.end) {
    if (recorder != nullptr) {
      recorder->after_event(machine_.time);
      recorder->constant_until(machine_.time, options_.end);
    }
    machine_.time = options_.end;
    outcome_.why = EndReached{};
    return false;
  }
  if (recorder != nullptr) {
    recorder->after_event(machine_.time);
    recorder->constant_until(machine_.time, next);
    recorder->before_event(next);
  }
  machine_.time = next;
  actions_ = 0;
  ++counts_.instants;
  while (!calendar_.empty() && calendar_.next_time() == next) {
    const std::int32_t process = calendar_.next_process();
    calendar_.pop();
    ++counts_.time_events;
    if (observer != nullptr) observer->time_event(next, name(process), waiting_span(process));
    ProcessState& state = processes_[at(process)];
    if (state.state == State::Selecting) {
      // Its deadline is one of its offers': it looks at them all again.
      const std::int32_t retry = state.routine->selections[at(state.waits_at)].retry_pc;
      withdraw(process);
      state.pc = retry;
    }
    make_ready(process);
  }
  return true;
}

void Scheduler::finish_process(std::int32_t process) {
  processes_[at(process)].state = State::Finished;
  --unfinished_;
  // Who waits in a plain send to it will wait for ever.
  for (const flat::Binding& binding : model_.blocks[at(model_.processes[flat::ProcessId{process}].block)].bindings) {
    const auto* bound = std::get_if<flat::BoundChannels>(&binding);
    if (bound == nullptr) continue;
    for (const flat::ChannelId id : bound->channels) {
      if (model_.channels[id].receiver.index != process) continue;
      const End sender = channels_[at(id.index)].sender;
      if (sender.process < 0 || processes_[at(sender.process)].state != State::Sending) continue;
      if (!check_partner(sender.process, offer_of(sender))) {
        ended_ = true;
        return;
      }
    }
  }
}

void Scheduler::wake_watchers() {
  woken_.clear();
  for (const std::int32_t slot : machine_.changed) watches_.watchers(slot, woken_);
  machine_.changed.clear();
  for (const std::int32_t process : woken_) {
    ProcessState& state = processes_[at(process)];
    if (state.state != State::Selecting) continue;  // woken by another slot already
    const std::int32_t retry = state.routine->selections[at(state.waits_at)].retry_pc;
    withdraw(process);
    state.pc = retry;
    make_ready(process);
  }
}

void Scheduler::flush_output(std::int32_t process) {
  if (machine_.output.empty()) return;
  if (pulse != nullptr) pulse->print(machine_.output);
  if (observer != nullptr && process >= 0) {
    observer->printed(machine_.time, name(process), machine_.output, waiting_span(process));
  }
  machine_.output.clear();
}

}  // namespace chi::sim
