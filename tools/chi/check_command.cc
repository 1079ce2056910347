#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <unistd.h>

#include "diag/render.h"
#include "driver/check_start.h"
#include "driver/compile.h"
#include "driver/read_model.h"
#include "options.h"
#include "report.h"

namespace chi::cli {
namespace {

// What was told of a file that several models import is told once.
Diagnostics only_new(const Diagnostics& found, const SourceFile& source,
                     std::set<std::string>& told) {
  Diagnostics fresh;
  for (const Diagnostic& d : found.all()) {
    if (told.insert(render_json(d, source)).second) fresh.report(d);
  }
  return fresh;
}

/// A word for who looks; programs that call read the exit code.
void tell_incomplete(const std::string& file, const driver::StartCheck& start,
                     const Common& common) {
  if (common.quiet || common.json || isatty(STDERR_FILENO) == 0) return;
  std::fprintf(stderr, "%s: names and types are right; its start was not looked at: %s\n",
               file.c_str(), start.why_not.c_str());
}

}  // namespace

int check_command(const CheckOptions& options) {
  Diagnostics call;
  const std::vector<std::string> folders = driver::import_folders(options.common.include, call);
  if (call.has_errors()) {
    print(call, nullptr, options.common);
    return exit_code(call);
  }
  const std::vector<std::string> files = driver::model_files(options.file);
  std::set<std::string> told;
  int code = kSuccess;
  for (const std::string& file : files) {
    Diagnostics diagnostics;
    const std::optional<SourceFile> source = driver::read_model(file, folders, diagnostics);
    if (source) driver::check(*source, diagnostics);
    if (source && !diagnostics.has_errors()) {
      const driver::StartCheck start = driver::check_start(*source, diagnostics);
      if (!start.is_complete) tell_incomplete(file, start, options.common);
    }
    code = std::max(code, diagnostics.has_errors() && exit_code(diagnostics) == kRunFailed
                              ? kModelWrong  // of the start: the model is wrong
                              : exit_code(diagnostics));
    if (source && files.size() > 1) diagnostics = only_new(diagnostics, *source, told);
    print(diagnostics, source ? &*source : nullptr, options.common);
  }
  if (!files.empty()) return code;
  Diagnostics diagnostics;
  diagnostics.report({.code = DiagCode::CannotReadFile,
                      .message = "there is no file `*.chi` below `" + options.file + "`"});
  print(diagnostics, nullptr, options.common);
  return exit_code(diagnostics);
}

int deps_command(const DepsOptions& options) {
  Diagnostics diagnostics;
  const std::optional<SourceFile> source = driver::read_model(
      options.file, driver::import_folders(options.common.include, diagnostics), diagnostics);
  print(diagnostics, source ? &*source : nullptr, options.common);
  for (std::int32_t f = 0; source && f < source->file_count(); ++f) {
    show(std::string(source->file(f).name()) + "\n");
  }
  return exit_code(diagnostics);
}

}  // namespace chi::cli
