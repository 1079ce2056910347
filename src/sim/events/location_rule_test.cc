#include "sim/events/location_rule.h"

#include <gtest/gtest.h>

namespace chi::sim {
namespace {

TEST(LocationRule, NarrowsToTheWidth) {
  double left = 1, right = 2;
  LocationRule{}.narrow(left, right, [](double t) { return t >= 1.5; });
  EXPECT_LT(left, 1.5);
  EXPECT_GE(right, 1.5);
  EXPECT_LE(right - left, 4e-16 * right);
}

TEST(LocationRule, WiderBracketsTakeFewerEvaluations) {
  const auto evaluations = [](double width) {
    int count = 0;
    double left = 1, right = 2;
    LocationRule{width}.narrow(left, right, [&](double t) {
      ++count;
      return t >= 1.2345;
    });
    EXPECT_LE(right - left, width * right);
    EXPECT_LT(left, 1.2345);
    EXPECT_GE(right, 1.2345);
    return count;
  };
  EXPECT_LT(evaluations(1e-6), evaluations(4e-16));
}

TEST(LocationRule, ScaleIsOfWhatTheBracketIsAPartOf) {
  double left = 0, right = 1;  // parts of a window at a time 1e6 windows away
  LocationRule{}.narrow(left, right, 1e6, [](double part) { return part >= 0.25; });
  EXPECT_LE(right - left, 4e-10);
  EXPECT_GT(right - left, 1e-10);
}

TEST(LocationRule, EndsWhereNoNumberIsLeft) {
  double left = 0, right = 1;
  LocationRule{}.narrow(left, right, [](double t) { return t > 0; });
  EXPECT_EQ(left, 0);
  EXPECT_GT(right, 0);
  double narrow_left = 0, narrow_right = 1;
  LocationRule{}.narrow(
      narrow_left, narrow_right, [](double t) { return t > 0; }, 60);
  EXPECT_DOUBLE_EQ(narrow_right, std::ldexp(1, -60));
}

}  // namespace
}  // namespace chi::sim
