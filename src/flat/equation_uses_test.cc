#include "flat/equation_uses.h"

#include <gtest/gtest.h>

#include "flat/test_model.h"

namespace chi::flat {
namespace {

using testing::flattened;

/// Which of unknown, substituted, used and moves hold for a variable: "u", "s", "d", "m".
std::string use(const testing::TestModel& m, std::string_view variable, std::int64_t count = 1) {
  const SlotUse found = EquationUses(*m.model).of(m.slot_of(variable), count);
  std::string text;
  if (found.unknown) text += 'u';
  if (found.substituted) text += 's';
  if (found.used) text += 'd';
  if (found.moves) text += 'm';
  return text;
}

TEST(EquationUses, NoEquationsNoUses) {
  const auto m = flattened("proc P() = |[ x: real | x := 1.0; !x ]|");
  EXPECT_TRUE(EquationUses(*m.model).none());
  EXPECT_EQ(use(m, "x"), "");
}

TEST(EquationUses, WhatStatementsLookBackAtIsUsed) {
  const auto m = flattened("proc P() = |[ x, y, t: real | x := 1.0; y := delay(x, t); !y ]|");
  EXPECT_EQ(use(m, "x"), "d");
  EXPECT_EQ(use(m, "t"), "d");
  EXPECT_EQ(use(m, "y"), "");
}

TEST(EquationUses, DifferentiatedVariablesMoveAndDeclaredOnesAreUnknown) {
  const auto m = flattened(
      "proc P() = |[ x, y, k, z: real, b: bool, n: nat, free: real\n"
      "| x' = -k * y, y = n * x, |y|, [ b -> |z|, z = x ]\n"
      "| free := x; !free ]|");
  EXPECT_EQ(use(m, "x"), "dm") << "continuous: its value is there";
  EXPECT_EQ(use(m, "y"), "udm");
  EXPECT_EQ(use(m, "k"), "d");
  EXPECT_EQ(use(m, "n"), "d") << "a discrete value";
  EXPECT_EQ(use(m, "b"), "d") << "a guard";
  EXPECT_EQ(use(m, "z"), "udm") << "in one mode is enough";
  EXPECT_EQ(use(m, "free"), "");
}

TEST(EquationUses, SubstitutedVariablesNeedTheEquationsOnlyIfTheirValueDoes) {
  const auto m = flattened(
      "proc P() = |[ x, y, a, b, c, d, k: real\n"
      "| x' = a + b + c + d, |y|, y = x * x\n"
      ", a <- 2.0 * k, b <- a + x, c <- a + y, d <- x' \n"
      "| k := 1.0 ]|");
  EXPECT_EQ(use(m, "a"), "sm");
  EXPECT_EQ(use(m, "b"), "sm");
  EXPECT_EQ(use(m, "c"), "usm") << "through y";
  EXPECT_EQ(use(m, "d"), "usm") << "a derivative is unknown";
  EXPECT_EQ(use(m, "k"), "d") << "through a";
}

TEST(EquationUses, BoxesUseAllTheyName) {
  const auto m = flattened(
      "proc P() = |[ x: real, xs: real*, ys: nat*, i: nat, r: nat\n"
      "| x' = hd(xs) + len(ys)\n"
      "| xs := [1.0]; ys := []; i := r ]|");
  EXPECT_EQ(use(m, "xs", 2), "d");
  EXPECT_EQ(use(m, "ys", 2), "d");
  EXPECT_EQ(use(m, "i"), "");
}

TEST(EquationUses, PartsOfVariables) {
  const auto m = flattened(
      "proc P() = |[ x: real^3, k: real^2 | x.1' = k.0, |x.2|, x.2 = x.1 | k.1 := 2.0 ]|");
  const std::int32_t x = m.slot_of("x");
  const EquationUses uses(*m.model);
  EXPECT_FALSE(uses.of(x, 1).any());
  EXPECT_TRUE(uses.of(x + 1, 1).moves);
  EXPECT_FALSE(uses.of(x + 1, 1).unknown);
  EXPECT_TRUE(uses.of(x + 2, 1).unknown);
  EXPECT_TRUE(uses.of(x, 3).unknown);
  EXPECT_TRUE(uses.of(m.slot_of("k"), 1).used);
  EXPECT_FALSE(uses.of(m.slot_of("k") + 1, 1).used);
  EXPECT_FALSE(uses.of(x, 0).any());
}

// What instantaneous equations determine has its value when they are done.
TEST(EquationUses, InstantaneousEquationsMoveTheirUnknowns) {
  const auto m = flattened(
      "proc Q(ref v: real) = |[ w, u: real | *[ { |v|, v = 2.0 * w, [ u > 0.0 -> |w|, w = 1.0 ] }; "
      "delta 1.0 ] ]|\n"
      "sys S() = |[ v: real | Q(v) ]|");
  EXPECT_FALSE(EquationUses(*m.model).none());
  EXPECT_EQ(use(m, "v"), "m");
  EXPECT_EQ(use(m, "Q.w"), "m");
  EXPECT_EQ(use(m, "Q.u"), "");
}

}  // namespace
}  // namespace chi::flat
