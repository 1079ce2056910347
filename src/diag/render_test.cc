#include "diag/render.h"

#include <gtest/gtest.h>

#include "source/source_file.h"

namespace chi {
namespace {

TEST(RenderText, ShowsPlaceUnderlineLabelsNotesAndHelp) {
  const SourceFile source("tank.chi", "proc P() = |[ n: nat := 0\n| n' = 1.0 ]|\n");
  const Diagnostic diagnostic{.code = DiagCode::CannotReadFile,
                              .span = Span{28, 30},
                              .message = "`n` is not real",
                              .labels = {{{14, 15}, "declared here"}},
                              .notes = {"first\nsecond"},
                              .help = "make it real"};
  EXPECT_EQ(render_text(diagnostic, source, false),
            "error[E0001]: `n` is not real\n"
            "  --> tank.chi:2:3\n"
            " 1 | proc P() = |[ n: nat := 0\n"
            "   |               - declared here\n"
            " 2 | | n' = 1.0 ]|\n"
            "   |   ^^\n"
            "   = note: first\n"
            "           second\n"
            "   = help: make it real\n");
}

TEST(RenderText, ClipsLongLinesAroundTheSpan) {
  std::string line_text(5000, 'a');
  line_text += 'X';
  line_text.append(5000, 'b');
  const SourceFile source("m.chi", line_text);
  const std::string text =
      render_text({.code = DiagCode::CannotReadFile, .span = Span{5000, 5001}}, source, false);
  EXPECT_LT(text.size(), 500u);
  EXPECT_NE(text.find("aXb"), std::string::npos);
  const std::size_t line = text.find("...a");
  const std::size_t caret = text.find('^');
  ASSERT_NE(caret, std::string::npos);
  const std::size_t under = text.rfind('\n', caret);
  EXPECT_EQ(caret - under - 1, text.find('X') - (text.rfind('\n', text.find('X')) + 1));
  EXPECT_LT(line, caret);
}

TEST(RenderText, MakesAnyBytesPrintable) {
  const SourceFile source("m.chi", std::string("\t\x01\xFF ok", 7));
  const std::string text =
      render_text({.code = DiagCode::CannotReadFile, .span = Span{4, 6}}, source, false);
  EXPECT_NE(text.find("    <U+0001><FF> ok"), std::string::npos) << text;
  for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << text;
}

TEST(RenderText, CountsTheColumnsOfWideAndCombiningCharacters) {
  // "漢" takes two columns; the acute accent behind the e takes none.
  const SourceFile source("x.chi", "\"\u6F22e\u0301\" $");
  const std::string text = render_text(
      {.code = DiagCode::CannotReadFile, .span = Span{9, 10}, .message = "m"}, source, false);
  EXPECT_NE(text.find("\n   |       ^\n"), std::string::npos) << text;
}

TEST(RenderJson, IsOneLineWithNullPlacesWhereThereIsNone) {
  const SourceFile source("m.chi", "x\ny");
  const std::string with = render_json(
      {.code = DiagCode::CannotReadFile, .span = Span{2, 3}, .message = "a\"b"}, source);
  EXPECT_EQ(with,
            "{\"code\":\"E0001\",\"severity\":\"error\",\"file\":\"m.chi\",\"start\":{\"line\":2,"
            "\"column\":1,\"offset\":2},"
            "\"end\":{\"line\":2,\"column\":2,\"offset\":3},\"message\":\"a\\\"b\",\"labels\":[],"
            "\"notes\":[],\"help\":\"\"}");
  const std::string without = render_json({.code = DiagCode::CannotReadFile}, source);
  EXPECT_NE(without.find("\"start\":null,\"end\":null"), std::string::npos);
}

TEST(Diagnostics, AreReadFromTheTopOfTheText) {
  Diagnostics diagnostics;
  diagnostics.report({.code = DiagCode::CannotReadFile, .span = Span{9, 10}, .message = "second"});
  diagnostics.report({.code = DiagCode::CannotReadFile, .span = Span{3, 4}, .message = "first"});
  diagnostics.report({.code = DiagCode::CannotReadFile, .message = "about the call"});
  const auto sorted = diagnostics.sorted();
  EXPECT_EQ(sorted[0].message, "about the call");
  EXPECT_EQ(sorted[1].message, "first");
  EXPECT_EQ(sorted[2].message, "second");
  EXPECT_EQ(diagnostics.error_count(), 3);
}

}  // namespace
}  // namespace chi
