#pragma once
#include <vector>

#include "flat/equations.h"

namespace chi::sim {

/// The guards and the conditions of evented `if`s on which it depends what is unknown: which
/// variables are declared, and of which there are derivatives (P1 §4). The other ones only choose
/// among equations: before they change nothing has to be solved, as no unknown turns into a known
/// (semantics.md §2).
std::vector<expr::ExprId> deciding_conditions(const expr::Pool& pool, const flat::EquationSet& set);

}  // namespace chi::sim
