#include <cstdio>

#include <fmt/format.h>

#include "base/json_text.h"
#include "driver/explanation.h"
#include "options.h"
#include "report.h"
#include "run_settings.h"

namespace chi::cli {

int explain_command(const ExplainOptions& options) {
  if (const std::optional<std::string> text = driver::explanation(options.code)) {
    if (options.common.json) {
      std::printf("%s\n", fmt::format("{{\"code\":{},\"text\":{}}}", json_quote(options.code),
                                      json_quote(*text))
                              .c_str());
    } else {
      std::fputs(text->c_str(), stdout);
    }
    return kSuccess;
  }
  Diagnostics diagnostics;
  bad_option(diagnostics, fmt::format("there is no diagnostic `{}`", options.code),
             "codes are a letter and four digits, as in error[E2014]");
  print(diagnostics, nullptr, options.common);
  return kCallWrong;
}

}  // namespace chi::cli
