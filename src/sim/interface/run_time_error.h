#pragma once
#include "diag/diagnostic.h"
#include "sim/interface/outcome.h"

namespace chi::sim {

/// What was wrong in a statement, or in an expression of an equation that is executed like one.
Diagnostic explain_run_time_error(const RuntimeError& error, double time);

}  // namespace chi::sim
