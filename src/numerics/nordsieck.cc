#include "numerics/nordsieck.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace chi::numerics {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

double root_mean(double sum, std::size_t n) {
  if (!std::isfinite(sum)) return std::numeric_limits<double>::infinity();
  return n == 0 ? 0 : std::sqrt(sum / static_cast<double>(n));
}

// Four sums side by side: one would wait for itself at each addition.
template <class Term>
double sum_of_squares(std::size_t n, const Term& term) {
  double a = 0, b = 0, c = 0, d = 0;
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const double p = term(i), q = term(i + 1), r = term(i + 2), s = term(i + 3);
    a += p * p, b += q * q, c += r * r, d += s * s;
  }
  for (; i < n; ++i) a += term(i) * term(i);
  return (a + b) + (c + d);
}

// All of one component in registers: rescaled by the powers of `ratio`, moved on by Pascal's
// triangle, corrected. kOrder is known to the compiler, which unrolls the triangle.
template <int kOrder>
void advance_rows(double* __restrict rows, std::size_t n, double ratio, const double* l,
                  const double* __restrict correction) {
  std::array<double, kOrder + 1> scale{};
  scale[0] = 1;
  for (int j = 1; j <= kOrder; ++j) scale[at(j)] = scale[at(j) - 1] * ratio;
  for (std::size_t i = 0; i < n; ++i) {
    std::array<double, kOrder + 1> z{};
    for (int j = 0; j <= kOrder; ++j) z[at(j)] = scale[at(j)] * rows[at(j) * n + i];
    for (int k = 1; k <= kOrder; ++k) {
      for (int j = kOrder; j >= k; --j) z[at(j) - 1] += z[at(j)];
    }
    for (int j = 0; j <= kOrder; ++j) rows[at(j) * n + i] = z[at(j)] + l[j] * correction[i];
  }
}

template <int kOrder>
void predict_rows(const double* __restrict rows, std::size_t n, double ratio, double l1,
                  double* __restrict y, double* __restrict slope) {
  std::array<double, kOrder + 1> value{}, first{};
  value[0] = 1;
  for (int j = 1; j <= kOrder; ++j) {
    value[at(j)] = value[at(j) - 1] * ratio;
    first[at(j)] = j * value[at(j)] / l1;
  }
  for (std::size_t i = 0; i < n; ++i) {
    double v = 0, s = 0;
    for (int j = kOrder; j >= 1; --j) {
      const double z = rows[at(j) * n + i];
      v += value[at(j)] * z;
      s += first[at(j)] * z;
    }
    y[i] = v + rows[i];
    slope[i] = s;
  }
}

}  // namespace

BdfCoefficients::BdfCoefficients(int q, double h, std::span<const double> tau) {
  l[0] = l[1] = 1;
  double xi_inverse = 1, xi_star_inverse = 1;
  double alpha0 = -1, alpha0_hat = -1;
  double distance = h;
  if (q > 1) {
    for (int j = 2; j < q; ++j) {
      distance += tau[at(j) - 1];
      xi_inverse = h / distance;
      alpha0 -= 1.0 / j;
      for (int i = j; i >= 1; --i) l[at(i)] += l[at(i) - 1] * xi_inverse;
    }
    alpha0 -= 1.0 / q;
    xi_star_inverse = -l[1] - alpha0;
    distance += tau[at(q) - 1];
    xi_inverse = h / distance;
    alpha0_hat = -l[1] - xi_inverse;
    for (int i = q; i >= 1; --i) l[at(i)] += l[at(i) - 1] * xi_star_inverse;
  }
  const double a1 = 1 - alpha0_hat + alpha0;
  const double a2 = 1 + q * a1;
  error = std::abs(a1 / (alpha0 * a2));
  quotient = std::abs(a2 * xi_star_inverse / (l[at(q)] * xi_inverse));
  lower = 1;
  if (q > 1) {
    const double a3 = alpha0 + 1.0 / q;
    const double a4 = alpha0_hat + xi_inverse;
    lower = std::abs(xi_star_inverse / l[at(q)] * ((1 - a4 + a3) / a3));
  }
  distance += tau[at(q)];
  xi_inverse = h / distance;
  const double a5 = alpha0 - 1.0 / (q + 1);
  const double a6 = alpha0_hat - xi_inverse;
  higher = std::abs((1 - a6 + a5) / a2 / (xi_inverse * (q + 2) * a5));
}

Nordsieck::Nordsieck(int size)
    : size_(at(size)), rows_(at(BdfCoefficients::kMaxOrder + 1) * size_) {}

std::span<const double> Nordsieck::row(int j) const {
  return {rows_.data() + at(j) * size_, size_};
}
std::span<double> Nordsieck::writable(int j) { return {rows_.data() + at(j) * size_, size_}; }

void Nordsieck::start(std::span<const double> y, std::span<const double> yp, double h) {
  order_ = 1;
  step_ = h;
  std::copy(y.begin(), y.end(), writable(0).begin());
  for (std::size_t i = 0; i < size_; ++i) writable(1)[i] = h * yp[i];
}

void Nordsieck::predict(double h, double l1, std::span<double> y, std::span<double> slope) const {
  const double ratio = h / step_;
  switch (order_) {
    case 1: return predict_rows<1>(rows_.data(), size_, ratio, l1, y.data(), slope.data());
    case 2: return predict_rows<2>(rows_.data(), size_, ratio, l1, y.data(), slope.data());
    case 3: return predict_rows<3>(rows_.data(), size_, ratio, l1, y.data(), slope.data());
    case 4: return predict_rows<4>(rows_.data(), size_, ratio, l1, y.data(), slope.data());
    default: return predict_rows<5>(rows_.data(), size_, ratio, l1, y.data(), slope.data());
  }
}

void Nordsieck::advance(double h, const BdfCoefficients& c, std::span<const double> correction) {
  const double ratio = h / step_;
  step_ = h;
  const double* l = c.l.data();
  switch (order_) {
    case 1: return advance_rows<1>(rows_.data(), size_, ratio, l, correction.data());
    case 2: return advance_rows<2>(rows_.data(), size_, ratio, l, correction.data());
    case 3: return advance_rows<3>(rows_.data(), size_, ratio, l, correction.data());
    case 4: return advance_rows<4>(rows_.data(), size_, ratio, l, correction.data());
    default: return advance_rows<5>(rows_.data(), size_, ratio, l, correction.data());
  }
}

// The new row is what the correction says of y^(q+1); the others are changed so that the polynomial
// goes through the same past.
void Nordsieck::raise_order(std::span<const double> tau, std::span<const double> correction) {
  CHI_CHECK(order_ < BdfCoefficients::kMaxOrder, "no higher order");
  std::array<double, BdfCoefficients::kMaxOrder + 2> l{};
  l[2] = 1;
  double alpha0 = -1, alpha1 = 1, product = 1, xi_old = 1, distance = step_;
  for (int j = 1; j < order_; ++j) {
    distance += tau[at(j) + 1];
    const double xi = distance / step_;
    product *= xi;
    alpha0 -= 1.0 / (j + 1);
    alpha1 += 1 / xi;
    for (int i = j + 2; i >= 2; --i) l[at(i)] = l[at(i)] * xi_old + l[at(i) - 1];
    xi_old = xi;
  }
  const double factor = (-alpha0 - alpha1) / product;
  const std::span<double> top = writable(order_ + 1);
  for (std::size_t i = 0; i < size_; ++i) top[i] = factor * correction[i];
  for (int j = 2; j <= order_; ++j) {
    const std::span<double> z = writable(j);
    for (std::size_t i = 0; i < size_; ++i) z[i] += l[at(j)] * top[i];
  }
  ++order_;
}

void Nordsieck::lower_order(std::span<const double> tau) {
  CHI_CHECK(order_ > 1, "no lower order");
  std::array<double, BdfCoefficients::kMaxOrder + 2> l{};
  l[2] = 1;
  double distance = 0;
  for (int j = 1; j <= order_ - 2; ++j) {
    distance += tau[at(j)];
    const double xi = distance / step_;
    for (int i = j + 2; i >= 2; --i) l[at(i)] = l[at(i)] * xi + l[at(i) - 1];
  }
  const std::span<const double> top = row(order_);
  for (int j = 2; j < order_; ++j) {
    const std::span<double> z = writable(j);
    for (std::size_t i = 0; i < size_; ++i) z[i] -= l[at(j)] * top[i];
  }
  --order_;
}

double weighted_norm(std::span<const double> v, std::span<const double> w) {
  return root_mean(sum_of_squares(v.size(), [&](std::size_t i) { return v[i] * w[i]; }), v.size());
}

double weighted_norm(std::span<const double> v, double factor, std::span<const double> u,
                     std::span<const double> w) {
  return root_mean(
      sum_of_squares(v.size(), [&](std::size_t i) { return (v[i] - factor * u[i]) * w[i]; }),
      v.size());
}

void bdf_residual(double gamma, std::span<const double> f, std::span<const double> slope,
                  std::span<const double> correction, std::span<double> r) {
  const double *p = f.data(), *s = slope.data(), *c = correction.data();
  double* __restrict out = r.data();
  for (std::size_t i = 0; i < r.size(); ++i) out[i] = gamma * p[i] - s[i] - c[i];
}

double bdf_correct(double factor, std::span<const double> r, std::span<const double> w,
                   std::span<double> correction, std::span<double> y) {
  double* __restrict c = correction.data();
  double* __restrict to = y.data();
  const auto take = [&](std::size_t i) {
    const double d = factor * r[i];
    c[i] += d;
    to[i] += d;
    return d * w[i];
  };
  double a = 0, b = 0;
  std::size_t i = 0;
  for (; i + 2 <= r.size(); i += 2) {
    const double p = take(i), q = take(i + 1);
    a += p * p;
    b += q * q;
  }
  if (i < r.size()) {
    const double p = take(i);
    a += p * p;
  }
  return root_mean(a + b, r.size());
}

}  // namespace chi::numerics
