#pragma once
#include <string>

#include "base/text_sink.h"
#include "results/recording.h"

namespace chi::results {

/// The trace as interface.md describes it: `time,NAME,...`, names quoted as RFC 4180 where they
/// need it, reals in shortest form that reads back exactly, booleans 0 and 1.
bool write_csv(const Trace& trace, const TextSink& sink);
/// The same in parts: the first line, then rows [first, last).
bool write_csv_header(const Trace& trace, const TextSink& sink);
bool write_csv_rows(const Trace& trace, std::size_t first, std::size_t last, const TextSink& sink);
std::string csv_text(const Trace& trace);

/// {"time": [...], "variables": {NAME: [...]}}; values that are not finite are null.
bool write_json(const Trace& trace, const TextSink& sink);
std::string json_text(const Trace& trace);

}  // namespace chi::results
