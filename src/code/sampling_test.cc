#include "code/sampling.h"

#include <cmath>

#include <gtest/gtest.h>

namespace chi::code {
namespace {

long double log_factorial(double n) { return std::lgamma(static_cast<long double>(n) + 1); }

// Against the definition in long double, which for these sizes loses at most 10 of its 64 bits more
// than we allow.
TEST(Sampling, PoissonProbabilitiesKeepTheirDigits) {
  for (const double mean : {0.5, 3.0, 17.0, 400.0, 1e5}) {
    for (double k = 0; k < 3 * mean + 20; k += 1 + std::floor(k / 7)) {
      const auto x = static_cast<long double>(k);
      const long double expected =
          x * std::log(static_cast<long double>(mean)) - mean - log_factorial(k);
      EXPECT_NEAR(log_poisson_probability(k, mean), static_cast<double>(expected),
                  1e-14 * std::abs(static_cast<double>(expected)) + 1e-12)
          << k << " " << mean;
    }
  }
}

TEST(Sampling, BinomialProbabilitiesKeepTheirDigits) {
  for (const double n : {1.0, 7.0, 20.0, 500.0, 1e5}) {
    for (const double p : {0.01, 0.25, 0.5}) {
      for (double k = 0; k <= n; k += 1 + std::floor(k / 7)) {
        const auto q = static_cast<long double>(p);
        const long double expected = log_factorial(n) - log_factorial(k) - log_factorial(n - k) +
                                     k * std::log(q) + (n - k) * std::log1p(-q);
        EXPECT_NEAR(log_binomial_probability(k, n, p), static_cast<double>(expected),
                    1e-14 * std::abs(static_cast<double>(expected)) + 1e-12)
            << k << " " << n << " " << p;
      }
    }
  }
}

}  // namespace
}  // namespace chi::code
