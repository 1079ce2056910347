#pragma once
#include <string>

#include "results/recording.h"

namespace chi::results {

/// The trace as interface.md describes it: `time,NAME,...`, names quoted as RFC 4180 where they
/// need it, reals in shortest form that reads back exactly, booleans 0 and 1.
std::string csv_text(const Trace& trace);

/// {"time": [...], "variables": {NAME: [...]}}; values that are not finite are null.
std::string json_text(const Trace& trace);

}  // namespace chi::results
