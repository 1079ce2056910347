#include "syntax/format.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "syntax/testing.h"

namespace chi::syntax {
namespace {

std::string formatted(const std::string& text) {
  const SourceFile source("test.chi", text);
  Diagnostics diagnostics;
  return format(source, diagnostics).value_or("not formatted");
}

std::vector<std::string> comments(const std::string& text) {
  const SourceFile source("test.chi", text);
  Diagnostics diagnostics;
  std::vector<std::string> result;
  for (const Comment& c : lex(source, diagnostics).comments) {
    result.emplace_back(source.text(c.span));
  }
  return result;
}

/// What must hold of every correct text.
void expect_kept(const std::string& text, const std::string& name) {
  const std::string once = formatted(text);
  EXPECT_EQ(formatted(once), once) << name;
  EXPECT_EQ(testing::dumped(once), testing::dumped(text)) << name;
  EXPECT_EQ(comments(once), comments(text)) << name;
  EXPECT_EQ(once.find('\t'), std::string::npos) << name;
  EXPECT_EQ(once.find(" \n"), std::string::npos) << name << "\n" << once;
  EXPECT_EQ(once.find("\n\n\n"), std::string::npos) << name;
}

TEST(Format, WritesTheHouseForm) {
  EXPECT_EQ(formatted("proc P()=|[x:real:=0.0,y:nat| |x|,x'=2*y-1|y:=y+1;c!y ]|"),
            "proc P() = |[ x: real := 0.0, y: nat | |x|, x' = 2 * y - 1 | y := y + 1; c!y ]|\n");
  EXPECT_EQ(formatted("const  a=-1,b = - (2)\n\n\n\nconst c = [ 1,2 ]"),
            "const a = -1, b = -(2)\n\nconst c = [1, 2]\n");
}

TEST(Format, WritesComplementarities) {
  EXPECT_EQ(formatted("proc P()=|[|0<=a⟂-b>=0 restitution(1-e),lo<=y<=hi complements(y-1)]|"),
            "proc P() = |[ | 0 <= a complements -b >= 0 restitution (1 - e), lo <= y <= hi "
            "complements (y - 1) ]|\n");
}

TEST(Format, KeepsImportsALineEach) {
  EXPECT_EQ(formatted("from  a . b import X ,Y\nfrom c import *\nimport a.b  as d\n\nproc "
                      "P(p:d.pin)=|[|p.v=0]|"),
            "from a.b import X, Y\nfrom c import *\nimport a.b as d\n\nproc P(p: d.pin) = |[ | p.v "
            "= 0 ]|\n");
}

TEST(Format, WritesNodesAndNamedArguments) {
  EXPECT_EQ(formatted("type pin=node{v:real,flow i:real}"),
            "type pin = node { v: real, flow i: real }\n");
  EXPECT_EQ(formatted("sys S(k:real:=1.0)=|[a:pin|R:P(a,R=2*k)]|"),
            "sys S(k: real := 1.0) = |[ a: pin | R: P(a, R = 2 * k) ]|\n");
}

TEST(Format, WritesClaims) {
  expect_kept("proc P()=|[x:real| x'=1,require x<2 ,\"far\"|assert (x<2),\"far\";x:=1]|", "claims");
  EXPECT_EQ(formatted("proc P()=|[|require x<2 ,\"far\"|assert x<2,\"far\"]|"),
            "proc P() = |[ | require x < 2, \"far\" | assert x < 2, \"far\" ]|\n");
}

TEST(Format, WritesAscii) {
  EXPECT_EQ(formatted("func f(x: real) -> bool = x ≤ 1 ∧ ¬(x ≠ 0) ∨ x ≥ 2·3"),
            "func f(x: real) -> bool = x <= 1 and not (x /= 0) or x >= 2 * 3\n");
}

TEST(Format, KeepsCommentsAndTheirPlace) {
  const std::string text =
      "// head\nproc P() = // why\n|[ x: real /* a */ | x' = 1 // b\n]| // end\n// last\n";
  const std::string once = formatted(text);
  EXPECT_EQ(comments(once), comments(text));
  EXPECT_TRUE(once.starts_with("// head\nproc P() = // why\n")) << once;
}

TEST(Format, KnowsTheStarOfATypeBeforeARange) {
  expect_kept("proc P(a: (?void)^2) = |[ *[ i: nat* <- 0..n-1: true; a.i? -> v := 2*<-1, 2> ] ]|",
              "star");
}

TEST(Format, LeavesWrongTextsAlone) {
  const SourceFile source("test.chi", "proc P( = |[ ]|");
  Diagnostics diagnostics;
  EXPECT_FALSE(format(source, diagnostics));
  EXPECT_TRUE(diagnostics.has_errors());
}

TEST(Format, BreaksLongLines) {
  std::string text = "const c = 1";
  for (int i = 0; i < 60; ++i) text += ", c" + std::to_string(i) + " = f(a, b) + 1";
  const std::string once = formatted(text);
  std::size_t begin = 0;
  for (std::size_t end = once.find('\n'); end != std::string::npos; end = once.find('\n', begin)) {
    EXPECT_LE(end - begin, 102U) << once.substr(begin, end - begin);
    begin = end + 1;
  }
  expect_kept(text, "long");
}

#ifdef CHI_SOURCE_DIR
TEST(Format, KeepsWhatTheListingsMean) {
  for (const auto& file :
       testing::texts_in(std::string(CHI_SOURCE_DIR) + "/tests/papers/listings")) {
    expect_kept(file.text, file.name);
  }
}

// The listings with their white space drawn anew: nothing depends on how a text was laid out.
TEST(Format, KeepsWhatMangledListingsMean) {
  std::mt19937_64 random(3);
  for (const auto& file :
       testing::texts_in(std::string(CHI_SOURCE_DIR) + "/tests/papers/listings")) {
    const SourceFile source(file.name, file.text);
    Diagnostics none;
    const Tokens tokens = lex(source, none);
    std::string mangled;
    std::int32_t last = 0;
    for (const Span span : tokens.spans) {
      const std::string_view gap = source.text({last, span.begin});
      const bool comment = gap.find('/') != std::string_view::npos;
      const bool split = gap.empty();
      const std::uint64_t choice = random() % 6;
      mangled += comment || split ? std::string(gap)
                 : choice == 0    ? "\n"
                 : choice == 1    ? "\n\n \t\n"
                 : choice == 2    ? " /* c */ "
                 : choice == 3    ? " // c\n"
                                  : "  ";
      mangled += source.text(span);
      last = span.end;
    }
    EXPECT_EQ(testing::dumped(mangled), testing::dumped(file.text)) << file.name;
    expect_kept(mangled, file.name + "\n" + mangled);
  }
}
#endif

}  // namespace
}  // namespace chi::syntax
