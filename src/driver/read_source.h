#pragma once
#include <optional>
#include <string>

#include "diag/diagnostic.h"
#include "source/source_file.h"

namespace chi::driver {

/// Reads a model text. Empty exactly when it reported: no such file, a directory, not readable, too
/// large.
std::optional<SourceFile> read_source(const std::string& path, Diagnostics& diagnostics);

/// Writes a file in one piece: into a new file beside it, which then takes its name, so that a file
/// is never half written. Reports and returns false if that cannot be done. Special files such as
/// /dev/stdout are written as they are.
bool write_file(const std::string& path, const std::string& text, Diagnostics& diagnostics);

}  // namespace chi::driver
