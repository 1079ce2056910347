#pragma once
#include <vector>

#include "diag/diagnostic.h"
#include "flat/flat_model.h"

namespace chi::flat {

/// Applies substitute equations to `model.equations` and keeps them there, resolved.
///
/// A variable that is substituted has the derivative of its value for derivative, unless that is
/// substituted too. False exactly when it reported: two substitute equations for one scalar, or a
/// cycle, which it prints [1, §5]. Linear in the size of the equations, up to sorting.
///
/// [1] G. Fábián, D. A. van Beek, J. E. Rooda, "Index reduction and discontinuity handling using
///     substitute equations", Mathematical and Computer Modelling of Dynamical Systems 7(2), 2001.
bool apply_substitutes(FlatModel& model, std::vector<Substitution> written,
                       Diagnostics& diagnostics);

/// The same for equations that come later: those of a statement.
void apply_substitutes(FlatModel& model, EquationSet& set);
expr::ExprId apply_substitutes(FlatModel& model, expr::ExprId expr);

}  // namespace chi::flat
