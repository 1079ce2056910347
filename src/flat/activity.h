#pragma once
#include <functional>
#include <vector>

#include "flat/equations.h"

namespace chi::flat {

/// What is active in a mode (semantics.md §2).
struct Activity {
  std::vector<char> branches;     ///< by BranchId: whether it is active
  std::vector<ChoiceId> nowhere;  ///< active choices without an open branch that must have one

  /// Of an equation or unknown declaration, by its branch.
  bool is_active(BranchId branch) const {
    return !branch || branches[static_cast<std::size_t>(branch.index)] != 0;
  }
};

/// Finds the active branches of `set`, given the truth of its guards. Asks only for guards that
/// matter: of choices in active branches, up to the first that holds. One loop over the choices.
Activity find_activity(const EquationSet& set, const std::function<bool(BranchId)>& holds);

/// The variables in active unknown declarations, ascending, each once. Derivatives in them change
/// nothing.
std::vector<expr::VarId> declared_unknowns(const EquationSet& set, const Activity& activity);

}  // namespace chi::flat
