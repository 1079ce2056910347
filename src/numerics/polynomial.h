#pragma once
#include <array>
#include <span>

#include "numerics/double_double.h"

namespace chi::numerics {

inline constexpr int kMaxDegree = 15;

/// c0 + c1 x + ... + cn x^n, n <= kMaxDegree. No allocation; trivially copyable.
///
/// On one integration step x is θ = (t - t0) / h in [0, 1]; dense outputs have degree 7 or less.
struct Polynomial {
  int degree = 0;
  std::array<double, kMaxDegree + 1> coefficients = {};

  std::span<const double> terms() const {
    return {coefficients.data(), static_cast<std::size_t>(degree) + 1};
  }
};

/// Requires 1 <= terms.size() <= kMaxDegree + 1. Zero leading coefficients are dropped.
Polynomial make_polynomial(std::span<const double> terms);

/// Horner's rule in double arithmetic.
double evaluate(const Polynomial& p, double x);

/// Horner's rule in double-double arithmetic, rounded once: error below
/// u |p(x)| + 2^-98 Σ|ci x^i|. Requires |x| <= 2 and coefficients below 1e280.
double evaluate_accurately(const Polynomial& p, double x);

/// p'(x) as accurately, free of the rounding of the coefficients of `derivative`.
double evaluate_derivative_accurately(const Polynomial& p, double x);

/// -1, 0 or +1. Certain unless |p(x)| < 2^-95 Σ|ci|, where it says 0. Usually costs one Horner
/// evaluation with a running error bound; double-double only when that bound covers zero.
int sign_at(const Polynomial& p, double x);

/// The sign of p just right of x: that of the first derivative that does not vanish there.
int sign_after(const Polynomial& p, double x);

Polynomial derivative(const Polynomial& p);

/// A polynomial on [0, 1] by its Bernstein coefficients b_j in double-double, p(x) =
/// Σ b_j C(n,j) x^j (1-x)^(n-j). Its graph lies in the convex hull of the points (j/n, b_j), and it
/// has at most as many roots in (0, 1) as the b_j have sign changes, and as many modulo two
/// (G. Farin, "Curves and Surfaces for CAGD", ch. 5).
struct BernsteinForm {
  int degree = 0;
  std::array<DoubleDouble, kMaxDegree + 1> coefficients = {};
};

/// Bernstein form of a positive multiple of p: the integer lcm of the C(n,i), so that the
/// conversion multiplies by integers only and is exact up to 2^-98 lcm Σ|ci|.
BernsteinForm to_bernstein(const Polynomial& p);

/// Row j, column i: C(j,i) / C(n,i), the part of the power coefficient c_i in b_j, in double.
using BernsteinWeights = std::array<std::array<double, kMaxDegree + 1>, kMaxDegree + 1>;
const BernsteinWeights& bernstein_weights(int degree);

/// The multiple that `to_bernstein` uses.
double bernstein_multiple(int degree);

/// Both halves of p on [0, 1], each again on [0, 1], by de Casteljau's averages: backward stable.
void split_in_half(const BernsteinForm& p, BernsteinForm& left, BernsteinForm& right);

/// The same at s in (0, 1) instead of 1/2.
void split_at(const BernsteinForm& p, DoubleDouble s, BernsteinForm& left, BernsteinForm& right);

/// p(from + (to - from) x), again on [0, 1]. Requires 0 <= from < to <= 1.
BernsteinForm restricted(const BernsteinForm& p, double from, double to);

BernsteinForm derivative(const BernsteinForm& p);  ///< degree 0 gives the zero polynomial

/// p(x) by de Casteljau's rule in double arithmetic. Requires 0 <= x <= 1.
double evaluate(const BernsteinForm& p, double x);

/// Changes of sign in the coefficients, those within ±`noise` left out.
int sign_variations(const BernsteinForm& p, double noise);

}  // namespace chi::numerics
