#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/huge_pages.h"
#include "code/interpreter.h"
#include "code/machine.h"
#include "code/random.h"
#include "flat/flat_model.h"
#include "sim/interface/frames.h"
#include "sim/interface/observer.h"
#include "sim/interface/outcome.h"
#include "sim/interface/physics.h"
#include "sim/interface/run_counts.h"
#include "sim/interface/run_options.h"
#include "sim/processes/bundle.h"
#include "sim/processes/calendar.h"
#include "sim/processes/native_run.h"
#include "sim/processes/ready_set.h"
#include "sim/processes/waiting_line.h"
#include "sim/processes/watch_lists.h"

namespace chi::sim {

/// Runs the processes of one model: actions, which take no time, alternate with delays
/// (semantics.md §3).
///
///     run the initialisers, in order of instantiation; every process is ready
///     repeat
///       while some process is ready:
///         run the one with the lowest number until it waits      -- --choice random: any one
///           (a communication happens as soon as both sides want it, and readies the other side)
///       time := earliest deadline; all processes whose deadline it is are ready
///         (among equations: or an earlier state event; all processes that wait for it are ready)
///     until `terminate`, --end, nothing waits for time, or a failure
///
/// Same model, options and seed give the same trace, bit for bit. After start-up nothing is
/// allocated on the way wait - wake - communicate - wait, except by the model's own lists and
/// strings when they grow.
class Scheduler {
 public:
  Scheduler(const flat::FlatModel& model, const code::Program& program, const RunOptions& options);
  ~Scheduler();

  /// Optional: who is told. Before `run`.
  Observer* observer = nullptr;
  Recorder* recorder = nullptr;
  /// The equations, if the model needs somebody for them (`needs_physics`). Before `run`; made for
  /// `machine()` and `frames()`.
  Physics* physics = nullptr;
  /// Called with model time now and then, at most about once in 10^5 resumptions; for progress
  /// reports.
  class Pulse {
   public:
    virtual ~Pulse() = default;
    virtual void pulse(double time, const RunCounts& counts) = 0;
    /// Output of the model's print statements so far, in pieces; called before anything else is
    /// reported.
    virtual void print(std::string_view text) = 0;
  };
  Pulse* pulse = nullptr;

  Outcome run();

  code::Machine& machine() { return machine_; }
  const Frames& frames() const { return frames_; }
  const RunCounts& counts() const { return counts_; }
  bool is_native() const { return is_native_; }  ///< compiled code is in use

 private:
  enum class State : std::uint8_t { Ready, Delayed, Sending, Receiving, Selecting, Finished };
  struct alignas(64) ProcessState {       // one line of the cache each
    const code::Instr* code = nullptr;    ///< the routine's
    const code::Offer* offers = nullptr;  ///< the routine's
    code::Slot* frame = nullptr;
    const code::Routine* routine = nullptr;
    code::NativeBody native = nullptr;  ///< the routine's, if it is compiled
    std::int32_t pc = 0;
    std::int32_t waits_at = -1;  ///< offer or selection, by state
    std::int32_t block = -1;
    State state = State::Ready;
    bool timed = false;          ///< Selecting: it may be in the calendar,
    bool watching = false;       ///< in the watch lists,
    std::uint8_t asking = 0;     ///< and in what else; see kConditions
    std::int32_t first_end = 0;  ///< Selecting: ends of channels where it has an offer, in `ends_`
    std::int32_t ends = 0;
  };
  /// One end of a channel: who waits there with which offer.
  struct alignas(8) End {
    std::int32_t process = -1;
    std::int32_t offer = -1;
  };
  struct ChannelState {
    End sender, receiver;
    bool deaf = false;       ///< nobody will ever receive from it
    std::int32_t many = -1;  ///< of several senders and receivers: row of `lines_`. The two ends
                             ///< are then the first of those who wait. -2, -3, ...: of a bundle
  };
  // Bits of ProcessState::asking: its conditions are looked for; it waits in a line of a channel of
  // many; it waits for the end of a process.
  static constexpr std::uint8_t kConditions = 1, kLines = 2, kEnds = 4;

  static_assert(sizeof(ProcessState) == 64);

  // scheduler.cc
  void run_to_end();
  bool initialise();
  void make_room_for_offers();
  bool discrete_phase();
  std::int32_t pick_ready();
  /// What becomes of a process: it goes on, it waits, or the run is over.
  enum class Choice : std::uint8_t { GoOn, Wait, Failed };
  bool resume(std::int32_t process);
  Choice compute(std::int32_t process);
  bool compute_value(const ProcessState& sender, std::int32_t pc);
  void look_round(std::int32_t process);
  void start_native();
  void become_native();
  struct Actions;
  Choice delay(std::int32_t process, double duration);
  template <bool kSending, bool kComputed = false>
  Choice meet(std::int32_t process, const code::Offer& offer, std::int32_t channel);
  template <bool kSending>
  Choice meet_anyhow(std::int32_t process, const code::Offer& offer, std::int32_t channel);
  Choice send_to_nobody(std::int32_t process, const code::Offer& offer, std::int32_t channel);
  template <bool kSending, bool kComputed>
  bool communicate_plainly(const ProcessState& self, const code::Offer& offer,
                           ChannelState& channel);
  Choice still_running(std::int32_t process, std::int32_t loop_end);
  bool communicate(const ProcessState& self, const code::Offer& offer, std::int32_t channel);
  template <bool kSending>
  bool communicate(const ProcessState& self, const code::Offer& offer, std::int32_t channel);
  bool transfer(const ProcessState& sender, const code::Offer& from, const ProcessState& receiver,
                const code::Offer& to, std::int32_t channel);
  void tell_communication(const ProcessState& sender, const code::Offer& from,
                          const ProcessState& receiver, std::int32_t channel);
  std::int32_t number_of(const ProcessState& p) const {
    return static_cast<std::int32_t>(&p - processes_.data());
  }
  bool advance();
  std::int32_t pass_to_next();
  std::int32_t pass_to_several();
  void fetch_next() const;
  static void fetch_frame(const ProcessState& state) {
    __builtin_prefetch(state.frame);
    __builtin_prefetch(state.frame + 64 / sizeof(code::Slot));
  }
  void start_instant(double time);
  void wake_due(double time);
  void wake_first_due();
  bool come_to_rest();
  void finish_process(std::int32_t process);
  void make_ready(std::int32_t process);
  void wake_watchers();
  void look_again();
  void flush_output(std::int32_t process);
  const code::Offer& offer_of(End end) const;
  static std::int32_t channel_number(const ProcessState& process, const code::Offer& offer) {
    return static_cast<std::int32_t>(process.frame[offer.channel].i);
  }
  const ChannelState& channel_of(const ProcessState& process, const code::Offer& offer) const {
    return channels_[static_cast<std::size_t>(process.frame[offer.channel].i)];
  }
  ChannelState& channel_of(const ProcessState& process, const code::Offer& offer) {
    return channels_[static_cast<std::size_t>(process.frame[offer.channel].i)];
  }
  void report(std::string_view name, const code::Failure& failure);
  bool interrupted() {
    const StopCause cause = stop_cause();
    if (cause == StopCause::None) return false;
    outcome_.why = Interrupted{cause};
    return true;
  }

  // select.cc
  Choice select(std::int32_t process, std::int32_t number);
  bool look_behind(std::int32_t process, const code::Selection& selection);
  Choice wait_for_any(std::int32_t process, std::int32_t number);
  bool wait_for_partners(ProcessState& state, const code::Selection& selection,
                         std::int32_t process);
  std::uint64_t wait_natively(std::int32_t process, const code::Selection& selection,
                              std::int32_t number, std::int32_t behind);
  Choice take(std::int32_t process, const code::Offer& offer);
  bool possible(const ProcessState& process, const code::Offer& offer) const;
  void wait_in_selection(std::int32_t process, const code::Selection& selection);
  /// Takes back all that `wait_in_selection` put out.
  void withdraw(std::int32_t process) {
    ProcessState& state = processes_[static_cast<std::size_t>(process)];
    withdraw_offers(state);
    if (state.timed || state.watching || state.asking) withdraw_the_rest(process);
  }
  void withdraw_offers(const ProcessState& state) {
    End* const* const ends = ends_.data() + state.first_end;
    for (std::int32_t i = 0; i < state.ends; ++i) *ends[i] = {};
  }
  void withdraw_the_rest(std::int32_t process);
  std::int32_t choose(std::int32_t count);
  End chosen_offer(End waiting);

  // bundles.cc: selections over many channels
  struct ChannelUses;
  void make_bundles();
  void make_bundles_of(const ProcessState& state, std::int32_t selection, const ChannelUses& uses);
  ChannelUses channel_uses() const;
  std::int32_t fixed_channel(const ProcessState& state, const code::Offer& offer) const;
  bool may_be_bundle(const ProcessState& state, const code::Selection& selection,
                     std::int32_t first, std::int32_t last, const ChannelUses& uses) const;
  void add_bundle(const ProcessState& state, std::int32_t selection, std::int32_t first,
                  std::int32_t last);
  bool has_bundles(std::int32_t process) const {
    return static_cast<std::size_t>(process) < bundle_of_.size() &&
           bundle_of_[static_cast<std::size_t>(process)] >= 0;
  }
  bool is_open(const Bundle& bundle) const;
  Choice select_among_bundles(std::int32_t process, std::int32_t selection);
  Choice meet_bundle(std::int32_t process, const code::Offer& offer, std::int32_t channel);
  /// The alternatives of a selection in the order of the text: those in no bundle one by one.
  template <class OnAlternative, class OnBundle>
  void for_each_piece(std::int32_t process, const code::Selection& selection, std::int32_t number,
                      OnAlternative on_alternative, OnBundle on_bundle) {
    std::int32_t i = 0;
    if (has_bundles(process)) [[unlikely]] {
      for (std::int32_t b = bundle_of_[static_cast<std::size_t>(process)]; b >= 0;) {
        Bundle& bundle = bundles_[static_cast<std::size_t>(b)];
        b = bundle.next;
        if (bundle.selection != number) continue;
        for (; i < bundle.first; ++i) on_alternative(i);
        on_bundle(bundle);
        i = bundle.first + bundle.count;
      }
    }
    for (; i < selection.offers; ++i) on_alternative(i);
  }

  // many.cc: channels of several senders and receivers
  struct Lines {
    WaitingLine senders, receivers;
    std::int32_t receivers_left = 0;  ///< processes that may receive and have not ended
  };
  void make_lines();
  Lines& lines_of(const ChannelState& channel) {
    return lines_[static_cast<std::size_t>(channel.many)];
  }
  void join_line(std::int32_t process, const code::Offer& offer, double since);
  void leave_line(ChannelState& channel, bool sending, std::int32_t process);
  void leave_lines(std::int32_t process);
  void show_first(ChannelState& channel, bool sending);
  Choice wait_in_line(std::int32_t process, const code::Offer& offer, std::int32_t channel);
  End any_waiting(const ChannelState& channel, bool sending);
  void lose_receiver(std::int32_t channel, std::int32_t process);
  void lose_receiver(std::int32_t channel);
  double waits_since(std::int32_t process, std::int32_t selection);
  void note_retry(std::int32_t process);
  std::string many_partners_text(std::int32_t channel, bool sending) const;

  // creation.cc: processes that statements start
  struct Life;
  struct StartedBody;
  Choice start_process(std::int32_t creator, std::int32_t place);
  std::int32_t vacant_process(code::RoutineId body);
  void make_room_for_processes(std::int32_t count);
  StartedBody& started_body(code::RoutineId body);
  void give_arguments(const ProcessState& creator, const code::StartSite& site, code::Slot* frame);
  void end_started(std::int32_t process);
  void tell_end(std::int64_t number);
  void wait_for_ends(std::int32_t process, const code::Selection& selection);
  void leave_ends(std::int32_t process);
  bool is_started(std::int32_t process) const { return process >= model_.processes.size(); }
  code::RoutineId body_of(std::int32_t process) const;
  std::string_view started_name(std::int32_t process) const;
  std::int32_t group_end(std::int32_t process) const;

  // requirements.cc
  Choice broken(std::int32_t process, std::int32_t claim);
  bool look_at_requirements();
  void note_act(std::int32_t process);
  void find_monitors();
  bool is_monitor(std::int32_t process) const {
    return process >= first_monitor_ && !is_started(process);
  }

  // among_equations.cc
  bool start_physics();
  bool advance_equations();
  bool fail_physics();
  void watch_conditions(const ProcessState& process, const code::Selection& selection);

  // waiting.cc
  Deadlock explain_deadlock();
  Deadlock explain_deadlock_of_many(std::span<const std::int32_t> waiting) const;
  std::int64_t exceeded() const;
  Livelock explain_livelock(const std::vector<std::int32_t>& active) const;
  Livelock explain_loop(std::int32_t process, std::int32_t loop_end) const;
  std::string watched_text(const ProcessState& process, const code::Watched& watched,
                           bool with_value) const;
  /// Values are left out where many that wait for the same are looked for.
  std::string waiting_cause(std::int32_t process, bool with_values) const;
  std::string partner_text(std::int32_t channel, bool sending) const;
  std::string values_text(std::int32_t process) const;
  Span waiting_span(std::int32_t process) const;
  bool check_partner(std::int32_t process, const code::Offer& offer);
  std::string_view name(std::int32_t process) const {
    if (is_started(process)) [[unlikely]]
      return started_name(process);
    return model_.processes[flat::ProcessId{process}].name;
  }

  const flat::FlatModel& model_;
  const code::Program& program_;
  RunOptions options_;
  code::Machine machine_;
  code::Interpreter interpreter_;
  Frames frames_;
  std::vector<ProcessState, HugePages<ProcessState>> processes_;
  std::vector<ChannelState> channels_;
  std::vector<End*> ends_;  // for each process as many as it has offers in one selection
  Calendar calendar_;
  ReadySet ready_;
  WatchLists watches_;
  std::vector<std::int32_t> woken_;            // who is to look again
  std::vector<std::int32_t> possible_;         // scratch of select
  std::vector<std::int32_t> seen_at_instant_;  // of two looks, in the first: what may happen by it
  std::vector<std::int32_t>
      group_end_;  // --choice random, per process: the first behind it of another priority
  std::vector<Lines> lines_;  // of channels of many
  std::vector<Bundle> bundles_;
  std::vector<std::int32_t> bundle_of_;     // by process, if there are any: its first one, or -1
  std::vector<std::int32_t> bundle_place_;  // by channel: which one of its bundle
  struct Retry {
    double time = -1, since = 0;
    std::int32_t selection = -1;
  };
  std::vector<Retry> retries_;  // by process, if there are lines: it looks again since it was woken
  std::vector<Life> lives_;     // by process, if any starts others
  std::vector<StartedBody> started_bodies_;                            // by body
  std::unordered_multimap<std::int64_t, std::int32_t> waits_for_end_;  // by number of the process
  std::int64_t started_count_ = 0;
  std::int32_t process_room_ = 0;   // of calendar, ready set and watch lists
  std::int32_t first_monitor_ = 0;  // monitors are the processes of the model from there on
  std::vector<std::pair<std::int32_t, std::int32_t>> monitors_of_block_;  // first, count; or empty
  std::vector<std::int32_t> acted_;  // blocks with monitors whose statements ran since they looked
  std::vector<flat::VariableId> by_slot_;  // once a deadlock is to be explained
  std::int32_t unfinished_ = 0;
  std::int64_t actions_ =
      0;  // resumptions since time last advanced; repetitions are in interpreter_.work
  std::int64_t next_look_ = 0, looks_ = 0;  // `look_round`: at how many resumptions; how often yet
  std::int64_t long_loops_ = 0;             // times that patience with a repetition was at its end
  std::uint64_t choice_key_ = 0, choices_ = 0;
  RunCounts counts_;
  Outcome outcome_;
  bool ended_ = false;
  bool plain_ = false;  // nobody is told, and nothing is chosen at random
  class Passing : public Physics::Progress {
   public:
    explicit Passing(Scheduler& scheduler) : scheduler_(scheduler) {}
    void passed(double time) override {
      if (scheduler_.pulse != nullptr) scheduler_.pulse->pulse(time, scheduler_.counts_);
    }

   private:
    Scheduler& scheduler_;
  };
  Passing passing_{*this};
  /// Hands out what the running process printed before it began to compute.
  class Computing : public code::Interpreter::Listener {
   public:
    explicit Computing(Scheduler& scheduler) : scheduler_(scheduler) {}
    void still_computing() override;

   private:
    Scheduler& scheduler_;
  };
  Computing computing_{*this};
  std::int32_t running_ = -1;          // the process that the interpreter runs
  std::unique_ptr<NativeRun> native_;  // if statements may be compiled
  bool is_native_ = false;
};

}  // namespace chi::sim
