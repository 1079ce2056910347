#pragma once
#include <cstdint>

#include "code/run_error.h"

/// Integer arithmetic on 64 bits that notices overflow. Each returns whether the result fits; the
/// result is unspecified when it does not.
namespace chi::code {

inline bool checked_add(std::int64_t a, std::int64_t b, std::int64_t& r) {
  return !__builtin_add_overflow(a, b, &r);
}
inline bool checked_sub(std::int64_t a, std::int64_t b, std::int64_t& r) {
  return !__builtin_sub_overflow(a, b, &r);
}
inline bool checked_mul(std::int64_t a, std::int64_t b, std::int64_t& r) {
  return !__builtin_mul_overflow(a, b, &r);
}
inline bool checked_neg(std::int64_t a, std::int64_t& r) { return checked_sub(0, a, r); }
inline bool checked_abs(std::int64_t a, std::int64_t& r) {
  return a < 0 ? checked_neg(a, r) : (r = a, true);
}

/// a div b, rounded down, and a mod b = a - b * (a div b), which has the sign of b.
/// DivisionByZero, Overflow (the least integer div -1; its mod is 0 and fits).
RunError checked_div(std::int64_t a, std::int64_t b, std::int64_t& r);
RunError checked_mod(std::int64_t a, std::int64_t b, std::int64_t& r);
/// base ^ exponent by squaring; 0 ^ 0 = 1. Overflow; Domain when the exponent is negative, which
/// has no integer result.
RunError checked_pow(std::int64_t base, std::int64_t exponent, std::int64_t& r);

/// Real to integer: down, up, and to the nearest with halves away from zero (2.5 -> 3, -2.5 -> -3).
/// Domain for NaN, Overflow beyond 64 bits.
RunError floor_to_int(double x, std::int64_t& r);
RunError ceil_to_int(double x, std::int64_t& r);
RunError round_to_int(double x, std::int64_t& r);

}  // namespace chi::code
