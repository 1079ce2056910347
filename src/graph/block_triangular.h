#pragma once
#include <span>
#include <vector>

#include "graph/matching.h"

namespace chi::graph {

using BlockId = Id<struct BlockTag>;

/// Equations and variables in an order in which they can be solved block by block: the equations of
/// a block mention, besides its own variables, only those of earlier blocks (and unmatched ones,
/// which count as given).
struct BlockTriangularForm {
  std::vector<EqId> eqs;            ///< by block, ascending within each
  std::vector<VarId> vars;          ///< `vars[k]` is matched to `eqs[k]`
  Table<BlockId, int> start{1, 0};  ///< of each block in `eqs` and `vars`; one more than blocks
  Table<EqId, BlockId> block_of;    ///< none for an unmatched equation
  Table<VarId, BlockId> block_of_var;

  int size() const { return start.size() - 1; }
  std::span<const EqId> eqs_of(BlockId block) const;
  std::span<const VarId> vars_of(BlockId block) const;
};

/// The finest block triangular form of the matched part.
///
/// The blocks are the strong components of "mentions a variable that is matched to" [1, 2]; where
/// all equations are matched they depend on the pattern alone, not on which perfect matching is
/// given. Linear, plus sorting within blocks. Requires a matching of `graph`, of any size.
///
/// [1] R. E. Tarjan, see strong_components.h.
/// [2] I. S. Duff and J. K. Reid, "An implementation of Tarjan's algorithm for the block
///     triangularization of a matrix", ACM Trans. Math. Softw. 4(2), 1978, 137-147.
///     Derivation: docs/theory/block-triangular-form.md.
BlockTriangularForm block_triangular_form(const Bipartite& graph, const Matching& matching);

}  // namespace chi::graph
