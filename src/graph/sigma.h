#pragma once
#include <optional>

#include "graph/block_triangular.h"
#include "graph/matching.h"
#include "graph/signature.h"

namespace chi::graph {

/// What Pryce's Σ-method [1] says of a square DAE.
///
/// Equation i is to be differentiated c_i times; variable j then occurs up to its derivative of
/// order d_j; the c_i times differentiated equations determine these highest derivatives, through
/// the Jacobian J_ij = ∂f_i/∂x_j^(d_j - c_i), whose pattern is where d_j - c_i = σ_ij. The offsets
/// are the canonical (smallest) ones; they are unique, whichever transversal is found.
struct Offsets {
  Table<EqId, int> c;
  Table<VarId, int> d;
  Matching transversal;  ///< a highest-value transversal of Σ

  int degrees_of_freedom() const;  ///< Σ d_j - Σ c_i: the value of the transversal
  /// max c_i, and one more if some d_j is 0, that is, if one more differentiation is needed to turn
  /// an algebraic variable into a derivative. 0 is an ODE; where J is regular it bounds the
  /// differentiation index from above, and equals it on all models of P0, P1, P2 and P4.
  int structural_index() const;
};

/// The canonical offsets, or none if the matrix is not square or has no transversal. The reason is
/// then in `dulmage_mendelsohn` and `minimal_singular_subset` of `sigma.pattern`.
///
/// Works block by block of the block triangular form of `sigma.pattern` ("coarse blocks" [2]),
/// since every transversal lies within them: a highest transversal and local offsets per block,
/// then one pass from the last block to the first for the offsets that hold together. O(E log V)
/// apart from `match_maximum` and `highest_transversal`, which see.
///
/// `hint` as in `match_maximum`: usually the previous mode's transversal. It cannot change c and d.
///
/// [1] J. D. Pryce, "A simple structural analysis method for DAEs", BIT 41(2), 2001, 364-394.
/// [2] J. D. Pryce, N. S. Nedialkov and G. Tan, "DAESA: a Matlab tool for structural analysis of
///     differential-algebraic equations: theory", ACM Trans. Math. Softw. 41(2), 2015, 9:1-9:20.
///     Derivation: docs/theory/index-reduction.md.
std::optional<Offsets> find_offsets(const Signature& sigma, const Matching& hint = {});

/// The pattern of the Jacobian J: the edges with d_j - c_i = σ_ij. Linear.
Bipartite jacobian_pattern(const Signature& sigma, const Offsets& offsets);

/// The fine blocks [2], in which the highest derivatives are solved for: the block triangular form
/// of the Jacobian's pattern.
BlockTriangularForm fine_blocks(const Signature& sigma, const Offsets& offsets);

/// The lead time of each fine block: the smallest c_i in it. The block's own canonical offsets, as
/// if it were a DAE by itself, are c_i and d_j less its lead time [2, and index-reduction.md], so a
/// block with lead time 0 and all local offsets 0 needs no index reduction by itself.
Table<BlockId, int> lead_times(const BlockTriangularForm& blocks, const Offsets& offsets);

}  // namespace chi::graph
