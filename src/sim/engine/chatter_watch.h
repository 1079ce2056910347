#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "numerics/function_ref.h"
#include "sim/modes/plan.h"

namespace chi::sim {

/// Notices events without end: so many between which no time passes, or ones whose distances
/// shrink like a geometric series, which never get past its limit (Zeno). It knows nothing but
/// the times of the events and the modes they lead to.
class ChatterWatch {
 public:
  static constexpr int kMostAtOnce = 20000;

  /// An event at `now`. Whether it is the last of too many between which hardly any time passed.
  bool is_crowded(double now);

  struct Event {
    double now = 0;
    PlanId mode = {};         ///< before the event
    bool is_retreat = false;  ///< steps were given up: no event, if the next one finds this mode
  };
  /// Where events accumulate, and what shows it.
  struct Limit {
    enum class Sign : std::uint8_t {
      Close,  ///< the last events are nearer than places and speeds are known
      Lost,   ///< what lies between them is lost in rounding
      Ratio,  ///< each distance is the same part of the one before
    };
    Sign sign = Sign::Ratio;
    double time = 0;
    double step = 0;   ///< the last distance
    double ratio = 0;  ///< the largest of the last distances to the one before
  };
  /// The next event. The limit, if the motion does not get past it; `goes_on`: it is followed as
  /// far as events can be told apart. `is_lost` is asked whether the last events are no more than
  /// rounding.
  std::optional<Limit> limit(const Event& event, bool goes_on,
                             numerics::FunctionRef<bool()> is_lost);

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  double last_ = -1;                // event,
  int at_once_ = 0;                 // and so many before it at the same time
  std::vector<double> times_;       // of the last events
  PlanId retreated_from_;           // the mode at the last one, if it was a retreat
  double accumulates_at_ = kNever;  // where they pointed to, when they came in a series
};

}  // namespace chi::sim
