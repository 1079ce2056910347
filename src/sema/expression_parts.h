#pragma once
#include "sema/context.h"
#include "sema/vectors.h"

/// The cases of `check_expr`, by chapter. Each returns the type of the whole expression. Internal
/// to sema/.
namespace chi::sema {

// access.cc: names, and parts of what they name.
TypeId check_name(Context& c, ExprId expr);
TypeId check_member(Context& c, ExprId expr, TypeId of);
TypeId check_index(Context& c, ExprId expr, TypeId of);
TypeId check_projection(Context& c, ExprId expr, TypeId of);
TypeId check_derivative(Context& c, ExprId expr, TypeId of);

// operators.cc. `first` is the type of the operand that was checked first.
TypeId check_unary(Context& c, ExprId expr, TypeId operand);
TypeId check_binary(Context& c, const Context::Link& link, TypeId first);
bool right_operand_first(const Context& c, const syntax::Binary& binary, TypeId hint);
TypeId operand_hint(Context& c, const syntax::Binary& binary, TypeId hint);

// literals.cc
TypeId check_int_literal(Context& c, TypeId hint);
TypeId check_tuple(Context& c, ExprId expr, TypeId hint);
TypeId check_list(Context& c, ExprId expr, TypeId hint);
TypeId check_set(Context& c, ExprId expr, TypeId hint);
TypeId check_record(Context& c, ExprId expr, TypeId hint);
TypeId check_dict(Context& c, ExprId expr, TypeId hint);
TypeId check_conditional(Context& c, ExprId expr, TypeId hint);
TypeId check_guarded(Context& c, ExprId expr, TypeId hint);
/// A literal with brackets around elements: its type follows from where it stands.
bool is_open_literal(const Context& c, ExprId expr);

// calls.cc: `callee` is unset if the function is called by its name.
TypeId check_call(Context& c, ExprId expr, TypeId callee, TypeId hint);

// builtins.cc
TypeId check_builtin(Context& c, Builtin builtin, ExprId call, TypeId hint);

// vector_operators.cc
/// `left op right` where one of them is a vector or matrix and the other is, or is a number.
TypeId check_vector_operator(Context& c, ExprId expr, TypeId left, TypeId right);
TypeId check_vector_call(Context& c, Builtin builtin, ExprId call, TypeId hint);
/// Reports lengths that do not agree, and says whether they do. Those that depend on parameters are compared at instantiation
/// (flat/open_shapes.h).
bool require_lengths(Context& c, ExprId expr, std::string_view what, ShapeRule rule, TypeId left,
                     TypeId right);
/// `[…]` or `<…>`, which can be a vector or a matrix.
bool is_vector_literal(const Context& c, ExprId expr);
/// The type that such a literal has where a vector or matrix is wanted, as its brackets tell.
TypeId vector_hint(Context& c, ExprId literal, TypeId scalar);
/// The type of the numbers in what is expected; `real` if that is not known.
TypeId scalar_hint(const Context& c, TypeId hint);

}  // namespace chi::sema
