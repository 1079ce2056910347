#pragma once
#include <vector>

#include "numerics/one_step.h"

namespace chi::numerics {

enum class ProposalStatus {
  Solved,    ///< the mode's conditions hold in the one-step problem
  Repeated,  ///< a mode came again
  Singular,  ///< the rows of a mode are dependent, and no exchange of laws helps
  Edge,      ///< a condition without a piece beyond it
  Ray,       ///< the path is unbounded: for monotone problems there is no solution
  Limit,     ///< too many modes
};

/// What a solver of the one-step problem proposes. Only a verification accepts it: small h is not
/// h → 0, and what counts as zero is not zero.
struct Proposal {
  ProposalStatus status = ProposalStatus::Limit;
  Mode mode = {};
  std::vector<double> scaled = {};  ///< its solution
  int pivots = 0;
};

/// Solves the rows of a mode; every law with a violated condition crosses its worst facet; until
/// none is violated: the primal-dual active set method as a semismooth Newton method [1].
/// No guarantee, but it ends, since no mode comes twice; one factorisation an iteration.
///
/// [1] M. Hintermüller, K. Ito and K. Kunisch, "The primal-dual active set strategy as a semismooth
///     Newton method", SIAM J. Optim. 13(3), 2002, 865-888.
Proposal semismooth_newton(OneStep& step, Mode start);

}  // namespace chi::numerics
