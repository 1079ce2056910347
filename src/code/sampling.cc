#include "code/sampling.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace chi::code {
namespace {

constexpr double kInversionMean = 10.0;  // both rejection methods need a mean of at least 10
constexpr double kInversionEnd = 200.0;  // beyond it lies less than 2^-53 of the probability

/// log(n!) - log(sqrt(2 π n) (n / e)^n), for whole n > 0.
double stirling_error(double n) {
  if (n <= 15) {
    double factorial = 1;
    for (double i = 2; i <= n; ++i) factorial *= i;
    return std::log(factorial) - (n + 0.5) * std::log(n) + n - 0.5 * std::log(2 * std::numbers::pi);
  }
  const double s = 1 / (n * n);
  return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - s / 1188) * s) * s) * s) / n;
}

/// x log(x / m) + m - x without cancellation.
double deviance(double x, double m) {
  if (std::abs(x - m) >= 0.1 * (x + m)) return x * std::log(x / m) + m - x;
  const double v = (x - m) / (x + m);
  double sum = (x - m) * v;
  double term = 2 * x * v;
  for (int j = 1;; ++j) {
    term *= v * v;
    const double next = sum + term / (2 * j + 1);
    if (next == sum) return sum;
    sum = next;
  }
}

/// Smallest k whose cumulative probability exceeds a uniform number: `probability` is that of 0,
/// `ratio(k)` that of k over that of k - 1.
template <class Ratio>
double invert(SampleWords& words, double probability, Ratio ratio) {
  while (true) {
    double left = words.uniform01();
    double p = probability;
    for (double k = 0; k < kInversionEnd; ++k, p *= ratio(k)) {
      if (left < p) return k;
      left -= p;
    }
  }
}

/// PTRS of [3], with its letters.
double poisson_by_rejection(SampleWords& words, double mean) {
  const double b = 0.931 + 2.53 * std::sqrt(mean);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double vr = 0.9277 - 3.6224 / (b - 2);
  while (true) {
    const double u = words.uniform01() - 0.5;
    const double v = words.positive01();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= vr) return k;
    if (!(k >= 0) || std::isinf(k) || (us < 0.013 && v > us)) continue;
    if (std::log(v * inverse_alpha / (a / (us * us) + b)) <= log_poisson_probability(k, mean))
      return k;
  }
}

/// BTRS of [4], with its letters. Requires p <= 1/2.
double binomial_by_rejection(SampleWords& words, double n, double p) {
  const double spq = std::sqrt(n * p * (1 - p));
  const double b = 1.15 + 2.53 * spq;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double c = n * p + 0.5;
  const double alpha = (2.83 + 5.1 / b) * spq;
  const double vr = 0.92 - 4.2 / b;
  const double log_mode = log_binomial_probability(std::floor((n + 1) * p), n, p);
  while (true) {
    const double u = words.uniform01() - 0.5;
    const double v = words.positive01();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + c);
    if (!(k >= 0 && k <= n)) continue;
    if (us >= 0.07 && v <= vr) return k;
    if (std::log(v * alpha / (a / (us * us) + b)) <= log_binomial_probability(k, n, p) - log_mode)
      return k;
  }
}

/// log of a gamma variate: shapes near 0 give numbers far below the least double.
double log_gamma_variate(SampleWords& words, double shape) {
  if (shape >= 1) return std::log(sample_gamma(words, shape));
  const double boosted = std::log(sample_gamma(words, shape + 1));
  return boosted + std::log(words.positive01()) / shape;
}

}  // namespace

double log_poisson_probability(double k, double mean) {
  if (k == 0) return -mean;
  return -stirling_error(k) - deviance(k, mean) - 0.5 * std::log(2 * std::numbers::pi * k);
}

double log_binomial_probability(double k, double n, double p) {
  if (k == 0) return n * std::log1p(-p);
  if (k == n) return n * std::log(p);
  return stirling_error(n) - stirling_error(k) - stirling_error(n - k) - deviance(k, n * p) -
         deviance(n - k, n * (1 - p)) - 0.5 * std::log(2 * std::numbers::pi * k * ((n - k) / n));
}

double sample_standard_normal(SampleWords& words) {
  const double radius = std::sqrt(-2 * std::log(words.positive01()));
  return radius * std::cos(2 * std::numbers::pi * words.uniform01());
}

double sample_gamma(SampleWords& words, double shape) {
  if (shape < 1) return std::exp(log_gamma_variate(words, shape));
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = sample_standard_normal(words);
    const double u = words.positive01();
    double v = 1 + c * x;
    if (v <= 0) continue;
    v = v * v * v;
    if (u < 1 - 0.0331 * (x * x) * (x * x)) return d * v;
    if (std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v))) return d * v;
  }
}

double sample_beta(SampleWords& words, double p, double q) {
  if (p >= 1 && q >= 1) {
    const double a = sample_gamma(words, p);
    return a / (a + sample_gamma(words, q));
  }
  const double a = log_gamma_variate(words, p);
  const double b = log_gamma_variate(words, q);
  return 1 / (1 + std::exp(b - a));
}

double sample_erlang(SampleWords& words, std::int64_t k) {
  constexpr std::int64_t kProduct = 16;  // 2^(-53 * 16) is still a normal number
  if (k > kProduct) return sample_gamma(words, static_cast<double>(k));
  double product = 1;
  for (std::int64_t i = 0; i < k; ++i) product *= words.positive01();
  return -std::log(product);
}

double sample_poisson(SampleWords& words, double mean) {
  if (mean >= kInversionMean) return poisson_by_rejection(words, mean);
  return invert(words, std::exp(-mean), [&](double k) { return mean / k; });
}

double sample_binomial(SampleWords& words, double n, double p) {
  if (n * p >= kInversionMean) return binomial_by_rejection(words, n, p);
  const double odds = p / (1 - p);
  return invert(words, std::exp(n * std::log1p(-p)),
                [&](double k) { return odds * (n - k + 1) / k; });
}

}  // namespace chi::code
