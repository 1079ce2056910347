#pragma once
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sema/check.h"
#include "syntax/parse.h"

namespace chi::sema::testing {

/// A text after checking, for tests.
struct Checked {
  explicit Checked(std::string text) : source("test.chi", std::move(text)) {
    model = check(syntax::parse(syntax::lex(source, diagnostics), diagnostics), diagnostics);
  }

  /// The first declaration of this name.
  DeclId decl(std::string_view name) const {
    for (DeclId d{0}; d.index < model.decls.size(); ++d.index) {
      if (model.ast.symbols.text(model.decls[d].name) == name) return d;
    }
    ADD_FAILURE() << "no declaration of " << name;
    return DeclId{0};
  }

  std::string type_text(TypeId type) const { return model.types.text(type, model.ast.symbols); }

  /// The expression written `text`, the first of them.
  syntax::ExprId expr(std::string_view text) const {
    for (syntax::ExprId e{0}; e.index < model.ast.exprs.size(); ++e.index) {
      if (source.text(model.ast.exprs[e].span) == text) return e;
    }
    ADD_FAILURE() << "no expression " << text;
    return syntax::ExprId{0};
  }

  std::string type_of(std::string_view text) const { return type_text(model.type[expr(text)]); }

  /// The codes of all diagnostics, in order of their place.
  std::vector<std::string> codes() const {
    std::vector<std::string> result;
    for (const Diagnostic& d : diagnostics.sorted()) result.emplace_back(code_text(d.code));
    return result;
  }

  SourceFile source;
  Diagnostics diagnostics;
  TypedModel model;
};

}  // namespace chi::sema::testing
