#pragma once
#include <span>
#include <vector>

#include "expr/expr.h"

namespace chi::sim {

/// The rows with `if on then 2 else 0` as a plain `if`, where neither the condition nor what it
/// chooses between can move by itself or be unknown: a value that statements change, like a
/// parameter, and no reason for a mode of its own. n of them in one part would make 2^n modes.
///
/// A row whose unknowns are others for other values of its conditions, as in `(if closed then 1
/// else 0)*v + ... = 0`, keeps them: there the structure depends on them.
///
/// `can_be_unknown`: by slot of the variables.
std::vector<expr::ExprId> plain_switches(expr::Pool& pool, std::vector<expr::ExprId> rows,
                                         std::span<const char> can_be_unknown);

}  // namespace chi::sim
