#pragma once
#include "diag/diagnostic.h"
#include "flat/flat_model.h"

namespace chi::flat {

/// Fills `model.equations` with the equations of all process instances, scalar by scalar, and
/// applies the substitute equations. False exactly when it reported: an index out of range, a range
/// without a value, sides of different lengths, a variable with two substitute equations, a cycle
/// of substitute equations. Linear in the size of the unwound equations.
bool flatten_equations(FlatModel& model, Diagnostics& diagnostics);

/// Most scalar equations and unknowns.
inline constexpr std::int64_t kMaxEquations = 50'000'000;

}  // namespace chi::flat
