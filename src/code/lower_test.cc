#include "code/lower.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "flat/flatten.h"
#include "sema/check.h"
#include "syntax/lexer.h"
#include "syntax/parse.h"

namespace chi::code {
namespace {

/// The model and its program.
struct Lowered {
  std::unique_ptr<flat::FlatModel> model;
  std::unique_ptr<Program> program;
  const Routine& body(std::string_view name) const {
    for (const Routine& routine : program->bodies) {
      if (routine.name == name) return routine;
    }
    return program->functions[RoutineId{0}];
  }
};

Lowered lowered(const std::string& text, const LowerOptions& options = {}) {
  const SourceFile source("model.chi", text);
  Diagnostics diagnostics;
  const syntax::Tokens tokens = syntax::lex(source, diagnostics);
  auto flat =
      flat::flatten(sema::check(syntax::parse(tokens, diagnostics), diagnostics), {}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors())
      << (diagnostics.all().empty() ? "" : diagnostics.all()[0].message);
  Lowered result;
  result.model = std::make_unique<flat::FlatModel>(std::move(*flat));
  result.program = lower(*result.model, options);
  return result;
}

Lowered process(const std::string& declarations, const std::string& statements) {
  return lowered("proc P() = |[ " + declarations + " | " + statements + " ]|");
}

long count(const Routine& routine, Op op) {
  return std::count_if(routine.code.begin(), routine.code.end(),
                       [&](const Instr& in) { return in.op == op; });
}

// Every register lies in the frame, every jump in the code, every span in the text.
void expect_sound(const Routine& routine) {
  const auto size = static_cast<std::int32_t>(routine.code.size());
  ASSERT_EQ(routine.spans.size(), routine.code.size());
  for (const Instr& in : routine.code) {
    const std::string_view kinds = op_kinds(in.op);
    const std::int32_t operands[] = {in.a, in.b, in.c};
    for (std::size_t i = 0; i < 3; ++i) {
      if (kinds[i] == 'r') {
        EXPECT_TRUE(operands[i] >= 0 && operands[i] < std::max(routine.frame_slots, 1))
            << op_text(in.op);
      }
      if (kinds[i] == 'p') {
        EXPECT_TRUE(operands[i] >= 0 && operands[i] < size) << op_text(in.op);
      }
      if (kinds[i] == 't') {
        EXPECT_LT(operands[i], static_cast<std::int32_t>(routine.types.size()));
      }
    }
  }
  for (const Offer& offer : routine.offers) {
    for (const std::int32_t reg :
         {offer.guard, offer.ready, offer.channel, offer.value, offer.deadline}) {
      EXPECT_LT(reg, routine.frame_slots);
    }
    EXPECT_LT(offer.body_pc, size);
    EXPECT_LT(offer.value_pc, size);
  }
  for (const Selection& selection : routine.selections) {
    EXPECT_LT(selection.retry_pc, size);
    EXPECT_LE(selection.closed_pc, size);
    EXPECT_LE(selection.first_offer + selection.offers,
              static_cast<std::int32_t>(routine.offers.size()));
  }
}

TEST(Lower, EverythingStaysInItsFrame) {
  const Lowered l = lowered(R"(
type rec = { a: nat, b: (nat^2)*, t: nat # string }
func f(xs: nat*, n: nat) -> nat^3 = |[ a: nat^3 | a[n] := len(xs); ret a ]|
func g(x: nat^3) -> rec = { a = x[0], b = [[1, x.2]], t = <x[1], "s"> }
proc P(a: (?nat)^2, b: !rec, ref r: rec, ref m: (nat^2)^2) = |[ x: nat^2, i: nat := 1, us: (-> real)^2, d: dict(nat, rec*), u: -> real
| us := [exponential(1.0), constant(2.0)]; us.i := us.0; u := us.i
; d[3] := [g(f([1], 2))]; d[3][0].b[0][i] := 5; d[i + 2][i - 1].t.1 := "x"; r.b := r.b ++ [x]; m.i[i] := f([], i)[i]
; *[ j: nat <- 0..1: x.j < 3; a.j?x.j -> m[j].(i) := x.j
   | i: nat <- 0..1: true; b!g(f([i], i)) -> skip
   | sample u > 2; delta sample us.i -> !time
   | true; nabla r.a > 3 and len(r.b) > m.1.0 -> terminate
   ]
; x[0], x[1], i := x[1], x[0], hd(r.b)[i] ]|
proc Q(a: (!nat)^2, b: ?rec) = |[ y: rec^2, i: nat | a.0!i; a.i!i + 1; b?y.i; b?y[1] ]|
sys S() = |[ a: (-nat)^2, b: -rec, r: rec, m: (nat^2)^2 | P(a, b, r, m) || Q(a, b) ]|
)");
  for (const Routine& routine : l.program->bodies) expect_sound(routine);
  for (const Routine& routine : l.program->functions) expect_sound(routine);
}

TEST(Lower, QueuesAreChangedInPlace) {
  for (const char* statement : {"xs := xs ++ [x]", "xs := tl(xs)", "xs := xs ++ ys",
                                "xs := (tl(xs)) ++ [x] ++ ys", "xs := take(xs, 3)"}) {
    const Lowered l = process("xs, ys: nat*, x: nat", statement);
    const Routine& p = l.body("P");
    EXPECT_EQ(count(p, Op::Retain), 0) << statement;
    EXPECT_EQ(count(p, Op::Release), 0) << statement;
  }
  // The variable is needed again: one owner more.
  for (const char* statement :
       {"xs := xs ++ xs", "ys := xs ++ [x]", "xs := tl(xs) ++ [hd(xs)]", "xs := tl(ys)"}) {
    const Lowered l = process("xs, ys: nat*, x: nat", statement);
    const Routine& p = l.body("P");
    EXPECT_EQ(count(p, Op::Retain), 1) << statement;
  }
}

// Two names may stand for one variable: then nothing is taken from it.
TEST(Lower, SharedVariablesMayHaveTwoNames) {
  const auto retains = [](const std::string& statement) {
    const Lowered l = lowered("proc P(ref xs, ys: nat*, ref n: nat) = |[ zs: nat* | " + statement +
                              "; !zs, ys, n ]|\n"
                              "sys S() = |[ xs, ys: nat*, n: nat | P(xs, ys, n) ]|");
    return count(l.body("P"), Op::Retain);
  };
  EXPECT_EQ(retains("xs := tl(xs)"), 0);
  EXPECT_EQ(retains("xs := xs ++ [n]"), 0);
  EXPECT_EQ(retains("xs := xs ++ zs"), 0);
  EXPECT_EQ(retains("xs := tl(xs) ++ ys"), 1);
}

TEST(Lower, SendingAVariableNeedsNoCode) {
  const auto offers = [](const std::string& statement) {
    return lowered(
               "proc P(a: !nat*, ref g: nat*) = |[ xs: nat* := [1], t: (nat*) # nat | t.0 := xs; g "
               ":= xs; " +
               statement +
               " ]|\n"
               "proc Q(a: ?nat*) = |[ ys: nat* | a?ys; !ys ]|\n"
               "sys S() = |[ a: -(nat*), g: nat* | P(a, g) || Q(a) ]|")
        .body("P")
        .offers;
  };
  EXPECT_EQ(offers("a!xs")[0].value_pc, -1);
  EXPECT_EQ(offers("a!t.0")[0].value_pc, -1);
  EXPECT_GE(offers("a!xs ++ [1]")[0].value_pc, 0);
  EXPECT_GE(offers("a!g")[0].value_pc, 0) << "a shared variable may lie anywhere";
  EXPECT_TRUE(offers("a!g")[0].value_owned);
}

TEST(Lower, SelectionsLeaveTheChoiceToTheSchedulerOnlyWhenRandom) {
  const std::string text = "proc P() = |[ n: nat | [ n = 0 -> n := 1 | n < 5 -> n := 2 ] ]|";
  EXPECT_EQ(lowered(text).body("P").selections.size(), 0u);
  EXPECT_EQ(lowered(text, {.random_choice = true}).body("P").selections.size(), 1u);
}

TEST(Lower, GuardsWatchTheSharedVariablesTheyRead) {
  const Lowered l = lowered(
      "proc P(ref n: nat, ref xs: nat*, ref a: bool^3, c: ?nat) = |[ x, k: nat\n"
      "| [ k < n and k < n + 1; c?x -> !x | true; nabla a.1 -> skip | k > 0; delta 1.0 + len(xs) "
      "-> skip ] ]|\n"
      "proc Q(c: !nat) = |[ | c!1 ]|\n"
      "sys S() = |[ n: nat, xs: nat*, a: bool^3, c: -nat | P(n, xs, a, c) || Q(c) ]|");
  const Selection& selection = l.body("P").selections[0];
  ASSERT_EQ(selection.watched.size(), 2u) << "n once, a; not xs, which a duration reads once";
  EXPECT_EQ(selection.watched[0].slots, 1);
  EXPECT_EQ(selection.watched[1].slots, 3);
}

}  // namespace
}  // namespace chi::code
