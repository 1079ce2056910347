#include "driver/compile.h"

#include "sema/check.h"
#include "syntax/lexer.h"
#include "syntax/parse.h"

namespace chi::driver {
sema::TypedModel check(const SourceFile& source, Diagnostics& diagnostics) {
  const syntax::Tokens tokens = syntax::lex(source, diagnostics);
  return sema::check(syntax::parse(tokens, diagnostics), diagnostics);
}

std::optional<Compiled> compile(const SourceFile& source, const flat::Request& request,
                                const code::LowerOptions& options, Diagnostics& diagnostics) {
  sema::TypedModel typed = check(source, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;  // the stages below need a correct model
  std::optional<flat::FlatModel> flat = flat::flatten(std::move(typed), request, diagnostics);
  if (!flat) return std::nullopt;
  Compiled compiled;
  compiled.model = std::make_unique<flat::FlatModel>(std::move(*flat));
  compiled.program = code::lower(*compiled.model, options);
  return compiled;
}

}  // namespace chi::driver
