#pragma once
#include "expr/expr.h"

namespace chi::expr {

/// True if the value of `e` varies smoothly with its i-th operand: not for conditions, truth
/// values, the history in a `delay`, and the operands of `floor`, `ceil`, `round` and `sign`.
bool is_differentiable(const Pool& pool, ExprId e, int i);

/// True for `if`, `min` and `max`: their derivative is one operand's or the other's. The choice has
/// to stay outside, because the derivative of the operand not chosen may have no value: 0 * inf.
bool is_choice(Op op);

/// The choice of `e` between the derivatives of its two alternatives; none stands for zero, there
/// and in the result. Requires `is_choice`. An `if` keeps its condition and kind; `min(a, b)`
/// chooses by a plain `a <= b`.
ExprId choose(Pool& pool, ExprId e, ExprId first, ExprId second);

/// factor * ∂e/∂(operand i): the one place that knows the derivative of each operation. The rule is
/// linear in `factor`, so it serves forward (factor: the operand's derivative) and reverse (factor:
/// the derivative of the whole by e). None stands for zero in the result. Requires:
/// `is_differentiable(pool, e, i)`, no `is_choice`, and a factor.
ExprId chain(Pool& pool, ExprId e, int i, ExprId factor);

/// a + b, where none stands for zero.
ExprId sum(Pool& pool, ExprId a, ExprId b);

}  // namespace chi::expr
