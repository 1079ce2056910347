#include "driver/compile.h"

#include "sema/check.h"
#include "syntax/children.h"
#include "syntax/lexer.h"
#include "syntax/parse.h"

namespace chi::driver {
namespace {

/// The first equation of a process that an instance runs, if there is any.
std::optional<Span> first_equation(const flat::FlatModel& model) {
  const syntax::Ast& ast = model.typed.ast;
  for (const flat::Process& process : model.processes) {
    const flat::Body& body =
        model.bodies[model.blocks[static_cast<std::size_t>(process.block)].body];
    const auto& node = ast.definitions[static_cast<std::size_t>(body.definition)].node;
    const auto* definition = std::get_if<syntax::ProcDef>(&node);
    if (definition == nullptr || definition->equations.empty()) continue;
    return ast.equations[ast.list(definition->equations)[0]].span;
  }
  return std::nullopt;
}

/// A wait for a condition on `time` that is no comparison of `time` with something: its event would
/// have to be searched.
void report_time_conditions(const syntax::Ast& ast, Diagnostics& diagnostics) {
  for (const syntax::Stat& stat : ast.stats) {
    const auto* wait = std::get_if<syntax::Wait>(&stat.node);
    if (wait == nullptr) continue;
    const syntax::ExprId time = syntax::other_use_of_time(ast, wait->condition);
    if (!time) continue;
    diagnostics.report(
        {.code = DiagCode::TimeConditionNotSolved,
         .span = ast.exprs[time].span,
         .message = "this version waits for `time` only where it is compared as it is",
         .help = "write `time >= e`, with all else in e"});
  }
}

}  // namespace

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
  if (const auto equation = first_equation(*flat)) {
    diagnostics.report(
        {.code = DiagCode::EquationsNotSimulated,
         .span = *equation,
         .message = "this version runs processes, and does not integrate equations",
         .help = "`chi check` covers the whole language; models without equations run"});
    return std::nullopt;
  }
  report_time_conditions(flat->typed.ast, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  Compiled compiled;
  compiled.model = std::make_unique<flat::FlatModel>(std::move(*flat));
  compiled.program = code::lower(*compiled.model, options);
  return compiled;
}

}  // namespace chi::driver
