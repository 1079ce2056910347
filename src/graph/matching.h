#pragma once
#include "graph/bipartite.h"

namespace chi::graph {

/// Pairs of an equation and a variable that occurs in it, no two pairs sharing either. The two
/// tables say the same from both sides.
struct Matching {
  Table<EqId, VarId> var_of;  ///< none if unmatched
  Table<VarId, EqId> eq_of;   ///< none if unmatched

  int size() const;
  /// Every equation and every variable is matched; the pattern is then square.
  bool is_perfect() const { return size() == var_of.size() && size() == eq_of.size(); }
};

/// A matching of the largest size.
///
/// `start` is kept as far as it still fits: pairs that are no edge any more are dropped, and an
/// equation or variable matched in what remains stays matched (to a possibly different partner). So
/// after a mode change, which alters few equations, only these are searched from. It may be shorter
/// than the pattern, or empty; it also serves to say which pairs are preferred.
///
/// Greedy start after Karp and Sipser [1], then Hopcroft and Karp's phases [2] with the additional
/// unlayered search of Duff and Wiberg [3] and the lookahead of MC21 [4]: O(E √V) at worst, linear
/// on the models we know. Deterministic: a function of the pattern and of `start`.
///
/// [1] R. M. Karp and M. Sipser, "Maximum matchings in sparse random graphs", FOCS 1981, 364-375.
/// [2] J. E. Hopcroft and R. M. Karp, "An n^(5/2) algorithm for maximum matchings in bipartite
///     graphs", SIAM J. Comput. 2(4), 1973, 225-231.
/// [3] I. S. Duff and T. Wiberg, "Remarks on implementations of O(n^(1/2) τ) assignment
///     algorithms", ACM Trans. Math. Softw. 14(3), 1988, 267-287.
/// [4] I. S. Duff, "On algorithms for obtaining a maximum transversal", ACM Trans. Math. Softw.
///     7(3), 1981, 315-330. Derivation: docs/theory/matching.md.
Matching match_maximum(const Bipartite& graph, const Matching& start = {});

}  // namespace chi::graph
