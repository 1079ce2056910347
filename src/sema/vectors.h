#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "sema/decl_id.h"
#include "sema/types.h"

/// Arithmetic of vectors and matrices: which shapes fit each other and what comes of them
/// (docs/language/vectors.md). A vector is an array of numbers, `real^n`; a matrix an array of its
/// rows, `real^n^m`.
namespace chi::sema {

/// An array of numbers, or of such arrays.
struct Shape {
  TypeId scalar;
  std::vector<Array> lengths;  ///< the outermost first: rows, then columns
  int rank() const { return static_cast<int>(lengths.size()); }
};
/// None for what is no array of numbers.
std::optional<Shape> shape_of(const Types& types, TypeId type);
/// Whether it has a shape: a vector, a matrix, a higher array of numbers.
bool is_vector(const Types& types, TypeId type);
/// `lengths` with another type of number.
TypeId array_of(Types& types, TypeId scalar, std::span<const Array> lengths);
/// "a vector of 3", "a 2 × 3 matrix", "a number"; lengths known only later are `?`.
std::string describe_shape(const Types& types, TypeId type);

/// How the lengths of two operands have to agree.
enum class ShapeRule : std::uint8_t {
  Same,     ///< v + w, dot(v, w)
  Product,  ///< A*x, A*B, x*A: the inner lengths
};
/// Whether lengths of two operands, whose ranks fit, agree. Lengths known only later agree with
/// all.
bool lengths_agree(const Types& types, ShapeRule rule, TypeId left, TypeId right);
/// What would fit, for a message: "`+` needs two of one shape".
std::string rule_text(ShapeRule rule);

std::string_view vector_operator_text(syntax::BinaryOp op);
/// "`+` of a vector of 3 and a vector of 2".
Diagnostic shapes_differ(const Types& types, Span span, std::string_view what, ShapeRule rule,
                         TypeId left, TypeId right);

/// Library functions of vectors and matrices.
bool is_vector_function(Builtin builtin);

}  // namespace chi::sema
