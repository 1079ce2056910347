#include "sema/dump.h"

#include <cstddef>

#include <fmt/format.h>

#include "base/match.h"

namespace chi::sema {
namespace {

std::string_view kind_text(DeclKind kind) {
  switch (kind) {
    case DeclKind::Constant: return "constant";
    case DeclKind::TypeAlias: return "type";
    case DeclKind::Function: return "function";
    case DeclKind::Process: return "process";
    case DeclKind::System: return "system";
    case DeclKind::ValueParam: return "value parameter";
    case DeclKind::RefParam: return "shared parameter";
    case DeclKind::Local: return "local";
    case DeclKind::Index: return "index";
  }
  return "";
}

std::string type_text(const TypedModel& model, TypeId type) {
  const std::string text = model.types.text(type, model.ast.symbols);
  return text.find_first_of(" ()") == std::string::npos ? text : "{" + text + "}";
}

std::string note(const TypedModel& model, syntax::ExprId e) {
  std::string text;
  if (const DeclId* decl = std::get_if<DeclId>(&model.resolution[e])) {
    text = fmt::format("#{}", decl->index);
  }
  const TypeId type = model.type[e];
  return model.types.is_unknown(type) ? text : text + ":" + type_text(model, type);
}

std::string line(const TypedModel& model, DeclId id) {
  const Decl& decl = model.decls[id];
  const std::string_view name = decl.name ? model.ast.symbols.text(decl.name) : "_";
  std::string text = fmt::format("  #{:<4}{} {}", id.index, kind_text(decl.kind), name);
  if (!model.types.is_unknown(decl.type)) {
    text += ": " + model.types.text(decl.type, model.ast.symbols);
  }
  const auto value = model.constant_values.find(id);
  if (value != model.constant_values.end()) {
    text += " = " + sema::text(value->second, model, decl.type);
  }
  return text + "\n";
}

}  // namespace

std::string dump(const TypedModel& model, const syntax::Wanted& wanted) {
  std::string out;
  for (std::size_t d = 0; d < model.definitions.size(); ++d) {
    const syntax::Definition& definition = model.ast.definitions[d];
    if (wanted && !wanted(syntax::name_of(model.ast, definition))) continue;
    out += syntax::indented(
        syntax::dump(model.ast, definition, [&](syntax::ExprId e) { return note(model, e); }));
    for (std::int32_t i = 0; i < model.decls.size(); ++i) {
      if (model.decls[DeclId{i}].owner == static_cast<std::int32_t>(d)) out += line(model, {i});
    }
  }
  return out;
}

}  // namespace chi::sema
