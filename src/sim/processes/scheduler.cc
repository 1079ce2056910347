#include "sim/processes/scheduler.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include "base/doing.h"
#include "code/distributions.h"
#include "code/print_value.h"
#include "sim/processes/life.h"

namespace chi::sim {
namespace {

/// How often to see which processes run: a prime, so that all that take turns are seen.
constexpr std::int64_t kLookEvery = 1021;
constexpr std::int64_t kPulseEvery = 128;  // looks
/// Of so many processes hardly anything is in the cache.
constexpr std::size_t kVeryMany = std::size_t{1} << 15;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

Scheduler::Scheduler(const flat::FlatModel& model, const code::Program& program,
                     const RunOptions& options)
    : model_(model),
      program_(program),
      options_(options),
      machine_(program, options.heap_limit),
      interpreter_(machine_) {
  interpreter_.max_work = options.max_actions;
  interpreter_.listener = &computing_;
  choice_key_ = code::stream_key(options.seed, "--choice random");
  frames_ = make_frames(model, machine_, options.seed);
  const std::int32_t count = model.processes.size();
  constexpr std::size_t kMostStarted = std::size_t{1} << 20;  // at one time
  // The states stay where they are while others are added.
  if (!model.starts.empty()) processes_.reserve(at(count) + kMostStarted);
  processes_.resize(at(count));
  channels_.resize(at(model.channels.size()));
  calendar_.resize(count);
  ready_.resize(count);
  watches_.resize(frames_.shared_slots, count);
  machine_.watchers = watches_.counts();
  make_lines();
  make_room_for_processes(count);
  find_monitors();
  if (!options.random_choice) return;
  group_end_.resize(at(count));
  for (std::int32_t p = count - 1; p >= 0; --p) {
    const bool last = p + 1 == count || model.processes[flat::ProcessId{p}].priority !=
                                            model.processes[flat::ProcessId{p + 1}].priority;
    group_end_[at(p)] = last ? p + 1 : group_end_[at(p + 1)];
  }
}

Outcome Scheduler::run() {
  machine_.note_prints = observer != nullptr;
  plain_ = observer == nullptr && !options_.random_choice;
  try {
    run_to_end();
  } catch (const Cancelled& cancelled) {
    // Work was dropped in the middle: memory may hold values of no instant, and gets no row.
    outcome_.why = Interrupted{cancelled.cause};
  } catch (const std::bad_alloc&) {
    outcome_.why = OutOfMemory{Doing::now()};
  }
  outcome_.time = machine_.time;
  if (physics != nullptr) outcome_.warnings = physics->warnings();
  return std::move(outcome_);
}

void Scheduler::run_to_end() {
  const Doing doing("running the model");
  if (recorder != nullptr) recorder->start(machine_.time);
  if (initialise() && (physics == nullptr || start_physics())) {
    while (!ended_ && discrete_phase() && advance()) {
    }
  }
  // What was assigned last has its consequences, if there are any.
  woken_.clear();
  bool has_values = !outcome_.failed();
  const bool is_asked_to_end = std::holds_alternative<Terminated>(outcome_.why) ||
                               std::holds_alternative<Violated>(outcome_.why);
  if (physics != nullptr && is_asked_to_end) has_values = physics->finish_discrete_phase(woken_);
  if (recorder != nullptr)
    recorder->finish(machine_.time, physics != nullptr && has_values ? physics->now() : nullptr);
}

bool Scheduler::initialise() {
  for (std::size_t b = 0; b < model_.blocks.size(); ++b) {
    const code::Routine& routine = program_.bodies[code::RoutineId{model_.blocks[b].body.index}];
    std::int32_t pc = routine.init_pc;
    // Initialisers have no repetitions of their own: they finish or fail.
    const code::Stop stop = interpreter_.run(routine, machine_.memory() + frames_.base[b], pc);
    if (stop == code::Stop::Failed) {
      report(model_.blocks[b].path, interpreter_.failure());
      return false;
    }
  }
  for (std::int32_t p = 0; p < model_.processes.size(); ++p) {
    const flat::Process& process = model_.processes[flat::ProcessId{p}];
    const auto block = at(process.block);
    ProcessState& state = processes_[at(p)];
    state.routine = &program_.bodies[code::RoutineId{model_.blocks[block].body.index}];
    state.frame = machine_.memory() + frames_.base[block];
    state.block = process.block;
    state.code = state.routine->code.data();
    state.offers = state.routine->offers.data();
    state.pc = state.routine->main_pc;
    if (process.monitor >= 0) {
      state.pc = state.routine->monitors[at(process.monitor)].pc;
      ready_.insert(p);
      continue;
    }
    if (state.pc < 0) {
      state.state = State::Finished;
      continue;
    }
    ready_.insert(p);
    ++unfinished_;
  }
  make_room_for_offers();
  make_bundles();
  if (physics == nullptr && options_.executor != Executor::Interpreter) start_native();
  for (flat::ChannelId c{0}; c.index < model_.channels.size(); ++c.index) {
    const std::int32_t receiver = model_.channels[c].receiver.index;
    if (channels_[at(c.index)].many >= 0) continue;  // `make_lines`
    channels_[at(c.index)].deaf = receiver < 0 || processes_[at(receiver)].state == State::Finished;
  }
  return true;
}

void Scheduler::make_room_for_offers() {
  std::int32_t size = 0;
  for (ProcessState& state : processes_) {
    std::int32_t most = 0;
    for (const code::Selection& selection : state.routine->selections)
      most = std::max(most, selection.offers);
    state.first_end = size;
    size += most;
  }
  ends_.resize(at(size));
}

/// Takes out the next process to run: of the ready ones with the lowest priority number the first,
/// or any one.
inline std::int32_t Scheduler::pick_ready() {
  if (!options_.random_choice) return ready_.take_first();
  const std::int32_t first = ready_.first();
  if (first < 0) return first;
  if (is_monitor(first)) return ready_.take_first();  // they change nothing, and nothing is chosen
  const std::int32_t end = group_end(first);
  const std::int32_t count = ready_.count(first, end);
  const std::int32_t picked = count == 1 ? first : ready_.nth_from(first, choose(count));
  ready_.erase(picked);
  return picked;
}

/// A number below `count` from the stream of choices.
std::int32_t Scheduler::choose(std::int32_t count) {
  code::SampleWords words(choice_key_, choices_++);
  return static_cast<std::int32_t>(words.below(static_cast<std::uint64_t>(count)));
}

bool Scheduler::discrete_phase() {
  std::vector<std::int32_t> active;  // filled only when a livelock is suspected
  // Time passes here as well, while nobody but the processes has to know of it.
  const bool alone = physics == nullptr && recorder == nullptr && observer == nullptr &&
                     monitors_of_block_.empty();
  const std::int64_t nothing = 0;
  const std::int64_t& answered = physics != nullptr ? physics->answered : nothing;
  while (true) {
    std::int32_t process = pick_ready();
    if (process < 0 && !acted_.empty() && look_at_requirements()) process = pick_ready();
    if (process < 0 && alone) {
      active.clear();
      process = pass_to_next();
    }
    if (process < 0) return true;
    ++counts_.resumptions;
    if (++actions_ + interpreter_.work > options_.max_actions || answered > options_.max_answered)
        [[unlikely]] {
      if (std::find(active.begin(), active.end(), process) == active.end())
        active.push_back(process);
      if (actions_ + interpreter_.work > options_.max_actions + 1000 ||
          answered > options_.max_answered + 1000) {
        outcome_.why = explain_livelock(active);
        return false;
      }
    }
    if (counts_.resumptions >= next_look_) [[unlikely]]
      look_round(process);
    if (!monitors_of_block_.empty() && !is_monitor(process)) note_act(process);
    if (!resume(process)) return false;
    if (interrupted()) return false;
  }
}

/// Time passes to the next deadline, if it is in the future and before the end of the run: who goes
/// on. Else -1, and `advance` does what there is to do.
[[gnu::always_inline]] inline std::int32_t Scheduler::pass_to_next() {
  const Calendar::Next next = calendar_.take_lonely(machine_.time, options_.end);
  if (next.process < 0) [[unlikely]]
    return pass_to_several();
  start_instant(next.time);
  ++counts_.time_events;
  if (calendar_.far() > kVeryMany) fetch_next();
  processes_[at(next.process)].state = State::Ready;
  return next.process;
}

/// While the process that is due runs, the frame of the next comes to the cache, and the states of
/// those who may follow that.
[[gnu::noinline]] void Scheduler::fetch_next() const {
  fetch_frame(processes_[at(calendar_.next_process())]);
  for (const std::int32_t process : calendar_.near_first()) {
    if (process >= 0) __builtin_prefetch(&processes_[at(process)]);
  }
}

/// The same when there are several deadlines at once, or selections that time ends.
std::int32_t Scheduler::pass_to_several() {
  if (calendar_.empty()) return -1;
  const double next = calendar_.next_time();
  if (next > options_.end || next <= machine_.time) return -1;
  start_instant(next);
  wake_due(next);
  return pick_ready();
}

inline void Scheduler::start_instant(double time) {
  machine_.time = time;
  actions_ = 0;
  interpreter_.work = 0;
  ++counts_.instants;
}

/// Now and then: progress is told, and what runs most is compiled.
void Scheduler::look_round(std::int32_t process) {
  if (counts_.resumptions >= next_look_) {
    next_look_ = counts_.resumptions + kLookEvery;
    if (++looks_ % kPulseEvery == 0 && pulse != nullptr) pulse->pulse(machine_.time, counts_);
  }
  if (native_ == nullptr || is_native_) return;
  const code::RoutineId body = body_of(process);
  if (native_->saw(body, counts_.resumptions + long_loops_ * code::Interpreter::kPatience))
    become_native();
}

void Scheduler::become_native() {
  is_native_ = true;
  for (ProcessState& state : processes_) state.native = native_->body(body_of(number_of(state)));
}

inline void Scheduler::make_ready(std::int32_t process) {
  processes_[at(process)].state = State::Ready;
  ready_.insert(process);
}

/// Runs a process until it waits. False when that ended the run.
///
/// Waits often follow each other with nothing to compute between them: the interpreter is called
/// for computing only. The place in the code stays in a register meanwhile: through memory each
/// instruction would wait for the one before.
[[gnu::always_inline]] inline bool Scheduler::resume(std::int32_t process) {
  using code::Op;
  constexpr std::int64_t kMask = code::Interpreter::kPatience - 1;
  ProcessState& state = processes_[at(process)];
  const code::Instr* const code = state.code;
  code::Slot* const frame = state.frame;
  std::int32_t pc = state.pc;
  Choice next = Choice::GoOn;
  while (next == Choice::GoOn) {
    if (state.native != nullptr) {
      const std::uint64_t result = state.native(this, frame, pc, process);
      if (interpreter_.carried.has_caught()) [[unlikely]]
        interpreter_.carried.rethrow();
      const code::NativeStop stop = code::native_stop(result);
      pc = code::native_pc(result);
      if (stop == code::NativeStop::Wait) break;
      if (stop != code::NativeStop::Interpret) [[unlikely]] {
        if (stop == code::NativeStop::Failed) report(name(process), interpreter_.failure());
        return false;
      }
    }
    const code::Instr& in = code[pc];
    if (in.op == Op::Receive) {
      ++pc;
      next = meet<false>(process, state.offers[in.c], static_cast<std::int32_t>(frame[in.b].i));
    } else if (in.op == Op::Send) {
      ++pc;
      next = meet<true>(process, state.offers[in.c], static_cast<std::int32_t>(frame[in.b].i));
    } else if (in.op == Op::Delay && !std::isnan(frame[in.a].r)) {
      ++pc;
      next = delay(process, frame[in.a].r);
    } else if (in.op == Op::LoopBack) {
      const std::int32_t loop_end = pc;
      pc = in.c;
      if ((++interpreter_.work & kMask) == 0) [[unlikely]] {
        state.pc = pc;
        next = still_running(process, loop_end);
      }
    } else if (in.op == Op::Select) {
      state.pc = pc + 1;
      next = select(process, in.c);
      pc = state.pc;
    } else if (in.op == Op::Jump) {
      pc = in.c;
    } else if (in.op == Op::Sample &&
               code::distribution_sample(machine_.blocks, frame + in.b, frame + in.a) ==
                   code::RunError::None) {
      ++pc;  // mostly the duration of a delay; what fails here fails again below, and is told
    } else {
      state.pc = pc;
      next = compute(process);
      pc = state.pc;
    }
  }
  state.pc = pc;
  return next != Choice::Failed;
}

/// Runs the interpreter until the process wants something of the scheduler.
Scheduler::Choice Scheduler::compute(std::int32_t process) {
  using code::Stop;
  ProcessState& state = processes_[at(process)];
  interpreter_.block = state.block;
  running_ = process;
  if (physics != nullptr && state.block >= 0) physics->visit(state.block);
  const Stop stop = interpreter_.run(*state.routine, state.frame, state.pc);
  if (!machine_.output.empty()) flush_output(process);
  // What it changed may have closed guards of those it is about to meet.
  if (!machine_.changed.empty()) wake_watchers();
  switch (stop) {
    case Stop::Delay:
    case Stop::Send:
    case Stop::Receive:
    case Stop::Select: --state.pc; return Choice::GoOn;  // `resume` does it
    case Stop::Start: return start_process(process, interpreter_.operand());
    case Stop::Broken: return broken(process, interpreter_.operand());
    case Stop::LongLoop: return still_running(process, interpreter_.operand());
    case Stop::Finished: finish_process(process); return ended_ ? Choice::Failed : Choice::Wait;
    case Stop::Terminated: outcome_.why = Terminated{}; return Choice::Failed;
    case Stop::ValueReady:  // only code of values ends so, and that is run by `transfer`
    case Stop::Failed: report(name(process), interpreter_.failure()); return Choice::Failed;
  }
  return Choice::Failed;
}

inline Scheduler::Choice Scheduler::delay(std::int32_t process, double duration) {
  if (duration <= 0) return Choice::GoOn;
  processes_[at(process)].state = State::Delayed;
  if (const double until = machine_.time + duration; std::isfinite(until))
    calendar_.insert(until, process);
  return Choice::Wait;
}

/// Runs the code of a value that is sent. False when it failed, which is reported.
inline bool Scheduler::compute_value(const ProcessState& sender, std::int32_t pc) {
  if (sender.native != nullptr) {
    const std::uint64_t result = sender.native(this, sender.frame, pc, number_of(sender));
    interpreter_.carried.rethrow();
    const code::NativeStop stop = code::native_stop(result);
    if (stop == code::NativeStop::ValueReady) [[likely]]
      return true;
    if (stop == code::NativeStop::Failed) {
      report(name(number_of(sender)), interpreter_.failure());
      return false;
    }
    pc = code::native_pc(result);
  }
  interpreter_.block = sender.block;
  if (physics != nullptr && sender.block >= 0) physics->visit(sender.block);
  if (interpreter_.run(*sender.routine, sender.frame, pc) == code::Stop::ValueReady) return true;
  report(name(number_of(sender)), interpreter_.failure());
  return false;
}

/// Evaluates the sender's value now, and copies or moves it to where the receiver wants it.
[[gnu::always_inline]] inline bool Scheduler::transfer(const ProcessState& sender,
                                                       const code::Offer& from,
                                                       const ProcessState& receiver,
                                                       const code::Offer& to,
                                                       std::int32_t channel) {
  if (from.value_pc >= 0 && !compute_value(sender, from.value_pc)) return false;
  ++counts_.communications;
  if (observer != nullptr) tell_communication(sender, from, receiver, channel);
  if (to.value < 0) return true;
  const code::Slot* const value = sender.frame + from.value;
  code::Slot* const target = receiver.frame + to.value;
  if (from.slots == 1) {
    *target = *value;
  } else {
    std::memcpy(target, value, static_cast<std::size_t>(from.slots) * sizeof(code::Slot));
  }
  if (from.managed && !from.value_owned) code::retain(program_.types[from.type], target);
  return true;
}

/// The running process meets the one that waits at the other end of the channel.
template <bool kSending>
[[gnu::always_inline]] inline bool Scheduler::communicate(const ProcessState& self,
                                                          const code::Offer& offer,
                                                          std::int32_t channel) {
  ChannelState& ends = channels_[at(channel)];
  End other = kSending ? ends.receiver : ends.sender;
  if (options_.random_choice) {
    if (ends.many >= 0) other = any_waiting(ends, !kSending);
    other = chosen_offer(other);
  }
  ProcessState& partner = processes_[at(other.process)];
  const code::Offer& answer = partner.offers[other.offer];
  if (!(kSending ? transfer(self, offer, partner, answer, channel)
                 : transfer(partner, answer, self, offer, channel))) {
    return false;
  }
  // The other goes on behind its statement, or in the body of its alternative.
  if (partner.state == State::Selecting) {
    partner.pc = answer.body_pc;
    withdraw(other.process);
    if (observer != nullptr) observer->selected(machine_.time, name(other.process), answer.span);
  } else if (ends.many >= 0) {
    leave_line(ends, !kSending, other.process);
  } else {
    (kSending ? ends.receiver : ends.sender) = {};
  }
  make_ready(other.process);
  return true;
}

/// The same for what most communications are, without a call: one slot is copied, and nobody is to
/// be told. False, with nothing done, if there is more to do.
template <bool kSending, bool kComputed>
[[gnu::always_inline]] inline bool Scheduler::communicate_plainly(const ProcessState& self,
                                                                  const code::Offer& offer,
                                                                  ChannelState& channel) {
  End& there = kSending ? channel.receiver : channel.sender;
  const std::int32_t number = there.process;
  ProcessState& partner = processes_[at(number)];
  const code::Offer& answer = partner.offers[there.offer];
  const code::Offer& from = kSending ? offer : answer;
  const code::Offer& to = kSending ? answer : offer;
  if (!plain_ || channel.many >= 0 || (!kComputed && from.value_pc >= 0)) return false;
  if (from.slots != 1 || from.managed || to.value < 0) return false;
  if (partner.state == State::Selecting) {
    if (partner.timed || partner.watching || partner.asking) return false;
    partner.pc = answer.body_pc;
    withdraw_offers(partner);
  } else {
    there = {};
  }
  ++counts_.communications;
  (kSending ? partner : self).frame[to.value] = (kSending ? self : partner).frame[from.value];
  partner.state = State::Ready;
  ready_.insert(number);
  return true;
}

bool Scheduler::communicate(const ProcessState& self, const code::Offer& offer,
                            std::int32_t channel) {
  if (offer.kind == code::Offer::Kind::Send) {
    return communicate_plainly<true, false>(self, offer, channels_[at(channel)]) ||
           communicate<true>(self, offer, channel);
  }
  return communicate_plainly<false, false>(self, offer, channels_[at(channel)]) ||
         communicate<false>(self, offer, channel);
}

/// A plain send or receive: at once if the other side is there, else the process waits for it.
/// `kComputed`: the other side is there, and the value has been computed.
template <bool kSending, bool kComputed>
inline Scheduler::Choice Scheduler::meet(std::int32_t process, const code::Offer& offer,
                                         std::int32_t number) {
  ProcessState& state = processes_[at(process)];
  ChannelState& channel = channels_[at(number)];
  if (kComputed || (kSending ? channel.receiver : channel.sender).process >= 0) {
    if (communicate_plainly<kSending, kComputed>(state, offer, channel)) [[likely]]
      return Choice::GoOn;
    return meet_anyhow<kSending>(process, offer, number);
  }
  if (kSending && channel.deaf) [[unlikely]]
    return send_to_nobody(process, offer, number);
  if (channel.many != -1) [[unlikely]]
    return channel.many < 0 ? meet_bundle(process, offer, number)
                            : wait_in_line(process, offer, number);
  const auto offer_number = static_cast<std::int32_t>(&offer - state.offers);
  (kSending ? channel.sender : channel.receiver) = {process, offer_number};
  state.state = kSending ? State::Sending : State::Receiving;
  state.waits_at = offer_number;
  return Choice::Wait;
}

template <bool kSending>
[[gnu::noinline]] Scheduler::Choice Scheduler::meet_anyhow(std::int32_t process,
                                                           const code::Offer& offer,
                                                           std::int32_t channel) {
  const bool good = communicate<kSending>(processes_[at(process)], offer, channel);
  return good ? Choice::GoOn : Choice::Failed;
}

/// Nobody will ever receive: the process waits for ever, if that is allowed.
[[gnu::noinline]] Scheduler::Choice Scheduler::send_to_nobody(std::int32_t process,
                                                              const code::Offer& offer,
                                                              std::int32_t channel) {
  if (!check_partner(process, offer)) return Choice::Failed;
  ProcessState& state = processes_[at(process)];
  state.state = State::Sending;
  state.waits_at = static_cast<std::int32_t>(&offer - state.offers);
  if (channels_[at(channel)].many >= 0) return wait_in_line(process, offer, channel);
  channels_[at(channel)].sender = {process, state.waits_at};
  return Choice::Wait;
}

/// What compiled code calls.
struct Scheduler::Actions {
  static Scheduler& self(void* scheduler) { return *static_cast<Scheduler*>(scheduler); }
  static code::NativeStop stop(Choice choice) {
    static_assert(static_cast<int>(Choice::GoOn) == static_cast<int>(code::NativeStop::GoOn));
    static_assert(static_cast<int>(Choice::Wait) == static_cast<int>(code::NativeStop::Wait));
    static_assert(static_cast<int>(Choice::Failed) == static_cast<int>(code::NativeStop::End));
    return static_cast<code::NativeStop>(choice);
  }
  /// Exceptions do not pass compiled code.
  template <class Action>
  static code::NativeStop guarded(void* scheduler, Action action) {
    return self(scheduler).interpreter_.carried.guard(code::NativeStop::End,
                                                      [&] { return stop(action()); });
  }
  template <class Action>
  static std::uint64_t guarded_at(void* scheduler, Action action) {
    return self(scheduler).interpreter_.carried.guard(code::native_result(code::NativeStop::End, 0),
                                                      action);
  }
  static code::NativeStop send(void* scheduler, std::int32_t process, const code::Offer* offer,
                               std::int64_t channel) {
    return guarded(scheduler, [&] {
      return self(scheduler).meet<true>(process, *offer, static_cast<std::int32_t>(channel));
    });
  }
  static code::NativeStop send_computed(void* scheduler, std::int32_t process,
                                        const code::Offer* offer, std::int64_t channel) {
    return guarded(scheduler, [&] {
      return self(scheduler).meet<true, true>(process, *offer, static_cast<std::int32_t>(channel));
    });
  }
  static code::NativeStop receive(void* scheduler, std::int32_t process, const code::Offer* offer,
                                  std::int64_t channel) {
    return guarded(scheduler, [&] {
      return self(scheduler).meet<false>(process, *offer, static_cast<std::int32_t>(channel));
    });
  }
  static void delay(void* scheduler, std::int32_t process, double duration) {
    guarded(scheduler, [&] { return self(scheduler).delay(process, duration); });
  }
  static std::uint64_t select(void* scheduler, std::int32_t process, std::int32_t selection,
                              std::int32_t behind) {
    return guarded_at(scheduler, [&] {
      ProcessState& state = self(scheduler).processes_[at(process)];
      state.pc = behind;
      const Choice choice = self(scheduler).select(process, selection);
      return code::native_result(stop(choice), state.pc);
    });
  }
  static std::uint64_t wait_for_partners(void* scheduler, std::int32_t process,
                                         const code::Selection* selection, std::int32_t number,
                                         std::int32_t behind) {
    return guarded_at(scheduler, [&] {
      return self(scheduler).wait_natively(process, *selection, number, behind);
    });
  }
  static std::uint64_t wait(void* scheduler, std::int32_t process, std::int32_t selection,
                            std::int32_t behind) {
    return guarded_at(scheduler, [&] {
      ProcessState& state = self(scheduler).processes_[at(process)];
      state.pc = behind;
      const Choice choice = self(scheduler).wait_for_any(process, selection);
      return code::native_result(stop(choice), state.pc);
    });
  }
  static code::NativeStop take(void* scheduler, std::int32_t process, const code::Offer* offer) {
    return guarded(scheduler, [&] { return self(scheduler).take(process, *offer); });
  }
};

void Scheduler::start_native() {
  const code::NativeActions actions{.send = Actions::send,
                                    .send_computed = Actions::send_computed,
                                    .receive = Actions::receive,
                                    .delay = Actions::delay,
                                    .select = Actions::select,
                                    .wait = Actions::wait,
                                    .wait_for_partners = Actions::wait_for_partners,
                                    .take = Actions::take};
  const code::NativeRunView view{
      .actions = actions,
      .takes_first = !options_.random_choice,
      .tells = observer != nullptr,
      .senders = channels_.empty() ? nullptr : &channels_[0].sender.process,
      .receivers = channels_.empty() ? nullptr : &channels_[0].receiver.process,
      .channel_stride = sizeof(ChannelState)};
  native_ = std::make_unique<NativeRun>(machine_, interpreter_, view);
  if (options_.executor == Executor::Native && native_->compile_all()) become_native();
}

/// The process has repeated something many times without waiting, last the loop that ends at
/// `loop_end`.
Scheduler::Choice Scheduler::still_running(std::int32_t process, std::int32_t loop_end) {
  if (interrupted()) return Choice::Failed;
  if (pulse != nullptr) pulse->pulse(machine_.time, counts_);
  ++long_loops_;
  look_round(process);
  const bool is_by_equations = physics != nullptr && physics->answered > options_.max_answered;
  if (actions_ + interpreter_.work <= options_.max_actions && !is_by_equations) return Choice::GoOn;
  outcome_.why = explain_loop(process, loop_end);
  return Choice::Failed;
}

void Scheduler::report(std::string_view process, const code::Failure& failure) {
  switch (failure.error) {
    case code::RunError::Interrupted: outcome_.why = Interrupted{stop_cause()}; return;
    case code::RunError::Surroundings: fail_physics(); return;
    case code::RunError::NoProgress:
      outcome_.why =
          Livelock{{{fmt::format("`{}`", process), failure.span, "", failure.calls.front()->name}},
                   options_.max_actions};
      return;
    default: outcome_.why = RuntimeError{std::string(process), failure};
  }
}

const code::Offer& Scheduler::offer_of(End end) const {
  return processes_[at(end.process)].routine->offers[at(end.offer)];
}

void Scheduler::tell_communication(const ProcessState& sender, const code::Offer& from,
                                   const ProcessState& receiver, std::int32_t channel) {
  std::string value;
  if (from.value >= 0)
    code::print_value(program_.types, program_.types[from.type], sender.frame + from.value, value);
  observer->communication(machine_.time, model_.channels[flat::ChannelId{channel}].name,
                          name(number_of(sender)), name(number_of(receiver)), value, from.span);
}

/// Time passes to the next deadline. False when the run is over.
bool Scheduler::advance() {
  if (physics != nullptr) return advance_equations();
  if (calendar_.empty()) return come_to_rest();
  const double next = calendar_.next_time();
  if (next > options_.end) {
    if (recorder != nullptr && machine_.time < options_.end) {
      recorder->after_event(machine_.time);
      recorder->constant_until(machine_.time, options_.end);
    }
    machine_.time = options_.end;
    outcome_.why = EndReached{};
    return false;
  }
  if (next > machine_.time) {  // a delay may be too short to be seen beside the time
    if (recorder != nullptr) {
      recorder->after_event(machine_.time);
      recorder->constant_until(machine_.time, next);
      recorder->before_event(next);
    }
    start_instant(next);
  }
  wake_due(next);
  return true;
}

/// No event can come any more.
bool Scheduler::come_to_rest() {
  if (unfinished_ == 0) {
    outcome_.why = Finished{};
  } else {
    outcome_.why = explain_deadlock();
  }
  return false;
}

/// Readies all whose deadline is `time`, which is the earliest.
void Scheduler::wake_due(double time) {
  do {
    const std::int32_t process = calendar_.next_process();
    __builtin_prefetch(&processes_[at(process)]);
    calendar_.pop();
    ++counts_.time_events;
    if (observer != nullptr)
      observer->time_event(machine_.time, name(process), waiting_span(process));
    ProcessState& state = processes_[at(process)];
    if (state.state == State::Selecting) {
      // Its deadline is one of its offers': it looks at them all again.
      const std::int32_t retry = state.routine->selections[at(state.waits_at)].retry_pc;
      note_retry(process);
      withdraw(process);
      state.pc = retry;
    }
    fetch_frame(state);
    make_ready(process);
  } while (calendar_.next_is(time));
}

void Scheduler::wake_first_due() { wake_due(calendar_.next_time()); }

void Scheduler::finish_process(std::int32_t process) {
  processes_[at(process)].state = State::Finished;
  --unfinished_;
  if (is_started(process)) return end_started(process);
  // Who waits in a plain send to it will wait for ever.
  for (const flat::Binding& binding :
       model_.blocks[at(model_.processes[flat::ProcessId{process}].block)].bindings) {
    const auto* bound = std::get_if<flat::BoundChannels>(&binding);
    if (bound == nullptr) continue;
    for (const flat::ChannelId id : bound->channels) {
      if (model_.channels[id].many >= 0) {
        lose_receiver(id.index, process);
        if (ended_) return;
        continue;
      }
      if (model_.channels[id].receiver.index != process) continue;
      channels_[at(id.index)].deaf = true;
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
  look_again();
}

/// Those who were woken evaluate their guards and conditions anew.
void Scheduler::look_again() {
  for (const std::int32_t process : woken_) {
    ProcessState& state = processes_[at(process)];
    if (state.state != State::Selecting) continue;  // woken for another reason already
    const std::int32_t retry = state.routine->selections[at(state.waits_at)].retry_pc;
    note_retry(process);
    withdraw(process);
    state.pc = retry;
    make_ready(process);
  }
}

void Scheduler::Computing::still_computing() {
  if (scheduler_.running_ >= 0) scheduler_.flush_output(scheduler_.running_);
  if (scheduler_.pulse != nullptr)
    scheduler_.pulse->pulse(scheduler_.machine_.time, scheduler_.counts_);
}

void Scheduler::flush_output(std::int32_t process) {
  if (machine_.output.empty()) return;
  if (pulse != nullptr) pulse->print(machine_.output);
  std::size_t begin = 0;
  for (const code::Machine::Printed& print : machine_.prints) {
    observer->printed(machine_.time, name(process),
                      std::string_view(machine_.output).substr(begin, print.end - begin),
                      print.span);
    begin = print.end;
  }
  machine_.prints.clear();
  machine_.output.clear();
}

}  // namespace chi::sim
