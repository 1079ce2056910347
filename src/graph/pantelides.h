#pragma once
#include <vector>

#include "graph/signature.h"

namespace chi::graph {

/// The structure of a DAE with its derivatives as variables of their own: who occurs where, and who
/// is whose derivative.
struct DaeStructure {
  Table<EqId, std::vector<VarId>> incidence;  ///< G: the variables of each equation
  Table<VarId, VarId> var_derivative;         ///< A: derivative of each variable, or none
  Table<EqId, EqId> eq_derivative;            ///< B: derivative of each equation, or none
};

/// The same DAE in this form. The variables of `sigma` come first, with the same ids; then their
/// derivatives up to the highest that occurs.
DaeStructure dae_structure(const Signature& sigma);

/// Structural index reduction, after Pantelides [1].
///
/// Differentiates as few equations as needed for the highest derivatives to be matched one to one
/// with equations; appends the new equations and variables to `dae`. Returns the matching: for each
/// variable its equation, or none.
///
/// It is here as the second opinion on `find_offsets`: an equation is differentiated exactly c_i
/// times (tests compare the two). The Σ-method is what models go through, because it takes blocks
/// and mode changes better.
///
/// Requires that the DAE with every variable identified with its derivatives has a perfect
/// matching; otherwise it would not terminate [1, eq. 15]. O((N + D)·E) for N equations, D
/// differentiations, E occurrences; linear where searches are short,
/// quadratic on long chains of constraints (2000 pendulums hanging from each other: 0.2 s).
/// Deterministic: equations are taken by id, variables in the order of `incidence`.
///
/// [1] C. C. Pantelides, "The consistent initialization of differential-algebraic systems",
///     SIAM J. Sci. Stat. Comput. 9(2), 1988, 213-231. Derivation: docs/theory/index-reduction.md.
Table<VarId, EqId> reduce_index(DaeStructure& dae);

/// How often `eq` was differentiated: the length of its chain in `eq_derivative`.
int times_differentiated(const DaeStructure& dae, EqId eq);

}  // namespace chi::graph
