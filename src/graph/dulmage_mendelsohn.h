#pragma once
#include <cstdint>
#include <vector>

#include "graph/matching.h"

namespace chi::graph {

enum class Part : std::uint8_t {
  Over,   ///< more equations than variables: some equation is one too many
  Well,   ///< as many equations as variables, one to one
  Under,  ///< more variables than equations: some variable is left open
};

/// The coarse decomposition of Dulmage and Mendelsohn [1]: over-, well- and under-determined part.
///
/// It belongs to the pattern, not to the matching: every maximum matching gives the same. An
/// equation of the over-determined part mentions no variable of another part; a variable of the
/// under-determined part occurs in no equation of another part.
struct DulmageMendelsohn {
  Table<EqId, Part> eq_part;
  Table<VarId, Part> var_part;
};

/// Requires a maximum matching of `graph`. Linear.
///
/// [1] A. L. Dulmage and N. S. Mendelsohn, "Coverings of bipartite graphs", Canad. J. Math. 10,
///     1958, 517-534. Derivation: docs/theory/matching.md.
DulmageMendelsohn dulmage_mendelsohn(const Bipartite& graph, const Matching& maximum);

/// Equations and variables to show to the modeller. Both ascending.
struct Subset {
  std::vector<EqId> eqs;
  std::vector<VarId> vars;
};

/// A minimal structurally singular subset: the equations number one more than the variables in
/// them, and each proper subset of the equations can still be matched. Contains `unmatched`, and
/// consists of the equations one of which must go for `unmatched` to stay.
///
/// Requires a maximum matching that leaves `unmatched` out. Linear in the subset's occurrences plus
/// the number of equations.
Subset minimal_singular_subset(const Bipartite& graph, const Matching& maximum, EqId unmatched);

/// The dual: the variables, one more than the equations they occur in, one of which must be given
/// or determined by a further equation; minimal in the same sense. Contains `unmatched`.
Subset minimal_open_subset(const Bipartite& graph, const Matching& maximum, VarId unmatched);

/// The smallest of the minimal singular subsets of the unmatched equations; empty if all equations
/// are matched. Of equal ones that of the lowest equation. Each search stops when it exceeds the
/// smallest found, so the cost is the unmatched equations times that.
Subset smallest_singular_subset(const Bipartite& graph, const Matching& maximum);

}  // namespace chi::graph
