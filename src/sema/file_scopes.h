#pragma once
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "sema/decl_id.h"
#include "sema/typed_model.h"

/// What each file of a model sees of the others. Internal to sema/.
namespace chi::sema {

/// Makes the names `c.X` of all `import a.b as c`, so that they are symbols before names are
/// declared. Requires that the files of the imports are known.
void intern_qualified_names(syntax::Ast& ast);

/// The top-level names that can be seen in each file: its own, and what its imports give. Own names
/// go before those of `import *`.
class FileScopes {
 public:
  struct Scope {
    std::vector<std::pair<Symbol, DeclId>> names;
    /// Names that two imports give: both. Reported where they are used.
    std::unordered_map<Symbol, std::array<DeclId, 2>> ambiguous;
  };

  FileScopes() = default;
  /// `own[f]`: the names that file f defines, in textual order. Reports imports of what is not
  /// there, is private, or is defined in the importing file too.
  FileScopes(const TypedModel& model,
             const std::vector<std::vector<std::pair<Symbol, DeclId>>>& own,
             Diagnostics& diagnostics);

  const Scope& of(std::int32_t file) const { return scopes_[static_cast<std::size_t>(file)]; }

 private:
  std::vector<Scope> scopes_;
};

/// Warns of imports that nothing in their file uses.
void warn_unused_imports(const TypedModel& model, Diagnostics& diagnostics);

}  // namespace chi::sema
