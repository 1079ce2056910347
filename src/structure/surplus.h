#pragma once
#include <span>
#include <vector>

#include "expr/expr.h"
#include "structure/analyse.h"

namespace chi::structure {

/// Which of the unknowns that an order leaves open stay as they are, so that the equations
/// determine the others: as many as there are too many, `rank` (per under_unknowns) 0 last and the
/// highest first. Ascending.
///
/// The sets of unknowns that can be matched to the equations are those of a transversal matroid, so
/// that matching the low ranks first is best (as in graph::StructuralChooser): one maximum matching
/// for each rank.
std::vector<expr::VarRef> find_surplus(const expr::Pool& pool, const BlockOrder& order,
                                       std::span<const int> rank);

}  // namespace chi::structure
