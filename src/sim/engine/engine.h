#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "code/boxes.h"
#include "expr/evaluate.h"
#include "flat/statement_equations.h"
#include "sim/engine/accumulation.h"
#include "sim/engine/chatter_watch.h"
#include "sim/engine/due.h"
#include "sim/engine/memories.h"
#include "sim/engine/tournament.h"
#include "sim/events/part_run.h"
#include "sim/interface/physics.h"
#include "structure/instant.h"

namespace chi::sim {

/// The simulating Physics: all parts of a model, each in its own mode and at its own step size.
///
/// `advance` lets the part that is furthest behind take the next step, until no part can have an
/// event before the earliest one found. So an event in one part restarts no other, and the cost of
/// an event does not grow with the number of parts.
class Engine : public Physics {
 public:
  /// All arguments outlive it; `model` and `program` may receive rows.
  Engine(flat::FlatModel& model, code::Program& program, code::Machine& machine,
         const Frames& frames, const RunOptions& options);
  ~Engine() override;

  bool start() override;
  bool can_move() const override;
  void watch(std::int32_t process, std::int32_t block, std::int32_t condition) override;
  bool looks_twice(std::int32_t block, std::int32_t condition) override;
  void unwatch(std::int32_t process) override;
  bool finish_discrete_phase(std::vector<std::int32_t>& woken) override;
  Advance advance(double limit, std::vector<std::int32_t>& woken) override;
  const Outcome& failure() const override { return outcome_; }
  std::vector<Diagnostic> warnings() const override { return warnings_; }
  const MotionView* now() override;
  void count(RunCounts& counts) const override;

  void visit(std::int32_t block) override;
  bool settle() override;
  bool refresh(std::int64_t slot, std::int32_t count) override;
  bool about_to_assign(std::int64_t slot, std::int32_t count) override;
  void assigned(std::int64_t slot, std::int32_t count) override;
  bool holds(std::int32_t block, std::int32_t condition, bool* truth) override;
  bool value(std::int32_t block, std::int32_t value, double* result) override;
  bool instant(std::int32_t block, std::int32_t instant) override;

  /// For who looks at the equations from outside, and changes nothing: the parts; all variables in
  /// memory as they are now, substituted ones included; the value of an expression.
  std::vector<Part*> parts();
  void bring_all();
  expr::Value evaluate(expr::ExprId e) { return evaluate_at(e, workshop_.machine.time); }

 private:
  friend class InstantSolver;
  struct Awaited;
  /// How a process instance looks at a selection or `nabla`: all its conditions at this instant, or
  /// all just after it. A mixture of both may hold where the condition never does.
  struct Look {
    double came_at = -1;  ///< an event that it waited for: it looks at that instant, once,
    std::vector<const Awaited*> asked = {};  ///< and has seen these there
    double lasts_at = -1;  ///< of guards: when it was asked last what holds from now on
  };
  /// A condition of a statement in one process instance.
  struct Awaited {
    std::int32_t block = -1;
    std::int32_t member = -1;
    int condition = 0;
    code::Wanted wanted = code::Wanted::Either;
    Span span = {};
    Look* look = nullptr;  ///< of the selection in which it is asked; null: in none
  };
  struct Watching {
    std::int32_t process = 0;
    Awaited* awaited = nullptr;
    bool seen = false;
  };
  /// Parts whose events can make one series: statements of one process see all of them.
  struct Together {
    std::vector<std::int32_t> members = {};
    // The events of the present instant.
    double time = -1;
    std::map<std::pair<std::int32_t, int>, int> directions = {};  ///< by member and border
    double assigned_at = -1;  ///< when a statement changed a value that one of them reads
    std::map<std::pair<std::int32_t, int>, double> last_at = {};  ///< by member and border
    Accumulation accumulation = {};
    /// What moves: the member and the variable, in the order in which they were met.
    std::vector<std::pair<std::int32_t, expr::VarRef>> moving = {};
    std::map<std::pair<std::int32_t, expr::VarRef>, int> number_of = {};
    std::optional<Accumulation::Limit> limit = {};  ///< to which they go
    // Of the last limit that they came to.
    double limit_at = -1;
    std::vector<std::pair<std::int32_t, int>> borders = {};  ///< on which events accumulated
    std::string values = {};                                 ///< "y = 0, v = 0"
    Accumulation::Snapshot rest = {};                        ///< there, before statements
    int passes = 0;                                          ///< of conditions since
  };
  /// A part with all that is known of it at the present instant.
  struct Member {
    std::unique_ptr<Part> part;
    std::unique_ptr<PartRun> run;
    double time = 0;  ///< of its frame and of its variables in memory
    Due due = {};
    /// No values were found before an assignment; an error if one of these is to be kept.
    std::optional<Diagnostic> unsolved = {};
    std::vector<expr::VarId> unsolved_for = {};
    std::vector<double> output;           ///< a frame for what is looked at without being used
    std::vector<Watching> watching = {};  ///< processes that wait for its conditions
    bool is_listed = false;               ///< in `changed_`
    std::optional<VariantId> told = {};   ///< the choice of states that was told last
    ChatterWatch chatter = {};
    std::int32_t together = -1;              ///< in `together_`
    std::vector<int> memory_relations = {};  ///< of the memories, that are watched here
    struct Crossed {
      int border = 0, direction = 0;
    };
    /// Surfaces that the motion crosses at this instant, until what they are made of is assigned.
    std::vector<Crossed> crossed = {};
    double crossed_at = -1;
  };
  class View;
  class Now;

  /// A `delay` outside the equations and conditions.
  struct LookBack {
    expr::ExprId delay;
    bool of_statement = false;
  };
  std::vector<LookBack> find_delays();
  bool translate_conditions();
  void watch_memories(std::size_t first_of_together);
  void map_memories();
  void arrive_at_memories();
  bool open_gates(std::int32_t member);
  void close_gates();
  bool is_crossing(const Member& member) const {
    return !member.crossed.empty() && member.crossed_at == workshop_.machine.time;
  }
  int crossing_of(const Member& member, int border) const;
  void forget_crossed(Member& member, std::int32_t flat_slot);
  Truth truth_crossing(Member& member, int condition, bool after);
  enum class Round : std::uint8_t { Rests, Changed, Failed };
  /// Gives the memories that have to change their next values. `arriving`: events were reached
  /// just now, and what crosses its border there is on the other side.
  Round run_round(bool arriving);
  void see_truths(std::int32_t member, const Sides& sides);
  expr::Point point_of_memories();
  bool leaves_surface(std::vector<Memories::Change>& changes);
  bool check_value(const Memories::Change& change);
  void make_round(const std::vector<Memories::Change>& changes);
  void start_memories();
  void touch_memories(std::int64_t slot);
  bool fail_determined(std::int64_t slot);
  bool fail_restless(const std::vector<std::vector<Memories::Change>>& cycle);
  std::string change_text(const Memories::Change& change) const;
  double memory_now(int memory);
  void add_member(PartEquations equations);
  void map_slots();
  void add_reader(std::int32_t member, expr::ExprId leaf, bool decides);
  void add_reader(std::int32_t member, std::int32_t flat_slot, bool decides);
  double discrete_value(expr::DiscreteId id);
  double rate(std::int32_t flat_slot, double time);
  double derivative_for_output(std::int32_t flat_slot, double time);
  void list(std::int32_t member);
  void see_blocks();
  void follow(std::int32_t member);
  Advance arrive(bool has_event, std::vector<std::int32_t>& woken);
  Awaited& awaited(std::int32_t block, std::int32_t condition) {
    return awaited_.at(key(block, condition));
  }
  static std::int64_t key(std::int32_t block, std::int32_t condition) {
    return (static_cast<std::int64_t>(block) << 32) | condition;
  }
  bool settle(std::int32_t member);
  bool settle_all(std::vector<std::int32_t>& woken);
  void bring(std::int32_t member);
  /// After its part had a look. `at_instant`: what a `nabla` waits for may hold just now.
  bool truth_of(const Awaited& awaited, bool at_instant, bool* truth);
  bool is_looked_at_now(const Awaited& asked) const;
  double value_of(expr::VarRef x);
  expr::Value evaluate_at(expr::ExprId e, double time);
  double delayed(expr::ExprId delay, double tau, double time);  ///< NaN if nobody keeps its past
  /// What statements ask for, translated when they are met first; null if that fails.
  const std::vector<expr::ExprId>* asked_value(std::int32_t block, std::int32_t value,
                                               Diagnostics& problems);
  /// An instantaneous equation statement, and how it was solved last.
  struct InstantStatement {
    flat::EquationSet set;
    structure::InstantSystem system = {};
    structure::InstantOrder order = {};
  };
  InstantStatement* asked_equations(std::int32_t block, std::int32_t instant,
                                    Diagnostics& problems);
  void store_substituted(double time);
  void store_substituted(std::int64_t slot, const flat::Substitution& substitution, double value);
  bool evaluate_now(expr::ExprId e, double* result, Span span);
  void tell_states(Member& member);
  void tell_changes(Member& member, Plan* before, const Sides& sides_before,
                    const std::vector<int>& slid_before);
  void tell_conserved(const std::vector<ConservedSum>& sums, Span span);
  bool notice_chattering(Member& member);
  bool notice_zeno(std::int32_t member);
  std::string border_text(const Member& member) const;  ///< of its first event
  static bool is_lost_in_rounding(Member& member);
  bool fail_zeno(Member& member, const ChatterWatch::Limit& limit);
  // engine_limits.cc
  void join_parts();
  Together& together(const Member& member) {
    return together_[static_cast<std::size_t>(member.together)];
  }
  const Together& together(const Member& member) const {
    return together_[static_cast<std::size_t>(member.together)];
  }
  void note_in_series(const Member& member, int border, int direction);
  bool may_pass_limit(const Together& group) const;
  void map_memory();
  void enter_moving(Together& group);
  Accumulation::Snapshot snapshot(Together& group);
  bool seek_limits(double until);
  void seek_limit(Together& group, double until);
  bool crosses_others(const Together& group, std::int32_t number, const std::vector<double>& frame);
  void arrive_at_limit(std::int32_t number);
  std::string borders_text(const Together& group) const;
  bool is_at_limit(const Member& member) const;
  Diagnostic at_limit(const Member& member, Diagnostic why) const;
  bool notice_no_rest(const Awaited& passed);
  bool rests(Together& group);
  bool fail_without_rest(const Together& group);
  bool prepare_to_move(double until);
  bool record(double from, double to);
  std::optional<Diagnostic> output_failed_;
  void note_event(Member& member, std::vector<std::int32_t>& woken);
  bool fail(Diagnostic diagnostic);
  std::optional<Diagnostic> explain_box(expr::ExprId node, std::int32_t block);
  std::string variable_name(expr::VarRef x) const;

  Workshop workshop_;
  code::Program& program_;
  flat::StatementEquations statements_;
  Parts parts_;
  std::vector<Member> members_;
  std::unordered_map<std::int64_t, Awaited> awaited_;
  std::vector<std::vector<std::int32_t>> watched_by_;  // by process: the parts it watches
  std::vector<std::vector<std::int32_t>> visible_;  // by block: the parts its statements can read
  std::vector<std::int32_t> changed_;  // parts that are dirty, have an event, or want a new search
  Tournament steps_, events_;          // by part: the end of its window, its earliest event
  bool is_viewing_ = false;            // memory and output frames hold the values of another time
  bool moves_ = false;                 // some part can move
  std::unordered_map<std::int64_t, Look> looks_;  // by process instance and selection
  /// Parts that read a memory slot, and whether it decides there what is unknown.
  struct Reader {
    std::int32_t member = 0;
    bool decides_unknowns = false;
  };
  std::unordered_map<std::int64_t, std::vector<Reader>> readers_;
  std::vector<Reader> box_readers_;  // parts with boxed inputs: any assignment may concern them
  std::unordered_map<std::int64_t, std::vector<expr::ExprId>> values_;  // asked for by statements
  std::unordered_map<std::int64_t, InstantStatement> instants_;
  /// By memory slot. Copies: the model gets more when statements ask for derivatives.
  std::unordered_map<std::int64_t, flat::Substitution> substituted_;
  std::unordered_map<std::int32_t, expr::ExprId> substituted_rates_;  // derivatives, by flat slot
  std::unordered_map<expr::ExprId, std::int32_t> keeper_;  // by what is looked back at: the part
  std::vector<char> is_set_;                               // by flat slot
  std::unordered_map<std::int64_t, std::int32_t> flat_slot_of_;  // of real variables in equations
  Memories memories_;
  /// By memory slot, negative for what no variable holds: what memories and parts call it.
  std::unordered_map<std::int64_t, std::vector<expr::DiscreteId>> remembered_;
  std::unordered_set<std::int64_t> determined_;  // slots of variables with a discrete equation
  std::vector<Memories::Change> changes_;        // of a round; kept for its space
  bool is_in_round_ = false, have_memories_started_ = false;
  std::vector<int> gates_, open_gates_;  // flat::Memories
  bool has_arrived_ = false;             // events were reached, and the memories have not seen them
  bool have_memories_failed_ = false;
  double round_time_ = 0;
  std::int64_t rounds_here_ = 0, rounds_ = 0;  // at this instant; in all
  std::unique_ptr<code::ModelBoxes> boxes_;
  std::unique_ptr<MotionView> now_;
  std::vector<Together> together_;
  bool memory_is_mapped_ = false;
  std::vector<std::int64_t> other_reals_, other_slots_;  // of memory, of no part; once asked for
  Outcome outcome_;
  std::vector<Diagnostic> warnings_;
  std::int64_t steps_since_check_ = 0;
  std::int64_t mode_switches_ = 0;
  std::int64_t state_events_ = 0;
};

}  // namespace chi::sim
