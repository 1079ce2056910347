#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "diag/render.h"
#include "driver/compile.h"
#include "source/source_file.h"
#include "syntax/format.h"

// Any bytes through lexer, parser, checker, formatter, instantiation and lowering. What must hold:
// no crash, every diagnostic can be shown, and formatting a formatted text changes nothing.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const chi::SourceFile source("input.chi", std::string(reinterpret_cast<const char*>(data), size));
  chi::Diagnostics diagnostics;
  chi::driver::compile(source, {}, {}, diagnostics);
  for (const chi::Diagnostic& diagnostic : diagnostics.sorted()) {
    chi::render_text(diagnostic, source, true);
    chi::render_json(diagnostic, source);
  }
  chi::Diagnostics first, second;
  if (const auto once = chi::syntax::format(source, first)) {
    const chi::SourceFile formatted("input.chi", *once);
    const auto twice = chi::syntax::format(formatted, second);
    CHI_CHECK(twice.has_value(), "a formatted text can be read");
    CHI_CHECK(*twice == *once, "formatting twice is formatting once");
  }
  return 0;
}
