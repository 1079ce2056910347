#include "sim/events/event.h"

#include <algorithm>
#include <cmath>

#include "sim/events/tolerances.h"

namespace chi::sim {

SignChange classify(const numerics::Location& bracket, const ValuesAround& around, bool implicit) {
  const double found = std::abs(bracket.value_right);
  if (found > 2 * around.before && found > 2 * around.behind) return SignChange::Pole;
  const double least = std::min(found, std::abs(bracket.value_left));
  const bool is_jump = least > tolerance::kFarFromZero * std::max(around.before, around.behind);
  return implicit && is_jump ? SignChange::BranchSwitch : SignChange::Root;
}

double away_from(const numerics::Location& bracket) {
  return std::max(tolerance::kLeastAway,
                  2 * tolerance::kWidthsAway * (bracket.right - bracket.left));
}

}  // namespace chi::sim
