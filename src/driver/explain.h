#pragma once
#include "diag/diagnostic.h"
#include "sim/outcome.h"
#include "source/source_file.h"

namespace chi::driver {

/// A failed run as a diagnostic on the text where it failed. Requires `outcome.failed()`.
Diagnostic explain(const sim::Outcome& outcome, const SourceFile& source);

/// One line on how a run that did not fail ended: "finished at t = 12.5: ...".
std::string ending(const sim::Outcome& outcome);

}  // namespace chi::driver
