#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "numerics/function_ref.h"

namespace chi::sim {

/// Events of one part that come ever faster, and the instant that they accumulate at: its time and
/// the values there, extrapolated from the last events (Zeno; semantics.md §4). It knows times,
/// kinds and values, and nothing of a simulation.
///
/// Events repeat with a period: of a ball between floor and apex every second one is of the same
/// kind. Those of the same kind give a sequence of times t_k, whose limit T is that of sums of
/// powers or, where the distances shrink ever less, of powers of 1/k (numerics/sequence_limit.h).
/// The values after these events are a smooth function of T - t_k at zero. Both are taken only if
/// the errors that the extrapolation estimates are below the tolerances, and if little is left:
/// what happens between the last event and the limit is not followed.
class Accumulation {
 public:
  /// What is remembered of an event.
  struct Snapshot {
    std::vector<double> values;
    std::uint64_t memory = 0;   ///< of all that does not move; equal if nothing of it changed
    bool by_statement = false;  ///< a statement changed values at the event
  };
  struct Event {
    double time = 0;
    std::uint64_t kind = 0;   ///< on which surfaces: events one period apart have the same one
    std::uint64_t phase = 0;  ///< and in which direction: values are compared where it is the same
  };
  /// The next event. The snapshot is asked for while events come faster, or `always`. Whether they
  /// come faster.
  bool note(const Event& event, numerics::FunctionRef<Snapshot()> snapshot, bool always);
  /// What is known of the last events is none of what comes next.
  void forget() { events_.clear(); }

  struct Limit {
    double time = 0, time_error = 0;
    std::vector<double> values, errors;
    std::vector<double> sizes;  ///< how far each was from its limit, at most
    int events = 0;             ///< so many of the series came before
    int period = 1;
  };
  struct Tolerances {
    double rtol = 0, atol = 0;
  };
  /// The limit, if it can be told, of this many values.
  std::optional<Limit> limit(int values, Tolerances tolerances) const;

  /// When the event was that came so many before the last one.
  double time(int before_last) const {
    return events_[events_.size() - 1 - static_cast<std::size_t>(before_last)].time;
  }

 private:
  static constexpr std::size_t kKept = 256, kLongestPeriod = 64;
  static constexpr std::size_t kFewestPeriods = 5;  // events of the same kind
  static constexpr int kMany = 40;                  // events after which less has to be seen
  struct Noted : Event {
    Snapshot after = {};  ///< without values: not asked for
  };
  bool shrinks(std::size_t period) const;
  std::vector<std::size_t> events_of(std::size_t period) const;
  std::vector<std::size_t> in_phase(const std::vector<std::size_t>& same) const;
  bool extrapolate(std::size_t period, std::size_t values, Tolerances tolerances, Limit& out) const;

  std::deque<Noted> events_;  // the series, and what came just before it
};

}  // namespace chi::sim
