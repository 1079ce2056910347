#pragma once
#include <string_view>

#include "base/cancel.h"
#include "diag/diagnostic.h"
#include "options.h"
#include "source/source_file.h"

namespace chi::cli {

/// Whether text for people may carry terminal escapes, written to that file descriptor.
bool use_color(Color color, int descriptor);

/// Text for people on stdout: on a terminal without what a terminal would obey
/// (base/visible_text.h), else as it is, for the next program.
void show(std::string_view text);

/// Prints what was reported, from the top of the text down: for people on stderr, with --json a
/// line each on stdout. `source` is null when no text could be read.
void print(const Diagnostics& diagnostics, const SourceFile* source, const Common& common);

/// Tells that the work was ended from outside, and what it was: a line on stderr, or for a time
/// limit a diagnostic. The exit code of that.
int report_cancelled(StopCause cause, const Common& common);
/// The same of a failed allocation.
int report_out_of_memory(const Common& common);

/// 0 without errors; 2 if the call is wrong (E0...), else 1.
int exit_code(const Diagnostics& diagnostics);

}  // namespace chi::cli
