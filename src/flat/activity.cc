#include "flat/activity.h"

#include <algorithm>

namespace chi::flat {

// A choice is made before those inside its branches, so one ascending loop sees parents first.
Activity find_activity(const EquationSet& set, const std::function<bool(BranchId)>& holds) {
  Activity result;
  result.branches.assign(static_cast<std::size_t>(set.branches.size()), 0);
  for (ChoiceId id{0}; id.index < set.choices.size(); ++id.index) {
    const Choice& choice = set.choices[id];
    if (!result.is_active(choice.parent)) continue;
    bool open = false;
    for (BranchId b{choice.first}; !open && b.index < choice.first + choice.count; ++b.index) {
      open = holds(b);
      result.branches[static_cast<std::size_t>(b.index)] = open ? 1 : 0;
    }
    if (!open && choice.must_open) result.nowhere.push_back(id);
  }
  return result;
}

std::vector<expr::VarId> declared_unknowns(const EquationSet& set, const Activity& activity) {
  std::vector<expr::VarId> declared;
  const auto differentiated = [&](const Unknown& unknown) {
    if (!unknown.implied || set.differentiated_in.empty()) return false;
    const auto at = set.differentiated_in.find(unknown.variable.var.index);
    return at != set.differentiated_in.end() &&
           std::ranges::any_of(at->second, [&](BranchId b) { return activity.is_active(b); });
  };
  for (const Unknown& unknown : set.unknowns) {
    if (unknown.variable.order == 0 && activity.is_active(unknown.branch) &&
        !differentiated(unknown)) {
      declared.push_back(unknown.variable.var);
    }
  }
  std::ranges::sort(declared);
  declared.erase(std::unique(declared.begin(), declared.end()), declared.end());
  return declared;
}

}  // namespace chi::flat
