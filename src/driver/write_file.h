#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "base/text_sink.h"
#include "diag/diagnostic.h"

namespace chi::driver {

/// Whether a file can be written at this place (base/output_file.h), as far as can be told without
/// doing it; reports if not. To be asked before a long run, of which the file is to hold the
/// results.
bool can_write_file(const std::string& path, Diagnostics& diagnostics);

/// Writes a file that takes its name when it is complete: what `write` hands to the sink. Reports
/// and returns false if that cannot be done.
bool write_file(const std::string& path, const std::function<void(const TextSink&)>& write,
                Diagnostics& diagnostics);
bool write_file(const std::string& path, std::string_view text, Diagnostics& diagnostics);

/// Reports an error of writing: `error` as `errno` says it.
void report_unwritable(const std::string& path, int error, Diagnostics& diagnostics);

}  // namespace chi::driver
