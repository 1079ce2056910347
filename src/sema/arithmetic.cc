#include "sema/arithmetic.h"

#include <limits>

namespace chi::sema {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

}  // namespace

std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

std::optional<std::int64_t> checked_sub(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
  return result;
}

std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

std::optional<std::int64_t> floor_div(std::int64_t a, std::int64_t b) {
  if (b == 0 || (a == kLeast && b == -1)) return std::nullopt;
  const std::int64_t quotient = a / b;
  const bool inexact = a % b != 0;
  return inexact && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::optional<std::int64_t> floor_mod(std::int64_t a, std::int64_t b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return 0;  // also for the least integer, where a / b overflows
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::optional<std::int64_t> checked_pow(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  while (true) {
    if (exponent & 1) {
      const auto product = checked_mul(result, base);
      if (!product) return std::nullopt;
      result = *product;
    }
    exponent >>= 1;
    if (exponent == 0) return result;
    const auto square = checked_mul(base, base);
    if (!square) return std::nullopt;
    base = *square;
  }
}

std::optional<std::int64_t> to_integer(double value) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!(value >= -kLimit && value < kLimit)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

}  // namespace chi::sema
