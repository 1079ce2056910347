#include "numerics/polynomial.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "numerics/exact_roots_testing.h"

namespace chi::numerics {
namespace {

Polynomial random_polynomial(std::mt19937_64& random, int degree) {
  std::normal_distribution<double> normal;
  std::vector<double> terms;
  for (int i = 0; i <= degree; ++i) terms.push_back(normal(random));
  return make_polynomial(terms);
}

TEST(Polynomial, EvaluatesAndDifferentiates) {
  const Polynomial p = make_polynomial(std::vector<double>{1.0, -3.0, 0.0, 2.0, 0.0});
  EXPECT_EQ(p.degree, 3);
  EXPECT_EQ(evaluate(p, 2.0), 11.0);
  EXPECT_EQ(evaluate(derivative(p), 2.0), 21.0);
  EXPECT_EQ(sign_after(make_polynomial(std::vector<double>{0.0, 0.0, -1.0}), 0.0), -1);
}

TEST(Polynomial, SignIsThatOfExactArithmeticNearMultipleRoots) {
  // (x - 0.6)^5 expanded: double Horner returns noise of either sign near the root.
  std::vector<double> terms = {1.0};
  for (int k = 0; k < 5; ++k) {
    terms.push_back(0.0);
    for (std::size_t i = terms.size() - 1; i > 0; --i) terms[i] = terms[i - 1] - 0.6 * terms[i];
    terms[0] *= -0.6;
  }
  const Polynomial p = make_polynomial(terms);
  const testing::ExactRoots exact(p);
  int disagreements = 0;
  for (int i = -500; i <= 500; ++i) {
    const double x = 0.6 + i * 1e-6;
    ASSERT_EQ(sign_at(p, x), exact.sign_at(x)) << i;
    const double naive = evaluate(p, x);
    disagreements += (naive > 0) - (naive < 0) != exact.sign_at(x);
  }
  EXPECT_GT(disagreements, 50);  // so the test means something
}

TEST(BernsteinForm, ConvertsSplitsAndRestricts) {
  std::mt19937_64 random(1);
  for (int degree = 1; degree <= kMaxDegree; ++degree) {
    const Polynomial p = random_polynomial(random, degree);
    const double multiple = bernstein_multiple(p.degree);
    const BernsteinForm form = to_bernstein(p);
    BernsteinForm left, right;
    split_in_half(form, left, right);
    const BernsteinForm middle = restricted(form, 0.2, 0.7);
    const BernsteinForm slope = derivative(form);
    for (const double x : {0.0, 0.1, 0.37, 0.5, 0.81, 1.0}) {
      EXPECT_NEAR(evaluate(form, x), multiple * evaluate(p, x), 1e-13 * multiple);
      EXPECT_NEAR(evaluate(left, x), multiple * evaluate(p, x / 2), 1e-13 * multiple);
      EXPECT_NEAR(evaluate(right, x), multiple * evaluate(p, 0.5 + x / 2), 1e-13 * multiple);
      EXPECT_NEAR(evaluate(middle, x), multiple * evaluate(p, 0.2 + x * 0.5), 1e-13 * multiple);
      EXPECT_NEAR(evaluate(slope, x), multiple * evaluate(derivative(p), x), 1e-11 * multiple);
    }
  }
}

TEST(BernsteinForm, VariationsBoundTheRootsAndHaveTheirParity) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 500; ++round) {
    const Polynomial p = random_polynomial(random, 2 + round % 6);
    const int roots = testing::ExactRoots(p).count(0.0, 1.0);
    const int variations = sign_variations(to_bernstein(p), 0.0);
    ASSERT_GE(variations, roots);
    ASSERT_EQ((variations - roots) % 2, 0);
  }
}

TEST(DoubleDouble, KeepsTwiceThePrecision) {
  const DoubleDouble third = DoubleDouble{1.0, 0.0} / DoubleDouble{3.0, 0.0};
  const DoubleDouble rest = third * DoubleDouble{3.0, 0.0} - DoubleDouble{1.0, 0.0};
  EXPECT_LT(std::abs(rest.hi), 1e-31);
  EXPECT_NE(third.lo, 0.0);
  const DoubleDouble product = two_product(1.0 + 0x1p-30, 1.0 - 0x1p-30);
  EXPECT_EQ(product.hi, 1.0);
  EXPECT_EQ(product.lo, -0x1p-60);
}

}  // namespace
}  // namespace chi::numerics
