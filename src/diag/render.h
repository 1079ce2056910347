#pragma once
#include <string>

#include "diag/diagnostic.h"

namespace chi {

class SourceFile;

/// The diagnostic as people read it: message, place, the source lines with the spans underlined,
/// labels, help. `color`: with terminal escapes. Long lines are clipped around the span.
std::string render_text(const Diagnostic& diagnostic, const SourceFile& source, bool color);

/// One line of JSON: code, severity, file, start, end (line, column, offset), message, labels,
/// help.
std::string render_json(const Diagnostic& diagnostic, const SourceFile& source);

}  // namespace chi
