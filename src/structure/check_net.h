#pragma once
#include "diag/diagnostic.h"
#include "flat/flat_model.h"

namespace chi::structure {

/// Looks at the nodes of a model (language.md, "Nodes"): warns of those with one terminal, and
/// reports groups of nodes whose potentials nothing fixes, since all equations depend on their
/// differences only. A group that an equation fixes in some mode is left to the analysis of that
/// mode. False exactly when it reported an error. Linear in the size of the equations.
bool check_net(const flat::FlatModel& model, Diagnostics& diagnostics);

}  // namespace chi::structure
