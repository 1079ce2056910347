#include "driver/compile.h"

#include "sema/check.h"
#include "syntax/lexer.h"
#include "syntax/parse.h"

namespace chi::driver {
namespace {

/// The first equation of a process that an instance runs, if there is any.
std::optional<Span> first_equation(const flat::FlatModel& model) {
  const syntax::Ast& ast = model.typed.ast;
  for (const flat::Process& process : model.processes) {
    const flat::Body& body = model.bodies[model.blocks[static_cast<std::size_t>(process.block)].body];
    const auto& node = ast.definitions[static_cast<std::size_t>(body.definition)].node;
    const auto* definition = std::get_if<syntax::ProcDef>(&node);
    if (definition == nullptr || definition->equations.empty()) continue;
    return ast.equations[ast.list(definition->equations)[0]].span;
  }
  return std::nullopt;
}

}  // namespace

sema::TypedModel check(const SourceFile& source, Diagnostics& diagnostics) {
  const syntax::Tokens tokens = syntax::lex(source, diagnostics);
  return sema::check(syntax::parse(tokens, diagnostics), diagnostics);
}

std::optional<Compiled> compile(const SourceFile& source, const flat::Request& request, const code::LowerOptions& options,
                                Diagnostics& diagnostics) {
  sema::TypedModel typed = check(source, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;  // the stages below need a correct model
  std::optional<flat::FlatModel> flat = flat::flatten(std::move(typed), request, diagnostics);
  if (!flat) return std::nullopt;
  if (const auto equation = first_equation(*flat)) {
    diagnostics.report({.code = DiagCode::EquationsNotSimulated,
                        .span = *equation,
                        .message = "this version runs processes, and does not integrate equations",
                        .help = "`chi check` covers the whole language; models without equations run"});
    return std::nullopt;
  }
  Compiled compiled;
  compiled.model = std::make_unique<flat::FlatModel>(std::move(*flat));
  compiled.program = code::lower(*compiled.model, options);
  return compiled;
}

}  // namespace chi::driver
