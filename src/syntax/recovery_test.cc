#include <map>
#include <string>

#include <gtest/gtest.h>

#include "syntax/testing.h"

// One slip, one diagnostic: on classical slips, and on mutations of correct texts.

namespace chi::syntax {
namespace {

using testing::errors_of;
using testing::parse_text;

std::string in_process(const std::string& text) {
  return errors_of("proc P() = |[\n" + text + "\n]|");
}

TEST(Recovery, SaysWhatAClassicalSlipMeans) {
  EXPECT_EQ(in_process("x' = 1, y := 2"), "2:11 E1023 `:=` among the equations\n");
  EXPECT_EQ(in_process("x := 1; y = 2"), "2:11 E1024 `=` in a statement\n");
  EXPECT_EQ(in_process("[ x<-1 -> skip ]"),
            "2:4 E1025 `<-` is the arrow of a substitute equation\n");
  EXPECT_EQ(in_process("b := x == 1 && y == 2"),
            "2:8 E1026 `==` is not an operator of χ\n"
            "2:13 E1026 `&&` is not an operator of χ\n"
            "2:18 E1026 `==` is not an operator of χ\n");
  EXPECT_EQ(in_process("x'' = 1"), "2:1 E1027 a second derivative is not χ\n");
  EXPECT_EQ(in_process("time: real := 0.0"),
            "2:1 E1028 `time` is a keyword and cannot be the name of a variable\n");
  EXPECT_EQ(in_process("x: real\nx' = 1"),
            "3:1 E1029 expected `|` between declarations and equations, found `x`\n");
  EXPECT_EQ(in_process("x: real, x' = 1"),
            "2:10 E1029 expected `|` between declarations and equations, found `x`\n");
  EXPECT_EQ(in_process("x' = 1\n*[ delta 1.0; skip ]"),
            "3:1 E1029 expected `|` between equations and statements, found `*`\n");
  EXPECT_EQ(in_process("x := 1 | x' = 1"), "2:10 E1030 equations after statements\n");
  EXPECT_EQ(in_process("x := 1\ny := 2"), "3:1 E1031 expected `;` between statements, found `y`\n");
  EXPECT_EQ(in_process("x = 1\ny = 2"), "3:1 E1031 expected `,` between equations, found `y`\n");
  EXPECT_EQ(in_process("x: real\ny: real"),
            "3:1 E1031 expected `,` between declarations, found `y`\n");
  EXPECT_EQ(in_process("x = if b then 1"), "3:1 E1032 expected `else`, found `]|`\n");
  EXPECT_EQ(in_process("[ c?x -> skip ]"), "2:3 E1033 an event without a guard\n");
  EXPECT_EQ(in_process("[ skip ]"), "2:1 E1033 a selection without a guard\n");
  EXPECT_EQ(in_process("b := 0 < x < 1"), "2:12 E1034 a relation of a relation\n");
  EXPECT_EQ(in_process("x = y = z"), "2:7 E1034 a second `=` in an equation\n");
  EXPECT_EQ(in_process("x = 1, y + 2"),
            "3:1 E1035 expected `=` or `<-` in the equation, found `]|`\n");
  EXPECT_EQ(in_process("f(x)"), "2:1 E1036 a call is not a statement\n");
  EXPECT_EQ(in_process("skip; f(x)"), "2:7 E1036 a call is not a statement\n");
  EXPECT_EQ(in_process("skip;"), "3:1 E1036 expected a statement, found `]|`\n");
  EXPECT_EQ(in_process("|x + 1|, x = 1"),
            "2:4 E1021 expected `,` or `|` after an unknown, found `+`\n");
  EXPECT_EQ(in_process("x + 1 <- 2"), "2:1 E1037 left of `<-` stands no variable or derivative\n");
  EXPECT_EQ(in_process("x: 5"), "2:4 E1039 expected a type, found `5`\n");
}

TEST(Recovery, FindsTheUnclosedBracket) {
  const auto parsed = parse_text("proc P() = |[ x: real\n | x' = 1\nproc Q() = |[ skip ]|\n");
  EXPECT_EQ(testing::listed(parsed), "3:1 E1021 expected `]|`, found `proc`\n");
  ASSERT_EQ(parsed.diagnostics.all()[0].labels.size(), 1U);
  EXPECT_EQ(parsed.source->position(parsed.diagnostics.all()[0].labels[0].span.begin).column, 12);
  EXPECT_EQ(parsed.ast.definitions.size(), 2U);

  EXPECT_EQ(in_process("Q = sqrt(V\n, x' = 1"), "3:1 E1021 expected `)`, found `,`\n");
  EXPECT_EQ(in_process("[ b -> x' = 1\n, [ not b -> x' = 2 ]"),
            "4:1 E1021 expected `]`, found `]|`\n");
  EXPECT_EQ(in_process("x' = (1))"), "2:9 E1022 `)` closes nothing\n");
}

TEST(Recovery, ReportsAllIndependentErrorsInOneGo) {
  EXPECT_EQ(errors_of("const a = \n"
                      "func f(x: ) -> real = x\n"
                      "proc P() =\n"
                      "|[ x: real := \n"
                      " , y: 3\n"
                      " | x' = * 2\n"
                      " , y' = 1\n"
                      " | x := ;\n"
                      "   y := 2; z := )\n"
                      "]|\n"
                      "sys S() = |[ P( || P() ]|\n"),
            "2:1 E1020 expected an expression, found `func`\n"
            "2:11 E1039 expected a type, found `)`\n"
            "5:2 E1020 expected an expression, found `,`\n"
            "5:7 E1039 expected a type, found `3`\n"
            "6:9 E1020 expected an expression, found `*`\n"
            "8:9 E1020 expected an expression, found `;`\n"
            "9:17 E1020 expected an expression, found `)`\n"
            "11:17 E1020 expected an expression, found `|`\n");
}

TEST(Recovery, KeepsWhatItUnderstands) {
  EXPECT_EQ(testing::body("x' = ) , y' = 2").substr(0, 4), "1:20");
  const auto parsed = parse_text("proc P() = |[ x' = , y' = 2 | skip; := ; terminate ]|");
  const ProcDef& def = std::get<ProcDef>(parsed.ast.definitions[0].node);
  EXPECT_EQ(def.equations.count, 2);
  EXPECT_EQ(def.body.count, 3);
}

TEST(Recovery, LimitsTheNumberOfErrors) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "const a = \n";
  const auto parsed = parse_text(text);
  EXPECT_EQ(parsed.diagnostics.all().size(), 201U);
  EXPECT_EQ(parsed.diagnostics.all().back().code, DiagCode::TooManyErrors);
}

#ifdef CHI_SOURCE_DIR
const std::string kListings = std::string(CHI_SOURCE_DIR) + "/tests/papers/listings";

TEST(Listings, ParseWithoutADiagnostic) {
  const auto files = testing::texts_in(kListings);
  EXPECT_GE(files.size(), 35U);
  for (const auto& file : files) EXPECT_EQ(errors_of(file.text), "") << file.name;
}

struct Tally {
  int single = 0;
  int several = 0;
  std::string worst;

  void add(const std::string& text, const std::string& what) {
    const auto parsed = parse_text(text);
    const std::size_t count = parsed.diagnostics.all().size();
    if (count == 1) ++single;
    if (count < 2) return;
    ++several;
    if (several <= 5) worst += what + "\n" + testing::listed(parsed);
  }
};

// Each token of the listings deleted, doubled, or replaced by another. Doubling and deleting are
// the slips of a hand; replacing is rougher, and a few texts then look like something else.
TEST(Recovery, OneSlipOneDiagnostic) {
  const std::vector<std::string> others = {
      "]", ")", "(", ",", ";", "=", ":=", "x", "|", "[", "->", "2", "if", "}"};
  Tally deleted, doubled, replaced;
  for (const auto& file : testing::texts_in(kListings)) {
    const SourceFile source(file.name, file.text);
    Diagnostics none;
    const Tokens tokens = lex(source, none);
    const std::size_t step = file.name.starts_with("variants") ? 7 : 2;
    for (std::size_t i = 0; i + 1 < tokens.kinds.size(); i += step) {
      const auto begin = static_cast<std::size_t>(tokens.spans[i].begin);
      const auto end = static_cast<std::size_t>(tokens.spans[i].end);
      const std::string before = file.text.substr(0, begin);
      const std::string token = file.text.substr(begin, end - begin);
      const std::string after = file.text.substr(end);
      const std::string what = file.name + " " + source.where(tokens.spans[i]) + " " + token;
      deleted.add(before + " " + after, "delete " + what);
      doubled.add(before + token + " " + token + after, "double " + what);
      replaced.add(before + " " + others[i % others.size()] + " " + after, "replace " + what);
    }
  }
  EXPECT_GT(deleted.single, 1500);
  EXPECT_LE(deleted.several, 3) << deleted.worst;
  EXPECT_LE(doubled.several, 3) << doubled.worst;
  EXPECT_LE(replaced.several * 100, replaced.single * 3) << replaced.worst;
}
#endif

}  // namespace
}  // namespace chi::syntax
