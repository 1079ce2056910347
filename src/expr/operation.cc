#include "expr/operation.h"

#include <bit>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace chi::expr {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Applied fail(Fault fault) { return {kNan, fault}; }

double evaluate_unary(Op op, double x) {
  switch (op) {
    case Op::Neg: return -x;
    case Op::Abs: return std::fabs(x);
    case Op::Sign: return x > 0 ? 1.0 : x < 0 ? -1.0 : x == 0 ? 0.0 : x;
    case Op::Floor: return std::floor(x);
    case Op::Ceil: return std::ceil(x);
    case Op::Round: return std::round(x);
#define CHI_ELEMENTARY(name, text, value, ...) \
  case Op::name:                               \
    return value;
#include "expr/elementary.def"
#undef CHI_ELEMENTARY
    default: break;
  }
  CHI_CHECK(false, "not an operation on one number");
  return kNan;
}

Fault unary_fault(Op op, double x) {
  const Domain domain = domain_of(op);
  if (contains(domain, x)) return Fault::None;
  switch (domain) {
    case Domain::NotNegative: return Fault::SqrtOfNegative;
    case Domain::Positive: return Fault::LnOfNonPositive;
    default: return Fault::OutsideDomain;
  }
}

double power(double x, double y) {
  return is_small_whole(y) ? int_power(x, static_cast<std::int32_t>(y)) : std::pow(x, y);
}

double evaluate_binary(Op op, double x, double y) {
  switch (op) {
    case Op::Add: return x + y;
    case Op::Sub: return x - y;
    case Op::Mul: return x * y;
    case Op::Div: return x / y;
    case Op::Pow: return power(x, y);
    case Op::Min: return x <= y || x != x ? x : y;
    case Op::Max: return x >= y || x != x ? x : y;
    case Op::Atan2: return std::atan2(x + 0.0, y + 0.0);
    case Op::Less: return x < y;
    case Op::LessEqual: return x <= y;
    case Op::Greater: return x > y;
    case Op::GreaterEqual: return x >= y;
    case Op::Equal: return x == y;
    case Op::NotEqual: return x != y;
    default: break;
  }
  CHI_CHECK(false, "not an operation on two numbers");
  return kNan;
}

Fault binary_fault(Op op, double x, double y) {
  if (op == Op::Div && y == 0) return Fault::DivisionByZero;
  if (op != Op::Pow) return Fault::None;
  if (x == 0 && y < 0) return Fault::PowerUndefined;
  return x < 0 && std::isfinite(x) && std::isfinite(y) && y != std::floor(y) ? Fault::PowerUndefined
                                                                             : Fault::None;
}

// A NaN out of numbers is a fault; a NaN that came in has been reported where it arose.
Applied checked(double value, bool operands_are_numbers) {
  return {value, value != value && operands_are_numbers ? Fault::NotANumber : Fault::None};
}

}  // namespace

bool is_small_whole(double y) { return y == std::floor(y) && std::fabs(y) <= 64; }

std::string_view fault_text(Fault fault) {
  switch (fault) {
    case Fault::None: return "no fault";
    case Fault::DivisionByZero: return "division by zero";
    case Fault::SqrtOfNegative: return "square root of a negative number";
    case Fault::LnOfNonPositive: return "logarithm of a number that is not positive";
    case Fault::PowerUndefined: return "power without a real value";
    case Fault::OutsideDomain: return "argument outside the domain of the function";
    case Fault::NotANumber: return "result is not a number";
    case Fault::NoAlternative: return "no guard is open, or an index is out of range";
  }
  return "";
}

Applied apply_unary(Op op, double x) {
  if (const Fault fault = unary_fault(op, x); fault != Fault::None) return fail(fault);
  return checked(evaluate_unary(op, x), x == x);
}

Applied apply_binary(Op op, double x, double y) {
  if (const Fault fault = binary_fault(op, x, y); fault != Fault::None) return fail(fault);
  return checked(evaluate_binary(op, x, y), x == x && y == y);
}

Applied apply_int_power(double x, std::int32_t n) {
  if (n < 0 && x == 0) return fail(Fault::DivisionByZero);
  return checked(int_power(x, n), x == x);
}

double int_power(double x, std::int32_t n) {
  if (n == 0) return 1;
  const std::uint32_t bits =
      n < 0 ? 0u - static_cast<std::uint32_t>(n) : static_cast<std::uint32_t>(n);
  double r = x;
  for (int bit = static_cast<int>(std::bit_width(bits)) - 2; bit >= 0; --bit) {
    r = r * r;
    if ((bits >> bit & 1u) != 0) r = r * x;
  }
  return n < 0 ? 1 / r : r;
}

}  // namespace chi::expr
