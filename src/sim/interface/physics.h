#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "code/ir.h"
#include "code/machine.h"
#include "code/surroundings.h"
#include "flat/flat_model.h"
#include "sim/interface/frames.h"
#include "sim/interface/observer.h"
#include "sim/interface/outcome.h"
#include "sim/interface/run_counts.h"
#include "sim/interface/run_options.h"

namespace chi::sim {

/// The equations, as the scheduler meets them: who integrates them, and finds state events, while
/// the processes wait. To the statements it is their surroundings.
///
/// The order of calls:
///
///     start                                    -- after the initialisers
///     repeat
///       settle, refresh, about_to_assign, ...  -- by statements, in the discrete phase
///       watch, unwatch                         -- processes begin and end to wait
///       finish_discrete_phase                  -- no process is ready; wakes some: the phase goes
///       on advance                                -- time passes
///     until the run is over
class Physics : public code::Surroundings {
 public:
  /// Who is told; null: nobody. The scheduler sets them before `start`.
  ///
  /// The observer hears of deadlines, communications and choices from the scheduler, of all else
  /// (state events, modes, jumps) from this one.
  ///
  /// The recorder's rows before and after the instants at which `advance` ends are the scheduler's;
  /// what lies between them (Recorder::constant_until, and the like for what moves; events of
  /// equations inside `advance` that concern no process) is this one's.
  Observer* observer = nullptr;
  Recorder* recorder = nullptr;
  /// Told now and then, as often as is easy, how far `advance` has come: for progress reports.
  class Progress {
   public:
    virtual ~Progress() = default;
    virtual void passed(double time) = 0;
  };
  Progress* progress = nullptr;
  /// How often processes were answered, or equations solved, since the scheduler last set it to 0.
  std::int64_t answered = 0;

  /// The initialisers have run: memory holds the start values. Nothing is solved yet.
  virtual bool start() = 0;

  /// Whether time can bring something that is in no calendar: there are equations, which are to be
  /// integrated to the end of the run, or a watched condition depends on time.
  virtual bool can_move() const = 0;

  /// `process`, in the instance `block`, begins to wait for a change of the truth of a condition of
  /// Program::conditions, whose truth it has just asked for with `holds`; several calls for several
  /// conditions.
  virtual void watch(std::int32_t process, std::int32_t block, std::int32_t condition) = 0;
  /// The process has asked for the conditions of a selection, of which `condition` is one. True if
  /// it came for an event and saw what holds at this instant: it is to ask once more, for what
  /// holds from now on.
  virtual bool looks_twice(std::int32_t, std::int32_t) { return false; }
  /// It goes on, for whatever reason: forgets all it watched, if anything.
  virtual void unwatch(std::int32_t process) = 0;

  /// The discrete phase has come to rest: decides the mode and solves the IP, if something changed,
  /// and leaves the values of all variables in memory, substituted ones included; so does
  /// `advance`. Appends to `woken` the processes that watch a condition whose truth at this instant
  /// is not the one they saw; they look again, and the discrete phase goes on. False on failure.
  virtual bool finish_discrete_phase(std::vector<std::int32_t>& woken) = 0;

  /// The statements of this process instance are about to run: memory is to hold the present values
  /// of what moves, as far as they can name it. Costs next to nothing if it does already.
  virtual void visit(std::int32_t block) = 0;

  enum class Advance : std::uint8_t {
    ReachedLimit,
    Event,        ///< a state event before the limit, or at it
    AtRest,       ///< only if `limit` is infinite: nothing will change any more; time stays
    Interrupted,  ///< asked to end (base/cancel.h)
    Failed,
  };
  /// Integrates until `limit`, which is the next deadline or the end of the run, or to an earlier
  /// state event that makes some watched condition worth another look: appends the processes that
  /// watch it to `woken`. Sets Machine::time. Requires limit > time.
  virtual Advance advance(double limit, std::vector<std::int32_t>& woken) = 0;

  /// Adds what it counted so far.
  virtual void count(RunCounts&) const {}

  /// The derivatives at the present instant, after a discrete phase that went well; null: none.
  virtual const MotionView* now() { return nullptr; }

  /// What the run went on in spite of, each thing once.
  virtual std::vector<Diagnostic> warnings() const { return {}; }

  /// Why the run cannot go on, after a failure of any call. Its time is not used.
  virtual const Outcome& failure() const = 0;
};

/// Whether running the program needs a Physics: the model has equations, or statements that only
/// such a one can answer.
bool needs_physics(const flat::FlatModel& model, const code::Program& program);

}  // namespace chi::sim
