#include "driver/observed.h"

#include <cmath>

#include <gtest/gtest.h>

namespace chi::driver {
namespace {

// Tables: Abramowitz and Stegun, 26.10; for n = 1 and 2 there are closed forms.
TEST(StudentQuantile, HasTheValuesOfTables) {
  EXPECT_NEAR(student_quantile(0.975, 1), std::tan(M_PI * 0.475), 1e-12);
  EXPECT_NEAR(student_quantile(0.975, 2), 0.95 * std::sqrt(2 / (1 - 0.95 * 0.95)), 1e-12);
  EXPECT_NEAR(student_quantile(0.975, 10), 2.228138852, 1e-8);
  EXPECT_NEAR(student_quantile(0.995, 5), 4.032142984, 1e-8);
  EXPECT_NEAR(student_quantile(0.975, 1e9), 1.959963985, 1e-8);
}

TEST(StudentQuantile, IsOddAndGoesOverToTheNormalOne) {
  EXPECT_EQ(student_quantile(0.1, 7), -student_quantile(0.9, 7));
  EXPECT_NEAR(student_quantile(0.975, 2000), student_quantile(0.975, 2001), 1e-6);
}

}  // namespace
}  // namespace chi::driver
