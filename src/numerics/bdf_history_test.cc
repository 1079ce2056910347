#include "numerics/bdf_history.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace chi::numerics {
namespace {

// p(t) = 2 - t + 3t² - t⁴ and q(t) = t³ from their derivatives at t = 2, on the step [1.5, 2].
TEST(BdfHistory, DerivativesAtTheEndGiveThePolynomial) {
  DenseOutput d;
  d.reset(2, 4, 1.5, 2);
  const double derivatives[][2] = {{-4, 8}, {-21, 12}, {-42, 12}, {-48, 6}, {-24, 0}};
  for (int k = 0; k <= 4; ++k) {
    d.power(k)[0] = derivatives[k][0];
    d.power(k)[1] = derivatives[k][1];
  }
  derivatives_to_powers(d);
  for (const double t : {1.5, 1.6, 1.9, 2.0}) {
    EXPECT_NEAR(d.value(t, 0), 2 - t + 3 * t * t - std::pow(t, 4), 1e-13);
    EXPECT_NEAR(d.value(t, 1), t * t * t, 1e-13);
    EXPECT_NEAR(d.derivative(t, 1), 3 * t * t, 1e-12);
  }
}

// The first step at order 1 is to err by less than the tolerance: h² |y''| / 2 < 1 in the norm.
TEST(BdfHistory, FirstStepFitsTheCurvature) {
  ErrorNorm norm({.relative = 1e-6, .absolute = 1e-9}, 1, {});
  const std::vector<double> y{1.0}, slope{1.0}, curvature{1.0}, none{0.0};
  norm.set_reference(y);
  const double h = first_order_step(norm, 0, y, slope, 1.0);
  EXPECT_LT(h * h / 2 * norm(curvature), 1);
  EXPECT_GT(h, 1e-5);
  const double warm = first_order_step(norm, 0, curvature, 1.0);
  EXPECT_LT(warm * warm / 2 * norm(curvature), 1);
  EXPECT_GT(warm, 1e-5);
  EXPECT_EQ(first_order_step(norm, 0, none, 0.25), 0.25);  // never longer than before
  EXPECT_GT(first_order_step(norm, 0, y, none, 1.0), 0);   // at rest
}

// A value that moves by 450 tolerances within an ulp of time is not known any better than that.
TEST(BdfHistory, WeightsKnowTheResolutionOfTime) {
  const ErrorNorm norm({.relative = 1e-6, .absolute = 1e-9}, 2, {});
  FadingWeights weights(norm);
  const std::vector<double> y{0.0, 1.0}, slope{1e6, 1.0};
  std::vector<double> w(2);
  weights.restart(y);
  weights.weights(y, w);
  EXPECT_DOUBLE_EQ(w[0], 1e9);
  weights.start(3600, slope);
  weights.weights(y, w);
  EXPECT_LT(w[0], 1 / (1e6 * (std::nextafter(3600.0, 1e9) - 3600.0)));
  EXPECT_DOUBLE_EQ(w[1], 1 / (1e-6 + 1e-9));
}

}  // namespace
}  // namespace chi::numerics
