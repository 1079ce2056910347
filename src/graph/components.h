#pragma once
#include <span>
#include <vector>

#include "graph/bipartite.h"

namespace chi::graph {

using PartId = Id<struct PartTag>;

/// The independent parts of a model: two equations are in one part if a chain of shared unknowns
/// leads from one to the other.
///
/// Parts are numbered by their lowest equation; then come the variables that occur nowhere, each a
/// part of its own.
struct Components {
  Table<EqId, PartId> part_of_eq;
  Table<VarId, PartId> part_of_var;
  std::vector<EqId> eqs;    ///< by part, ascending within each
  std::vector<VarId> vars;  ///< by part, ascending within each
  Table<PartId, int> eq_start{1, 0};
  Table<PartId, int> var_start{1, 0};

  int size() const { return eq_start.size() - 1; }
  std::span<const EqId> eqs_of(PartId part) const;
  std::span<const VarId> vars_of(PartId part) const;
};

/// Splits by union-find: near linear.
Components connected_components(const Bipartite& graph);

}  // namespace chi::graph
