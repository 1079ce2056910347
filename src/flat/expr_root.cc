#include "flat/expr_root.h"

#include <algorithm>

namespace chi::flat {
namespace {

// What `expr` selects from or encloses; none at the root.
syntax::ExprId inner(const syntax::Ast& ast, syntax::ExprId expr) {
  const auto& node = ast.exprs[expr].node;
  if (const auto* index = std::get_if<syntax::Index>(&node)) return index->of;
  if (const auto* member = std::get_if<syntax::Member>(&node)) return member->of;
  if (const auto* project = std::get_if<syntax::Project>(&node)) return project->of;
  if (const auto* parens = std::get_if<syntax::Parenthesized>(&node)) return parens->inner;
  return {};
}

}  // namespace

sema::DeclId root_decl(const sema::TypedModel& model, syntax::ExprId expr) {
  while (const syntax::ExprId next = inner(model.ast, expr)) expr = next;
  if (!std::holds_alternative<syntax::Name>(model.ast.exprs[expr].node)) return {};
  const auto* decl = std::get_if<sema::DeclId>(&model.resolution[expr]);
  return decl == nullptr ? sema::DeclId{} : *decl;
}

std::vector<syntax::ExprId> selections(const sema::TypedModel& model, syntax::ExprId expr) {
  std::vector<syntax::ExprId> path;
  while (const syntax::ExprId next = inner(model.ast, expr)) {
    if (!std::holds_alternative<syntax::Parenthesized>(model.ast.exprs[expr].node)) {
      path.push_back(expr);
    }
    expr = next;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace chi::flat
