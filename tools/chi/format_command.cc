#include <algorithm>

#include "driver/read_model.h"
#include "driver/read_source.h"
#include "driver/write_file.h"
#include "options.h"
#include "report.h"
#include "syntax/format.h"

namespace chi::cli {

int format_command(const FormatOptions& options) {
  int code = kSuccess;
  std::vector<std::string> files;
  for (const std::string& path : options.files) {
    const std::vector<std::string> below = driver::model_files(path);
    files.insert(files.end(), below.begin(), below.end());
  }
  for (const std::string& path : files) {
    Diagnostics diagnostics;
    const std::optional<SourceFile> source = driver::read_source(path, diagnostics);
    if (source) {
      const std::optional<std::string> text = syntax::format(*source, diagnostics);
      const bool changed = text && *text != source->text();
      if (changed && options.check) {
        show(path + "\n");
        code = std::max(code, kModelWrong);
      } else if (changed) {
        driver::write_file(path, *text, diagnostics);
      }
    }
    print(diagnostics, source ? &*source : nullptr, options.common);
    code = std::max(code, exit_code(diagnostics));
  }
  return code;
}

}  // namespace chi::cli
