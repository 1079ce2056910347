#pragma once
#include "graph/matching.h"
#include "graph/signature.h"

namespace chi::graph {

/// How often equations and variables are to be differentiated, by the iteration of [1, §2.1].
struct Differentiations {
  /// Per equation D_ij^k - D_ij^0 at the end of the iteration, for any j it depends on. 0 for an
  /// unassigned equation, which is never differentiated.
  Table<EqId, int> of_eq;
  /// Per variable the highest derivative d_j^k in the differentiated system; 0 if it occurs
  /// nowhere.
  Table<VarId, int> highest;
};

/// The dependency matrix iteration of [1, §2.1], D^0 being `dependencies` (-∞ is "no edge"):
///
///     repeat  d_j := max_i D_ij;  D_σ(j),i := D_σ(j),i + d_j - D_σ(j),j  for all i, j
///     until nothing changes
///
/// Unlike Pantelides' algorithm it also treats singular systems; on regular ones it gives the
/// canonical offsets of `find_offsets` (tests compare). Here only the equations that assigned
/// variables of a changed column are looked at again, so a sweep costs what it changes.
///
/// Requires σ from `best_assignment`: with a worse one D may grow for ever, which is checked. At
/// most as many sweeps as equations.
///
/// [1] A. Uhlig, T. Blochwitz, U. Schnabel and T. Nähring, "Initial value calculation for DAE with
///     higher index", Modelica Conference, 2009. Derivation: docs/theory/impulse-orders.md.
Differentiations count_differentiations(const Signature& dependencies, const Matching& assignment);

/// The dependency matrix of the system in which every equation is replaced by its derivative of the
/// order given: D_ij^0 raised by `of_eq`.
Signature differentiated(const Signature& dependencies, const Differentiations& differentiations);

}  // namespace chi::graph
