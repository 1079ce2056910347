#include "numerics/polynomial.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "base/check.h"

namespace chi::numerics {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

using BinomialTable = BernsteinWeights;

constexpr BinomialTable make_binomials() {
  BinomialTable table = {};
  for (std::size_t n = 0; n <= kMaxDegree; ++n) {
    table[n][0] = 1.0;
    for (std::size_t k = 1; k <= n; ++k) table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
  }
  return table;
}

constexpr BinomialTable kBinomial = make_binomials();

constexpr std::array<BernsteinWeights, kMaxDegree + 1> make_weights() {
  std::array<BernsteinWeights, kMaxDegree + 1> tables = {};
  for (std::size_t n = 0; n <= kMaxDegree; ++n) {
    for (std::size_t j = 0; j <= n; ++j) {
      for (std::size_t i = 0; i <= j; ++i) tables[n][j][i] = kBinomial[j][i] / kBinomial[n][i];
    }
  }
  return tables;
}

constexpr std::array<BernsteinWeights, kMaxDegree + 1> kWeights = make_weights();

// lcm of C(n,0..n) is lcm(1..n+1) / (n+1).
constexpr std::array<double, kMaxDegree + 1> kMultiple = {
    1, 1, 2, 3, 12, 10, 60, 105, 280, 252, 2520, 2310, 27720, 25740, 24024, 45045};

DoubleDouble horner(const Polynomial& p, double x) {
  DoubleDouble sum = {p.coefficients[at(p.degree)], 0.0};
  for (int i = p.degree - 1; i >= 0; --i) {
    sum = sum * x + p.coefficients[at(i)];
  }
  return sum;
}

}  // namespace

Polynomial make_polynomial(std::span<const double> terms) {
  CHI_CHECK(!terms.empty() && terms.size() <= kMaxDegree + 1, "degree out of range");
  Polynomial p;
  std::copy(terms.begin(), terms.end(), p.coefficients.begin());
  p.degree = static_cast<int>(terms.size()) - 1;
  while (p.degree > 0 && p.coefficients[at(p.degree)] == 0.0) --p.degree;
  return p;
}

double evaluate(const Polynomial& p, double x) {
  double sum = p.coefficients[at(p.degree)];
  for (int i = p.degree - 1; i >= 0; --i) sum = sum * x + p.coefficients[at(i)];
  return sum;
}

double evaluate_accurately(const Polynomial& p, double x) { return horner(p, x).hi; }

double evaluate_derivative_accurately(const Polynomial& p, double x) {
  DoubleDouble sum;
  for (int i = p.degree; i >= 1; --i) {
    sum = sum * x + two_product(i, p.coefficients[at(i)]);
  }
  return sum.hi;
}

int sign_at(const Polynomial& p, double x) {
  double sum = p.coefficients[at(p.degree)];
  double bound = 0.0;  // running error bound: Higham, Accuracy and Stability, §5.1
  for (int i = p.degree - 1; i >= 0; --i) {
    sum = sum * x + p.coefficients[at(i)];
    bound = bound * std::abs(x) + 2 * std::abs(sum) + std::abs(p.coefficients[at(i)]);
  }
  if (std::abs(sum) > 2 * kUnit * bound) return sum > 0 ? 1 : -1;
  double size = 0.0;
  for (const double c : p.terms()) size += std::abs(c);
  const double accurate = evaluate_accurately(p, x);
  if (std::abs(accurate) <= std::ldexp(size, -95)) return 0;
  return accurate > 0 ? 1 : -1;
}

int sign_after(const Polynomial& p, double x) {
  Polynomial q = p;
  int sign = sign_at(q, x);
  while (sign == 0 && q.degree > 0) {
    q = derivative(q);
    sign = sign_at(q, x);
  }
  return sign;
}

Polynomial derivative(const Polynomial& p) {
  Polynomial d;
  d.degree = std::max(0, p.degree - 1);
  for (int i = 1; i <= p.degree; ++i) d.coefficients[at(i - 1)] = i * p.coefficients[at(i)];
  return d;
}

const BernsteinWeights& bernstein_weights(int degree) { return kWeights[at(degree)]; }

double bernstein_multiple(int degree) { return kMultiple[at(degree)]; }

BernsteinForm to_bernstein(const Polynomial& p) {
  const int n = p.degree;
  BernsteinForm b;
  b.degree = n;
  for (int j = 0; j <= n; ++j) {
    DoubleDouble sum;
    for (int i = 0; i <= j; ++i) {
      const double factor = kMultiple[at(n)] / kBinomial[at(n)][at(i)] * kBinomial[at(j)][at(i)];
      sum = sum + two_product(factor, p.coefficients[at(i)]);
    }
    b.coefficients[at(j)] = sum;
  }
  return b;
}

void split_in_half(const BernsteinForm& p, BernsteinForm& left, BernsteinForm& right) {
  const int n = p.degree;
  left.degree = right.degree = n;
  right.coefficients = p.coefficients;
  left.coefficients[0] = p.coefficients[0];
  for (int round = 1; round <= n; ++round) {
    for (int j = 0; j <= n - round; ++j) {
      right.coefficients[at(j)] =
          scaled(right.coefficients[at(j)] + right.coefficients[at(j + 1)], 0.5);
    }
    left.coefficients[at(round)] = right.coefficients[0];
  }
}

void split_at(const BernsteinForm& p, DoubleDouble s, BernsteinForm& left, BernsteinForm& right) {
  const int n = p.degree;
  left.degree = right.degree = n;
  right.coefficients = p.coefficients;
  left.coefficients[0] = p.coefficients[0];
  for (int round = 1; round <= n; ++round) {
    for (int j = 0; j <= n - round; ++j) {
      const DoubleDouble b = right.coefficients[at(j)];
      right.coefficients[at(j)] = b + s * (right.coefficients[at(j + 1)] - b);
    }
    left.coefficients[at(round)] = right.coefficients[0];
  }
}

BernsteinForm restricted(const BernsteinForm& p, double from, double to) {
  BernsteinForm part = p, left, right;
  if (to < 1.0) {
    split_at(part, {to, 0.0}, left, right);
    part = left;
  }
  if (from > 0.0) {
    split_at(part, DoubleDouble{from, 0.0} / DoubleDouble{to, 0.0}, left, right);
    part = right;
  }
  return part;
}

BernsteinForm derivative(const BernsteinForm& p) {
  BernsteinForm d;
  d.degree = std::max(0, p.degree - 1);
  for (int j = 0; j < p.degree; ++j) {
    d.coefficients[at(j)] = DoubleDouble{static_cast<double>(p.degree), 0.0} *
                            (p.coefficients[at(j + 1)] - p.coefficients[at(j)]);
  }
  return d;
}

double evaluate(const BernsteinForm& p, double x) {
  std::array<double, kMaxDegree + 1> b = {};
  for (int j = 0; j <= p.degree; ++j) b[at(j)] = p.coefficients[at(j)].hi;
  for (int round = 1; round <= p.degree; ++round) {
    for (int j = 0; j <= p.degree - round; ++j) b[at(j)] += x * (b[at(j + 1)] - b[at(j)]);
  }
  return b[0];
}

int sign_variations(const BernsteinForm& p, double noise) {
  int variations = 0;
  int last = 0;
  for (int j = 0; j <= p.degree; ++j) {
    const double b = p.coefficients[at(j)].hi;
    if (std::abs(b) <= noise) continue;
    const int sign = b > 0 ? 1 : -1;
    if (last != 0 && sign != last) ++variations;
    last = sign;
  }
  return variations;
}

}  // namespace chi::numerics
