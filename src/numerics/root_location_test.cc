#include "numerics/root_location.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace chi::numerics {
namespace {

const std::vector<RootFinder> kAll = {RootFinder::Toms748,        RootFinder::Itp,
                                      RootFinder::RegulaFalsi,    RootFinder::GoldenSection,
                                      RootFinder::Bisection,      RootFinder::CubicHermite,
                                      RootFinder::InverseHermite, RootFinder::Polynomial};

TEST(RootFinderNames, GoBothWays) {
  for (const RootFinder finder : kAll) EXPECT_EQ(root_finder_named(name(finder)), finder);
  EXPECT_FALSE(root_finder_named("newton"));
}

// Example functions of Alefeld, Potra and Shi's comparison, and steps and flat spots besides.
struct Case {
  const char* name = "";
  double (*value)(double) = nullptr;
  double (*slope)(double) = nullptr;
  double left = 0.0;
  double right = 1.0;
};

const std::vector<Case> kCases = {
    {"sine", [](double x) { return std::sin(x) - x / 2; },
     [](double x) { return std::cos(x) - 0.5; }, 1.5, 3.0},
    {"exponential", [](double x) { return -9 * x * std::exp(-x) + 1; },
     [](double x) { return 9 * (x - 1) * std::exp(-x); }, 0.9, 9.0},
    {"power", [](double x) { return std::pow(x, 12) - 0.2; },
     [](double x) { return 12 * std::pow(x, 11); }, 0.0, 5.0},
    {"ninth", [](double x) { return std::pow(x - 0.3, 9); },
     [](double x) { return 9 * std::pow(x - 0.3, 8); }, 0.0, 1.0},
    {"flat",
     [](double x) { return x == 0.4 ? 0.0 : (x - 0.4) * std::exp(-1 / ((x - 0.4) * (x - 0.4))); },
     [](double) { return 0.0; }, 0.0, 1.0},
    {"step", [](double x) { return x < 0.123456789 ? -1.0 : 1e6; }, [](double) { return 0.0; }, 0.0,
     1.0},
    {"steep", [](double x) { return std::atan(1e6 * (x - 0.7)); },
     [](double x) { return 1e6 / (1 + 1e12 * (x - 0.7) * (x - 0.7)); }, 0.0, 1.0},
    {"line", [](double x) { return 3 * x - 1; }, [](double) { return 3.0; }, 0.0, 1.0},
};

TEST(Locate, EveryMethodClosesEveryBracketToTwoUlps) {
  for (const Case& c : kCases) {
    for (const RootFinder method : kAll) {
      const Polynomial line = make_polynomial(std::vector<double>{-1.0, 2.0});  // a poor likeness
      const RootFunction g = {.value = c.value, .slope = c.slope, .polynomial = &line};
      const Location found = locate(g, c.left, c.right, {.method = method});
      SCOPED_TRACE(std::string(c.name) + " by " + std::string(name(method)));
      EXPECT_TRUE(found.bracketed);
      const double ulp = std::numeric_limits<double>::epsilon() * found.right;
      EXPECT_LE(found.right - found.left, ulp);
      EXPECT_EQ(found.value_left, c.value(found.left));
      EXPECT_EQ(found.value_right, c.value(found.right));
      EXPECT_LE(found.value_left * found.value_right, 0.0);
      EXPECT_NE(found.value_left, 0.0);
      EXPECT_LE(found.evaluations, 230);
    }
  }
}

TEST(Locate, GoodMethodsNeedFewEvaluations) {
  const auto g = [](double x) { return std::exp(x) - 2 + 0.3 * std::sin(3 * x); };
  const auto slope = [](double x) { return std::exp(x) + 0.9 * std::cos(3 * x); };
  const RootFunction f = {.value = g, .slope = slope};
  EXPECT_LE(locate(f, 0, 1, {.method = RootFinder::Toms748}).evaluations, 10);
  EXPECT_LE(locate(f, 0, 1, {.method = RootFinder::CubicHermite}).evaluations, 8);
  EXPECT_LE(locate(f, 0, 1, {.method = RootFinder::InverseHermite}).evaluations, 9);
  EXPECT_LE(locate(f, 0, 1, {.method = RootFinder::RegulaFalsi}).evaluations, 14);
  EXPECT_GE(locate(f, 0, 1, {.method = RootFinder::Bisection}).evaluations, 50);
}

TEST(Locate, ThePolynomialOfTheStepFindsItsOwnRootAtOnce) {
  const Polynomial p = make_polynomial(std::vector<double>{-0.3, 0.4, 0.7, -0.2, 0.1});
  const auto g = [&](double x) { return evaluate(p, x); };
  const RootFunction f = {.value = g, .polynomial = &p};
  EXPECT_LE(locate(f, 0, 1, {.method = RootFinder::Polynomial}).evaluations, 5);
}

TEST(Locate, FindsWhereAStretchOfZerosBegins) {
  const auto g = [](double x) { return x < 0.3 ? 0.3 - x : 0.0; };
  for (const RootFinder method : kAll) {
    const Location found = locate({.value = g}, 0.0, 1.0, {.method = method});
    EXPECT_NEAR(found.right, 0.3, 1e-15);
    EXPECT_EQ(found.value_right, 0.0);
    EXPECT_GT(found.value_left, 0.0);
  }
}

TEST(Locate, StopsAtTheBorderOfTheDomain) {
  const auto g = [](double x) { return std::sqrt(0.5 - x) + 0.1; };
  const Location found = locate({.value = g}, 0.0, 1.0);
  EXPECT_TRUE(found.undefined);
  EXPECT_NEAR(found.left, 0.5, 1e-15);
  const auto h = [](double x) { return std::sqrt(0.5 - x) - 0.1; };  // a root before the border
  const Location root = locate({.value = h}, 0.0, 1.0);
  EXPECT_FALSE(root.undefined);
  EXPECT_NEAR(root.right, 0.49, 1e-15);
}

TEST(Locate, SaysWhenThereIsNoBracket) {
  const auto g = [](double x) { return x + 1; };
  EXPECT_FALSE(locate({.value = g}, 0.0, 1.0).bracketed);
  EXPECT_FALSE(locate({.value = g}, -1.0, 1.0).bracketed);  // a zero at the left is no old sign
}

TEST(Locate, RespectsTheTolerance) {
  const auto g = [](double x) { return std::cos(x) - x; };
  const Location coarse = locate({.value = g}, 0.0, 1.0, {.tolerance = 1e-3});
  EXPECT_LE(coarse.right - coarse.left, 1e-3);
  EXPECT_LT(coarse.evaluations, locate({.value = g}, 0.0, 1.0).evaluations);
}

TEST(Locate, RandomCubicsByEveryMethod) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 500; ++round) {
    const Polynomial p = make_polynomial(std::vector<double>{
        -std::abs(normal(random)), normal(random), normal(random), normal(random)});
    if (evaluate(p, 1.0) <= 0) continue;
    const Polynomial slope = derivative(p);
    const auto value_at = [&](double x) { return evaluate(p, x); };
    const auto slope_at = [&](double x) { return evaluate(slope, x); };
    const RootFunction g = {.value = value_at, .slope = slope_at, .polynomial = &p};
    for (const RootFinder method : kAll) {
      const Location found = locate(g, 0.0, 1.0, {.method = method});
      ASSERT_LT(value_at(found.left), 0.0);
      ASSERT_GE(value_at(found.right), 0.0);
      ASSERT_LE(found.right - found.left, 3e-16);
      ASSERT_LE(found.evaluations, 220) << name(method);
    }
  }
}

}  // namespace
}  // namespace chi::numerics
