#include "sema/unify.h"

#include <fmt/format.h>

#include "sema/expression_parts.h"
#include "sema/expressions.h"
#include "sema/paths.h"

namespace chi::sema {
namespace {

/// As `join`, but lists of literals are all of the wider type.
std::optional<TypeId> join_guesses(Context& c, TypeId a, TypeId b) {
  int lists = 0;
  auto x = c.as<List>(a);
  auto y = c.as<List>(b);
  for (; x && y; x = c.as<List>(a), y = c.as<List>(b), ++lists) {
    a = x->element;
    b = y->element;
  }
  const auto both = join(c.types, a, b);
  if (!both) return std::nullopt;
  TypeId type = *both;
  for (; lists > 0; --lists) type = c.types.list(type);
  return type;
}

TypeId guess(Context& c, ExprId expr);

/// Unset if some guess is, or if they differ.
TypeId guess_common(Context& c, std::span<const ExprId> exprs) {
  TypeId result = c.unknown();
  for (ExprId e : exprs) {
    const TypeId found = guess(c, e);
    const auto both = found ? join_guesses(c, result, found) : std::nullopt;
    if (!both) return {};
    result = *both;
  }
  return result;
}

/// The type of a literal as far as its numbers tell; unset if they do not. An empty list is a list
/// of unknown elements.
TypeId guess(Context& c, ExprId expr) {
  expr = strip(c.ast, expr);
  if (!expr) return {};
  if (c.node<syntax::IntLiteral>(expr)) return c.nat_type();
  if (c.node<syntax::RealLiteral>(expr)) return c.real_type();
  if (c.node<syntax::StringLiteral>(expr)) return c.string_type();
  if (c.node<syntax::BoolLiteral>(expr)) return c.bool_type();
  if (const auto* n = c.node<syntax::Unary>(expr); n && n->op == syntax::UnaryOp::Minus) {
    const ExprId operand = strip(c.ast, n->operand);
    if (operand && c.node<syntax::IntLiteral>(operand)) return c.int_type();
    if (operand && c.node<syntax::RealLiteral>(operand)) return c.real_type();
    return {};
  }
  const auto* list = c.node<syntax::ListExpr>(expr);
  const TypeId element = list ? guess_common(c, c.ast.list(list->elements)) : TypeId{};
  return element ? c.types.list(element) : TypeId{};
}

/// A guess that says what all elements are; else unset.
TypeId complete_guess(Context& c, std::span<const ExprId> exprs) {
  const TypeId found = guess_common(c, exprs);
  TypeId innermost = found;
  while (const auto list = c.as<List>(innermost)) innermost = list->element;
  return innermost && !c.types.is_unknown(innermost) ? found : TypeId{};
}

class Unifier {
 public:
  Unifier(Context& c, TypeId hint, std::string_view what) : c_(c), hint_(hint), what_(what) {}

  void add(ExprId expr) {
    const TypeId found = check_expr(c_, expr, hint_ ? hint_ : type_);
    if (c_.types.is_unknown(found)) return;
    if (!type_) {
      type_ = found;
      first_ = expr;
    } else if (const auto both = join(c_.types, type_, found)) {
      type_ = *both;
    } else if (!failed_) {
      failed_ = true;
      c_.report({.code = DiagCode::BranchTypes,
                 .span = c_.span(expr),
                 .message =
                     fmt::format("{} of type `{}` and `{}`", what_, c_.text(type_), c_.text(found)),
                 .labels = {{c_.span(first_), fmt::format("this is `{}`", c_.text(type_))}}});
    }
  }

  TypeId type() const { return failed_ || !type_ ? c_.unknown() : type_; }

 private:
  Context& c_;
  TypeId hint_;
  std::string_view what_;
  TypeId type_;
  ExprId first_;
  bool failed_ = false;
};

}  // namespace

TypeId unify(Context& c, std::span<const ExprId> exprs, TypeId hint, std::string_view what) {
  Unifier unifier(c, hint ? hint : complete_guess(c, exprs), what);
  for (ExprId e : exprs) {
    if (!is_open_literal(c, e)) unifier.add(e);
  }
  for (ExprId e : exprs) {
    if (is_open_literal(c, e)) unifier.add(e);
  }
  return unifier.type();
}

}  // namespace chi::sema
