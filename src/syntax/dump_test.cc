#include "syntax/dump.h"

#include <gtest/gtest.h>

#include "syntax/testing.h"

namespace chi::syntax {
namespace {

std::string tokens_of(const std::string& text, const Wanted& wanted = {}) {
  const SourceFile source("test.chi", text);
  Diagnostics diagnostics;
  return dump(lex(source, diagnostics), wanted);
}

TEST(TokenDump, TellsPlaceKindAndText) {
  EXPECT_EQ(tokens_of("x :=\n 2.0 // why\n"),
            "1:1     Ident        x\n1:3     Becomes      :=\n2:2     Real         2.0\n"
            "2:6     comment      // why\n3:1     End\n");
}

TEST(TokenDump, KeepsWhatIsWanted) {
  EXPECT_EQ(tokens_of("x y x", [](std::string_view text) { return text == "y"; }),
            "1:3     Ident        y\n");
}

TEST(Indented, LeavesAloneWhatFits) {
  EXPECT_EQ(indented("(a (b c) \"d\")\n"), "(a (b c) \"d\")\n");
}

TEST(Indented, PutsElementsOfLongListsBelowEachOther) {
  const std::string name(60, 'x');
  EXPECT_EQ(indented("(a b (c " + name + ") (d " + name + "))\n"),
            "(a b\n  (c " + name + ")\n  (d " + name + "))\n");
}

TEST(Indented, TakesParenthesesInTextsAndTypesForText) {
  const std::string name(60, 'x');
  EXPECT_EQ(indented("(a \"(\\\"\" (c:{f (} " + name + ") (d " + name + "))\n"),
            "(a \"(\\\"\"\n  (c:{f (} " + name + ")\n  (d " + name + "))\n");
}

// Only spaces and line ends between elements are its own.
TEST(Indented, KeepsTheTextsOfAllListings) {
  for (const testing::TextFile& file :
       testing::texts_in(std::string(CHI_SOURCE_DIR) + "/tests/papers/listings")) {
    const std::string flat = dump(testing::parse_text(file.text).ast);
    std::string broken = indented(flat);
    std::string joined;
    for (std::size_t i = 0; i < broken.size(); ++i) {
      const bool in_list = broken[i] == '\n' && i + 1 < broken.size() && broken[i + 1] == ' ';
      if (!in_list) {
        joined += broken[i];
        continue;
      }
      joined += ' ';
      while (broken[i + 1] == ' ') ++i;
    }
    EXPECT_EQ(joined, flat) << file.name;
  }
}

TEST(Indented, NeedsNoStackForDeepLists) {
  const std::size_t depth = 100'000;
  const std::string deep = std::string(depth, '(') + "x" + std::string(depth, ')');
  EXPECT_EQ(indented(deep), deep);
}

TEST(Dump, NotesStandBehindEachExpression) {
  const testing::Parsed parsed = testing::parse_text("const c = (1 + x)*y");
  const auto note = [](ExprId) { return std::string("!"); };
  EXPECT_EQ(dump(parsed.ast, parsed.ast.definitions[0], note), "(const c _ (* (+ 1! x!)! y!)!)\n");
}

}  // namespace
}  // namespace chi::syntax
