#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "expr/expr.h"
#include "sema/decl_id.h"
#include "syntax/ast.h"

/// Vectors and matrices as runs of scalars, a matrix row by row. Sums are made from the first
/// element on, so that equations, statements and constants agree bit by bit.
namespace chi::flat {

using Terms = std::vector<expr::ExprId>;
using TermSpan = std::span<const expr::ExprId>;

/// Element by element; a single number where `is_number` says so goes with all elements.
Terms by_elements(expr::Pool& pool, syntax::BinaryOp op, TermSpan a, bool a_is_number, TermSpan b,
                  bool b_is_number);
/// a (rows × inner) times b (inner × columns).
Terms matrix_product(expr::Pool& pool, TermSpan a, TermSpan b, std::int64_t rows,
                     std::int64_t inner, std::int64_t columns);
/// A library function of vectors and matrices, but for `map`. `rows` and `columns` are those of
/// the argument of `transpose` and of the result of `identity`. None if lengths do not fit.
std::optional<Terms> vector_function(expr::Pool& pool, sema::Builtin builtin, TermSpan a,
                                     TermSpan b, std::int64_t rows, std::int64_t columns);

}  // namespace chi::flat
