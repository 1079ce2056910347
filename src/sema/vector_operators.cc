#include <array>

#include <fmt/format.h>

#include "sema/expression_parts.h"
#include "sema/expressions.h"
#include "sema/paths.h"
#include "sema/written_types.h"

// Operators and library functions of vectors and matrices.
namespace chi::sema {
namespace {

using syntax::BinaryOp;

/// Lengths with those known now in place of those known only later.
Array known_one(const Array& a, const Array& b) { return a.length < 0 ? b : a; }

class VectorOperands {
 public:
  VectorOperands(Context& c, ExprId expr, BinaryOp op, TypeId left, TypeId right)
      : c_(c),
        expr_(expr),
        op_(op),
        left_(left),
        right_(right),
        a_(shape_of(c.types, left)),
        b_(shape_of(c.types, right)) {}

  TypeId result() {
    switch (op_) {
      case BinaryOp::Add:
      case BinaryOp::Sub: return sum();
      case BinaryOp::Mul: return product();
      case BinaryOp::Div:
        return a_ && c_.types.is_numeric(right_) ? array_of(c_.types, c_.real_type(), a_->lengths)
                                                 : fail("a vector is divided by a number only");
      default: return fail("a power is one of numbers; `times(v, v)` squares each element");
    }
  }

 private:
  TypeId scalar() const {
    const TypeId x = a_ ? a_->scalar : left_, y = b_ ? b_->scalar : right_;
    const bool difference = op_ == BinaryOp::Sub && c_.types.is(x, BasicType::Nat) && x == y;
    return difference ? c_.int_type() : join(c_.types, x, y).value_or(c_.unknown());
  }

  TypeId sum() {
    if (!a_ || !b_ || a_->rank() != b_->rank()) return fail(rule_text(ShapeRule::Same));
    if (!require_lengths(c_, expr_, vector_operator_text(op_), ShapeRule::Same, left_, right_)) {
      return c_.unknown();
    }
    std::vector<Array> lengths;
    for (std::size_t i = 0; i < a_->lengths.size(); ++i) {
      lengths.push_back(known_one(a_->lengths[i], b_->lengths[i]));
    }
    return array_of(c_.types, scalar(), lengths);
  }

  TypeId product() {
    if (!a_ && c_.types.is_numeric(left_)) return array_of(c_.types, scalar(), b_->lengths);
    if (!b_ && c_.types.is_numeric(right_)) return array_of(c_.types, scalar(), a_->lengths);
    if (!a_ || !b_) return fail("");
    if (a_->rank() == 1 && b_->rank() == 1) {
      return fail(
          "`dot(v, w)` is the inner product, `cross(v, w)` the vector product, `times(v, w)` "
          "multiplies element by element");
    }
    if (a_->rank() > 2 || b_->rank() > 2) return fail("`*` is for vectors and matrices");
    if (!require_lengths(c_, expr_, "*", ShapeRule::Product, left_, right_)) return c_.unknown();
    std::vector<Array> lengths;
    if (a_->rank() == 2) lengths.push_back(a_->lengths[0]);
    if (b_->rank() == 2) lengths.push_back(b_->lengths[1]);
    return array_of(c_.types, scalar(), lengths);
  }

  TypeId fail(std::string_view help) {
    c_.report({.code = DiagCode::ShapesDiffer,
               .span = c_.span(expr_),
               .message = fmt::format("`{}` of {} and {}", vector_operator_text(op_), what(left_),
                                      what(right_)),
               .help = std::string(help)});
    return c_.unknown();
  }

  std::string what(TypeId type) const {
    const bool has_shape = is_vector(c_.types, type) || c_.types.is_numeric(type);
    return has_shape ? describe_shape(c_.types, type) : fmt::format("`{}`", c_.text(type));
  }

  Context& c_;
  ExprId expr_;
  BinaryOp op_;
  TypeId left_, right_;
  std::optional<Shape> a_, b_;
};

bool is_elements(const Context& c, ExprId literal) {
  return c.node<syntax::ListExpr>(literal) || c.node<syntax::TupleExpr>(literal);
}

}  // namespace

bool require_lengths(Context& c, ExprId expr, std::string_view what, ShapeRule rule, TypeId left,
                     TypeId right) {
  if (lengths_agree(c.types, rule, left, right)) return true;
  c.report(shapes_differ(c.types, c.span(expr), what, rule, left, right));
  return false;
}

TypeId check_vector_operator(Context& c, ExprId expr, TypeId left, TypeId right) {
  return VectorOperands(c, expr, c.node<syntax::Binary>(expr)->op, left, right).result();
}

bool is_vector_literal(const Context& c, ExprId expr) {
  expr = strip(c.ast, expr);
  return expr && is_elements(c, expr);
}

TypeId vector_hint(Context& c, ExprId literal, TypeId scalar) {
  std::vector<Array> lengths;
  for (ExprId e = strip(c.ast, literal); e && is_elements(c, e);) {
    const auto* list = c.node<syntax::ListExpr>(e);
    const auto rows = list ? list->elements : c.node<syntax::TupleExpr>(e)->elements;
    lengths.push_back({.element = {}, .length = rows.count, .length_expr = {}});
    e = rows.empty() ? ExprId{} : strip(c.ast, c.ast.list(rows)[0]);
  }
  return array_of(c.types, c.types.is_numeric(scalar) ? scalar : c.real_type(), lengths);
}

TypeId scalar_hint(const Context& c, TypeId hint) {
  if (!hint) return c.real_type();
  const auto shape = shape_of(c.types, hint);
  return shape ? shape->scalar : c.types.is_numeric(hint) ? hint : c.real_type();
}

namespace {

/// Calls of the library's vector functions.
class VectorCall {
 public:
  VectorCall(Context& c, Builtin builtin, ExprId call, TypeId hint)
      : c_(c),
        builtin_(builtin),
        call_(call),
        hint_(hint),
        arguments_(c.ast.list(c.node<syntax::Call>(call)->arguments)) {}

  TypeId check() {
    using enum Builtin;
    switch (builtin_) {
      case Dot: return pair(0, 1) ? joined() : c_.unknown();
      case Norm: return vector(0) ? c_.real_type() : c_.unknown();
      case Cross: return cross();
      case Outer: return outer();
      case Transpose: return transposed();
      case Diag: return diagonal();
      case Identity: return identity();
      case Times:
      case Divide: return elementwise();
      default: return mapped();
    }
  }

 private:
  /// An argument that is an array of numbers.
  bool array(std::size_t i) {
    const ExprId e = arguments_[i];
    const TypeId hint =
        is_vector_literal(c_, e) ? vector_hint(c_, e, scalar_hint(c_, hint_)) : TypeId{};
    const TypeId type = check_expr(c_, e, hint);
    shapes_[i] = shape_of(c_.types, type);
    types_[i] = type;
    if (shapes_[i]) return true;
    return wrong(i, "a vector or matrix");
  }

  bool vector(std::size_t i) {
    return array(i) && (shapes_[i]->rank() == 1 || wrong(i, "a vector"));
  }

  bool matrix(std::size_t i) {
    return array(i) && (shapes_[i]->rank() == 2 || wrong(i, "a matrix"));
  }

  /// Two vectors of one length.
  bool pair(std::size_t i, std::size_t k) {
    const bool first = vector(i), second = vector(k);
    if (!first || !second) return false;
    return require_lengths(c_, call_, builtin_text(builtin_), ShapeRule::Same, types_[i],
                           types_[k]);
  }

  bool wrong(std::size_t i, std::string_view wanted) {
    if (c_.types.is_unknown(types_[i])) return false;
    const std::string found =
        shapes_[i] ? describe_shape(c_.types, types_[i]) : fmt::format("`{}`", c_.text(types_[i]));
    c_.report(
        {.code = DiagCode::LibraryArgument,
         .span = c_.span(arguments_[i]),
         .message = fmt::format("`{}` needs {}, found {}", builtin_text(builtin_), wanted, found)});
    return false;
  }

  TypeId joined() const {
    return join(c_.types, shapes_[0]->scalar, shapes_[1]->scalar).value_or(c_.unknown());
  }
  /// A difference of two `nat` is an `int`.
  TypeId signed_joined() const {
    return c_.types.is(joined(), BasicType::Nat) ? c_.int_type() : joined();
  }

  TypeId cross() {
    if (!pair(0, 1)) return c_.unknown();
    const std::array three{Array{.element = {}, .length = 3, .length_expr = {}}};
    const TypeId wanted = array_of(c_.types, c_.real_type(), three);
    for (const std::size_t i : {0U, 1U}) {
      if (!lengths_agree(c_.types, ShapeRule::Same, types_[i], wanted)) {
        wrong(i, "vectors of 3");
        return c_.unknown();
      }
    }
    return array_of(c_.types, signed_joined(), three);
  }

  TypeId outer() {
    const bool first = vector(0), second = vector(1);
    if (!first || !second) return c_.unknown();
    const std::array lengths{shapes_[0]->lengths[0], shapes_[1]->lengths[0]};
    return array_of(c_.types, joined(), lengths);
  }

  TypeId transposed() {
    if (!matrix(0)) return c_.unknown();
    const std::array lengths{shapes_[0]->lengths[1], shapes_[0]->lengths[0]};
    return array_of(c_.types, shapes_[0]->scalar, lengths);
  }

  TypeId diagonal() {
    if (!vector(0)) return c_.unknown();
    const std::array lengths{shapes_[0]->lengths[0], shapes_[0]->lengths[0]};
    return array_of(c_.types, shapes_[0]->scalar, lengths);
  }

  TypeId identity() {
    const TypeId scalar = scalar_hint(c_, hint_);
    const auto row = c_.as<Array>(array_of_length(c_, scalar, arguments_[0]));
    return row ? array_of(c_.types, scalar, std::array{*row, *row}) : c_.unknown();
  }

  TypeId elementwise() {
    const bool first = array(0), second = array(1);
    if (!first || !second) return c_.unknown();
    if (shapes_[0]->rank() != shapes_[1]->rank()) {
      c_.report(shapes_differ(c_.types, c_.span(call_), builtin_text(builtin_), ShapeRule::Same,
                              types_[0], types_[1]));
      return c_.unknown();
    }
    const bool fit =
        require_lengths(c_, call_, builtin_text(builtin_), ShapeRule::Same, types_[0], types_[1]);
    if (!fit) return c_.unknown();
    return array_of(c_.types, builtin_ == Builtin::Divide ? c_.real_type() : joined(),
                    shapes_[0]->lengths);
  }

  /// `map(f, v)`, `map(f, v, w)`: f is a function of numbers, of the model or of the library.
  TypeId mapped() {
    const std::size_t count = arguments_.size() - 1;
    for (std::size_t i = 1; i <= count; ++i) {
      if (!array(i)) return check_rest(i);
    }
    if (count == 2) {
      if (shapes_[1]->rank() != shapes_[2]->rank()) {
        c_.report(
            shapes_differ(c_.types, c_.span(call_), "map", ShapeRule::Same, types_[1], types_[2]));
        return c_.unknown();
      }
      if (!require_lengths(c_, call_, "map", ShapeRule::Same, types_[1], types_[2])) {
        return c_.unknown();
      }
    }
    const TypeId scalar = applied(count);
    return c_.types.is_unknown(scalar) ? scalar : array_of(c_.types, scalar, shapes_[1]->lengths);
  }

  TypeId check_rest(std::size_t wrong_one) {
    for (std::size_t i = wrong_one + 1; i < arguments_.size(); ++i) check_expr(c_, arguments_[i]);
    return c_.unknown();
  }

  /// What the function makes of the elements.
  TypeId applied(std::size_t count) {
    const ExprId callee = strip(c_.ast, arguments_[0]);
    const auto* name = c_.node<syntax::Name>(callee);
    if (name && name->name && !c_.scope.find(name->name)) {
      if (const auto builtin = c_.builtin(name->name)) return library(callee, *builtin, count);
    }
    const TypeId type = check_expr(c_, arguments_[0]);
    const auto func = c_.as<Func>(type);
    bool good = func && func->parameters.count == static_cast<std::int32_t>(count) &&
                c_.types.is_numeric(func->result);
    for (std::size_t i = 0; good && i < count; ++i) {
      const TypeId parameter = c_.types.list(func->parameters)[i];
      good = c_.types.is_numeric(parameter) && fits(c_.types, shapes_[i + 1]->scalar, parameter);
    }
    if (good) return func->result;
    types_[0] = type;
    wrong(0, count == 1 ? "a function of a number" : "a function of two numbers");
    return c_.unknown();
  }

  TypeId library(ExprId callee, Builtin builtin, std::size_t count) {
    using enum Builtin;
    c_.model.resolution[callee] = builtin;
    const bool two = builtin == Min || builtin == Max || builtin == Atan2;
    if (!is_scalar_function(builtin) || count != (two ? 2U : 1U)) {
      c_.report({.code = DiagCode::LibraryArgument,
                 .span = c_.span(callee),
                 .message = fmt::format("`{}` is no function of {}", builtin_text(builtin),
                                        count == 1 ? "a number" : "two numbers")});
      return c_.unknown();
    }
    const TypeId scalar =
        count == 2 ? join(c_.types, shapes_[1]->scalar, shapes_[2]->scalar).value_or(c_.unknown())
                   : shapes_[1]->scalar;
    const bool keeps = builtin == Abs || builtin == Sign || builtin == Min || builtin == Max;
    const bool rounds = builtin == Floor || builtin == Ceil || builtin == Round;
    const TypeId result = keeps ? scalar : rounds ? c_.int_type() : c_.real_type();
    const std::array<TypeId, 2> both{keeps ? scalar : c_.real_type(),
                                     keeps ? scalar : c_.real_type()};
    c_.model.type[callee] = c_.types.func(std::span(both).first(count), result);
    c_.model.type[arguments_[0]] = c_.model.type[callee];
    return result;
  }

  Context& c_;
  Builtin builtin_;
  ExprId call_;
  TypeId hint_;
  std::span<const ExprId> arguments_;
  std::array<std::optional<Shape>, 3> shapes_;
  std::array<TypeId, 3> types_;
};

}  // namespace

TypeId check_vector_call(Context& c, Builtin builtin, ExprId call, TypeId hint) {
  return VectorCall(c, builtin, call, hint).check();
}

}  // namespace chi::sema
