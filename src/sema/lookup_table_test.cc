#include "sema/lookup_table.h"

#include <cmath>

#include <gtest/gtest.h>

namespace chi::sema {
namespace {

using Method = LookupTable::Method;
using Outside = LookupTable::Outside;

LookupTable table(Method method, std::vector<double> x, std::vector<double> z,
                  Outside outside = Outside::Error) {
  return LookupTable({method, outside, std::move(x), {}, std::move(z)}, {});
}

double value(const LookupTable& t, double x) { return t.value(&x).value_or(NAN); }

double slope(const LookupTable& t, double x, int order) {
  const double piece = 0;
  return t.cubic(order, 0, &piece, &x);
}

TEST(LookupTable, LinearAndPreviousMeetTheData) {
  const LookupTable linear = table(Method::Linear, {0, 1, 3}, {2, 4, 0});
  EXPECT_EQ(value(linear, 0), 2);
  EXPECT_EQ(value(linear, 0.5), 3);
  EXPECT_EQ(value(linear, 1), 4);
  EXPECT_EQ(value(linear, 2), 2);
  EXPECT_EQ(value(linear, 3), 0);
  const LookupTable previous = table(Method::Previous, {0, 1, 3}, {2, 4, 0});
  EXPECT_EQ(value(previous, 0.999), 2);
  EXPECT_EQ(value(previous, 1), 4);
  EXPECT_EQ(value(previous, 2.999), 4);
  EXPECT_EQ(value(previous, 3), 0);
}

TEST(LookupTable, OutsideIsAnErrorOrHeldOrExtended) {
  for (const Method method : {Method::Linear, Method::Previous, Method::Pchip, Method::Spline}) {
    const LookupTable error = table(method, {0, 1, 2}, {0, 1, 2});
    EXPECT_TRUE(std::isnan(value(error, -1e-9)));
    EXPECT_TRUE(std::isnan(value(error, 2.000001)));
    const LookupTable hold = table(method, {0, 1, 2}, {0, 1, 2}, Outside::Hold);
    EXPECT_EQ(value(hold, -5), 0);
    EXPECT_EQ(value(hold, 7), 2);
    if (method == Method::Previous) continue;
    const LookupTable extend = table(method, {0, 1, 2}, {0, 1, 2}, Outside::Extend);
    EXPECT_NEAR(value(extend, -5), -5, 1e-12);
    EXPECT_NEAR(value(extend, 7), 7, 1e-12);
  }
}

// A spline that is not forced to be straight at its ends is exact for cubics, and so are its
// derivatives.
TEST(LookupTable, SplineIsExactForCubics) {
  const auto f = [](double x) { return x * x * x - 2 * x * x + 3 * x - 1; };
  for (const int n : {4, 5, 9}) {
    std::vector<double> x, z;
    for (int k = 0; k < n; ++k) {
      x.push_back(k + 0.1 * k * k);
      z.push_back(f(x.back()));
    }
    const LookupTable t = table(Method::Spline, x, z);
    for (double v = 0.05; v < x.back(); v += 0.3) {
      EXPECT_NEAR(value(t, v), f(v), 1e-9 * (1 + std::abs(f(v))));
      EXPECT_NEAR(slope(t, v, 1), 3 * v * v - 4 * v + 3, 1e-8 * (1 + v * v));
      EXPECT_NEAR(slope(t, v, 2), 6 * v - 4, 1e-7 * (1 + v));
      EXPECT_NEAR(slope(t, v, 3), 6, 1e-6);
    }
  }
  const LookupTable three = table(Method::Spline, {0, 1, 3}, {0, 1, 9});
  EXPECT_NEAR(value(three, 2), 4, 1e-12);
}

// What rises in the data rises between them, and nothing is beyond the data.
TEST(LookupTable, PchipKeepsTheShape) {
  const LookupTable t = table(Method::Pchip, {0, 1, 2, 3, 4}, {0, 0, 1, 10, 10});
  double before = -1;
  for (double v = 0; v <= 4; v += 0.01) {
    EXPECT_GE(value(t, v), before - 1e-12);
    EXPECT_LE(value(t, v), 10 + 1e-12);
    before = value(t, v);
  }
  EXPECT_EQ(value(t, 0.5), 0);
}

TEST(LookupTable, DerivativesAreThoseOfTheValue) {
  for (const Method method : {Method::Pchip, Method::Spline}) {
    const LookupTable t = table(method, {0, 0.7, 1.5, 3, 3.2}, {1, -2, 0, 5, 4});
    constexpr double h = 1e-5;
    for (double v = 0.1; v < 3.1; v += 0.17) {
      EXPECT_NEAR(slope(t, v, 1), (value(t, v + h) - value(t, v - h)) / (2 * h), 1e-5);
    }
  }
}

TEST(LookupTable, TwoVariables) {
  const std::vector<double> x{0, 1, 2, 4}, y{0, 0.5, 2, 3, 5};
  std::vector<double> bilinear, cubic;
  const auto f = [](double a, double b) { return 2 + a - 3 * b + 0.5 * a * b; };
  const auto g = [](double a, double b) { return a * a * a * b + b * b * b - 2 * a * b * b; };
  for (const double a : x) {
    for (const double b : y) {
      bilinear.push_back(f(a, b));
      cubic.push_back(g(a, b));
    }
  }
  const LookupTable linear({Method::Linear, Outside::Error, x, y, bilinear}, {});
  const LookupTable spline({Method::Spline, Outside::Error, x, y, cubic}, {});
  for (double a = 0; a <= 4; a += 0.4) {
    for (double b = 0; b <= 5; b += 0.31) {
      const double point[2] = {a, b}, pieces[2] = {0, 0};
      EXPECT_NEAR(linear.value(point).value(), f(a, b), 1e-12);
      EXPECT_NEAR(spline.value(point).value(), g(a, b), 1e-9);
      EXPECT_NEAR(spline.cubic(1, 0, pieces, point), 3 * a * a * b - 2 * b * b, 1e-8);
      EXPECT_NEAR(spline.cubic(1, 1, pieces, point), 3 * a * a - 4 * b, 1e-8);
    }
  }
  const double point[2] = {1, 6};
  EXPECT_FALSE(linear.value(point));
  EXPECT_EQ(linear.outside(point), 1);
}

TEST(LookupTable, PiecesMeetWhereTheyEnd) {
  const LookupTable t = table(Method::Linear, {0, 1, 3}, {2, 4, 0}, Outside::Hold);
  EXPECT_EQ(t.pieces(0), 2);
  for (double piece = -1; piece < 2; ++piece) {
    const double x = t.upper(0, piece, 0);
    EXPECT_EQ(x, t.lower(0, piece + 1, 0));
    const auto on = [&](double k) {
      return t.coefficient(0, 0, k, 0) + t.coefficient(1, 0, k, 0) * (x - t.corner(0, k));
    };
    EXPECT_NEAR(on(piece), on(piece + 1), 1e-12);
  }
  const LookupTable error = table(Method::Linear, {0, 1, 3}, {2, 4, 0});
  EXPECT_EQ(error.piece(0, 3 + 1e-9, 1e-8), 1);
  EXPECT_EQ(error.piece(0, 3 + 1e-7, 1e-8), 2);
  EXPECT_TRUE(std::isnan(error.coefficient(0, 0, 2, 0)));
}

TEST(LookupTable, SaysWhatIsWrongWithTheData) {
  const auto problem = [](std::vector<double> x, std::vector<double> z) {
    return LookupTable::problem({Method::Linear, Outside::Error, std::move(x), {}, std::move(z)});
  };
  EXPECT_EQ(problem({0, 1}, {1, 2}), "");
  EXPECT_EQ(problem({0}, {1}), "the first list has 1 number, and two are needed");
  EXPECT_EQ(problem({0, 2, 2}, {1, 2, 3}),
            "the first list does not rise: it has 2.0 at 1 and 2.0 at 2");
  EXPECT_EQ(problem({0, 1}, {1, 2, 3}), "3 values for 2 places");
  EXPECT_EQ(problem({0, 1}, {1, NAN}), "the values have nan at 1");
}

}  // namespace
}  // namespace chi::sema
