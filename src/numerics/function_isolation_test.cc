#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "numerics/root_isolation.h"
#include "numerics/root_location.h"

namespace chi::numerics {
namespace {

std::vector<double> located(FunctionRef<double(double)> g, const Isolation& found) {
  std::vector<double> places;
  for (const IsolatedRoot& root : found.roots()) {
    places.push_back(is_crossing(root.kind) ? locate({.value = g}, root.left, root.right).right
                                            : root.right);
  }
  return places;
}

TEST(IsolateFunction, FindsAllRootsOfAnOscillation) {
  const auto g = [](double x) { return std::sin(40 * x + 0.3) - 0.2; };
  const Isolation found = isolate(g);
  std::vector<double> expected;
  for (int k = 0; k < 14; ++k) {
    const double angle = k * std::numbers::pi + (k % 2 == 0 ? 1 : -1) * std::asin(0.2);
    const double x = (angle - 0.3) / 40;
    if (x > 0 && x <= 1) expected.push_back(x);
  }
  const std::vector<double> places = located(g, found);
  ASSERT_EQ(places.size(), expected.size());
  for (std::size_t i = 0; i < places.size(); ++i) EXPECT_NEAR(places[i], expected[i], 1e-15);
}

TEST(IsolateFunction, SeesWhatAllChebyshevPointsMiss) {
  // The Chebyshev polynomial of degree 16 is 1 in all nine points; it crosses -1/2 sixteen times.
  const auto g = [](double x) { return std::cos(16 * std::acos(2 * x - 1)) + 0.5; };
  const Isolation found = isolate(g);
  EXPECT_EQ(found.count, kMaxRoots);
  EXPECT_NEAR(located(g, found)[0], (1 - std::cos(std::numbers::pi / 24)) / 2, 1e-15);
}

TEST(IsolateFunction, AgreesWithThePolynomialMethodWhenGivenOne) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> terms;
    for (int i = 0; i < 7; ++i) terms.push_back(normal(random));
    const Polynomial p = make_polynomial(terms);
    const auto g = [&](double x) { return evaluate(p, x); };
    const Isolation exact = isolate(p), found = isolate(g);
    ASSERT_EQ(found.count, exact.count) << "round " << round;
    const std::vector<double> places = located(g, found);
    for (std::size_t i = 0; i < places.size(); ++i) {
      ASSERT_NEAR(places[i], locate(p, exact.roots()[i]).right, 1e-11) << "round " << round;
    }
  }
}

TEST(IsolateFunction, FindsNeedlesInNonlinearFunctions) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform;
  for (int round = 0; round < 2000; ++round) {
    const double a = 0.01 + 0.98 * uniform(random), rate = 3 * uniform(random);
    const double width = std::pow(10.0, -1 - 5.5 * uniform(random));
    const double depth = 2 * std::pow(std::sin(width / 4), 2);  // 1 - cos(width / 2)
    const auto g = [&](double x) {
      return std::exp(rate * x) * (2 * std::pow(std::sin((x - a) / 2), 2) - depth);
    };
    const Isolation found = isolate(g);
    const int expected = a + width / 2 <= 1 && a - width / 2 > 0 ? 2 : 1;
    ASSERT_EQ(found.count, expected) << "round " << round << " width " << width;
    EXPECT_EQ(found.roots()[0].kind,
              expected == 2 || a > 0.5 ? RootKind::Falling : RootKind::Rising);
  }
}

TEST(IsolateFunction, InventsNothingWhereTheFunctionTurnsBack) {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> uniform;
  for (int round = 0; round < 2000; ++round) {
    const double a = uniform(random), distance = std::pow(10.0, -1 - 12 * uniform(random));
    const auto g = [&](double x) { return std::cosh(x - a) - 1 + distance; };
    ASSERT_EQ(isolate(g).count, 0) << "round " << round << " distance " << distance;
  }
}

TEST(IsolateFunction, FindsTouchingRoots) {
  for (const double a : {0.1, 0.25, 0.3, 0.5, 2.0 / 3, 0.9}) {
    const auto g = [&](double x) { return std::pow(std::sin(x - a), 2) * std::exp(x); };
    const Isolation found = isolate(g);
    ASSERT_EQ(found.count, 1) << a;
    EXPECT_EQ(found.roots()[0].kind, RootKind::TouchFromAbove);
    EXPECT_NEAR(found.roots()[0].right, a, 2e-8);
  }
}

TEST(IsolateFunction, FindsTheBeginningOfAStretchOfZeros) {
  const auto g = [](double x) { return x < 0.3 ? std::pow(x - 0.3, 2) : x > 0.6 ? 0.6 - x : 0.0; };
  const Isolation found = isolate(g);
  ASSERT_EQ(found.count, 1);
  EXPECT_EQ(found.roots()[0].kind, RootKind::Falling);
  EXPECT_NEAR(found.roots()[0].right, 0.3, 1e-15);
  EXPECT_TRUE(isolate([](double) { return 0.0; }).zero);
}

TEST(IsolateFunction, StartsOnceItHasLeftZero) {
  const auto g = [](double x) { return std::sin(6 * x); };
  const Isolation found = isolate(g);
  ASSERT_EQ(found.count, 1);
  EXPECT_NEAR(located(g, found)[0], std::numbers::pi / 6, 1e-15);
}

TEST(IsolateFunction, EndsAtTheBorderOfTheDomain) {
  const auto g = [](double x) { return std::sqrt(0.7 - x) - 0.5; };
  const Isolation found = isolate(g);
  ASSERT_EQ(found.count, 1);
  EXPECT_NEAR(located(g, found)[0], 0.45, 1e-15);
  EXPECT_NEAR(found.defined_until, 0.7, 1e-9);
  const Isolation none = isolate([](double x) { return std::log(x - 2); });
  EXPECT_EQ(none.count, 0);
  EXPECT_EQ(none.defined_until, 0.0);
}

TEST(IsolateFunction, CostsElevenEvaluationsWhereNothingHappens) {
  EXPECT_EQ(isolate([](double x) { return 2 + std::sin(x); }).evaluations, 11);
}

TEST(IsolateFunction, SimplerMethodsSeeLess) {
  const auto g = [](double x) { return std::cos(2 * std::numbers::pi * x) + 0.5; };
  EXPECT_EQ(isolate(g, {.method = RootDetection::Signs}).count, 0);
  EXPECT_EQ(isolate(g, {.method = RootDetection::Derivative, .to = 0.9}).count, 2);
}

}  // namespace
}  // namespace chi::numerics
