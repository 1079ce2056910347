#include "code/checked.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace chi::code {
namespace {

__extension__ using Wide = __int128;

Wide floor_div(Wide a, Wide b) {
  const Wide q = a / b;
  return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

bool fits(Wide x) { return x >= INT64_MIN && x <= INT64_MAX; }

TEST(Checked, AgreesWithWideArithmetic) {
  std::mt19937_64 random(7);
  const std::int64_t edges[] = {INT64_MIN, INT64_MIN + 1, -2,       -1, 0, 1,
                                2,         INT64_MAX - 1, INT64_MAX};
  const auto any = [&] {
    return random() % 3 == 0 ? edges[random() % std::size(edges)]
                             : static_cast<std::int64_t>(random()) >> (random() % 64);
  };
  for (int i = 0; i < 200'000; ++i) {
    const std::int64_t a = any();
    const std::int64_t b = any();
    std::int64_t r = 0;
    ASSERT_EQ(checked_add(a, b, r), fits(Wide{a} + b));
    ASSERT_EQ(checked_sub(a, b, r), fits(Wide{a} - b));
    ASSERT_EQ(checked_mul(a, b, r), fits(Wide{a} * b));
    ASSERT_EQ(checked_neg(a, r), fits(-Wide{a}));
    if (b == 0) {
      ASSERT_EQ(checked_div(a, b, r), RunError::DivisionByZero);
      ASSERT_EQ(checked_mod(a, b, r), RunError::DivisionByZero);
      continue;
    }
    const Wide q = floor_div(a, b);
    ASSERT_EQ(checked_div(a, b, r), fits(q) ? RunError::None : RunError::Overflow);
    ASSERT_TRUE(!fits(q) || r == q) << a << " div " << b;
    ASSERT_EQ(checked_mod(a, b, r), RunError::None);
    ASSERT_TRUE(r == Wide{a} - b * q) << a << " mod " << b;
  }
}

TEST(Checked, Powers) {
  std::int64_t r = 0;
  EXPECT_EQ(checked_pow(0, 0, r), RunError::None);
  EXPECT_EQ(r, 1);
  EXPECT_EQ(checked_pow(-2, 63, r), RunError::None);
  EXPECT_EQ(r, INT64_MIN);
  EXPECT_EQ(checked_pow(2, 63, r), RunError::Overflow);
  EXPECT_EQ(checked_pow(3, 39, r), RunError::None);
  EXPECT_EQ(r, 4052555153018976267);
  EXPECT_EQ(checked_pow(3, 40, r), RunError::Overflow);
  EXPECT_EQ(checked_pow(-1, INT64_MAX, r), RunError::None);
  EXPECT_EQ(r, -1);
  EXPECT_EQ(checked_pow(2, -1, r), RunError::Domain);
}

TEST(Checked, RealsToIntegers) {
  std::int64_t r = 0;
  EXPECT_EQ(round_to_int(2.5, r), RunError::None);
  EXPECT_EQ(r, 3);
  EXPECT_EQ(round_to_int(-2.5, r), RunError::None);
  EXPECT_EQ(r, -3);
  EXPECT_EQ(round_to_int(0.49999999999999994, r), RunError::None);
  EXPECT_EQ(r, 0);
  EXPECT_EQ(floor_to_int(-0.5, r), RunError::None);
  EXPECT_EQ(r, -1);
  EXPECT_EQ(ceil_to_int(-0.5, r), RunError::None);
  EXPECT_EQ(r, 0);
  EXPECT_EQ(floor_to_int(-0x1p63, r), RunError::None);
  EXPECT_EQ(r, INT64_MIN);
  EXPECT_EQ(floor_to_int(0x1p63, r), RunError::Overflow);
  EXPECT_EQ(floor_to_int(std::nextafter(-0x1p63, -1e300), r), RunError::Overflow);
  EXPECT_EQ(ceil_to_int(std::numeric_limits<double>::infinity(), r), RunError::Overflow);
  EXPECT_EQ(round_to_int(std::nan(""), r), RunError::Domain);
}

}  // namespace
}  // namespace chi::code
