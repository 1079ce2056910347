#pragma once
#include <string>

#include "syntax/ast.h"

namespace chi::syntax {

/// The tree as S-expressions, a definition a line: `(proc P () ((V real 0.0)) ((= V' (- 2 Q)))
/// ())`. Spans and parentheses that only group are left out, so that two texts with the same
/// meaning give the same dump. For `--dump=ast` and for tests.
std::string dump(const Ast& ast);

/// One expression of it.
std::string dump(const Ast& ast, ExprId expr);

}  // namespace chi::syntax
