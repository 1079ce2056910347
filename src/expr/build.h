#pragma once
#include <cstdint>
#include <span>

#include "expr/expr.h"

namespace chi::expr {

/// Constructors that simplify. Every one returns a node with the value of the operation asked for.
///
/// What they keep, for all values of the leaves:
/// - *The bits*, up to the sign of a zero, which no operation can observe (operation.h). Constants
/// are
///   folded with the operations of operation.h; nothing is reassociated, distributed or contracted.
///   `0 * x = 0` and `x - x = 0` apply where x is total (`kTotal`): they differ where x overflows.
/// - *The faults.* An operation that can fail is dropped only with the whole expression that needs
///   its value: `0 * ln(y)` and `y / y` stay. Which of several faults is met first may change.
/// - *The order of `and`, `or` and `if`*, which decides what is evaluated at all.
/// They are idempotent: rebuilding a node from its operands gives the same node.
///
/// Sharing: operands of `+ *  = /=` are ordered (IEEE addition and multiplication commute), signs
/// move outwards (`a + -b` is `a - b`, `-a * b` is `-(a * b)`), `x * x` is `x^2`, `x + x` is `2 *
/// x`. Cost: O(1) each, O(arguments) for a call.

ExprId constant(Pool& pool, double value);
ExprId boolean(Pool& pool, bool value);
ExprId variable(Pool& pool, VarId var, int order = 0);
ExprId time(Pool& pool);
ExprId discrete_real(Pool& pool, DiscreteId id);
ExprId discrete_bool(Pool& pool, DiscreteId id);
ExprId param_real(Pool& pool, int i);
ExprId param_bool(Pool& pool, int i);
ExprId no_alternative(Pool& pool);

ExprId add(Pool& pool, ExprId a, ExprId b);
ExprId sub(Pool& pool, ExprId a, ExprId b);
ExprId mul(Pool& pool, ExprId a, ExprId b);
ExprId div(Pool& pool, ExprId a, ExprId b);
ExprId neg(Pool& pool, ExprId a);
/// x^n. `n` may be any integer.
ExprId int_power(Pool& pool, ExprId x, std::int32_t n);
/// x^y; an `int_power` if y is a constant whole number up to 64 in size, with the same bits.
ExprId pow(Pool& pool, ExprId x, ExprId y);
/// Any operation with `is_unary(op)`, IntPower excepted.
ExprId unary(Pool& pool, Op op, ExprId x);
/// Any operation with `is_binary(op)` or `is_relation(op)`.
ExprId binary(Pool& pool, Op op, ExprId a, ExprId b);

ExprId negation(Pool& pool, ExprId a);
ExprId conjunction(Pool& pool, ExprId a, ExprId b);
ExprId disjunction(Pool& pool, ExprId a, ExprId b);
ExprId equivalence(Pool& pool, ExprId a, ExprId b);  ///< a = b between truth values

enum class IfKind : std::uint8_t { Evented, Plain };
/// Both branches real, or both boolean.
ExprId if_else(Pool& pool, IfKind kind, ExprId condition, ExprId then, ExprId otherwise);

ExprId call(Pool& pool, FunctionId f, std::span<const ExprId> arguments);
/// The value of x at time - tau; before the start x0, or if that is none the first value of x.
ExprId delay(Pool& pool, ExprId x, ExprId tau, ExprId x0 = {});

/// The operation of `e` on other operands, as many as it has. The heart of every rewriting pass.
ExprId rebuild(Pool& pool, ExprId e, std::span<const ExprId> operands);

bool is_zero(const Pool& pool, ExprId e);  ///< the constant 0 or -0
bool is_one(const Pool& pool, ExprId e);

}  // namespace chi::expr
