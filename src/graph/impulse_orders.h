#pragma once
#include <limits>

#include "graph/matching.h"
#include "graph/signature.h"

namespace chi::graph {

/// Impulse order -∞: untouched by the impulse.
inline constexpr int kNoImpulse = std::numeric_limits<int>::min();

/// How singular variables and equations are at the instant of an impact [1, §3.2]. Order 0 is a
/// Dirac impulse, -1 a jump, -2 a kink; each derivative is one order higher.
struct ImpulseOrders {
  Table<VarId, int> of_var;  ///< I_j
  /// The highest order of a term in the equation as written, not differentiated. An equation of
  /// order 0 is integrated over the instant; one of order -1 holds on both sides of it.
  Table<EqId, int> of_eq;
};

/// The impulse order iteration of [1, §3.2],
///
///     b_i := max_j (b_j + D_ij) - D_ii
///
/// until nothing changes, where the rows of D, the dependency matrix, are put in the order of their
/// variables by `assignment`. The paper takes the matrix of the index-reduced system; how often an
/// equation was differentiated cancels in D_ij - D_ii, so the original will do. A variable without
/// an equation keeps its bound.
///
/// `lower_bounds` is b^0: 0 for a variable marked `impulse`, -1 for one known to jump, `kNoImpulse`
/// for the others. Requires an assignment from `best_assignment` or `find_offsets` (which of
/// several does not matter): with a worse one the orders may grow for ever, which is checked. Costs
/// O(E) per sweep, at most as many sweeps as equations, few in practice.
///
/// [1] A. Uhlig, T. Blochwitz, U. Schnabel and T. Nähring, "Initial value calculation for DAE with
///     higher index", Modelica Conference, 2009. Derivation: docs/theory/impulse-orders.md.
ImpulseOrders find_impulse_orders(const Signature& dependencies, const Matching& assignment,
                                  const Table<VarId, int>& lower_bounds);

}  // namespace chi::graph
