#include "sema/paths.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/walk.h"

namespace chi::sema {

ExprId strip(const syntax::Ast& ast, ExprId expr) {
  while (expr) {
    const auto* p = std::get_if<syntax::Parenthesized>(&ast.exprs[expr].node);
    if (!p) break;
    expr = p->inner;
  }
  return expr;
}

ExprId whole_of(const syntax::Ast& ast, ExprId expr) {
  using namespace syntax;
  const auto& node = ast.exprs[expr].node;
  if (const auto* n = std::get_if<Parenthesized>(&node)) return n->inner;
  if (const auto* n = std::get_if<syntax::Index>(&node)) return n->of;
  if (const auto* n = std::get_if<Member>(&node)) return n->of;
  if (const auto* n = std::get_if<Project>(&node)) return n->of;
  if (const auto* n = std::get_if<Derivative>(&node)) return n->of;
  return {};
}

bool is_variable(const Context& c, DeclId decl) {
  const DeclKind kind = c.model.decls[decl].kind;
  return kind == DeclKind::Local || kind == DeclKind::RefParam;
}

DeclId root_of(const Context& c, ExprId expr) {
  if (!expr) return {};
  while (const ExprId whole = whole_of(c.ast, expr)) expr = whole;
  if (!c.node<syntax::Name>(expr)) return {};
  const auto* decl = std::get_if<DeclId>(&c.model.resolution[expr]);
  return decl ? *decl : DeclId{};
}

bool is_fixed(const Context& c, ExprId expr) {
  bool fixed = true;
  walk(c.ast, expr, [&](ExprId e) {
    if (const auto* decl = std::get_if<DeclId>(&c.model.resolution[e])) {
      fixed = fixed && !is_variable(c, *decl);
    }
    return fixed;
  });
  return fixed;
}

bool is_fixed_path(const Context& c, ExprId expr) {
  for (; expr; expr = whole_of(c.ast, expr)) {
    if (const auto* n = c.node<syntax::Index>(expr); n && !is_fixed(c, n->index)) return false;
    if (!c.node<syntax::Member>(expr)) continue;
    const auto* decl = std::get_if<DeclId>(&c.model.resolution[expr]);
    if (decl && is_variable(c, *decl)) return false;
  }
  return true;
}

std::optional<std::int64_t> known_integer(const Context& c, ExprId expr) {
  expr = strip(c.ast, expr);
  if (!expr) return std::nullopt;
  if (const auto* n = c.node<syntax::IntLiteral>(expr)) return n->value;
  if (const auto* n = c.node<syntax::Unary>(expr); n && n->op == syntax::UnaryOp::Minus) {
    const auto* number = c.node<syntax::IntLiteral>(strip(c.ast, n->operand));
    if (number) return -number->value;
  }
  if (const auto* decl = std::get_if<DeclId>(&c.model.resolution[expr])) {
    const auto found = c.model.constant_values.find(*decl);
    if (found == c.model.constant_values.end()) return std::nullopt;
    if (const auto* i = std::get_if<std::int64_t>(&found->second.data)) return *i;
  }
  return std::nullopt;
}

namespace {

/// The index or field position of one step; none if it is known only later.
std::optional<std::int64_t> step_of(const Context& c, ExprId expr) {
  if (const auto* n = c.node<syntax::Project>(expr)) return n->index;
  if (const auto* n = c.node<syntax::Index>(expr)) return known_integer(c, n->index);
  if (!c.node<syntax::Member>(expr)) return std::nullopt;
  if (c.model.field[expr] >= 0) return c.model.field[expr];
  return known_integer(c, expr);  // x.n with n a constant
}

}  // namespace

std::string path_text(const Context& c, ExprId expr) {
  std::vector<std::string> parts;
  for (; expr; expr = whole_of(c.ast, expr)) {
    if (const auto* n = c.node<syntax::Name>(expr)) {
      parts.emplace_back(c.text(n->name));
    } else if (const auto* m = c.node<syntax::Member>(expr)) {
      parts.push_back(fmt::format(".{}", c.text(m->member.name)));
    } else if (c.node<syntax::Derivative>(expr)) {
      parts.emplace_back("'");
    } else if (!c.node<syntax::Parenthesized>(expr)) {
      const auto index = step_of(c, expr);
      parts.push_back(index ? fmt::format(".{}", *index) : "[..]");
    }
  }
  std::string text;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) text += *part;
  return text;
}

PathKey path_key(const Context& c, ExprId expr) {
  const DeclId root = root_of(c, expr);
  if (!root || !is_variable(c, root)) return {};
  PathKey key;
  bool derivative = false;
  for (; expr; expr = whole_of(c.ast, expr)) {
    if (c.node<syntax::Name>(expr) || c.node<syntax::Parenthesized>(expr)) continue;
    if (c.node<syntax::Derivative>(expr)) {
      derivative = true;
    } else if (const auto step = step_of(c, expr)) {
      key.steps.push_back(*step);
    } else {
      key.steps.clear();
      key.exact = false;
    }
  }
  key.steps.push_back(derivative ? 1 : 0);
  key.steps.push_back(root.index);
  std::reverse(key.steps.begin(), key.steps.end());
  return key;
}

}  // namespace chi::sema
