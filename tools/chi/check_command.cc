#include <algorithm>
#include <set>
#include <string>

#include "diag/render.h"
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
    code = std::max(code, exit_code(diagnostics));
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
