#include "sema/check.h"

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sema/model_testing.h"

namespace chi::sema {
namespace {

using testing::Checked;

std::string repeated(std::string_view text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

TEST(Check, RecordsWhatDefinitionsDeclare) {
  const Checked c(
      "proc P(a, b: real, ref q: real) = |[ x, y: real := 1.0, n: nat in 0..1 | skip ]|");
  ASSERT_EQ(c.codes(), std::vector<std::string>{"E2038"});
  const DefinitionInfo& info = c.model.definitions[0];
  ASSERT_EQ(info.params.size(), 3u);
  ASSERT_EQ(info.locals.size(), 3u);
  const Decl& q = c.model.decls[info.params[2]];
  EXPECT_EQ(q.kind, DeclKind::RefParam);
  EXPECT_EQ(q.ordinal, 2);
  EXPECT_EQ(q.owner, 0);
  const Decl& y = c.model.decls[info.locals[1]];
  EXPECT_EQ(y.kind, DeclKind::Local);
  EXPECT_EQ(y.ordinal, 1);
  EXPECT_EQ(c.source.text(c.model.ast.exprs[y.initial].span), "1.0");
  EXPECT_EQ(c.model.decls[info.self].kind, DeclKind::Process);
}

TEST(Check, ResolvesNamesToTheInnermostDeclaration) {
  const Checked c("const x = 1\nfunc f(x: real) -> real = x + pi");
  ASSERT_TRUE(c.codes().empty());
  const auto* decl = std::get_if<DeclId>(&c.model.resolution[c.expr("x")]);
  ASSERT_TRUE(decl);
  EXPECT_EQ(c.model.decls[*decl].kind, DeclKind::ValueParam);
  EXPECT_EQ(std::get<Builtin>(c.model.resolution[c.expr("pi")]), Builtin::Pi);
}

TEST(Check, LiteralsTakeTheTypeOfTheirPlace) {
  const Checked c(
      "const a: real^2 = <1, 2>, b: nat* = [], d: real = -3, e = 4, s: dict(nat, bool) = {}\n"
      "func f(n: nat, x: real^n) -> real = x.0\nconst y = f(2, <7, 8>)");
  ASSERT_TRUE(c.codes().empty());
  EXPECT_EQ(c.type_of("<1, 2>"), "real^2");
  EXPECT_EQ(c.type_of("1"), "real");
  EXPECT_EQ(c.type_of("[]"), "nat*");
  EXPECT_EQ(c.type_of("3"), "real");
  EXPECT_EQ(c.type_of("-3"), "real");
  EXPECT_EQ(c.type_of("4"), "nat");
  EXPECT_EQ(c.type_of("{}"), "dict(nat, bool)");
  EXPECT_EQ(c.type_of("<7, 8>"), "real^2") << "the length that it has, not one of the callee's";
}

TEST(Check, TypesOfOperators) {
  const Checked c(
      "proc P(n: nat, i: int, x: real) = |[ r: real, b: bool\n"
      "| r := n + n; r := n - n; r := n * i; r := n / n; r := n div n; r := n ^ n; r := i ^ n;"
      " r := n ^ i; r := x ^ n; r := -n; b := n = x ]|");
  ASSERT_TRUE(c.codes().empty());
  EXPECT_EQ(c.type_of("n + n"), "nat");
  EXPECT_EQ(c.type_of("n - n"), "int");
  EXPECT_EQ(c.type_of("n * i"), "int");
  EXPECT_EQ(c.type_of("n / n"), "real");
  EXPECT_EQ(c.type_of("n div n"), "nat");
  EXPECT_EQ(c.type_of("n ^ n"), "nat");
  EXPECT_EQ(c.type_of("i ^ n"), "int");
  EXPECT_EQ(c.type_of("n ^ i"), "real");
  EXPECT_EQ(c.type_of("x ^ n"), "real");
  EXPECT_EQ(c.type_of("-n"), "int");
  EXPECT_EQ(c.type_of("n = x"), "bool");
}

TEST(Check, TellsFieldsFromIndices) {
  const Checked c(
      "type r = { u: real, i: real }\n"
      "proc P(i: nat) = |[ a: real^3, b: r | a.i' = b.i, b.u' = 1.0, b.i' = 1.0 ]|");
  ASSERT_TRUE(c.codes().empty());
  const syntax::ExprId index = c.expr("a.i");
  EXPECT_EQ(c.model.field[index], -1);
  EXPECT_EQ(c.model.decls[std::get<DeclId>(c.model.resolution[index])].kind, DeclKind::ValueParam);
  EXPECT_EQ(c.model.field[c.expr("b.i")], 1);
  EXPECT_TRUE(std::holds_alternative<Unresolved>(c.model.resolution[c.expr("b.i")]));
}

TEST(Check, FindsIndicesByTheirPlace) {
  const std::string text = "proc P(n: nat) = |[ x: real^n | i: int <- 0..n-1: x.i' = 1.0 ]|";
  const Checked c(text);
  ASSERT_TRUE(c.codes().empty());
  const DeclId index = c.model.unwind_index.at(static_cast<std::int32_t>(text.find("i: int")));
  EXPECT_EQ(c.model.decls[index].kind, DeclKind::Index);
  EXPECT_EQ(c.type_text(c.model.decls[index].type), "int");
  EXPECT_EQ(std::get<DeclId>(c.model.resolution[c.expr("x.i")]), index);
}

TEST(Check, InstancesReferToDefinitions) {
  const Checked c(
      "sys S() = |[ P() || (T() || P()) ]|\nproc P() = |[ skip ]|\nsys T() = |[ P() ]|");
  ASSERT_TRUE(c.codes().empty());
  std::vector<std::int32_t> parts;
  for (std::int32_t part : c.model.instance_of) {
    if (part >= 0) parts.push_back(part);
  }
  std::sort(parts.begin(), parts.end());
  EXPECT_EQ(parts, (std::vector<std::int32_t>{1, 1, 1, 2}));
}

TEST(Check, ArrayLengthsOfParametersStayOpen) {
  const Checked c(
      "const k = 2\nproc P(n: nat) = |[ x: real^(n + k), y: real^(2*k) | x' = x, y' = y ]|");
  ASSERT_TRUE(c.codes().empty());
  EXPECT_EQ(c.type_of("x"), "real^?");
  EXPECT_EQ(c.type_of("y"), "real^4");
}

// A mistake is told once: what follows from it is not.
TEST(Check, OneMistakeOneDiagnostic) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"const a = b + 1, c = a * 2, d: real = c", "E2001"},
      {"type t = u, v = t*\nconst x: v = [1]\nproc P(y: t) = |[ z: t | z := y ]|", "E2001"},
      {"func f(x: nat) -> nat = x + y\nconst a = f(2), b: real^a = <1, 2>", "E2001"},
      {"const a: nat = \"x\"\nproc P() = |[ x: real^a | x' = x ]|", "E2020"},
      {"proc P(c: !foo) = |[ c!1; c!true ]|", "E2001"},
      {"sys S() = |[ c: -nat, x: real | Q(c, x) ]|", "E2001"},
      {"proc P() = |[ x: real | x' = (1 + true) * 2 - x ]|", "E2021"},
      {"proc P() = |[ y: real | y' = x.0 + x.1 ]|\n", "E2001"},
      {"const a = [1, true, 2, false]", "E2022"},
  };
  for (const auto& [text, code] : cases) {
    const Checked c(text);
    ASSERT_FALSE(c.codes().empty()) << text;
    EXPECT_EQ(c.codes()[0], code) << text;
    const bool same_name_twice = text.find("x.0 + x.1") != std::string::npos;
    EXPECT_EQ(c.codes().size(), same_name_twice ? 2u : 1u) << text;
  }
}

// The parser limits the depth of trees; within it no pass may run out of stack.
TEST(Check, TakesTheDeepestTrees) {
  const std::string deep_sum = "1" + repeated(" + 1", 3900);
  const std::string deep_power = "1" + repeated("^1", 450);
  const std::string brackets = repeated("(", 450) + "1" + repeated(")", 450);
  const std::string lists = repeated("[", 150) + "1" + repeated("]", 150);
  const std::string calls = repeated("abs(", 450) + "1" + repeated(")", 450);
  const std::string branches = repeated("if true then 1 else ", 450) + "1";
  const std::string negations = repeated("- ", 450) + "1";
  for (const std::string& e : {deep_sum, deep_power, brackets, calls, branches, negations, lists}) {
    const Checked c("const x = " + e);
    EXPECT_TRUE(c.codes().empty()) << e.substr(0, 20) << " " << c.codes().front();
    EXPECT_EQ(c.model.constant_values.size(), 1u);
  }
  const Checked blocks("proc P() = |[ " + repeated("[ true -> ", 450) + "skip" +
                       repeated(" ]", 450) + " ]|");
  EXPECT_TRUE(blocks.codes().empty());
}

// Chains through definitions are followed without recursion: they are as long as the model.
TEST(Check, TakesLongChainsOfDefinitions) {
  std::string constants, types, systems;
  for (int i = 0; i < 20'000; ++i) {
    constants += fmt::format("const c{} = c{} + 1\n", i, i + 1);
    types += fmt::format("type t{} = t{}\n", i, i + 1);
    systems += fmt::format("sys S{}() = |[ S{}() ]|\n", i, i + 1);
  }
  const Checked c(constants + "const c20000 = 1\n");
  EXPECT_TRUE(c.codes().empty());
  EXPECT_EQ(std::get<std::int64_t>(c.model.constant_values.at(c.decl("c0")).data), 20'001);
  EXPECT_TRUE(Checked(types + "type t20000 = real\n").codes().empty());
  EXPECT_TRUE(Checked(systems + "sys S20000() = |[ P() ]| proc P() = |[ skip ]|").codes().empty());
  EXPECT_EQ(Checked(systems + "sys S20000() = |[ S0() ]|").codes(),
            std::vector<std::string>{"E2008"});
  std::string nested = "type t0 = real\n";
  for (int i = 1; i < 1000; ++i) nested += fmt::format("type t{} = t{}*\n", i, i - 1);
  EXPECT_EQ(Checked(nested).codes()[0], "E2033");
}

// A constant may have the name of a parameter of a function that it needs.
TEST(Check, HiddenNamesMakeNoCycle) {
  EXPECT_TRUE(Checked("const n = f(2)\nfunc f(n: nat) -> nat = n + 1").codes().empty());
  EXPECT_TRUE(Checked("type r = { n: nat }\nconst n = f({ n = 2 })\nfunc f(x: r) -> nat = x.n")
                  .codes()
                  .empty());
}

// Any sequence of words of the language is checked without a crash.
TEST(Check, SurvivesShuffledModels) {
  const std::vector<std::string> words{
      "proc",  "P",   "(",  ")",  "=", "|[",   "]|",   "|",     "x",    ":",     "real",
      "nat",   ",",   "x'", "<-", "[", "]",    "->",   "!",     "?",    ":=",    ";",
      "delta", "1.0", "2",  "+",  "*", "func", "ret",  "const", "type", "sys",   "||",
      "{",     "}",   "<",  ">",  "^", "bool", "true", "and",   "if",   "then",  "else",
      "ref",   "T",   ".",  "a",  "i", "..",   "sin",  "(",     ")",    "real*", "xper"};
  std::mt19937_64 rng(20260101);
  const auto pick = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(rng);
  };
  for (int round = 0; round < 3000; ++round) {
    std::string text = "type T = real const a = 2 proc P(i: nat) = |[ x: real | x' = i ]| ";
    for (std::size_t n = pick(60); n > 0; --n) text += words[pick(words.size())] + " ";
    const Checked c(text);
    for (const Diagnostic& d : c.diagnostics.all()) EXPECT_FALSE(d.message.empty());
  }
}

}  // namespace
}  // namespace chi::sema
