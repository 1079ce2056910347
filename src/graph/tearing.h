#pragma once
#include <cstdint>
#include <vector>

#include "graph/bipartite.h"

namespace chi::graph {

/// A block of equations cut open: guess the tearing variables, compute the others one by one, and
/// what is left over, the residual equations, says how good the guess was.
struct Tearing {
  struct Step {
    EqId eq;
    VarId var;  ///< computed explicitly from `eq`
  };
  std::vector<VarId> torn;      ///< iterated on; in the order they were chosen
  std::vector<EqId> residuals;  ///< ascending; as many as `torn`
  /// In order: each `eq` mentions only torn variables, those of earlier steps, and its own.
  std::vector<Step> explicit_part;
};

/// Tears one block, by a greedy heuristic of the family of Cellier's [1] and Carpanzano's [2].
///
/// An equation with one variable left that it may be solved for is solved for it. When none is
/// left, the equation nearest to that state (fewest variables left, of these the one that got there
/// last) is brought nearer by tearing one of its variables: one it may not be solved for, otherwise
/// the one that occurs in most remaining equations, otherwise the lowest. To find the least number
/// of tearing variables is NP-hard; this finds 1 on chains and rings, n - 1 on full matrices.
///
/// `may_solve` says per edge whether the equation may be solved explicitly for the variable: linear
/// in it, with a coefficient that cannot vanish in any mode. Requires a square pattern with a
/// perfect matching. O(E) plus, per tearing variable, the length of the chosen equation.
/// Deterministic: a function of the arguments.
///
/// [1] F. E. Cellier and E. Kofman, "Continuous System Simulation", Springer, 2006, section 7.4.
/// [2] E. Carpanzano, "Order reduction of general nonlinear DAE systems by automatic tearing",
///     Math. Comput. Model. Dyn. Syst. 6(2), 2000, 145-168. Derivation: docs/theory/tearing.md.
Tearing tear(const Bipartite& block, const Table<EdgeId, std::uint8_t>& may_solve);

}  // namespace chi::graph
