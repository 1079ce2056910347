#pragma once
#include <string>
#include <string_view>

#include "results/trace.h"

namespace chi::results {

/// The contents of a result file, in the format that the ending of its name tells
/// (read_trace.h). Requires that it is one of those.
std::string trace_text(const Trace& trace, std::string_view path);

}  // namespace chi::results
