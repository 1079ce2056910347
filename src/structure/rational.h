#pragma once
#include <cstdint>
#include <numeric>

namespace chi::structure {

/// a * b and a + b; false if the result is beyond ±2^62, so that signs can be changed and greatest
/// common divisors taken without a further thought.
inline bool product(std::int64_t a, std::int64_t b, std::int64_t& result) {
  constexpr std::int64_t limit = std::int64_t{1} << 62;
  return !__builtin_mul_overflow(a, b, &result) && result <= limit && result >= -limit;
}
inline bool sum(std::int64_t a, std::int64_t b, std::int64_t& result) {
  constexpr std::int64_t limit = std::int64_t{1} << 62;
  return !__builtin_add_overflow(a, b, &result) && result <= limit && result >= -limit;
}

/// A fraction in lowest terms with a positive denominator. `ok` is false once a number outgrew 62
/// bits; what is computed from it is not ok either.
struct Rational {
  std::int64_t num = 0;
  std::int64_t den = 1;
  bool ok = true;
};

inline constexpr Rational kOutgrown{0, 1, false};

inline Rational times(const Rational& a, const Rational& b) {
  if (!a.ok || !b.ok) return kOutgrown;
  const std::int64_t g = std::gcd(a.num, b.den), h = std::gcd(b.num, a.den);
  Rational r;
  if (!product(a.num / g, b.num / h, r.num)) return kOutgrown;
  if (!product(a.den / h, b.den / g, r.den)) return kOutgrown;
  return r;
}

inline Rational plus(const Rational& a, const Rational& b) {
  if (!a.ok || !b.ok) return kOutgrown;
  const std::int64_t g = std::gcd(a.den, b.den);
  std::int64_t x = 0, y = 0, num = 0, den = 0;
  if (!product(a.num, b.den / g, x) || !product(b.num, a.den / g, y)) return kOutgrown;
  if (!sum(x, y, num) || !product(a.den, b.den / g, den)) return kOutgrown;
  const std::int64_t common = std::gcd(num, den);
  return {num / common, den / common, true};
}

/// 1 / a. Requires a /= 0.
inline Rational inverse(const Rational& a) {
  if (a.num < 0) return {-a.den, -a.num, a.ok};
  return {a.den, a.num, a.ok};
}

}  // namespace chi::structure
