#include "base/visible_text.h"

#include <gtest/gtest.h>

#include "base/json_text.h"

namespace chi {
namespace {

TEST(VisibleText, PlainTextStays) {
  for (const char* text :
       {"", "x[1].V' = 2.5", "χ ∈ ℝ, naïve, 名前, 🙂", "two\nlines\tand a tab"})
    EXPECT_EQ(visible_text(text), text);
}

TEST(VisibleText, ShowsWhatTerminalsObey) {
  EXPECT_EQ(visible_text("\x1b[31mred\x1b]0;title\x07"), "<U+001B>[31mred<U+001B>]0;title<U+0007>");
  EXPECT_EQ(visible_text("over\rwritten\b"), "over<U+000D>written<U+0008>");
  EXPECT_EQ(visible_text("\xC2\x9B"  // the escape sequence introducer as one character
                         "2J"),
            "<U+009B>2J");
  EXPECT_EQ(visible_text(std::string_view("\0", 1)), "<U+0000>");
}

TEST(VisibleText, ShowsWhatTurnsOrHidesText) {
  EXPECT_EQ(visible_text("a\u202Eb\u2066c\u2069"), "a<U+202E>b<U+2066>c<U+2069>");
  EXPECT_EQ(visible_text("zero\u200Bwidth\uFEFF"), "zero<U+200B>width<U+FEFF>");
  EXPECT_EQ(visible_text("\U000E0041"), "<U+E0041>");
}

TEST(VisibleText, ShowsBytesThatAreNoText) {
  EXPECT_EQ(visible_text("a\xFF\xC0\xAF z\xE2\x82"), "a<FF><C0><AF> z<E2><82>");
}

TEST(VisibleText, ALineHasNoLines) {
  EXPECT_EQ(visible_line("two\nlines\tand"), "two<U+000A>lines<U+0009>and");
}

TEST(VisibleText, JsonKeepsThemBehindEscapes) {
  EXPECT_EQ(json_quote("\x1b \u009B \u202E \U000E0041"),
            "\"\\u001b \\u009b \\u202e \\udb40\\udc41\"");
}

}  // namespace
}  // namespace chi
