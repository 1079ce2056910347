#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "diag/render.h"
#include "driver/compile.h"
#include "driver/read_source.h"
#include "syntax/format.h"

// Any bytes give a diagnosis, in bounded time and memory, and never a crash or a stack overflow.
namespace chi {
namespace {

/// Number of errors, none of which may be shown at absurd length; the formatter must refuse the
/// text too.
int errors_of(std::string text) {
  const SourceFile source("bad.chi", std::move(text));
  Diagnostics diagnostics;
  driver::compile(source, {}, {}, diagnostics);
  for (const Diagnostic& d : diagnostics.sorted()) {
    EXPECT_LT(render_text(d, source, true).size(), 10'000u);
    EXPECT_LT(render_json(d, source).size(), 100'000u);
  }
  return diagnostics.error_count();
}

std::string repeated(std::string_view piece, std::size_t times) {
  std::string text;
  text.reserve(piece.size() * times);
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

TEST(BadInput, BytesThatAreNoText) {
  EXPECT_GT(errors_of(std::string(1000, '\0')), 0);
  EXPECT_GT(errors_of(repeated("\xFF\xFE", 1000)), 0);
  EXPECT_GT(errors_of("proc P() = |[ x: real | x := \xC0\x80 ]|"), 0);
  EXPECT_GT(errors_of(""), 0);
  EXPECT_GT(errors_of("// only a comment"), 0);
}

TEST(BadInput, HundredMegabytesOfBrackets) {
  const int errors = errors_of(std::string(100'000'000, '['));
  EXPECT_GT(errors, 0);
  EXPECT_LT(errors, 100);
}

TEST(BadInput, MillionNestedParentheses) {
  const std::string deep = repeated("(", 1'000'000) + "1" + repeated(")", 1'000'000);
  EXPECT_GT(errors_of("const x = " + deep), 0);
  EXPECT_GT(errors_of("type t = " + deep), 0);
  EXPECT_GT(errors_of("proc P() = |[ x: real | x := " + deep + " ]|"), 0);
  EXPECT_GT(errors_of("proc P() = |[ | " + repeated("*[ true -> ", 200'000)), 0);
  EXPECT_GT(errors_of("const x = " + repeated("- ", 1'000'000) + "1"), 0);
  EXPECT_GT(errors_of("const x = " + repeated("if true then 1 else ", 300'000) + "1"), 0);
  EXPECT_GT(errors_of("const x = " + repeated("1 + ", 1'000'000) + "1"), 0);
}

TEST(BadInput, TenMegabyteLine) {
  EXPECT_GT(errors_of("const x = \"" + std::string(10'000'000, 'a') + "\" + 1"), 0);
  EXPECT_GT(errors_of(std::string(10'000'000, 'x')), 0);
  EXPECT_GT(errors_of(repeated("x ", 5'000'000)), 0);
}

TEST(BadInput, NumbersBeyondTheirRange) {
  EXPECT_GT(errors_of("const n = 9223372036854775808"), 0);
  EXPECT_GT(errors_of("const n = " + std::string(100'000, '9')), 0);
  EXPECT_GT(errors_of("const n = 9223372036854775807 + 1 proc P() = |[ skip ]|"), 0);
}

TEST(BadInput, RecursionInTypesConstantsAndSystems) {
  EXPECT_GT(errors_of("type a = b, b = a*"), 0);
  EXPECT_GT(errors_of("const a = b, b = a"), 0);
  EXPECT_GT(
      errors_of("func f(n: nat) -> nat = f(n + 1) const a = f(0) proc P() = |[ x: nat^a | skip ]|"),
      0);
  EXPECT_GT(errors_of("sys S() = |[ S() ]|"), 0);
  EXPECT_GT(
      errors_of("const a: nat* = range(1000000000000) proc P() = |[ x: nat^(len(a)) | skip ]|"), 0);
}

TEST(BadInput, FilesThatCannotBeRead) {
  for (const char* path : {"/", "/does/not/exist.chi", ""}) {
    Diagnostics diagnostics;
    EXPECT_FALSE(driver::read_source(path, diagnostics)) << path;
    EXPECT_EQ(diagnostics.error_count(), 1);
  }
}

TEST(BadInput, FileThatIsTooLarge) {
  const std::string path = ::testing::TempDir() + "chi_too_large.chi";
  std::ofstream(path) << "proc";
  std::filesystem::resize_file(path, kMaxSourceBytes + 1);  // sparse: takes no room
  Diagnostics diagnostics;
  EXPECT_FALSE(driver::read_source(path, diagnostics));
  std::filesystem::remove(path);
  ASSERT_EQ(diagnostics.error_count(), 1);
  EXPECT_EQ(code_text(diagnostics.all()[0].code), "E0002");
}

// A golden test cannot expect this one: what it expects would stand in the comment.
TEST(BadInput, CommentThatIsNotClosed) {
  const SourceFile source("bad.chi", "proc P() = |[ skip ]|\n/* never closed\n");
  Diagnostics diagnostics;
  driver::check(source, diagnostics);
  ASSERT_EQ(diagnostics.error_count(), 1);
  EXPECT_EQ(code_text(diagnostics.all()[0].code), "E1003");
  EXPECT_EQ(source.position(diagnostics.all()[0].span->begin).line, 2);
}

}  // namespace
}  // namespace chi
