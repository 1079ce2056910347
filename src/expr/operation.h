#pragma once
#include <cstdint>
#include <string_view>

#include "expr/op.h"

namespace chi::expr {

/// Why an operation has no value.
enum class Fault : std::uint8_t {
  None,
  DivisionByZero,   ///< x / 0, 0^-n
  SqrtOfNegative,   ///< sqrt(x), x < 0
  LnOfNonPositive,  ///< ln(x) or log(x), x <= 0
  PowerUndefined,   ///< x^y: x < 0 with y no integer, or x = 0 with y < 0
  OutsideDomain,    ///< asin, acos, acosh, atanh beyond the edge of their domain
  NotANumber,       ///< inf - inf, 0 * inf, sin(inf), ...
  NoAlternative,    ///< a guarded expression without an open guard
};
std::string_view fault_text(Fault fault);  ///< "division by zero", ...

/// A value, or a fault and then NaN. Truth values are 0 and 1.
struct Applied {
  double value = 0;
  Fault fault = Fault::None;
};

/// The meaning of every operation on doubles. Constant folding, the reference evaluator and the
/// executors all use these definitions, so that they agree bit for bit:
/// - `+ - * /` and sqrt are IEEE, rounded to nearest; nothing is contracted;
/// - the other functions are those of the C library (`round` rounds halves away from zero);
/// - zero has no sign that could be observed: atan2 turns -0 into 0 in both operands (x + 0.0);
/// - sign is -1, 0 or 1; min and max give the left operand on a tie, and NaN if any operand is;
/// - x^y is `int_power` where y is a whole number up to 64 in size, known in advance or not, and
/// the
///   C library's `pow` elsewhere;
/// - a fault is reported for what has no value, never trapped. Overflow to infinity is no fault.
Applied apply_unary(Op op, double x);               ///< requires `is_unary(op)`, not IntPower
Applied apply_binary(Op op, double x, double y);    ///< requires `is_binary` or `is_relation`
Applied apply_int_power(double x, std::int32_t n);  ///< x^n with its fault

/// x^n by repeated squaring from the highest bit of |n|: r = x; for each lower bit r = r*r, and
/// r = r*x if the bit is set. For n < 0 the result is 1 / x^|n|; x^0 = 1.
double int_power(double x, std::int32_t n);
bool is_small_whole(double y);  ///< a whole number, |y| <= 64

}  // namespace chi::expr
