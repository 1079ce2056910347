#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "driver/library_page.h"
#include "options.h"
#include "report.h"
#include "run_settings.h"
#include "sema/suggest.h"

namespace chi::cli {
namespace {

using Definitions = std::vector<driver::DocumentedDefinition>;

void report_unknown(const std::string& name, const Definitions& all, Diagnostics& diagnostics) {
  std::vector<std::string_view> names;
  for (const driver::DocumentedDefinition& d : all) {
    names.push_back(d.name);
    names.push_back(d.module);
  }
  const std::string meant = sema::nearest(name.substr(name.find('.') + 1), names);
  bad_option(diagnostics, fmt::format("there is no `{}` in the library", name),
             meant.empty() ? "`chi doc` lists it" : fmt::format("did you mean `{}`?", meant));
}

}  // namespace

int doc_command(const DocOptions& options) {
  const Definitions all = driver::library_documentation();
  Definitions found;
  bool whole_modules = options.name.empty();
  for (const driver::DocumentedDefinition& d : all) {
    whole_modules = whole_modules || d.module == options.name;
    if (options.name.empty() || d.module == options.name || d.name == options.name ||
        d.module + "." + d.name == options.name) {
      found.push_back(d);
    }
  }
  if (found.empty()) {
    Diagnostics diagnostics;
    report_unknown(options.name, all, diagnostics);
    print(diagnostics, nullptr, options.common);
    return kCallWrong;
  }
  if (options.common.json) {
    for (const driver::DocumentedDefinition& d : found) std::puts(driver::library_json(d).c_str());
  } else if (whole_modules) {
    std::fputs(driver::library_list(found).c_str(), stdout);
  } else {
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i > 0) std::puts("");
      std::fputs(driver::library_page(found[i]).c_str(), stdout);
    }
  }
  return kSuccess;
}

}  // namespace chi::cli
