#include <random>
#include <string>

#include <gtest/gtest.h>

#include "syntax/format.h"
#include "syntax/testing.h"

// No text exhausts the stack or makes more than a few diagnostics.

namespace chi::syntax {
namespace {

using testing::errors_of;
using testing::parse_text;

std::string times(int n, const std::string& text) {
  std::string result;
  for (int i = 0; i < n; ++i) result += text;
  return result;
}

void expect_one(const std::string& text, DiagCode code) {
  const auto parsed = parse_text(text);
  ASSERT_EQ(parsed.diagnostics.all().size(), 1U) << testing::listed(parsed).substr(0, 500);
  EXPECT_EQ(parsed.diagnostics.all()[0].code, code);
}

TEST(Limits, NestingIsReportedOnce) {
  const auto too_deep = DiagCode::BeyondLimits;
  expect_one("const a = " + times(1'000'000, "(") + "1" + times(1'000'000, ")"), too_deep);
  expect_one(std::string(2'000'000, '['), too_deep);
  expect_one("const a = " + times(600, "(") + "1" + times(600, ")"), too_deep);
  expect_one("const a = " + times(5'000, "- ") + "1", too_deep);
  expect_one("const a = " + times(5'000, "2^") + "1", too_deep);
  expect_one("const a = " + times(5'000, "not ") + "b", too_deep);
  expect_one("const a = " + times(5'000, "if b then 1 else ") + "1", too_deep);
  expect_one("const a = " + times(5'000, "<") + "1" + times(5'000, ">"), too_deep);
  expect_one("const a = " + times(5'000, "1 + ") + "1", too_deep);
  expect_one("const a = x" + times(5'000, "[0]"), too_deep);
  expect_one("const a = x" + times(5'000, ".0"), too_deep);
  expect_one("type t = nat" + times(5'000, "*"), too_deep);
  expect_one("type t = " + times(5'000, "!") + "nat", too_deep);
  expect_one("type t = " + times(5'000, "-> ") + "nat", too_deep);
  expect_one("proc P() = |[ " + times(5'000, "*[ ") + "skip" + times(5'000, " ]") + " ]|",
             too_deep);
  expect_one("proc P() = |[ | " + times(5'000, "[ b -> ") + "x = 1" + times(5'000, " ]") + " ]|",
             too_deep);
  expect_one("proc P() = |[ " + times(5'000, "i: nat <- 0..1: ") + "x = 1 ]|", too_deep);
  expect_one("sys S() = |[ " + times(5'000, "( ") + "A()" + times(5'000, " )") + " ]|", too_deep);
}

TEST(Limits, WhatFitsIsRead) {
  EXPECT_EQ(errors_of("const a = " + times(240, "(") + "1" + times(240, ")")), "");
  EXPECT_EQ(errors_of("const a = " + times(3'900, "1 + ") + "1"), "");
  EXPECT_EQ(errors_of("const a = [" + times(100'000, "1, ") + "1]"), "");
}

TEST(Limits, AnyBytesAreRead) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    const int length = static_cast<int>(random() % 300);
    for (int i = 0; i < length; ++i) text += static_cast<char>(random() % 256);
    const auto parsed = parse_text(text);
    EXPECT_LE(parsed.diagnostics.all().size(), 260U);
  }
}

// Pieces of χ in any order: everything the parser can meet, far from any correct text.
TEST(Limits, AnyTokensAreRead) {
  const std::vector<std::string> pieces = {"proc P() = |[",
                                           "]|",
                                           "|",
                                           "[",
                                           "]",
                                           "(",
                                           ")",
                                           "{",
                                           "}",
                                           ",",
                                           ";",
                                           ":",
                                           ":=",
                                           "=",
                                           "<-",
                                           "->",
                                           "x",
                                           "y'",
                                           "1",
                                           "2.0",
                                           "real",
                                           "nat",
                                           "*[",
                                           "!",
                                           "?",
                                           "if",
                                           "then",
                                           "else",
                                           "not",
                                           "-",
                                           "+",
                                           "*",
                                           "^",
                                           "<",
                                           ">",
                                           "..",
                                           ".",
                                           "[]",
                                           "||",
                                           "skip",
                                           "nabla",
                                           "delta",
                                           "i: nat <- 0..1:",
                                           "|x|,",
                                           "impulse",
                                           "in",
                                           "\n",
                                           "\n",
                                           "\n",
                                           "sys S() = |[",
                                           "func f(x: real) -> real =",
                                           "const c =",
                                           "type t =",
                                           "ref",
                                           "@",
                                           "\"s\""};
  std::mt19937_64 random(11);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    const int length = static_cast<int>(random() % 40);
    for (int i = 0; i < length; ++i) text += pieces[random() % pieces.size()] + " ";
    const auto parsed = parse_text(text);
    if (parsed.diagnostics.has_errors()) continue;
    Diagnostics none;
    const auto once = format(*parsed.source, none);
    ASSERT_TRUE(once) << text;
    EXPECT_EQ(dump(parse_text(*once).ast), dump(parsed.ast)) << text;
  }
}

}  // namespace
}  // namespace chi::syntax
