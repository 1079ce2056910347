#pragma once
#include <optional>
#include <vector>

#include "flat/expr_facts.h"
#include "flat/name_scope.h"

namespace chi::flat {

/// How a path takes the next part of what it has come to: x.2, x.i, x[e], r.f.
struct PathStep {
  syntax::ExprId node;
  std::optional<std::int64_t> index;  ///< known before the run
  expr::ExprId moving;                ///< else: the index as an expression
};

/// The operand that `step` takes from `from`.
///
/// An index out of range gives `missing` values of the element's type. A moving index chooses among
/// all elements by a tree of conditions of kind `kind`; the scalars of the result then lie in
/// `storage`, where those of `from` may lie too; variables are taken at this order of derivation.
/// None if the elements are not scalar-based.
std::optional<Operand> take_part(const Operand& from, const PathStep& step,
                                 const sema::TypedModel& model, expr::Pool& pool, NameScope& scope,
                                 expr::IfKind kind, int order, std::vector<expr::ExprId>& storage);

/// Appends the scalars of an operand; variables at this order of derivation.
void append_scalars(const Operand& operand, const sema::TypedModel& model, expr::Pool& pool,
                    NameScope& scope, int order, std::vector<expr::ExprId>& out);

/// Appends the numbers and truth values in a value, in slot order.
void append_constants(const sema::Value& value, expr::Pool& pool, std::vector<expr::ExprId>& out);

/// The root of `x`, `x.i`, `(x).f[e]`, `x'`: a name; none for other expressions.
syntax::ExprId path_root(const syntax::Ast& ast, syntax::ExprId expr);

}  // namespace chi::flat
