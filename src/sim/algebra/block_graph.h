#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "expr/expr.h"
#include "structure/analyse.h"

namespace chi::sim {

/// Which blocks and which given values (states) each block of an order uses directly.
class BlockGraph {
 public:
  /// One sweep over the rows.
  BlockGraph(expr::Pool& pool, const structure::BlockOrder& order,
             std::span<const expr::VarRef> states);

  int blocks() const { return static_cast<int>(block_start_.size()) - 1; }
  std::span<const std::int32_t> needs(int block) const;   ///< earlier blocks, each once
  std::span<const std::int32_t> states(int block) const;  ///< indices of states, each once
  /// The block that computes x; -1 if none does.
  int block_of(expr::VarRef x) const;

  /// Per block whether it takes part in computing `targets`. O(graph).
  std::vector<char> needed_for(std::span<const expr::VarRef> targets) const;

  /// About how many pairs (target, state) there are with the target depending on the state, where
  /// counting would cost more than it is worth: each state draws random numbers, and the least one
  /// that reaches a target tells how many reach it (E. Cohen, "Size-estimation framework with
  /// applications to transitive closure and reachability", J. Comput. Syst. Sci. 55, 1997). O(16
  /// graph), good to a quarter or so; always the same.
  double estimated_dependencies(std::span<const expr::VarRef> targets, int state_count) const;

 private:
  struct Place {
    expr::VarRef var;
    std::int32_t block = -1;
  };
  std::vector<Place> places_;  // ascending
  std::vector<std::int32_t> block_start_ = {0}, state_start_ = {0};
  std::vector<std::int32_t> needs_, states_;
};

/// The chosen blocks alone, in the same order.
structure::BlockOrder restrict_order(const structure::BlockOrder& order,
                                     std::span<const char> chosen);

}  // namespace chi::sim
