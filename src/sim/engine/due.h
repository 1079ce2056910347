#pragma once
#include <algorithm>
#include <cstdint>

#include "numerics/integrator.h"

namespace chi::sim {

/// What a part still has to do at the present instant. Requests only ever add to it; serving them
/// takes it back.
class Due {
 public:
  /// What was found in the past instants is still right for its values and mode; or an event may
  /// have changed the mode; or memory changed too, so that values are to be computed anew.
  enum class Values : std::uint8_t { Right, Event, Assigned };
  /// How the motion goes on: as it did, with the events of its window looked for again, or anew.
  enum class Motion : std::uint8_t { GoesOn, Search, Restart };

  /// At the start everything is due.
  Due() = default;

  void request(Values values) { values_ = std::max(values_, values); }
  void request(Motion motion) { motion_ = std::max(motion_, motion); }
  /// The integrator keeps nothing of its history.
  void request_cold_restart() {
    request(Motion::Restart);
    restart_ = numerics::Restart::Cold;
  }

  bool has_to_settle() const { return values_ != Values::Right; }
  bool was_assigned() const { return values_ == Values::Assigned; }
  bool has_to_search() const { return motion_ != Motion::GoesOn; }
  bool has_to_restart() const { return motion_ == Motion::Restart; }
  numerics::Restart restart() const { return restart_; }

  /// Values and mode were found: what was due of them is done, and events are to be looked for.
  void settled() {
    values_ = Values::Right;
    request(Motion::Search);
  }
  /// The values, or the equations, are other ones than before: the motion restarts. With the same
  /// equations a cold restart that is due stays cold.
  void restart_after_settling(bool same_equations) {
    if (!same_equations) {
      restart_ = numerics::Restart::Again;
    } else if (!has_to_restart()) {
      restart_ = numerics::Restart::Warm;
    }
    request(Motion::Restart);
  }
  /// The motion was restarted, or its events were looked for.
  void moved_on() {
    if (has_to_restart()) restart_ = numerics::Restart::Warm;
    motion_ = Motion::GoesOn;
  }

 private:
  Values values_ = Values::Assigned;
  Motion motion_ = Motion::Restart;
  numerics::Restart restart_ = numerics::Restart::Cold;
};

}  // namespace chi::sim
