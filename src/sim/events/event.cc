#include "sim/events/event.h"

#include <algorithm>
#include <cmath>

namespace chi::sim {

SignChange classify(const numerics::Location& bracket, const ValuesAround& around, bool implicit) {
  constexpr double kFarFromZero = 0.01;  // beside the values around
  const double found = std::abs(bracket.value_right);
  if (found > 2 * around.before && found > 2 * around.behind) return SignChange::Pole;
  const double least = std::min(found, std::abs(bracket.value_left));
  const bool is_jump = least > kFarFromZero * std::max(around.before, around.behind);
  return implicit && is_jump ? SignChange::BranchSwitch : SignChange::Root;
}

double away_from(const numerics::Location& bracket) {
  constexpr double kLeast = 1e-6;  // of the window: brackets of two ulps are narrower by far
  constexpr double kWidths = 100;  // at less, a linear function would look like a branch switch
  return std::max(kLeast, 2 * kWidths * (bracket.right - bracket.left));
}

}  // namespace chi::sim
