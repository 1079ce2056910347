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

}  // namespace chi::driver
