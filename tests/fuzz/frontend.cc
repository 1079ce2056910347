#include <string>

#include "base/check.h"
#include "diag/render.h"
#include "driver/compile.h"
#include "source/source_file.h"
#include "syntax/format.h"
#include "targets.h"

namespace chi::fuzz {

void frontend(std::string_view bytes) {
  const SourceFile source("input.chi", std::string(bytes));
  Diagnostics diagnostics;
  driver::compile(source, {}, {}, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    render_text(diagnostic, source, true);
    render_json(diagnostic, source);
  }
  Diagnostics first, second;
  if (const auto once = syntax::format(source, first)) {
    const SourceFile formatted("input.chi", *once);
    const auto twice = syntax::format(formatted, second);
    CHI_CHECK(twice.has_value(), "a formatted text can be read");
    CHI_CHECK(*twice == *once, "formatting twice is formatting once");
  }
}

}  // namespace chi::fuzz
