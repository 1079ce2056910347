#pragma once
#include <functional>
#include <span>
#include <vector>

#include "expr/expr.h"
#include "expr/operation.h"

namespace chi::expr {

/// Where expressions are evaluated: the values of everything that is not an operation. Only what
/// the expressions contain is asked for. Truth values are 0 and 1.
struct Point {
  double time = 0;
  std::function<double(VarRef)> variable;
  std::function<double(DiscreteId)> discrete;  ///< NaN: it has no value
  std::function<double(FunctionId, std::span<const double>)>
      opaque;                                               ///< a black box; `parent` none
  std::function<double(ExprId delay, double tau)> delayed;  ///< of a `delay` node; NaN: none
};

struct Value {
  double value = 0;
  ExprId where;  ///< the node that has no value, or none; then `value` is NaN
  Fault fault = Fault::None;
};

/// The reference evaluator: the value of each root at `point`, by the operations of operation.h.
///
/// A fault (sqrt of a negative number, division by zero) is reported with the node where it arose,
/// and only if the root needs that node: not in the branch that is not taken, and not to the right
/// of an `and` or `or` that the left decides. Evented `if`s are evaluated like plain ones.
/// Derivatives of black boxes are central difference quotients. Function calls take an explicit
/// stack. O(nodes reached + nodes of bodies called).
std::vector<Value> evaluate(const Pool& pool, std::span<const ExprId> roots, const Point& point);
Value evaluate(const Pool& pool, ExprId root, const Point& point);

}  // namespace chi::expr
