#pragma once
#include <cstdint>
#include <string_view>

#include "expr/elementary.h"

namespace chi::expr {

/// What a node does. The order matters: the groups below are ranges, see the predicates.
enum class Op : std::uint8_t {
  // Leaves.
  Constant,       ///< a real number, by bit pattern (integers are reals here)
  Boolean,        ///< true or false
  Variable,       ///< x, x', x'', ...: a variable and its order of derivation
  Time,           ///< the model time
  DiscreteReal,   ///< an opaque number that changes at events only
  DiscreteBool,   ///< an opaque truth value that changes at events only
  ParamReal,      ///< the i-th parameter, inside a function body
  ParamBool,      ///< the same, boolean
  NoAlternative,  ///< value of a guarded expression when no guard is open: always a fault
  // One real operand, real result.
  Neg,
  Abs,
  Sign,
  Floor,
  Ceil,
  Round,
#define CHI_ELEMENTARY(name, ...) name,
#include "expr/elementary.def"
#undef CHI_ELEMENTARY
  IntPower,  ///< x^n, n a fixed integer, by the multiplications of `int_power`
  // Two real operands, real result.
  Add,
  Sub,
  Mul,
  Div,
  Pow,
  Min,
  Max,
  Atan2,
  // Two real operands, boolean result.
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  // Boolean operands. `And` and `Or` are short-circuit: the right operand may be undefined.
  Not,
  And,
  Or,
  // The rest.
  If,       ///< condition, then, else; the condition is part of the mode and makes events
  PlainIf,  ///< the same, evaluated plainly: no events
  Call,     ///< a function and its arguments
  Delay,    ///< x, tau and perhaps x0: the value of x at time - tau, x0 before the start
};
inline constexpr int kOpCount = static_cast<int>(Op::Delay) + 1;

constexpr bool is_leaf(Op op) { return op <= Op::NoAlternative; }
constexpr bool is_unary(Op op) { return op >= Op::Neg && op <= Op::IntPower; }
/// Those of them that are a function of their operand alone: all but IntPower.
inline constexpr int kUnaryCount = static_cast<int>(Op::IntPower) - static_cast<int>(Op::Neg);
/// A line of expr/elementary.def.
constexpr bool is_elementary(Op op) { return op > Op::Round && op < Op::IntPower; }
constexpr bool is_binary(Op op) { return op >= Op::Add && op <= Op::Atan2; }
constexpr bool is_relation(Op op) { return op >= Op::Less && op <= Op::NotEqual; }
constexpr bool is_if(Op op) { return op == Op::If || op == Op::PlainIf; }

/// How χ writes it: `sin`, `+`, `<=`, `and`, `if`. Leaves have a word for dumps, as `time`.
std::string_view op_name(Op op);

/// Where an elementary function has a value; of other operations: everywhere.
Domain domain_of(Op op);

}  // namespace chi::expr
