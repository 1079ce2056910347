#include "numerics/dense_output.h"

#include <array>
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

}  // namespace
}  // namespace chi::numerics
