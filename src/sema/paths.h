#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sema/context.h"

/// What an expression like `x.i.v'` is about. Internal to sema/.
namespace chi::sema {

/// The expression without parentheses around it.
ExprId strip(const syntax::Ast& ast, ExprId expr);

/// One step from a part towards the name: `x` for `x.i`, `x[e]`, `x.f`, `x.0`, `x'` and `(x)`;
/// none for other expressions.
ExprId whole_of(const syntax::Ast& ast, ExprId expr);

/// The declaration at the root of a path; none if the expression is of another form. Requires that
/// it was checked.
DeclId root_of(const Context& c, ExprId expr);

/// Whether a declaration is of a variable: something that statements or equations give a value.
bool is_variable(const Context& c, DeclId decl);

/// Whether no variable occurs in the expression, so that it has a value before the run.
bool is_fixed(const Context& c, ExprId expr);

/// Whether every index on the path is fixed.
bool is_fixed_path(const Context& c, ExprId expr);

/// The value of a literal, perhaps with a sign, or of a named constant.
std::optional<std::int64_t> known_integer(const Context& c, ExprId expr);

/// The path as it is written: `x`, `a.0.v'`. Indices that are not numbers or names show as `..`.
std::string path_text(const Context& c, ExprId expr);

/// A path as numbers: declaration, 1 for a derivative, then indices and field positions from the
/// root outwards. `exact` is false if it was cut before an index that is known only later.
struct PathKey {
  std::vector<std::int64_t> steps;
  bool exact = true;
};

/// The key of a path; no steps if the expression is not a path to a variable.
PathKey path_key(const Context& c, ExprId expr);

}  // namespace chi::sema
