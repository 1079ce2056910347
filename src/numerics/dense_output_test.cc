#include "numerics/dense_output.h"

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace chi::numerics {
namespace {

// Two components on [2, 4]: 1 + 2θ + 3θ², and θ³ - θ.
DenseOutput sample() {
  DenseOutput d;
  d.reset(2, 3, 2, 4);
  const std::vector<std::array<double, 2>> c{{1, 0}, {2, -1}, {3, 0}, {0, 1}};
  for (int k = 0; k < 4; ++k) {
    for (std::size_t i = 0; i < 2; ++i) d.power(k)[i] = c[static_cast<std::size_t>(k)][i];
  }
  return d;
}

TEST(DenseOutput, EvaluatesValuesAndDerivatives) {
  const DenseOutput d = sample();
  EXPECT_DOUBLE_EQ(d.value(2, 0), 1);
  EXPECT_DOUBLE_EQ(d.value(3, 0), 1 + 1 + 0.75);
  EXPECT_DOUBLE_EQ(d.value(4, 0), 6);
  EXPECT_DOUBLE_EQ(d.derivative(3, 0), (2 + 3) / 2.0);
  EXPECT_DOUBLE_EQ(d.derivative(4, 1), (3 - 1) / 2.0);
  std::array<double, 2> y{}, yp{};
  d.values(3.5, y);
  d.derivatives(3.5, yp);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(y[static_cast<std::size_t>(i)], d.value(3.5, i));
    EXPECT_EQ(yp[static_cast<std::size_t>(i)], d.derivative(3.5, i));
  }
}

TEST(DenseOutput, CoefficientsAreThoseOfThePolynomial) {
  const DenseOutput d = sample();
  std::array<double, 4> c{};
  d.coefficients(1, c);
  for (double t : {2.0, 2.3, 3.9}) {
    EXPECT_DOUBLE_EQ(evaluate_polynomial(c, d.theta(t)), d.value(t, 1));
  }
}

// Σ b_j C(n,j) θ^j (1-θ)^(n-j) is the same function; b_0 and b_n are its end values.
TEST(DenseOutput, BernsteinFormIsTheSamePolynomial) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> coefficient(-1, 1);
  for (std::size_t n = 0; n <= 8; ++n) {
    std::vector<double> c(n + 1);
    for (double& v : c) v = coefficient(random);
    std::vector<double> b = c;
    power_to_bernstein(b);
    for (const double x : {0.0, 0.25, 0.7, 1.0}) {
      double sum = 0, binomial = 1;
      for (std::size_t j = 0; j <= n; ++j) {
        const auto p = static_cast<double>(j), q = static_cast<double>(n - j);
        sum += b[j] * binomial * std::pow(x, p) * std::pow(1 - x, q);
        binomial *= q / (p + 1);
      }
      EXPECT_NEAR(sum, evaluate_polynomial(c, x), 1e-14);
    }
  }
}

TEST(DenseOutput, ShiftFromOneKeepsThePolynomial) {
  const std::vector<double> about_one{1, -2, 0.5, 3, -1};
  std::vector<double> about_zero = about_one;
  shift_from_one(about_zero);
  for (const double x : {0.0, 0.3, 1.0}) {
    EXPECT_NEAR(evaluate_polynomial(about_zero, x), evaluate_polynomial(about_one, x - 1), 1e-14);
  }
}

}  // namespace
}  // namespace chi::numerics
