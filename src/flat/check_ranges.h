#pragma once
#include "diag/diagnostic.h"
#include "flat/flat_model.h"

namespace chi::flat {

/// Most copies of alternatives that unwindings in the statements of one process may make.
inline constexpr std::int64_t kMaxAlternatives = 1'000'000;

/// Evaluates the ranges of all unwindings in the statements of a body, so that later stages need
/// not fear for them. False exactly when it reported one that has no value, or too many copies.
/// Linear in the statements after unwinding.
bool check_ranges(const FlatModel& model, const Body& body, Diagnostics& diagnostics);

}  // namespace chi::flat
