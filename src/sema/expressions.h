#pragma once
#include <optional>

#include "sema/context.h"

/// Types of expressions. Internal to sema/.
namespace chi::sema {

/// Checks an expression, records the types and declarations of all its nodes, and returns its type:
/// unknown after an error, which was reported. `hint` is the type the place expects, if any: a
/// literal takes it (see TypedModel::type); whether it fits is the caller's affair.
///
/// Chains of operators are followed by a loop; it recurses only into brackets, whose depth the
/// parser limits.
TypeId check_expr(Context& c, ExprId expr, TypeId hint = {});

/// Checks an expression that must fit `wanted`, and reports if it does not. `where`, if given,
/// says what asks for the type ("a guard").
void require(Context& c, ExprId expr, TypeId wanted, std::string_view where = {});

/// As `require` for `nat` or `int`.
void require_integer(Context& c, ExprId expr, std::string_view where);

/// The same, for an expression whose type was found already.
void require_fits(Context& c, ExprId expr, TypeId found, TypeId wanted, std::string_view where);

}  // namespace chi::sema
