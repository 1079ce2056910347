#pragma once
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "sim/interface/outcome.h"
#include "source/source_file.h"

namespace chi::driver {

/// A failed run as a diagnostic on the text where it failed. Requires `outcome.failed()`.
Diagnostic explain(const sim::Outcome& outcome, const SourceFile& source);

/// The requirements that did not hold in a run that went on, each once, with when and with which
/// values.
std::vector<Diagnostic> violation_warnings(const sim::Outcome& outcome);

/// An allocation failed; the time limit is over. `doing` is what was being done ("running the
/// model").
Diagnostic out_of_memory(std::string_view doing);
Diagnostic time_limit(std::string_view doing);

/// Whether the model is wrong, and not just this run: its equations are singular from the start.
bool is_model_error(const sim::Outcome& outcome);

/// One line on how a run that did not fail ended: "finished at t = 12.5: ...".
std::string ending(const sim::Outcome& outcome);

}  // namespace chi::driver
