#include "code/checked.h"

#include <cmath>

namespace chi::code {

RunError checked_div(std::int64_t a, std::int64_t b, std::int64_t& r) {
  if (b == 0) return RunError::DivisionByZero;
  if (b == -1) return checked_neg(a, r) ? RunError::None : RunError::Overflow;
  r = a / b;
  if (a % b != 0 && (a < 0) != (b < 0)) --r;
  return RunError::None;
}

RunError checked_mod(std::int64_t a, std::int64_t b, std::int64_t& r) {
  if (b == 0) return RunError::DivisionByZero;
  r = b == -1 ? 0 : a % b;
  if (r != 0 && (r < 0) != (b < 0)) r += b;
  return RunError::None;
}

RunError checked_pow(std::int64_t base, std::int64_t exponent, std::int64_t& r) {
  if (exponent < 0) return RunError::Domain;
  r = 1;
  while (true) {
    if ((exponent & 1) != 0 && !checked_mul(r, base, r)) return RunError::Overflow;
    exponent >>= 1;
    if (exponent == 0) return RunError::None;
    if (!checked_mul(base, base, base)) return RunError::Overflow;
  }
}

namespace {

RunError whole_to_int(double whole, std::int64_t& r) {
  if (std::isnan(whole)) return RunError::Domain;
  if (!(whole >= -0x1p63 && whole < 0x1p63)) return RunError::Overflow;
  r = static_cast<std::int64_t>(whole);
  return RunError::None;
}

}  // namespace

RunError floor_to_int(double x, std::int64_t& r) { return whole_to_int(std::floor(x), r); }
RunError ceil_to_int(double x, std::int64_t& r) { return whole_to_int(std::ceil(x), r); }
RunError round_to_int(double x, std::int64_t& r) { return whole_to_int(std::round(x), r); }

}  // namespace chi::code
