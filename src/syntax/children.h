#pragma once
#include <vector>

#include "syntax/ast.h"

namespace chi::syntax {

/// Appends the direct subexpressions of `expr`, from left to right.
void append_children(const Ast& ast, ExprId expr, std::vector<ExprId>& out);

}  // namespace chi::syntax
