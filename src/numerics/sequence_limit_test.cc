#include "numerics/sequence_limit.h"

#include <cmath>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

namespace chi::numerics {
namespace {

std::vector<double> terms(int count, const std::function<double(double)>& s) {
  std::vector<double> result;
  for (int n = 0; n < count; ++n) result.push_back(s(n));
  return result;
}

TEST(SequenceLimit, OnePowerTakesFourValues) {
  for (const double q : {0.1, 0.5, 0.9, 0.99, -0.7}) {
    const Extrapolated found =
        geometric_limit(terms(4, [&](double n) { return 3 + 2 * std::pow(q, n); }));
    EXPECT_NEAR(found.value, 3, 1e-11) << q;
    EXPECT_LT(found.error, 1e-10) << q;
  }
  EXPECT_FALSE(std::isfinite(geometric_limit(std::vector<double>{1, 1.5, 1.75}).error));
}

TEST(SequenceLimit, SumsOfPowers) {
  const auto s = [](double n) {
    return 1 + std::pow(0.6, n) - 0.3 * std::pow(0.36, n) + 0.1 * std::pow(0.2, n);
  };
  const Extrapolated few = geometric_limit(terms(5, s)), many = geometric_limit(terms(9, s));
  EXPECT_NEAR(few.value, 1, std::max(10 * few.error, 1e-12));
  EXPECT_NEAR(many.value, 1, 1e-9);
  EXPECT_LT(many.error, 1e-6);
}

TEST(SequenceLimit, AConstantIsItsLimit) {
  const Extrapolated found = geometric_limit(std::vector<double>(6, 2.5));
  EXPECT_EQ(found.value, 2.5);
  EXPECT_LT(found.error, 1e-14);
}

TEST(SequenceLimit, PowersOfOneOverN) {
  double sum = 0;
  std::vector<double> sums = {0};
  for (int n = 1; n <= 30; ++n) sums.push_back(sum += 1.0 / n / n);
  const Extrapolated found = algebraic_limit(sums);
  EXPECT_NEAR(found.value, std::numbers::pi * std::numbers::pi / 6, 1e-8);
  EXPECT_LT(found.error, 1e-7);
  EXPECT_GE(10 * found.error, std::abs(found.value - std::numbers::pi * std::numbers::pi / 6));
}

TEST(SequenceLimit, DivergentSumsHaveAnAntilimitBehindThem) {
  // Σ n^(-1/2) has the antilimit ζ(1/2): less than what is reached already.
  double sum = 0;
  std::vector<double> sums = {0};
  for (int n = 1; n <= 30; ++n) sums.push_back(sum += 1 / std::sqrt(n));
  const Extrapolated found = algebraic_limit(sums);
  EXPECT_NEAR(found.value, -1.4603545088, 1e-5);
  EXPECT_LT(found.value, sums.back());
}

TEST(SequenceLimit, TheHarmonicSumHasNone) {
  double sum = 0;
  std::vector<double> sums = {0};
  for (int n = 1; n <= 40; ++n) sums.push_back(sum += 1.0 / n);
  EXPECT_GT(algebraic_limit(sums).error, 1e-3);
}

TEST(SequenceLimit, ValuesAtZeroOfSmoothFunctions) {
  std::vector<double> places, values;
  for (int n = 0; n < 8; ++n) {
    places.push_back(0.3 * std::pow(0.6, n));
    values.push_back(std::cos(places.back()) + places.back());
  }
  const Extrapolated found = value_at_zero(places, values);
  EXPECT_NEAR(found.value, 1, 1e-11);
  EXPECT_LT(found.error, 1e-8);
}

TEST(SequenceLimit, AnOscillationHasNoValueAtZero) {
  std::vector<double> places, values;
  for (int n = 0; n < 8; ++n) {
    places.push_back(0.3 * std::pow(0.7, n));
    values.push_back(std::sin(1 / places.back()));
  }
  EXPECT_GT(value_at_zero(places, values).error, 1e-2);
}

}  // namespace
}  // namespace chi::numerics
