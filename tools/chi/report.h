#pragma once
#include "diag/diagnostic.h"
#include "options.h"
#include "source/source_file.h"

namespace chi::cli {

/// Whether text for people may carry terminal escapes, written to that file descriptor.
bool use_color(Color color, int descriptor);

/// Prints what was reported, from the top of the text down: for people on stderr, with --json a
/// line each on stdout. `source` is null when no text could be read.
void print(const Diagnostics& diagnostics, const SourceFile* source, const Common& common);

/// 0 without errors; 2 if the call is wrong (E0...), else 1.
int exit_code(const Diagnostics& diagnostics);

}  // namespace chi::cli
