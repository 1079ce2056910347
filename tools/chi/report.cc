#include "report.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include <fmt/format.h>

#include "base/doing.h"
#include "base/visible_text.h"
#include "diag/render.h"
#include "driver/explain.h"

namespace chi::cli {

bool use_color(Color color, int descriptor) {
  if (color != Color::Auto) return color == Color::Always;
  return isatty(descriptor) != 0 && std::getenv("NO_COLOR") == nullptr;
}

void show(std::string_view text) {
  const std::string shown = isatty(STDOUT_FILENO) != 0 ? visible_text(text) : std::string(text);
  std::fwrite(shown.data(), 1, shown.size(), stdout);
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

int report_cancelled(StopCause cause, const Common& common) {
  if (cause == StopCause::TimeLimit) {
    Diagnostics diagnostics;
    diagnostics.report(driver::time_limit(Doing::now()));
    print(diagnostics, nullptr, common);
    return kRunFailed;
  }
  if (!common.quiet) std::fprintf(stderr, "interrupted while %s\n", Doing::now());
  return kInterrupted;
}

int report_out_of_memory(const Common& common) {
  Diagnostics diagnostics;
  diagnostics.report(driver::out_of_memory(Doing::now()));
  print(diagnostics, nullptr, common);
  return kRunFailed;
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
