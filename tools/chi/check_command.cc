#include <cstdio>

#include <fmt/format.h>

#include "driver/compile.h"
#include "driver/read_source.h"
#include "options.h"
#include "report.h"

namespace chi::cli {

int check_command(const CheckOptions& options) {
  Diagnostics diagnostics;
  const std::optional<SourceFile> source = driver::read_source(options.file, diagnostics);
  if (source) driver::check(*source, diagnostics);
  print(diagnostics, source ? &*source : nullptr, options.common);
  return exit_code(diagnostics);
}

}  // namespace chi::cli
