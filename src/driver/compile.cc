#include "driver/compile.h"

#include <algorithm>

#include "base/doing.h"
#include "driver/dump.h"
#include "driver/read_data.h"
#include "sema/check.h"
#include "structure/check_net.h"
#include "syntax/lexer.h"
#include "syntax/parse.h"

namespace chi::driver {
namespace {

// Tells each import of a file which files it brings in. False, and reported, if one has none.
bool connect(const SourceFile& source, const syntax::File& file, syntax::Ast& ast,
             Diagnostics& diagnostics) {
  bool good = true;
  for (std::int32_t i = 0; i < file.imports.count; ++i) {
    syntax::Import& import = ast.imports[static_cast<std::size_t>(file.imports.first + i)];
    import.files.first = static_cast<std::int32_t>(ast.file_lists.size());
    for (const SourceFile::Link& link : source.links) {
      if (link.module == import.module.span) ast.file_lists.push_back(link.file);
    }
    import.files.count = static_cast<std::int32_t>(ast.file_lists.size()) - import.files.first;
    if (!import.files.empty()) continue;
    good = false;
    if (diagnostics.has_errors()) continue;  // the reader of files said why
    diagnostics.report({.code = DiagCode::ImportNotFound,
                        .span = import.module.span,
                        .message = "this file was not read",
                        .help = "`read_model` reads a file with all that it imports"});
  }
  return good;
}

}  // namespace

sema::TypedModel check(const SourceFile& source, Diagnostics& diagnostics, Dump* dump) {
  const Doing doing("checking the model");
  syntax::Ast ast;
  for (std::int32_t f = 0; f < source.file_count(); ++f) {
    const syntax::Tokens tokens = syntax::lex(source.file(f), diagnostics);
    if (dump != nullptr) dump->after(tokens);
    ast = syntax::parse(tokens, diagnostics, std::move(ast));
  }
  if (dump != nullptr) dump->after(ast);
  if (dump != nullptr && dump->is_complete()) return {};
  bool complete = ast.files.size() == static_cast<std::size_t>(source.file_count());
  for (std::size_t f = 0; f < ast.files.size(); ++f) {
    complete &= connect(source.file(static_cast<std::int32_t>(f)), ast.files[f], ast, diagnostics);
  }
  if (!complete) return {};  // names that are missing would be followed by many others
  auto data = read_data(ast, source);
  return sema::check(std::move(ast), diagnostics, std::move(data));
}

bool ends_by_itself(const Compiled& compiled) {
  const auto terminates = [](const code::Routine& routine) {
    return std::any_of(routine.code.begin(), routine.code.end(),
                       [](const code::Instr& in) { return in.op == code::Op::Terminate; });
  };
  return compiled.model->equations.system.equations.empty() ||
         std::any_of(compiled.program->bodies.begin(), compiled.program->bodies.end(), terminates);
}

std::optional<Compiled> compile(const SourceFile& source, const flat::Request& request,
                                const code::LowerOptions& options, Diagnostics& diagnostics,
                                Dump* dump) {
  const auto ends = [&](const auto& stage) {
    if (dump != nullptr) dump->after(stage);
    return dump != nullptr && dump->is_complete();
  };
  sema::TypedModel typed = check(source, diagnostics, dump);
  if (ends(typed)) return std::nullopt;
  if (diagnostics.has_errors()) return std::nullopt;  // the stages below need a correct model
  const Doing doing("instantiating the model");
  std::optional<flat::FlatModel> flat = flat::flatten(std::move(typed), request, diagnostics);
  if (!flat || !structure::check_net(*flat, diagnostics)) return std::nullopt;
  if (ends(*flat)) return std::nullopt;
  Compiled compiled;
  compiled.model = std::make_unique<flat::FlatModel>(std::move(*flat));
  compiled.program = code::lower(*compiled.model, options);
  for (const Span span : compiled.program->refused_starts) {
    diagnostics.report(
        {.code = DiagCode::StartAmongEquations,
         .span = span,
         .message = "a process that is started has nothing to do with equations, and this one may",
         .help = "leave equations, and variables and conditions that depend on them, to processes "
                 "of a system; give values, or talk over a channel"});
  }
  if (diagnostics.has_errors()) return std::nullopt;
  if (ends(*compiled.program)) return std::nullopt;
  return compiled;
}

}  // namespace chi::driver
