#pragma once
#include <functional>
#include <string>

#include "expr/expr.h"

namespace chi::expr {

/// What to call things. An empty function stands for x0, d0, f0, ...
struct Names {
  std::function<std::string(VarId)> variable;
  std::function<std::string(DiscreteId)> discrete;
  std::function<std::string(FunctionId)> function;  ///< asked for functions that are no derivatives
};

/// The expression as χ text: infix, with the parentheses that the grammar needs and no others,
/// numbers in the shortest form that reads back. x'' is written for a second derivative, `p0` for a
/// function's parameter, `undefined` where no guard is open, `f.d0.d1` for derivatives of functions
/// by parameters. Shared nodes are written out wherever they occur, which can make a small graph a
/// huge text: after `limit` characters the rest of each operand is `...`. Needs no stack for deep
/// expressions.
std::string to_text(const Pool& pool, ExprId e, const Names& names = {},
                    std::size_t limit = 1 << 16);

/// The number as χ text, in the shortest form that reads back.
std::string number_text(double value);

}  // namespace chi::expr
