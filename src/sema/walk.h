#pragma once
#include <vector>

#include "syntax/ast.h"
#include "syntax/children.h"

namespace chi::sema {

/// Calls `visit` for `root` and everything below it, from left to right, a parent before its
/// operands. Uses an explicit stack. `visit` returns whether to go on below the expression.
template <class Visit>
void walk(const syntax::Ast& ast, syntax::ExprId root, Visit visit) {
  if (!root) return;
  std::vector<syntax::ExprId> todo{root};
  std::vector<syntax::ExprId> operands;
  while (!todo.empty()) {
    const syntax::ExprId expr = todo.back();
    todo.pop_back();
    if (!visit(expr)) continue;
    operands.clear();
    syntax::append_children(ast, expr, operands);
    todo.insert(todo.end(), operands.rbegin(), operands.rend());
  }
}

}  // namespace chi::sema
