#include <gtest/gtest.h>

#include "structure/analyse.h"
#include "structure/model_testing.h"

// What is wrong with a system, and what exact dependencies say about it.
namespace chi::structure {
namespace {

using testing::Model;
using Ints = std::vector<int>;
using Rows = std::vector<std::int32_t>;
using Kind = Singular::Kind;

void expect_singular(Model& model, Kind kind, const Rows& rows, std::string_view unknowns) {
  const Analysis a = model.analyse();
  ASSERT_TRUE(a.singular);
  EXPECT_EQ(a.singular->kind, kind);
  EXPECT_EQ(a.singular->rows, rows);
  EXPECT_EQ(model.text(a.singular->unknowns), unknowns);
}

TEST(Singular, ADeclaredVariableThatOccursNowhere) {
  Model model("y", {"x' = -x"});
  expect_singular(model, Kind::Under, {}, "y");
}

TEST(Singular, ARowWithoutUnknowns) {
  Model model("", {"x' = -x", "u = 1"});
  expect_singular(model, Kind::Over, {1}, "");
}

TEST(Singular, OneEquationTooMany) {
  Model model("x y", {"x = u*w", "y = x*u", "y = sin(x)"});
  expect_singular(model, Kind::Over, {0, 1, 2}, "x y");
}

TEST(Singular, OneUnknownTooMany) {
  Model model("x y z", {"x = sin(u)", "y + z = sin(x)"});
  expect_singular(model, Kind::Under, {1}, "y z");
}

TEST(Singular, AContradictionOfWholeNumbers) {
  Model model("x y z", {"x + y = 1", "y + z = time", "x - z = 2 - time"});
  expect_singular(model, Kind::Contradiction, {0, 1, 2}, "x y z");
}

TEST(Singular, KnownValuesThatWouldHaveToAgree) {
  Model model("x y", {"x + y = u", "x + y = #W"});
  expect_singular(model, Kind::Over, {0, 1}, "x y");
}

TEST(Singular, ARedundantRowLeavesAnUnknownOpen) {
  Model model("x y", {"x + y = sin(u)", "2*x + 2*y = 2*sin(u)"});
  const Analysis a = model.analyse();
  ASSERT_TRUE(a.singular);
  EXPECT_EQ(a.singular->kind, Kind::Under);
  EXPECT_EQ(a.redundant, (Rows{1}));
  EXPECT_EQ(model.text(a.singular->unknowns), "x y");
}

TEST(Redundant, OneKirchhoffEquationTooMany) {
  Model model("i1 i2 i3 v0 v1 v2", {"i3 - i1 = 0", "i1 - i2 = 0", "i2 - i3 = 0", "v0 = 0",
                                    "v1 - v0 = 10*sin(time)", "v1 - v2 = 4.7*i2", "2.2*v2' = i2"});
  const Analysis a = model.analyse();
  ASSERT_FALSE(a.singular);
  EXPECT_EQ(a.redundant.size(), 1u);
  EXPECT_EQ(a.kept.size(), 6u);
  EXPECT_EQ(a.degrees_of_freedom, 1);
}

TEST(Redundant, WhatCancelsDoesNotOccur) {
  Model model("x y", {"x' + y - x' = time", "x' = y"});
  const Analysis a = model.analyse();
  ASSERT_FALSE(a.singular);
  EXPECT_EQ(a.degrees_of_freedom, 1);
  EXPECT_EQ(a.c, (Ints{0, 0}));
  ASSERT_EQ(a.combinations.size(), 1u);
  EXPECT_EQ(a.combinations[0].row, 0);
}

TEST(Hidden, EqualSumsOfDerivatives) {
  Model model("", {"x' + y' = sin(x)", "x' + y' = cos(y)"});
  const Analysis a = model.analyse();
  ASSERT_FALSE(a.singular);
  EXPECT_EQ(a.degrees_of_freedom, 1);
  ASSERT_EQ(a.combinations.size(), 1u);
  EXPECT_EQ(a.combinations[0].of.size(), 2u);
  EXPECT_EQ(testing::sorted(a.c), (Ints{0, 1}));
}

TEST(Hidden, ADerivativeWrittenOut) {
  // The second row is the derivative of the first: nothing determines y.
  Model model("x y", {"x = y", "x' = y'"});
  const Analysis a = model.analyse();
  ASSERT_TRUE(a.singular);
  EXPECT_EQ(a.singular->kind, Kind::Under);
  EXPECT_EQ(a.redundant, (Rows{1}));
  Model wrong("x y", {"x = y", "x' = y' + 1"});
  expect_singular(wrong, Kind::Contradiction, {0, 1}, "x y");
}

// Three capacitors in a triangle that floats: their currents cancel in the sum of the balances,
// which leaves a constraint between the other currents. pi is no fraction, but it is in rows that
// need not be combined.
TEST(Hidden, ATriangleOfFloatingCapacitors) {
  Model model("i1 i2 i3 ja jb jc",
              {"i1 - i3 + ja = 0", "i2 - i1 + jb = 0", "i3 - i2 + jc = 0", "i1 = pi*(a' - b')",
               "i2 = pi/3*(b' - c')", "i3 = pi/7*(c' - a')", "ja = 1.7*a", "jb = 1.9*b",
               "jc = 2.3*c + sin(time)"});
  const Analysis a = model.analyse();
  ASSERT_FALSE(a.singular);
  EXPECT_EQ(a.degrees_of_freedom, 2);
  ASSERT_EQ(a.combinations.size(), 1u);
  const auto choice = choose_states(model.pool, a);
  EXPECT_TRUE(order_blocks(model.pool, a, choice->states).is_square());
}

// 0.1 is no binary fraction, but the modeller's 0.2 is twice his 0.1.
TEST(Hidden, DecimalsCountAsTheyAreWritten) {
  Model model("x z", {"0.1*x' + 0.2*y' = z", "0.2*x' + 0.4*y' = 2*z + x - 1", "z = cos(time)"});
  const Analysis a = model.analyse();
  ASSERT_FALSE(a.singular);
  EXPECT_EQ(a.degrees_of_freedom, 1);
  EXPECT_EQ(a.combinations.size(), 1u);
}

TEST(Hidden, AcrossOffsets) {
  // Subtracting the rows gives v2' - v1' on the right, that is 0 = w - cos(v1).
  Model model("F w", {"v1' = F", "v2' = F + w - cos(v1)", "v1 = v2", "w' = F*v1"});
  const Analysis a = model.analyse();
  ASSERT_FALSE(a.singular);
  ASSERT_EQ(a.combinations.size(), 1u);
  EXPECT_EQ(a.combinations[0].of.size(), 3u);
  EXPECT_EQ(a.degrees_of_freedom, 1);
}

TEST(Hidden, BehindEqualTermsThatAreNotLinear) {
  // The difference of the first two rows is p' = q, whatever z*sin(w) is: no degree of freedom.
  Model model("p q z w", {"p' - q + q' + z*sin(w) = 0", "q' + z*sin(w) = 0", "p + sin(p) = time",
                          "w = 1 + time"});
  const Analysis a = model.analyse();
  ASSERT_FALSE(a.singular);
  EXPECT_EQ(a.degrees_of_freedom, 0);
  ASSERT_EQ(a.combinations.size(), 1u);
  EXPECT_EQ(a.combinations[0].of.size(), 2u);
}

}  // namespace
}  // namespace chi::structure
