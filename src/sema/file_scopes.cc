#include "sema/file_scopes.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "base/match.h"
#include "sema/suggest.h"

namespace chi::sema {
namespace {

using Names = std::vector<std::pair<Symbol, DeclId>>;

syntax::Ident name_of(const syntax::Definition& definition) {
  return match(definition.node, [](const auto& n) { return n.name; });
}

bool is_private(std::string_view name) { return name.starts_with('_'); }

// The definitions of a file.
std::span<const syntax::Definition> definitions_of(const syntax::Ast& ast, std::int32_t file) {
  const syntax::File& f = ast.files[static_cast<std::size_t>(file)];
  return std::span(ast.definitions)
      .subspan(static_cast<std::size_t>(f.first.definitions),
               static_cast<std::size_t>(f.end.definitions - f.first.definitions));
}

std::string qualified(const syntax::Ast& ast, Symbol alias, Symbol name) {
  return fmt::format("{}.{}", ast.symbols.text(alias), ast.symbols.text(name));
}

// Gathers what one file sees.
class Gathering {
 public:
  Gathering(const TypedModel& model, const std::vector<Names>& own, Diagnostics& diagnostics)
      : model_(model), ast_(model.ast), own_(own), diagnostics_(diagnostics) {}

  FileScopes::Scope gather(std::int32_t file) {
    scope_ = {};
    seen_.clear();
    for (const auto& [name, decl] : own_[static_cast<std::size_t>(file)]) add(name, decl);
    own_names_ = seen_;
    for (const syntax::Import& import :
         ast_.list(ast_.files[static_cast<std::size_t>(file)].imports)) {
      if (import.files.empty()) continue;  // not found, and reported
      switch (import.kind) {
        case syntax::ImportKind::All: all(import); break;
        case syntax::ImportKind::Alias: aliased(import); break;
        case syntax::ImportKind::Names:
          for (const syntax::Ident& name : ast_.list(import.names)) one(import, name);
          break;
      }
    }
    return std::move(scope_);
  }

 private:
  std::string_view text(Symbol s) const { return ast_.symbols.text(s); }

  void add(Symbol name, DeclId decl) {
    const auto [at, added] = seen_.emplace(name, decl);
    if (added) {
      scope_.names.emplace_back(name, decl);
    } else if (at->second != decl) {
      scope_.ambiguous.emplace(name, std::array{at->second, decl});
    }
  }

  template <class F>
  void each_public(const syntax::Import& import, F take) {
    for (const std::int32_t file : ast_.list(import.files)) {
      for (const auto& [name, decl] : own_[static_cast<std::size_t>(file)]) {
        if (!is_private(text(name))) take(name, decl);
      }
    }
  }

  void all(const syntax::Import& import) {
    each_public(import, [&](Symbol name, DeclId decl) {
      if (!own_names_.contains(name)) add(name, decl);
    });
  }

  void aliased(const syntax::Import& import) {
    each_public(import, [&](Symbol name, DeclId decl) {
      add(ast_.symbols.find(qualified(ast_, import.alias.name, name)), decl);
    });
  }

  void one(const syntax::Import& import, syntax::Ident wanted) {
    if (!wanted) return;
    bool found = false;
    for (const std::int32_t file : ast_.list(import.files)) {
      for (const auto& [name, decl] : own_[static_cast<std::size_t>(file)]) {
        if (name != wanted.name) continue;
        found = true;
        if (is_private(text(name))) {
          report_private(wanted, decl);
        } else if (const auto own = own_names_.find(name); own != own_names_.end()) {
          report_hidden(wanted, own->second);
        } else {
          add(name, decl);
        }
      }
    }
    if (!found) report_missing(import, wanted);
  }

  void report_private(syntax::Ident name, DeclId decl) {
    diagnostics_.report({.code = DiagCode::PrivateName,
                         .span = name.span,
                         .message = fmt::format("`{}` is private to its file", text(name.name)),
                         .labels = {{model_.decls[decl].span, "defined here"}},
                         .help = "names that start with `_` are not for other files"});
  }

  void report_hidden(syntax::Ident name, DeclId own) {
    diagnostics_.report(
        {.code = DiagCode::ImportHidden,
         .span = name.span,
         .message = fmt::format("`{}` is imported, and defined in this file", text(name.name)),
         .labels = {{model_.decls[own].span, "defined here"}},
         .help = "import the file under a name, `import a.b as c`: then it is `c." +
                 std::string(text(name.name)) + "`"});
  }

  void report_missing(const syntax::Import& import, syntax::Ident wanted) {
    std::vector<std::string_view> known;
    each_public(import, [&](Symbol name, DeclId) { known.push_back(text(name)); });
    const std::string near = nearest(text(wanted.name), known);
    constexpr std::size_t kMostListed = 10;
    std::string help;
    if (!near.empty()) {
      help = fmt::format("did you mean `{}`?", near);
    } else if (known.empty()) {
      help = "it has no definitions for other files";
    } else {
      help = "it has ";
      for (std::size_t i = 0; i < known.size() && i < kMostListed; ++i) {
        help += fmt::format("{}`{}`", i == 0 ? "" : ", ", known[i]);
      }
      if (known.size() > kMostListed) help += ", ...";
    }
    diagnostics_.report({.code = DiagCode::NotInFile,
                         .span = wanted.span,
                         .message = fmt::format("`{}` has no definition `{}`",
                                                text(import.module.name), text(wanted.name)),
                         .help = std::move(help)});
  }

  const TypedModel& model_;
  const syntax::Ast& ast_;
  const std::vector<Names>& own_;
  Diagnostics& diagnostics_;
  FileScopes::Scope scope_;
  std::unordered_map<Symbol, DeclId> seen_, own_names_;
};

// The names that stand somewhere in a file. One that a local hides counts too: then an import looks
// used that is not.
std::unordered_set<Symbol> names_in(const syntax::Ast& ast, const syntax::File& file) {
  std::unordered_set<Symbol> used;
  for (syntax::ExprId e{file.first.exprs}; e.index < file.end.exprs; ++e.index) {
    const auto& node = ast.exprs[e].node;
    if (const auto* name = std::get_if<syntax::Name>(&node)) used.insert(name->name);
    if (const auto* member = std::get_if<syntax::Member>(&node)) used.insert(member->member.name);
  }
  for (syntax::TypeId t{file.first.types}; t.index < file.end.types; ++t.index) {
    if (const auto* name = std::get_if<syntax::TypeName>(&ast.types[t].node)) {
      used.insert(name->name);
    }
  }
  for (syntax::InstanceId i{file.first.instances}; i.index < file.end.instances; ++i.index) {
    if (ast.instances[i].name) used.insert(ast.instances[i].name.name);
  }
  return used;
}

}  // namespace

void intern_qualified_names(syntax::Ast& ast) {
  for (const syntax::Import& import : ast.imports) {
    if (import.kind != syntax::ImportKind::Alias || !import.alias) continue;
    for (const std::int32_t file : ast.list(import.files)) {
      for (const syntax::Definition& definition : definitions_of(ast, file)) {
        const syntax::Ident name = name_of(definition);
        if (name) ast.symbols.intern(qualified(ast, import.alias.name, name.name));
      }
    }
  }
}

FileScopes::FileScopes(const TypedModel& model, const std::vector<Names>& own,
                       Diagnostics& diagnostics) {
  Gathering gathering(model, own, diagnostics);
  for (std::size_t f = 0; f < own.size(); ++f) {
    scopes_.push_back(gathering.gather(static_cast<std::int32_t>(f)));
  }
}

void warn_unused_imports(const TypedModel& model, Diagnostics& diagnostics) {
  const syntax::Ast& ast = model.ast;
  const auto warn = [&](Span span, std::string message, std::string help) {
    diagnostics.report({.code = DiagCode::UnusedImport,
                        .span = span,
                        .message = std::move(message),
                        .help = std::move(help)});
  };
  for (const syntax::File& file : ast.files) {
    if (file.imports.empty()) continue;
    const std::unordered_set<Symbol> used = names_in(ast, file);
    for (const syntax::Import& import : ast.list(file.imports)) {
      const auto uses = [&](Symbol alias) {
        for (const std::int32_t from : ast.list(import.files)) {
          for (const syntax::Definition& definition : definitions_of(ast, from)) {
            Symbol name = name_of(definition).name;
            if (name && alias) name = ast.symbols.find(qualified(ast, alias, name));
            if (name && used.contains(name)) return true;
          }
        }
        return false;
      };
      const std::string_view module = ast.symbols.text(import.module.name);
      if (import.kind == syntax::ImportKind::Names) {
        for (const syntax::Ident& name : ast.list(import.names)) {
          if (!name || used.contains(name.name)) continue;
          const std::string_view text = ast.symbols.text(name.name);
          warn(name.span, fmt::format("`{}` is imported and not used", text),
               import.names.count == 1 ? "remove the import"
                                       : fmt::format("remove `{}` from the import", text));
        }
      } else if (!uses(import.alias.name)) {
        warn(import.span, fmt::format("nothing of `{}` is used", module), "remove the import");
      }
    }
  }
}

}  // namespace chi::sema
