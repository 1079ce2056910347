#pragma once
#include "diag/diagnostic.h"
#include "sema/typed_model.h"
#include "syntax/ast.h"

namespace chi::sema {

/// Resolves names, checks types and the static rules of language.md §2-§5.
///
/// Never fails. A wrong expression gets the unknown type, which fits everywhere, so that one
/// mistake is reported once. Stages after this one require `!diagnostics.has_errors()`. Linear in
/// the size of the tree. `data`: the numbers of each call of `csv`.
TypedModel check(syntax::Ast ast, Diagnostics& diagnostics,
                 std::unordered_map<syntax::ExprId, DataColumn> data = {});

}  // namespace chi::sema
