#pragma once
#include <cstdint>

#include "numerics/root_location.h"

namespace chi::sim {

/// What happens at an event of the equations.
enum class EventKind : std::uint8_t {
  Crossing,      ///< the difference of a border changes its sign
  Touch,         ///< it touches zero; or it ceases to have a value there
  Pole,          ///< it changes its sign in a jump, as through a pole
  Left,          ///< a motion along the border has left the band in which it counts as zero
  Collapsed,     ///< close to a border no step is possible any more
  Stuck,         ///< no step is possible any more, and no border tells why
  Retreat,       ///< steps are given up again and again: equations have no value ahead
  BranchSwitch,  ///< the solver went over to another solution of the algebraic equations
  DelayBreak,    ///< a jump or corner comes back through a delay
  StepChange,    ///< a piecewise-constant function steps
  CornerLeft,    ///< a continuous switch is no longer near
  Limit,         ///< the instant that events accumulate at
  Passed,        ///< the difference has another sign at the end of a time step
};

/// An event inside the window of a part. Several may be simultaneous.
struct Event {
  EventKind kind = EventKind::Crossing;
  double time = 0;
  int border = -1;        ///< -1: the kind has none
  double value = 0;       ///< of the difference there: how well it was located
  int direction = 0;      ///< of the difference: 1 rising, -1 falling; 0: neither
  double height = 0;      ///< of the difference halfway from the last event or the window's begin
  bool is_close = false;  ///< that was not even the tolerance
};

/// What an event asks for.
struct Consequence {
  bool of_border = false;       ///< counted, logged, wakes processes that watch the border
  bool widens_band = false;     ///< values of the border count as zero up to the one located
  bool is_retreat = false;      ///< no event if the mode stays
  bool crowds = false;          ///< the search opens continuous switches that are in the way
  bool settles = false;         ///< whatever the border decides, the mode is looked for
  bool reads_memory = false;    ///< values may have jumped
  bool restarts = false;        ///< the integrator starts anew,
  bool is_cold = false;         ///< with nothing kept of its history
  bool puts_on_border = false;  ///< the state that the border depends on is moved onto it
};

/// The one table of what follows from which kind of event.
constexpr Consequence consequence_of(EventKind kind) {
  switch (kind) {
    case EventKind::Crossing:
    case EventKind::Touch: return {.of_border = true, .widens_band = true};
    case EventKind::Pole:
    case EventKind::Passed:
    case EventKind::Left: return {.of_border = true};
    case EventKind::Collapsed:
      return {.of_border = true,
              .widens_band = true,
              .crowds = true,
              .restarts = true,
              .is_cold = true,
              .puts_on_border = true};
    case EventKind::Stuck:
      return {
          .is_retreat = true, .crowds = true, .settles = true, .restarts = true, .is_cold = true};
    case EventKind::Retreat:
    case EventKind::BranchSwitch:
      return {.is_retreat = true, .crowds = true, .settles = true, .restarts = true};
    case EventKind::DelayBreak: return {.settles = true, .reads_memory = true, .restarts = true};
    case EventKind::Limit:
      return {.settles = true, .reads_memory = true, .restarts = true, .is_cold = true};
    case EventKind::StepChange:
    case EventKind::CornerLeft: return {.settles = true, .restarts = true};
  }
  return {};
}

/// What a change of sign that was located to a narrow bracket is.
enum class SignChange : std::uint8_t { Root, Pole, BranchSwitch };

/// Magnitudes of the function a little before and behind the bracket, outside of it.
struct ValuesAround {
  double before = 0, behind = 0;
};

/// A root: the values grow when one goes away from the bracket. A pole: they shrink on both sides.
/// Neither, for a function that needs an algebraic solution (`implicit`): the solver went over to
/// another branch, and both values at the bracket are far from zero.
SignChange classify(const numerics::Location& bracket, const ValuesAround& around, bool implicit);

/// How far from a bracket to look for ValuesAround, as a part of the window: well outside of it.
double away_from(const numerics::Location& bracket);

}  // namespace chi::sim
