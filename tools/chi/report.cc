#include "report.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include "diag/render.h"

namespace chi::cli {

bool use_color(Color color, int descriptor) {
  if (color != Color::Auto) return color == Color::Always;
  return isatty(descriptor) != 0 && std::getenv("NO_COLOR") == nullptr;
}

void print(const Diagnostics& diagnostics, const SourceFile* source, const Common& common) {
  const SourceFile none("", "");
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    if (common.quiet && severity_of(diagnostic.code) != Severity::Error) continue;
    const SourceFile& file = source != nullptr ? *source : none;
    if (common.json) {
      std::printf("%s\n", render_json(diagnostic, file).c_str());
    } else {
      std::fprintf(stderr, "%s\n",
                   render_text(diagnostic, file, use_color(common.color, STDERR_FILENO)).c_str());
    }
  }
}

int exit_code(const Diagnostics& diagnostics) {
  if (!diagnostics.has_errors()) return kSuccess;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    const std::string_view code = code_text(diagnostic.code);
    if (severity_of(diagnostic.code) == Severity::Error && code.substr(0, 2) != "E0") {
      return code.substr(0, 2) == "E6" ? kRunFailed : kModelWrong;
    }
  }
  return kCallWrong;
}

}  // namespace chi::cli
