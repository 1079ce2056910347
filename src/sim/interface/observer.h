#pragma once
#include <cstdint>
#include <string_view>

#include "source/span.h"

namespace chi::sim {

/// Who wants to know of everything that happens in a run: the event log. Called in the order of
/// happening, at model time `time`. `span` is the text that caused it.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void time_event(double time, std::string_view process, Span span) = 0;
  virtual void communication(double time, std::string_view channel, std::string_view sender,
                             std::string_view receiver, std::string_view value, Span span) = 0;
  virtual void selected(double time, std::string_view process, Span span) = 0;
  virtual void printed(double time, std::string_view process, std::string_view text, Span span) = 0;

  /// A guard or condition changed its value. `direction`: +1 it became true, -1 it became false, 0
  /// its event function touched zero and went back.
  virtual void state_event(double time, std::string_view what, Span span, int direction) = 0;
  /// The equations of `part` are from now on those of the mode `what`, also at the start of a part
  /// that has several. `because`: the relations that changed, if any did. `found_by`: the strategy
  /// that found the mode (search_counts.h); empty if there was nothing to search.
  virtual void mode_change(double time, std::string_view part, std::string_view what,
                           std::string_view because, std::string_view found_by, Span span) = 0;
  /// A variable took another value without being assigned; `what` says why.
  virtual void jump(double time, std::string_view variable, double before, double after,
                    std::string_view what, Span span) = 0;
  /// The jumps at `time` left the sum `what` as it was, up to rounding.
  virtual void conserved(double time, std::string_view what, double before, double after,
                         Span span) = 0;
  /// Sliding motion along the switching surface `what` begins or ends.
  virtual void slide(double time, std::string_view what, bool entered, Span span) = 0;
  /// The limit of events that accumulate, if the run goes on from there.
  struct ZenoLimit {
    std::string_view values = {};  ///< "y = 0, v = 0"; empty: the run ends
    int events = 0;                ///< of the series, before the limit was taken
    double time_error = 0, error = 0;  ///< estimates: of the time, and of the values at most
  };
  /// Events accumulate towards `time`.
  virtual void zeno(double time, std::string_view what, Span span, const ZenoLimit& limit) = 0;
  /// Anything else that is worth a line; `kind` is one word.
  virtual void note(double time, std::string_view kind, std::string_view what, Span span) = 0;
};

/// A piece of continuous motion, for a recorder to look at any moment of it.
class MotionView {
 public:
  virtual ~MotionView() = default;
  /// Writes the values of all variables at `time` into the machine's memory; `time` lies in the
  /// piece, ends included.
  virtual void values_at(double time) = 0;
  /// Whether there were values at the time last asked for. If not, the run ends there, and what was
  /// asked for is not to be recorded.
  virtual bool has_values() const { return true; }
  /// x' at the time last asked for with `values_at`, of the variable at this slot of the flat model
  /// (VariableId's slot plus the offset in it); NaN if there is none.
  virtual double derivative(std::int32_t flat_slot) const = 0;
};

/// Who records values: called around each instant at which something happens, with the memory as it
/// is then, and for each piece of time between.
///
/// A run is: start, then pieces and events in time order, then finish.
///
///     start(t0)
///     repeat
///       after_event(t)                       -- the memory as the actions at t left it
///       moved(t, t1, ...) moved(t1, t2, ...) -- pieces, as many as the integrator likes
///         or constant_until(t, t2)
///       before_event(t2)                     -- not at the end of the run
///     finish(t_end, ...)                     -- the memory as it is in the end
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void start(double time) = 0;
  /// Time goes from `from` to `to`, and no variable changes on the way.
  virtual void constant_until(double from, double to) = 0;
  /// Time goes from `from` to `to`, and variables change as `view` shows. The recorder may look at
  /// any moments, and leaves the memory with the values of one of them: the caller writes those of
  /// `to` afterwards. What the recorder looks at changes nothing else.
  virtual void moved(double from, double to, MotionView& view) = 0;
  virtual void before_event(double time) = 0;
  virtual void after_event(double time) = 0;
  /// `now`, if the equations came to an end with values: shows the derivatives at `time` itself.
  virtual void finish(double time, const MotionView* now) = 0;
};

}  // namespace chi::sim
