#pragma once
#include <cmath>

namespace chi::numerics {

/// An unevaluated sum hi + lo with |lo| at most half an ulp of hi: about 106 bits.
///
/// Enough to decide the sign of a polynomial whose coefficients are doubles, except at roots that
/// coincide to 1e-14 of the interval. Basic operations after T. J. Dekker, "A floating-point
/// technique for extending the available precision", Numer. Math. 18, 1971, 224-242; relative error
/// of + and * below 2^-102. Operands must stay below 1e290, so that splitting does not overflow.
struct DoubleDouble {
  double hi = 0.0;
  double lo = 0.0;
};

/// a + b exactly; requires |a| >= |b| or a == 0.
inline DoubleDouble quick_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// a + b exactly.
inline DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

/// a * b exactly, barring underflow.
inline DoubleDouble two_product(double a, double b) {
  constexpr double kSplitter = 134217729.0;  // 2^27 + 1
  const double product = a * b;
  const double a_big = kSplitter * a, b_big = kSplitter * b;
  const double a_hi = a_big - (a_big - a), b_hi = b_big - (b_big - b);
  const double a_lo = a - a_hi, b_lo = b - b_hi;
  return {product, ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
}

inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = two_sum(a.hi, b.hi), low = two_sum(a.lo, b.lo);
  const DoubleDouble sum = quick_two_sum(high.hi, high.lo + low.hi);
  return quick_two_sum(sum.hi, sum.lo + low.lo);
}

inline DoubleDouble operator+(DoubleDouble a, double b) {
  const DoubleDouble high = two_sum(a.hi, b);
  return quick_two_sum(high.hi, high.lo + a.lo);
}

inline DoubleDouble operator*(DoubleDouble a, double b) {
  const DoubleDouble p = two_product(a.hi, b);
  return quick_two_sum(p.hi, p.lo + a.lo * b);
}

inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble p = two_product(a.hi, b.hi);
  return quick_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

inline DoubleDouble operator-(DoubleDouble a) { return {-a.hi, -a.lo}; }
inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + (-b); }

/// Requires b nonzero.
inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double q1 = a.hi / b.hi;
  const DoubleDouble r = a - b * DoubleDouble{q1, 0.0};
  const double q2 = r.hi / b.hi;
  const DoubleDouble s = r - b * DoubleDouble{q2, 0.0};
  return quick_two_sum(q1, q2) + DoubleDouble{s.hi / b.hi, 0.0};
}

/// Times a power of two: exact.
inline DoubleDouble scaled(DoubleDouble a, double power_of_two) {
  return {a.hi * power_of_two, a.lo * power_of_two};
}

inline double magnitude(DoubleDouble a) { return std::abs(a.hi); }

}  // namespace chi::numerics
