#pragma once
#include "diag/diagnostic.h"
#include "flat/flat_model.h"

namespace chi::flat {

/// Passes on what was found wrong with the text of a definition while an instance of it was made,
/// with a label that says which instance. Nothing is added for the part that runs.
void report_for_instance(const Diagnostics& found, const Block& block, Diagnostics& diagnostics);

}  // namespace chi::flat
