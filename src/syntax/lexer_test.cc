#include "syntax/lexer.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "syntax/literal.h"

namespace chi::syntax {
namespace {

/// The tokens as they are written in ASCII, names and literals as they stand, with the codes of the
/// diagnostics behind them.
std::string lexed(std::string text) {
  const SourceFile source("test.chi", std::move(text));
  Diagnostics diagnostics;
  const Tokens tokens = lex(source, diagnostics);
  std::string line;
  for (std::int32_t i = 0; i + 1 < tokens.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const TokenKind k = tokens.kinds[at];
    const bool literal = k == TokenKind::Ident || k == TokenKind::Integer || k == TokenKind::Real ||
                         k == TokenKind::String;
    line += (i > 0 ? " " : "") + (k == TokenKind::Bad ? std::string("BAD")
                                  : literal           ? std::string(source.text(tokens.spans[at]))
                                                      : std::string(token_text(k)));
  }
  for (const Diagnostic& d : diagnostics.all()) line += fmt::format(" #{}", code_text(d.code));
  return line;
}

TEST(Lexer, SplitsOperators) {
  EXPECT_EQ(lexed("a:=b=c/=d!=e<=f>=g<h>i"), "a := b = c /= d /= e <= f >= g < h > i");
  EXPECT_EQ(lexed("x->y<-z++w--v..u"), "x -> y <- z ++ w -- v .. u");
  EXPECT_EQ(lexed("|[ ||Q| ]|"), "| [ | | Q | ] |");
  EXPECT_EQ(lexed("x<-1 x < -1"), "x <- 1 x < - 1");
  EXPECT_EQ(lexed("c!e c?x T^n T#U f@2 v'"), "c ! e c ? x T ^ n T # U f @ 2 v '");
}

TEST(Lexer, KnowsKeywordsFromNames) {
  EXPECT_EQ(lexed("procs proc _x1 delta deltas"), "procs proc _x1 delta deltas");
  const SourceFile source("t", "procs proc inf");
  Diagnostics diagnostics;
  const Tokens tokens = lex(source, diagnostics);
  EXPECT_EQ(tokens.kinds[0], TokenKind::Ident);
  EXPECT_EQ(tokens.kinds[1], TokenKind::Proc);
  EXPECT_EQ(tokens.kinds[2], TokenKind::Inf);
}

TEST(Lexer, ReadsNumbers) {
  EXPECT_EQ(lexed("2 2.0 1e-3 1.5E6 0.5e+2"), "2 2.0 1e-3 1.5E6 0.5e+2");
  EXPECT_EQ(lexed("0..n 1..2"), "0 .. n 1 .. 2");
  EXPECT_EQ(lexed("x.0.1 x.12.3e"), "x . 0 . 1 x . 12 . 3 e");
  EXPECT_EQ(lexed("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(lexed("9223372036854775808"), "9223372036854775808 #E1006");
  EXPECT_EQ(lexed("1e308 1e309 1e-400"), "1e308 1e309 1e-400 #E1006");
  EXPECT_EQ(lexed("5x 1e 2"), "BAD BAD 2 #E1007 #E1007");
}

TEST(Lexer, ReplacesUnicodeTwins) {
  EXPECT_EQ(lexed("∧ ∨ ¬ ≤ ≥ ≠ → ← ∇ Δ ∥ ▯ ⟨ ⟩ ·"),
            "and or not <= >= /= -> <- nabla delta | | | < > *");
  EXPECT_EQ(lexed("⟶ □ ∆"), "-> | delta");
}

TEST(Lexer, KeepsCommentsAside) {
  const SourceFile source("t", "a // b \n/* c\n d */ e /**/");
  Diagnostics diagnostics;
  const Tokens tokens = lex(source, diagnostics);
  ASSERT_EQ(tokens.comments.size(), 3U);
  EXPECT_EQ(source.text(tokens.comments[0].span), "// b");
  EXPECT_EQ(source.text(tokens.comments[1].span), "/* c\n d */");
  EXPECT_EQ(tokens.comments[0].before, 1);
  EXPECT_EQ(tokens.comments[2].before, 2);
  EXPECT_FALSE(diagnostics.has_errors());
}

TEST(Lexer, ReadsStrings) {
  EXPECT_EQ(lexed(R"("a\n\t\"\\" x)"), R"("a\n\t\"\\" x)");
  EXPECT_EQ(string_value(R"("a\n\t\"\\")"), "a\n\t\"\\");
  EXPECT_EQ(lexed("\"abc\nx"), "\"abc x #E1004");
  EXPECT_EQ(lexed("\"abc\\"), "\"abc\\ #E1004");
  EXPECT_EQ(lexed(R"("\q")"), R"("\q" #E1005)");
  EXPECT_EQ(lexed("\"a\xFF\xFE\""), "\"a\xFF\xFE\" #E1002");
  EXPECT_EQ(lexed("\"χ\""), "\"χ\"");
}

TEST(Lexer, ReportsUnterminatedComment) { EXPECT_EQ(lexed("a /* b"), "a #E1003"); }

TEST(Lexer, ReportsEachBadCharacterOnce) {
  EXPECT_EQ(lexed("a $ b $$$ c"), "a BAD b BAD c #E1001");
  EXPECT_EQ(lexed("\xFF\xFE\xFD x"), "BAD x #E1002");
  EXPECT_EQ(lexed(std::string("a\0b", 3)), "a BAD b #E1001");
}

TEST(Lexer, NamesWhatToWriteInstead) {
  const SourceFile source("t", "ω − “");
  Diagnostics diagnostics;
  lex(source, diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 3U);
  EXPECT_EQ(diagnostics.all()[0].message, "`ω` is not a character of χ");
  EXPECT_EQ(diagnostics.all()[0].help, "write `omega`");
  EXPECT_EQ(diagnostics.all()[1].help, "write `-`");
  EXPECT_EQ(diagnostics.all()[2].help, "write `\"`");
}

TEST(Lexer, LimitsTheNumberOfErrors) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "1e ";
  const SourceFile source("t", text);
  Diagnostics diagnostics;
  lex(source, diagnostics);
  ASSERT_EQ(diagnostics.all().size(), static_cast<std::size_t>(kMaxLexicalErrors) + 1);
  EXPECT_EQ(diagnostics.all().back().code, DiagCode::TooManyErrors);
}

TEST(Lexer, StopsAtTooManyOpenBrackets) {
  const SourceFile source("t", std::string(1'000'000, '['));
  Diagnostics diagnostics;
  const Tokens tokens = lex(source, diagnostics);
  EXPECT_TRUE(tokens.cut);
  EXPECT_LT(tokens.size(), kMaxOpenBrackets + 10);
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_EQ(diagnostics.all()[0].code, DiagCode::BeyondLimits);
}

TEST(Lexer, SkipsByteOrderMark) { EXPECT_EQ(lexed("\xEF\xBB\xBFx"), "x"); }

TEST(Literal, RoundsAndBoundsReals) {
  EXPECT_EQ(real_value("0.1"), 0.1);
  EXPECT_EQ(real_value("1e309"), std::nullopt);
  EXPECT_EQ(real_value("1e-400"), 0.0);
  EXPECT_EQ(real_value("1e99999999999999999999"), std::nullopt);
  EXPECT_EQ(real_value("1e-99999999999999999999"), 0.0);
  EXPECT_EQ(real_value("0." + std::string(400, '0') + "1e5"), 0.0);
  EXPECT_EQ(real_value("1" + std::string(400, '0') + ".0"), std::nullopt);
  EXPECT_EQ(integer_value("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(integer_value("9223372036854775808"), std::nullopt);
}

}  // namespace
}  // namespace chi::syntax
