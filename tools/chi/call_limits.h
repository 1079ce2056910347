#pragma once
#include "diag/diagnostic.h"
#include "options.h"

namespace chi::cli {

/// Sets what `--max-time` and `--max-memory` ask for, from now on; reports values that are none.
void set_limits(const Common& common, Diagnostics& diagnostics);

}  // namespace chi::cli
