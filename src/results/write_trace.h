#pragma once
#include <string>
#include <string_view>

#include "base/text_sink.h"
#include "results/trace.h"

namespace chi::results {

/// Hands the contents of a result file to `sink`, in the format that the ending of its name tells
/// (read_trace.h), which must be one of those. Takes little memory, whatever the size. False if the
/// sink took not all.
bool write_trace(const Trace& trace, std::string_view path, const TextSink& sink);
/// The same as one text.
std::string trace_text(const Trace& trace, std::string_view path);

}  // namespace chi::results
