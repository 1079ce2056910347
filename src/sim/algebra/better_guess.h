#pragma once
#include <span>

#include "sim/algebra/solver_context.h"

namespace chi::sim {

/// Gives values to unknowns that are zero in the frame, as those without a start value are, from
/// the others: by equations that are linear in one of them and have no other such unknown, as `re =
/// 2.5e7*q` gives the Reynolds number once the flow is guessed. Whether any got one. The leaves of
/// the rows have their places.
bool better_guess(const SolverContext& context, std::span<const expr::ExprId> rows,
                  std::span<const expr::ExprId> unknowns, double* frame);

}  // namespace chi::sim
