#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "numerics/one_step.h"

namespace chi::numerics {

/// Why there is no mode in a branch of the search: functionals with multipliers whose sum is a
/// constant of the wrong sign (Farkas).
using Certificate = std::vector<std::pair<int, double>>;

struct TreeSearchResult {
  std::vector<Mode> modes;                ///< that the one-step problem allows
  std::vector<Certificate> certificates;  ///< one per branch that was closed
  bool is_complete = false;               ///< all was looked at, and nothing was left to round-off
  int nodes = 0;
};

/// Enumerates the modes of the one-step problem by branch and bound: a node chooses the pieces of
/// some laws; linear feasibility of their rows and conditions, with what holds on all pieces of the
/// other laws, is its bound. A contradiction that is no larger than round-off closes no branch.
/// Conditioned like h to the minus index: h should not be small. Exponential in the number of laws
/// at worst, so `most_nodes` bounds it; dense, for at most some hundred variables.
TreeSearchResult search_modes(OneStep& step, const Mode& preferred, int most_nodes);

}  // namespace chi::numerics
