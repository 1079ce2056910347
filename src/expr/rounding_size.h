#pragma once
#include <span>
#include <vector>

#include "expr/expr.h"

namespace chi::expr {

/// Per root an expression for what its rounding is measured by: computed in floating point, the
/// root is off by a few last bits of this size, however much of it cancels. A running error
/// analysis [1]: the size of a node is its own value plus what it makes of the sizes of its
/// operands,
///
///     s(e) = |e| + sum over operands a of |∂e/∂a| s(a).
///
/// O(nodes reached).
///
/// [1] N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., SIAM 2002, §3.3.
std::vector<ExprId> rounding_sizes(Pool& pool, std::span<const ExprId> roots);

}  // namespace chi::expr
