#include "sema/context.h"

#include <array>

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
