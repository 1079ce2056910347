#include "base/json_text.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace chi {
namespace {

TEST(JsonQuote, EscapesWhatJsonMustEscape) {
  EXPECT_EQ(json_quote("a\"b\\c\n\t\x01"), "\"a\\\"b\\\\c\\n\\t\\u0001\"");
  EXPECT_EQ(json_quote("χ"), "\"χ\"");
  EXPECT_EQ(json_quote("\xFF"), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(json_quote(std::string_view("\0", 1)), "\"\\u0000\"");
}

TEST(JsonNumber, ReadsBackAndKnowsWhatJsonCannotSay) {
  EXPECT_EQ(json_number(0.1), "0.1");
  EXPECT_EQ(std::stod(json_number(1.0 / 3.0)), 1.0 / 3.0);
  EXPECT_EQ(json_number(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(json_number(std::nan("")), "null");
}

TEST(JsonReal, KeepsTheSignOfInfinity) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(json_real(0.1), "0.1");
  EXPECT_EQ(json_real(inf), "\"Infinity\"");
  EXPECT_EQ(json_real(-inf), "\"-Infinity\"");
  EXPECT_EQ(json_real(std::nan("")), "null");
}

}  // namespace
}  // namespace chi
