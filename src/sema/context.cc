#include "sema/context.h"

#include <array>
#include <string>

#include <fmt/format.h>

namespace chi::sema {
namespace {

constexpr std::array kBuiltinTexts = {
#define CHI_BUILTIN(name, text) std::string_view(text),
#include "sema/builtins.def"
#undef CHI_BUILTIN
};

}  // namespace

std::string_view builtin_text(Builtin builtin) {
  return kBuiltinTexts[static_cast<std::size_t>(builtin)];
}

Context::Context(TypedModel& m, Diagnostics& d)
    : model(m),
      ast(m.ast),
      types(m.types),
      diagnostics(d),
      scope(m.ast.symbols),
      top_level(m.ast.symbols.size(), {}) {
  for (std::size_t i = 0; i < kBuiltinTexts.size(); ++i) {
    if (const Symbol name = ast.symbols.find(kBuiltinTexts[i])) {
      builtins_.emplace(name, static_cast<Builtin>(i));
    }
  }
}

std::optional<Builtin> Context::builtin(Symbol name) const {
  const auto found = builtins_.find(name);
  if (found == builtins_.end()) return std::nullopt;
  return found->second;
}

void Context::enter_file(std::int32_t number) {
  if (number == file) return;
  if (file >= 0) {
    for (const auto& [name, decl] : files.of(file).names) top_level[name] = {};
  }
  scope.leave(0);
  file = number;
  for (const auto& [name, decl] : files.of(file).names) {
    top_level[name] = decl;
    scope.add(name, decl);
  }
}

void Context::check_ambiguous(Symbol name, DeclId decl, Span span) {
  const auto& ambiguous = files.of(file).ambiguous;
  if (ambiguous.empty()) return;
  const auto at = ambiguous.find(name);
  if (at == ambiguous.end() || at->second[0] != decl) return;
  report({.code = DiagCode::AmbiguousName,
          .span = span,
          .message = fmt::format("two imports give `{}`", text(name)),
          .labels = {{model.decls[at->second[0]].span, "this one"},
                     {model.decls[at->second[1]].span, "and this one"}},
          .help = "import one of the files under a name, `import a.b as c`: then it is `c." +
                  std::string(text(model.decls[decl].name)) + "`"});
}

DeclId Context::declare(DeclKind kind, syntax::Ident name, TypeId type) {
  Decl decl;
  decl.kind = kind;
  decl.name = name.name;
  decl.span = name.span;
  decl.type = type;
  decl.owner = definition;
  used.push_back(0);
  return model.decls.add(decl);
}

}  // namespace chi::sema
