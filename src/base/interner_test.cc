#include "base/interner.h"

#include <string>

#include <gtest/gtest.h>

namespace chi {
namespace {

TEST(Interner, GivesEqualTextsOneSymbol) {
  Interner symbols;
  const Symbol x = symbols.intern("x");
  EXPECT_EQ(symbols.intern(std::string("x")), x);
  EXPECT_NE(symbols.intern("y"), x);
  EXPECT_EQ(symbols.text(x), "x");
  EXPECT_EQ(symbols.find("x"), x);
  EXPECT_FALSE(symbols.find("z"));
}

// The map's keys are views into the texts: they must stay where they are when the table grows or
// moves.
TEST(Interner, SurvivesGrowthAndMoves) {
  Interner symbols;
  for (int i = 0; i < 10'000; ++i) symbols.intern("name" + std::to_string(i));
  const Interner moved = std::move(symbols);
  for (int i = 0; i < 10'000; ++i) {
    const std::string text = "name" + std::to_string(i);
    ASSERT_EQ(moved.text(moved.find(text)), text);
  }
}

}  // namespace
}  // namespace chi
