#include "sema/expressions.h"

#include <fmt/format.h>

#include "base/cancel.h"
#include "base/match.h"
#include "sema/expression_parts.h"
#include "sema/paths.h"

namespace chi::sema {
namespace {

/// The operand to check before the expression itself, so that chains become loops; none for the
/// end of a chain.
struct First {
  ExprId child;
  TypeId hint;
  bool right = false;
};

First first_operand(Context& c, ExprId expr, TypeId hint) {
  using namespace syntax;
  if (const auto* n = c.node<Parenthesized>(expr)) return {n->inner, hint};
  if (const auto* n = c.node<Unary>(expr)) {
    const bool sign = n->op == UnaryOp::Minus || n->op == UnaryOp::Plus;
    return {n->operand, sign ? hint : sema::TypeId{}};
  }
  if (const auto* n = c.node<Binary>(expr)) {
    const bool right = right_operand_first(c, *n, hint);
    return {right ? n->right : n->left, operand_hint(c, *n, hint), right};
  }
  if (const auto* n = c.node<syntax::Derivative>(expr)) return {n->of, {}};
  if (const auto* n = c.node<syntax::Index>(expr)) return {n->of, {}};
  if (const auto* n = c.node<Member>(expr)) return {n->of, {}};
  if (const auto* n = c.node<Project>(expr)) return {n->of, {}};
  if (const auto* n = c.node<Call>(expr)) {
    if (!c.node<Name>(n->callee)) return {n->callee, {}};
  }
  return {};
}

TypeId check_time(Context& c, ExprId expr) {
  if (c.place == Place::Function) {
    c.report({.code = DiagCode::NotInFunction,
              .span = c.span(expr),
              .message = "a function does not know the time",
              .help = "pass `time` as an argument"});
  } else if (c.place == Place::BeforeRun || c.place == Place::Reference) {
    c.report({.code = DiagCode::NoValueBeforeRun,
              .span = c.span(expr),
              .message = "`time` has no value before the run"});
  }
  return c.real_type();
}

TypeId check_leaf(Context& c, ExprId e, TypeId hint) {
  using namespace syntax;
  const auto follows = [&](const auto&) { return c.unknown(); };  // has a first operand
  return match(
      c.ast.exprs[e].node, [&](const BoolLiteral&) { return c.bool_type(); },
      [&](const IntLiteral&) { return check_int_literal(c, hint); },
      [&](const RealLiteral&) { return c.real_type(); },
      [&](const StringLiteral&) { return c.string_type(); },
      [&](const Name&) { return check_name(c, e); }, [&](const Time&) { return check_time(c, e); },
      [&](const Conditional&) { return check_conditional(c, e, hint); },
      [&](const GuardedExpr&) { return check_guarded(c, e, hint); },
      [&](const Call&) { return check_call(c, e, {}, hint); },
      [&](const TupleExpr&) { return check_tuple(c, e, hint); },
      [&](const ListExpr&) { return check_list(c, e, hint); },
      [&](const SetExpr&) { return check_set(c, e, hint); },
      [&](const RecordExpr&) { return check_record(c, e, hint); },
      [&](const DictExpr&) { return check_dict(c, e, hint); },
      [&](const Derivative& n) { return follows(n); }, [&](const Unary& n) { return follows(n); },
      [&](const Binary& n) { return follows(n); },
      [&](const syntax::Index& n) { return follows(n); },
      [&](const Member& n) { return follows(n); }, [&](const Project& n) { return follows(n); },
      [&](const Parenthesized& n) { return follows(n); },
      [&](const Error& n) { return follows(n); });
}

TypeId combine(Context& c, const Context::Link& link, TypeId first) {
  using namespace syntax;
  const ExprId e = link.expr;
  if (c.node<Parenthesized>(e)) return first;
  if (c.node<Binary>(e)) return check_binary(c, link, first);
  if (c.node<Unary>(e)) return check_unary(c, e, first);
  if (c.node<syntax::Derivative>(e)) return check_derivative(c, e, first);
  if (c.node<syntax::Index>(e)) return check_index(c, e, first);
  if (c.node<Member>(e)) return check_member(c, e, first);
  if (c.node<Project>(e)) return check_projection(c, e, first);
  return check_call(c, e, first, link.hint);
}

/// -1 where a nat stands: seen without running the model.
bool is_negative_literal(const Context& c, ExprId expr) {
  const auto* minus = c.node<syntax::Unary>(strip(c.ast, expr));
  if (!minus || minus->op != syntax::UnaryOp::Minus) return false;
  const auto* number = c.node<syntax::IntLiteral>(strip(c.ast, minus->operand));
  return number && number->value > 0;
}

}  // namespace

TypeId check_expr(Context& c, ExprId expr, TypeId hint) {
  check_cancelled();
  if (!expr) return c.unknown();
  const std::size_t base = c.chain.size();
  while (true) {
    const First first = first_operand(c, expr, hint);
    if (!first.child) break;
    c.chain.push_back({expr, hint, first.right});
    expr = first.child;
    hint = first.hint;
  }
  TypeId type = check_leaf(c, expr, hint);
  c.model.type[expr] = type;
  while (c.chain.size() > base) {
    const Context::Link link = c.chain.back();
    c.chain.pop_back();
    type = combine(c, link, type);
    c.model.type[link.expr] = type;
  }
  return type;
}

void require_fits(Context& c, ExprId expr, TypeId found, TypeId wanted, std::string_view where) {
  const bool negative = c.types.is(wanted, BasicType::Nat) && is_negative_literal(c, expr);
  if (!negative && fits(c.types, found, wanted)) return;
  const std::string place = where.empty() ? std::string() : fmt::format(" for {}", where);
  Diagnostic d{
      .code = DiagCode::TypeMismatch,
      .span = c.span(expr),
      .message = fmt::format("expected `{}`{}, found `{}`", c.text(wanted), place, c.text(found))};
  if (negative) {
    d.help = "a `nat` is never negative";
  } else if (c.types.is_integer(wanted) && c.types.is(found, BasicType::Real)) {
    d.help = "`floor`, `ceil` and `round` make an integer of a real number";
  } else if (c.types.is(wanted, BasicType::String)) {
    d.help = "`str` makes a string of any value";
  }
  c.report(std::move(d));
}

void require(Context& c, ExprId expr, TypeId wanted, std::string_view where) {
  if (!expr) return;
  require_fits(c, expr, check_expr(c, expr, wanted), wanted, where);
}

void require_integer(Context& c, ExprId expr, std::string_view where) {
  if (!expr) return;
  const TypeId found = check_expr(c, expr);
  if (c.types.is_unknown(found) || c.types.is_integer(found)) return;
  require_fits(c, expr, found, c.int_type(), where);
}

}  // namespace chi::sema
