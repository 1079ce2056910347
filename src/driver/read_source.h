#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "diag/diagnostic.h"
#include "source/source_file.h"

namespace chi::driver {

/// Reads a model text. Empty exactly when it reported: no such file, a directory, not readable, too
/// large.
std::optional<SourceFile> read_source(const std::string& path, Diagnostics& diagnostics);

/// Reads a file of at most so many bytes, or reports why not.
std::optional<std::string> read_file(const std::string& path, std::uint64_t most_bytes,
                                     Diagnostics& diagnostics);

/// Whether a file can be written at this place, as far as can be told without doing it; reports if
/// not. To be asked before a long run, of which the file is to hold the results.
bool can_write_file(const std::string& path, Diagnostics& diagnostics);

/// Writes a file in one piece: into a new file beside it, which then takes its name, so that a file
/// is never half written. Reports and returns false if that cannot be done. Special files such as
/// /dev/stdout are written as they are.
bool write_file(const std::string& path, const std::string& text, Diagnostics& diagnostics);

}  // namespace chi::driver
