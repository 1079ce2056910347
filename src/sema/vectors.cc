#include "sema/vectors.h"

#include <fmt/format.h>

namespace chi::sema {
namespace {

bool agree(const Array& a, const Array& b) {
  return a.length == b.length || a.length < 0 || b.length < 0;
}

std::string length_text(const Array& a) { return a.length < 0 ? "?" : std::to_string(a.length); }

}  // namespace

std::optional<Shape> shape_of(const Types& types, TypeId type) {
  Shape shape;
  while (const auto* array = std::get_if<Array>(&types[type])) {
    shape.lengths.push_back(*array);
    type = array->element;
  }
  shape.scalar = type;
  if (shape.lengths.empty() || !types.is_numeric(type)) return std::nullopt;
  return shape;
}

bool is_vector(const Types& types, TypeId type) {
  if (!std::holds_alternative<Array>(types[type])) return false;
  while (const auto* array = std::get_if<Array>(&types[type])) type = array->element;
  return types.is_numeric(type);
}

TypeId array_of(Types& types, TypeId scalar, std::span<const Array> lengths) {
  TypeId type = scalar;
  for (auto a = lengths.rbegin(); a != lengths.rend(); ++a) {
    type = types.array(type, a->length, a->length_expr);
  }
  return type;
}

std::string describe_shape(const Types& types, TypeId type) {
  const std::optional<Shape> shape = shape_of(types, type);
  if (!shape) return types.is_numeric(type) ? "a number" : "something else";
  if (shape->rank() == 1) return "a vector of " + length_text(shape->lengths[0]);
  std::string text = "a " + length_text(shape->lengths[0]);
  for (std::size_t i = 1; i < shape->lengths.size(); ++i) {
    text += " × " + length_text(shape->lengths[i]);
  }
  return text + (shape->rank() == 2 ? " matrix" : " array");
}

bool lengths_agree(const Types& types, ShapeRule rule, TypeId left, TypeId right) {
  const Shape a = *shape_of(types, left);
  const Shape b = *shape_of(types, right);
  if (rule == ShapeRule::Product) return agree(a.lengths.back(), b.lengths.front());
  for (std::size_t i = 0; i < a.lengths.size(); ++i) {
    if (!agree(a.lengths[i], b.lengths[i])) return false;
  }
  return true;
}

std::string rule_text(ShapeRule rule) {
  return rule == ShapeRule::Same
             ? "both need the same shape"
             : "the columns of the left one have to be as many as the rows of the right one";
}

Diagnostic shapes_differ(const Types& types, Span span, std::string_view what, ShapeRule rule,
                         TypeId left, TypeId right) {
  return {.code = DiagCode::ShapesDiffer,
          .span = span,
          .message = fmt::format("`{}` of {} and {}", what, describe_shape(types, left),
                                 describe_shape(types, right)),
          .help = rule_text(rule)};
}

std::string_view vector_operator_text(syntax::BinaryOp op) {
  using syntax::BinaryOp;
  switch (op) {
    case BinaryOp::Add: return "+";
    case BinaryOp::Sub: return "-";
    case BinaryOp::Mul: return "*";
    case BinaryOp::Div: return "/";
    default: return "^";
  }
}

bool is_vector_function(Builtin builtin) {
  using enum Builtin;
  switch (builtin) {
    case Dot:
    case Cross:
    case Norm:
    case Transpose:
    case Outer:
    case Diag:
    case Identity:
    case Times:
    case Divide:
    case Map: return true;
    default: return false;
  }
}

}  // namespace chi::sema
