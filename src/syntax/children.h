#pragma once
#include <vector>

#include "syntax/ast.h"

namespace chi::syntax {

/// Appends the direct subexpressions of `expr`, from left to right.
void append_children(const Ast& ast, ExprId expr, std::vector<ExprId>& out);

/// Whether a comparison has `time` alone on one side and does not mention it on the other: `time >=
/// t0 + 5.0`.
bool compares_time(const Ast& ast, const Binary& node);

/// The comparisons in `expr` that `compares_time`, from left to right.
std::vector<ExprId> time_relations(const Ast& ast, ExprId expr);

}  // namespace chi::syntax
