#include <algorithm>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "code/lower.h"
#include "flat/flatten.h"
#include "sema/check.h"
#include "syntax/lexer.h"
#include "syntax/parse.h"

// Which questions the code of statements asks of the equations.
namespace chi::code {
namespace {

struct Lowered {
  std::string text;
  std::unique_ptr<flat::FlatModel> model;
  std::unique_ptr<Program> program;

  const Routine& body(std::string_view name) const {
    for (const Routine& routine : program->bodies) {
      if (routine.name == name) return routine;
    }
    return program->bodies[RoutineId{0}];
  }
  std::string condition(std::size_t row) const {
    const Span span = model->typed.ast.exprs[program->conditions[row].source].span;
    return text.substr(static_cast<std::size_t>(span.begin),
                       static_cast<std::size_t>(span.end - span.begin));
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
  result.text = text;
  result.model = std::make_unique<flat::FlatModel>(std::move(*flat));
  result.program = lower(*result.model, options);
  return result;
}

constexpr const char* kEquations = "x' = -k * y, |y|, y = x * x, z <- 2.0 * k, w <- y + z";

/// A process with equations: x is differentiated, y unknown, z and w substituted, k used, f free.
Lowered among(const std::string& statements, const std::string& declarations = "") {
  return lowered("proc P(a: !real, b: ?real) = |[ x, y, z, w, k, f: real, n: nat" + declarations +
                 "\n| " + kEquations + "\n| " + statements +
                 " ]|\n"
                 "proc Q(a: ?real, b: !real) = |[ v: real | a?v; b!v ]|\n"
                 "sys S() = |[ a, b: -real | P(a, b) || Q(a, b) ]|");
}

bool is_question(Op op) { return op >= Op::Settle; }

/// The questions of the statements of P in order, as `Settle Assigned/1 Holds`; other instructions
/// as dots.
std::string questions(const Lowered& l, bool others = false) {
  const Routine& p = l.body("P");
  std::string text;
  for (std::size_t i = static_cast<std::size_t>(p.main_pc); i < p.code.size(); ++i) {
    if (!is_question(p.code[i].op)) {
      if (others && (text.empty() || text.back() != '.')) text += text.empty() ? "." : " .";
      continue;
    }
    if (!text.empty()) text += ' ';
    text += op_text(p.code[i].op);
  }
  return text;
}

TEST(LowerEquations, ReadingAnUnknownSettlesOncePerStatement) {
  EXPECT_EQ(questions(among("f := y + y * y")), "Settle");
  EXPECT_EQ(questions(among("f := y; f := y")), "Settle Settle");
  EXPECT_EQ(questions(among("!y, x, y")), "Settle");
  EXPECT_EQ(questions(among("delta y")), "Settle");
  EXPECT_EQ(questions(among("f := x")), "") << "continuous: its value is there";
  EXPECT_EQ(questions(among("f := k + f; n := n + 1; !n; delta f")), "");
}

TEST(LowerEquations, SettlingComesFirst) {
  EXPECT_EQ(questions(among("f := f * y"), true), "Settle .");
  EXPECT_EQ(questions(among("!f; !y"), true), ". Settle .");
}

TEST(LowerEquations, SubstitutedVariablesAreRefreshed) {
  EXPECT_EQ(questions(among("f := z")), "Refresh") << "no unknown behind it";
  EXPECT_EQ(questions(among("f := w")), "Settle Refresh");
}

TEST(LowerEquations, AssignmentsAreAnnounced) {
  EXPECT_EQ(questions(among("k := 1.0"), true), "AboutToAssign . Assigned .");
  EXPECT_EQ(questions(among("f := 1.0")), "");
  EXPECT_EQ(questions(among("y := y + 1.0")), "Settle AboutToAssign Assigned");
  EXPECT_EQ(questions(among("b?k"), true), ". AboutToAssign . Assigned .");
  EXPECT_EQ(questions(among("b?f")), "");
}

TEST(LowerEquations, AMultipleAssignmentIsOneAction) {
  EXPECT_EQ(questions(among("k, f, x := f, k, y"), true),
            "Settle . AboutToAssign AboutToAssign . Assigned Assigned .");
}

TEST(LowerEquations, ListsThatEquationsReadAreAnnouncedBeforeTheyAreTakenApart) {
  const auto l = [](const std::string& statement) {
    return questions(
        lowered("proc P() = |[ x: real, xs: real*, a: real^3, i: nat | x' = hd(xs) + a.i | " +
                statement + " ]|"),
        true);
  };
  EXPECT_EQ(l("xs := xs ++ [1.0]"), "AboutToAssign . Assigned .");
  EXPECT_EQ(l("xs := tl(xs)"), "AboutToAssign . Assigned .");
  EXPECT_EQ(l("xs[i] := 1.0"), "AboutToAssign . Assigned .");
  EXPECT_EQ(l("a[i] := 1.0"), ". AboutToAssignAt . AssignedAt .");
  EXPECT_EQ(l("a[i + 1], i := 1.0, 2"),
            ". AboutToAssign . AboutToAssignAt . AssignedAt . Assigned .");
}

TEST(LowerEquations, SentValuesAreReadWhenTheyAreSent) {
  const Lowered l = among("a!y");
  const Offer& offer = l.body("P").offers[0];
  ASSERT_GE(offer.value_pc, 0) << "an unknown is not just there";
  EXPECT_EQ(l.body("P").code[static_cast<std::size_t>(offer.value_pc)].op, Op::Settle);
  EXPECT_EQ(among("a!x").body("P").offers[0].value_pc, -1);
  EXPECT_GE(among("a!z").body("P").offers[0].value_pc, 0);
}

TEST(LowerEquations, DerivativesAndInstantaneousEquations) {
  const Lowered l = among("f := x' + y; { |x|, x = 2.0 }; f := f");
  EXPECT_EQ(questions(l), "Settle Value Instant");
  ASSERT_EQ(l.program->values.size(), 1u);
  EXPECT_EQ(l.program->values[0].count, 1);
  ASSERT_EQ(l.program->instants.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<syntax::Instant>(
      l.model->typed.ast.stats[l.program->instants[0].source].node));
}

TEST(LowerEquations, RelationsThatMoveAreAskedFor) {
  EXPECT_EQ(questions(among("[ x > 1.0 -> skip | n > 0 -> skip ]")), "Holds");
  EXPECT_EQ(questions(among("[ n > 0 -> skip | y > 1.0 -> skip | y > 0.0 -> skip ]"), true),
            ". Settle Holds . Holds .");
  EXPECT_EQ(questions(among("f := if x > 1.0 then f else k")), "Holds");
  EXPECT_EQ(questions(among("[ k > 1.0 -> skip ]")), "") << "known, and at rest";
  EXPECT_EQ(questions(among("[ time > 1.0 -> skip ]")), "Holds");
  EXPECT_EQ(questions(among("[ f > 1.0 and n = 0 -> skip ]")), "");
}

TEST(LowerEquations, OnlyWhatAConditionCameToIsNoted) {
  const Lowered l = among("nabla n > 0 and not (x <= 1.0) and (y > 2.0 or f > 3.0)");
  ASSERT_EQ(l.program->conditions.size(), 2u);
  EXPECT_EQ(l.condition(0), "x <= 1.0");
  EXPECT_EQ(l.program->conditions[0].wanted, Wanted::False);
  EXPECT_EQ(l.condition(1), "y > 2.0");
  EXPECT_EQ(l.program->conditions[1].wanted, Wanted::True);
  const Selection& selection = l.body("P").selections[0];
  ASSERT_EQ(selection.conditions.size(), 2u);
  EXPECT_NE(selection.conditions[0].reg, selection.conditions[1].reg);
  const Instr& first = l.body("P").code[static_cast<std::size_t>(selection.retry_pc)];
  EXPECT_EQ(first.op, Op::Clear) << "what an earlier look came to is forgotten";
  EXPECT_EQ(first.b, 2);
  EXPECT_EQ(first.a, std::min(selection.conditions[0].reg, selection.conditions[1].reg));
}

TEST(LowerEquations, SelectiveWaitingNotesGuardsAndConditions) {
  const Lowered l = among(
      "*[ x < 5.0; b?f -> skip | i: nat <- 1..2: true; nabla x > 1.0 * i -> skip"
      " | n > 0; delta y -> skip ]");
  const Selection& selection = l.body("P").selections[0];
  ASSERT_EQ(selection.conditions.size(), 3u);
  EXPECT_TRUE(selection.conditions[0].guard);
  EXPECT_EQ(selection.conditions[0].offer, 0);
  EXPECT_FALSE(selection.conditions[2].guard);
  EXPECT_EQ(selection.conditions[2].offer, 2);
  const Program& program = *l.program;
  EXPECT_EQ(program.conditions[0].wanted, Wanted::Lasting);
  EXPECT_EQ(program.conditions[2].wanted, Wanted::True);
  ASSERT_EQ(program.conditions[2].indices.size(), 1u);
  EXPECT_EQ(program.conditions[1].indices[0].second, 1);
  EXPECT_EQ(program.conditions[2].indices[0].second, 2);
  EXPECT_EQ(questions(l), "Holds Holds Holds Settle") << "a duration is evaluated once";
}

TEST(LowerEquations, BooleanFunctionsAreAskedForWhereTheyAreAwaited) {
  const std::string text =
      "func far(x: real) -> bool = x > 3.0\n"
      "proc P() = |[ x: real, b: bool | x' = 1.0 | ";
  EXPECT_EQ(questions(lowered(text + "nabla far(x); !b ]|")), "Holds");
  EXPECT_EQ(questions(lowered(text + "b := far(x); !b ]|")), "") << "a value like others";
}

TEST(LowerEquations, TimeIsADeadlineWhereItIsComparedAsItIs) {
  EXPECT_EQ(questions(among("nabla time >= k or f > 1.0")), "");
  EXPECT_EQ(questions(among("nabla time >= x")), "Holds");
  EXPECT_EQ(questions(among("nabla 2.0 * time >= k")), "Holds");
  const Lowered discrete = lowered("proc P() = |[ | nabla 2.0 * time > 3.0 ]|");
  EXPECT_EQ(questions(discrete), "Holds");
}

TEST(LowerEquations, AnIndexOutOfRangeIsStillFound) {
  const Lowered l = lowered(
      "proc P() = |[ x: real^3, i: nat | x' = <1.0, 2.0, 3.0> | i := 2; nabla x[i] > 2.0 ]|");
  const Routine& p = l.body("P");
  EXPECT_TRUE(std::any_of(p.code.begin(), p.code.end(),
                          [](const Instr& in) { return in.op == Op::CheckIndex && in.b == 3; }));
}

// Bodies are shared: what is an unknown in one instance settles in all.
TEST(LowerEquations, OneInstanceIsEnough) {
  const Lowered l = lowered(
      "proc P(ref u, v: real) = |[ | !u; v := 1.0 ]|\n"
      "proc E(ref y: real) = |[ x: real | x' = 1.0, |y|, y = x ]|\n"
      "sys S() = |[ y, s, t: real | P(s, t) || P(y, s) || E(y) ]|");
  EXPECT_EQ(questions(l), "Settle");
  const Lowered m = lowered(
      "proc P(ref u, v: real) = |[ | !u; v := 1.0 ]|\n"
      "proc E(ref k: real) = |[ x: real | x' = k ]|\n"
      "sys S() = |[ k, s, t: real | P(s, t) || P(t, k) || E(k) ]|");
  EXPECT_EQ(questions(m), "AboutToAssignAt AssignedAt");
}

std::string listing(const Routine& routine) {
  std::string text;
  for (const Instr& in : routine.code) {
    text += fmt::format("{} {} {} {} {}\n", op_text(in.op), in.n, in.a, in.b, in.c);
  }
  return text;
}

// A process that has nothing to do with equations is translated as if there were none.
TEST(LowerEquations, DiscreteProcessesAreLeftAlone) {
  const std::string discrete = R"(
proc D(a: !real, b: ?nat, ref s: real) = |[ x, y: real, xs: nat*, i, n: nat, u: -> real
| u := exponential(2.0); xs := xs ++ [n]; x, y := y, x; xs[i] := 3
; *[ x < 3.0 and not (y > 2.0 or s > 1.0); a!x + y -> x := x + 1.0
   | j: nat <- 0..2: true; nabla time >= 3.0 * j or x > s -> [ x > 2.0 -> skip | x <= 2.0 -> s := x ]
   | n > 0; b?n -> skip
   | true; delta sample u -> y := if x > y then x else s
   ]
; !x, "\n" ]|
proc F(a: ?real, b: !nat) = |[ x: real | a?x; b!1 ]|
)";
  const Lowered plain =
      lowered(discrete + "sys S() = |[ a: -real, b: -nat, s: real | D(a, b, s) || F(a, b) ]|");
  const Lowered mixed =
      lowered(discrete +
              "proc E() = |[ x, y: real | x' = y, |y|, y = -x ]|\n"
              "sys S() = |[ a: -real, b: -nat, s: real | D(a, b, s) || F(a, b) || E() ]|");
  EXPECT_EQ(listing(plain.body("D")), listing(mixed.body("D")));
  for (const LowerOptions options : {LowerOptions{}, LowerOptions{.random_choice = true}}) {
    const Lowered l = lowered(
        discrete + "sys S() = |[ a: -real, b: -nat, s: real | D(a, b, s) || F(a, b) ]|", options);
    for (const Routine& routine : l.program->bodies) {
      EXPECT_TRUE(std::none_of(routine.code.begin(), routine.code.end(),
                               [](const Instr& in) { return is_question(in.op); }));
    }
    EXPECT_TRUE(l.program->conditions.empty());
  }
}

}  // namespace
}  // namespace chi::code
