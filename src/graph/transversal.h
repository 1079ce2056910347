#pragma once
#include <cstdint>

#include "graph/matching.h"
#include "graph/signature.h"

namespace chi::graph {

/// A matching of largest weight Σ σ_ij among the maximum ones, with the dual numbers that prove it:
/// d_j - c_i >= σ_ij on every edge, with equality on the matched ones.
struct Transversal {
  Matching matching;
  Table<EqId, int> c;
  Table<VarId, int> d;
};

/// Highest-value transversal of a square signature matrix, with its *smallest* dual numbers c >= 0:
/// Pryce's canonical offsets [1].
///
/// Ascends from c = 0, d_j = max_i σ_ij, the smallest numbers that satisfy the inequalities: while
/// the tight edges admit no perfect matching, the numbers of the over-determined part of the tight
/// edges are raised by the least amount that makes another edge tight [2]. The proof that what
/// comes out is smallest is in docs/theory/index-reduction.md.
///
/// `hint` is a matching to start from, such as the previous mode's; it affects only which of
/// several highest transversals is found. Requires a perfect matching to exist, and rows × highest
/// order below 2^31. Each round costs O(E log V); the rounds are at most the distinct lengths of
/// shortest augmenting paths, that is few unless offsets are large and varied within one
/// irreducible matrix.
///
/// [1] J. D. Pryce, "A simple structural analysis method for DAEs", BIT 41(2), 2001, 364-394.
/// [2] H. W. Kuhn, "The Hungarian method for the assignment problem", Naval Res. Logist. Quart. 2,
///     1955, 83-97.
Transversal highest_transversal(const Signature& sigma, const Matching& hint = {});

/// Heaviest matching among those of maximum size, for any shape, singular or not. The dual numbers
/// of all unmatched equations are equal and the largest c, of all unmatched variables equal and the
/// smallest d: with the inequalities this proves optimality.
Transversal heaviest_maximum_matching(const Signature& sigma);

}  // namespace chi::graph
