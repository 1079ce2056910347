#include "flat/equations.h"

#include <gtest/gtest.h>

#include "expr/evaluate.h"
#include "expr/incidence.h"
#include "flat/scalars.h"
#include "flat/statement_equations.h"
#include "flat/test_model.h"

namespace chi::flat {
namespace {

using testing::flattened;
using testing::TestModel;

std::string equations(const std::string& text, const Request& request = {}) {
  const TestModel m = flattened(text, request);
  return m.model ? m.equations() : m.codes();
}

// ---- what the equations are ----

// van Beek, Bos and Rooda 2003, §6.2.
TEST(Equations, OfTheTwoTanks) {
  const std::string text = R"(
    proc T(ref steady: bool, ref Qi,Qo: real) =
    |[ V: real
     | [ steady -> |V|, V' = 0 ]
     , |Qo|
     , V' = Qi - Qo,
     , Qo = sqrt(V)
    ]|
    proc Source(ref Q: real) = |[ |Q|, Q = 2 ]|
    proc Ini(ref steady: bool) = |[ steady:= false ]|
    syst TwoTanks() =
    |[ steady: bool:= true, Q0,Q1,Q2: real
     | Source(Q0) || Ini(steady) || T(steady, Q0, Q1) || T(steady, Q1, Q2)
    ]|)";
  EXPECT_EQ(equations(text),
            "|Q0|\n[steady] |T[0].V|\n|Q1|\n[steady] |T[1].V|\n|Q2|\n"
            "Q0 = 2\n"
            "[steady] T[0].V' = 0\nT[0].V' = Q0 - Q1\nQ1 = sqrt(T[0].V)\n"
            "[steady] T[1].V' = 0\nT[1].V' = Q1 - Q2\nQ2 = sqrt(T[1].V)");
}

// The same paper, §6: process P.
TEST(Equations, OfProcessP) {
  EXPECT_EQ(equations(R"(
    proc P =
    |[ V: real:= 0.0, x: real:= 0.0, Q: real, b: bool:= true
     | |Q|, V' = 2 - Q, Q = sqrt(V), [ b -> x' = 1 - x ], [ not b -> |x|, x = 2 ]
    ]|)"),
            "|Q|\n[not b] |x|\nV' = 2 - Q\nQ = sqrt(V)\n[b] x' = 1 - x\n[not b] x = 2");
}

TEST(Equations, ParametersAndConstantsAreNumbers) {
  EXPECT_EQ(equations(R"(
    const g = 9.5
    proc P(m: real, k: nat, ks: real^2) = |[ x: real | x' = m*g + k + ks.1 + pi*0 ]|
    sys S = |[ P(2.0, 3, <1.0, 4.0>) ]|)"),
            "P.x' = 26");
}

TEST(Equations, TimeAndDelay) {
  EXPECT_EQ(equations("proc P = |[ x, y: real | |y|, x' = sin(time), y = delay(x, 2.0, 0.5) ]|"),
            "|y|\nx' = sin(time)\ny = delay(x, 2, 0.5)");
}

TEST(Equations, LibraryFunctions) {
  EXPECT_EQ(equations(R"(
    proc P = |[ x: real | x' = min(x, 1) + max(x, 2.0) + atan2(x, 2) + abs(x)^2 + log(x) + floor(x) ]|)"),
            "x' = min(x, 1) + max(x, 2) + atan2(x, 2) + abs(x)^2 + log(x) + floor(x)");
}

TEST(Equations, StructuresAreTakenElementByElement) {
  EXPECT_EQ(equations(R"(
    proc P = |[ a: real^2, t: real # real, r: { u: real, v: real }
     | |t, r|, a' = <1.0, 2.0>, t = <a.1, a.0>, r = { v = a.0, u = time }
    ]|)"),
            "|t.0|\n|t.1|\n|r.u|\n|r.v|\n"
            "a[0]' = 1\na[1]' = 2\nt.0 = a[1]\nt.1 = a[0]\nr.u = time\nr.v = a[0]");
}

TEST(Equations, NestedPaths) {
  EXPECT_EQ(equations(R"(
    proc P(ref m: (real # { v: real })^2) = |[ m.1.1.v' = m[0].0, (m.0).0' = 1.0 ]|
    sys S = |[ m: (real # { v: real })^2 | P(m) ]|)"),
            "m[1].1.v' = m[0].0\nm[0].0' = 1");
}

TEST(Equations, RefToAnElement) {
  EXPECT_EQ(equations(R"(
    proc P(ref x: real^2) = |[ x.1' = x.0 ]|
    sys S = |[ m: (real^2)^3 | P(m.2) ]|)"),
            "m[2][1]' = m[2][0]");
}

// ---- guards ----

TEST(Guards, NestAndExclude) {
  const TestModel m = flattened(R"(
    proc P = |[ x: real, b: bool, n: nat
     | [ b -> [ x > 1.0 -> x' = 1.0 | n = 2 -> x' = 2.0 ] | not b -> x' = 0.0 ]
    ]|)");
  EXPECT_EQ(m.equations(), "[b] [x > 1] x' = 1\n[b] [n = 2] x' = 2\n[not b] x' = 0");
  const EquationSet& set = m.model->equations.system;
  ASSERT_EQ(set.choices.size(), 2);
  EXPECT_TRUE(set.choices[ChoiceId{0}].must_open);
  EXPECT_FALSE(set.choices[ChoiceId{0}].parent);
  EXPECT_EQ(set.choices[ChoiceId{1}].parent, BranchId{0});
  EXPECT_EQ(set.choices[ChoiceId{1}].count, 2);
}

TEST(Guards, OneAlternativeNeedNotBeOpen) {
  const TestModel m = flattened("proc P = |[ x: real, b: bool | [ b -> x' = 1.0 ] ]|");
  EXPECT_FALSE(m.model->equations.system.choices[ChoiceId{0}].must_open);
}

TEST(Guards, ConstantGuardsAreDecided) {
  EXPECT_EQ(equations(R"(
    proc P(n: nat) = |[ x: real^3
     | i: nat <- 0..n-1:
         [ i = 0 -> x.0' = 0.0 - x.0 | i > 0 -> x.i' = x.(i-1) - x.i ]
    ]|)",
                      {.params = {{"n", "3"}}}),
            "x[0]' = -x[0]\nx[1]' = x[0] - x[1]\nx[2]' = x[1] - x[2]");
}

TEST(Guards, AnAlwaysOpenAlternativeEndsTheChoice) {
  EXPECT_EQ(equations(R"(
    proc P(k: nat) = |[ x: real, b: bool | [ b -> x' = 1.0 | k > 0 -> x' = 2.0 | not b -> x' = 3.0 ] ]|)",
                      {.params = {{"k", "1"}}}),
            "[b] x' = 1\n[true] x' = 2");
}

TEST(Guards, NeverOpenAlternativesLeaveAnEmptyChoice) {
  const TestModel m = flattened(
      "proc P(k: nat) = |[ x: real | x' = 1.0, [ k > 5 -> x = 1.0 | k > 6 -> x = 2.0 ] ]|",
      {.params = {{"k", "1"}}});
  EXPECT_EQ(m.model->equations.system.choices[ChoiceId{0}].count, 0);
  EXPECT_EQ(m.equations(), "x' = 1");
}

TEST(Guards, ConditionsInEquationsAreEvented) {
  const TestModel m = flattened(R"(
    proc P = |[ x, y: real | |y|, x' = if x > 1.0 then 1.0 else 2.0, y = [ x < 0.0 -> 1.0 | x >= 0.0 -> x ] ]|)");
  const Equations& e = m.model->equations;
  std::vector<expr::ExprId> roots;
  for (const Equation& q : e.system.equations) roots.push_back(q.right);
  const expr::Occurrences found = expr::conditions(e.pool, roots);
  EXPECT_EQ(found.row(0).size(), 1u);
  EXPECT_EQ(found.row(1).size(), 2u);
}

// ---- unwinding ----

TEST(Unwinding, ExpandsAndRemembersTheLoop) {
  const TestModel m = flattened(R"(
    proc P(n: nat, a: real) = |[ T: real^n
     | T.0' = 0.0, T.(n-1)' = 0.0
     , i: nat <- 1..n-2: T.i' = a*(T.(i-1) - 2*T.i + T.(i+1))
    ]|)",
                                {.params = {{"n", "4"}, {"a", "1"}}});
  EXPECT_EQ(m.equations(),
            "T[0]' = 0\nT[3]' = 0\nT[1]' = T[0] - 2 * T[1] + T[2]\nT[2]' = T[1] - 2 * T[2] + T[3]");
  const EquationSet& set = m.model->equations.system;
  ASSERT_EQ(set.loops.size(), 1);
  EXPECT_EQ(set.loops[LoopId{0}].low, 1);
  EXPECT_EQ(set.loops[LoopId{0}].high, 2);
  EXPECT_FALSE(set.equations[EquationId{1}].loop);
  EXPECT_EQ(set.equations[EquationId{3}].loop, LoopId{0});
  EXPECT_EQ(set.equations[EquationId{3}].index, 2);
  EXPECT_EQ(set.equations[EquationId{2}].source, set.equations[EquationId{3}].source);
}

TEST(Unwinding, Nests) {
  const TestModel m = flattened(R"(
    proc P = |[ x: (real^2)^2 | i: nat <- 0..1: j: nat <- i..1: x.i.j' = 10.0*i + j ]|)");
  EXPECT_EQ(m.equations(), "x[0][0]' = 0\nx[0][1]' = 1\nx[1][1]' = 11");
  const EquationSet& set = m.model->equations.system;
  EXPECT_EQ(set.loops.size(), 3);
  EXPECT_EQ(set.loops[LoopId{2}].parent, LoopId{0});
  EXPECT_EQ(set.loops[LoopId{2}].parent_index, 1);
}

TEST(Unwinding, UnknownsUnwindToo) {
  EXPECT_EQ(
      equations("proc P = |[ x: real^2 | i: nat <- 0..1: |x.i|, i: nat <- 0..1: x.i = time ]|"),
      "|x[0]|\n|x[1]|\nx[0] = time\nx[1] = time");
}

TEST(Unwinding, IndexOutOfRangeIsReportedOnce) {
  EXPECT_EQ(equations("proc P = |[ x: real^3 | i: nat <- 0..2: x.i' = x.(i+1) ]|"), "E4003");
}

TEST(Unwinding, IndexOutOfRangeInABranchNeverTakenIsNone) {
  EXPECT_EQ(
      equations("proc P = |[ x: real^2 | i: nat <- 0..1: x.i' = if i = 0 then 1.0 else x.(i-1) ]|"),
      "x[0]' = 1\nx[1]' = x[0]");
}

TEST(Unwinding, RangeWithoutValueIsReported) {
  EXPECT_EQ(equations("proc P(k: nat) = |[ x: real | i: nat <- 0..(1 div k): x' = 1.0 ]|",
                      {.params = {{"k", "0"}}})
                .substr(0, 1),
            "E");
}

TEST(Unwinding, LengthsOfSidesMustAgree) {
  EXPECT_EQ(
      equations("proc P(n: nat) = |[ x: real^n, y: real^2 | x' = y ]|", {.params = {{"n", "3"}}}),
      "E4001");
}

// ---- discrete values ----

TEST(Discrete, VariablesAreSlots) {
  const TestModel m =
      flattened("proc P = |[ n: nat, b: bool, x: real | x' = if b then n + 1.5 else 2.5*n ]|");
  EXPECT_EQ(m.equations(), "x' = if b then n + 1.5 else 2.5 * n");
  EXPECT_EQ(m.model->equations.discrete.size(), 2);
}

// Integers overflow, and a `nat` is not negative: what changes at events only is executed.
TEST(Discrete, OperationsOnIntegersAreBoxes) {
  EXPECT_EQ(equations(R"(
    func f(n: nat) -> nat = n - 1
    func g(n: nat, x: real) -> real = x^(n - 1)
    func h(t: real # nat) -> real = t.0
    proc P(k: nat) = |[ n: nat, x, y: real, t: real # nat
     | x' = (n*n - 1) + f(n) + g(n, x) + (k + 1), y' = floor(x)*n + h(t) ]|)",
                      {.params = {{"k", "2"}}}),
            "x' = {(n*n - 1) + f(n)} + f1(n, x) + 3\ny' = n * floor(x) + f2(t.0, 0)");
}

TEST(Discrete, ListsAndDivAreBoxes) {
  const TestModel m = flattened(R"(
    proc P = |[ n: nat, xs: real*, s: string, x: real
     | x' = xs[n]*x + len(xs) + n div 2, [ s = "on" -> x = 1.0 ] ]|)");
  EXPECT_EQ(m.equations(), "x' = {xs[n]} * x + {len(xs)} + {n div 2}\n[{s = \"on\"}] x = 1");
  int boxes = 0;
  for (const DiscreteInput& d : m.model->equations.discrete) {
    boxes += std::holds_alternative<BlackBox>(d.source) ? 1 : 0;
  }
  EXPECT_EQ(boxes, 4);
}

TEST(Discrete, FieldsOfMixedRecordsAreSlots) {
  EXPECT_EQ(equations(R"(
    proc P = |[ r: { xs: nat*, k: nat, v: real }, x: real | x' = r.k * r.v ]|)"),
            "x' = r.k * r.v");
}

TEST(Discrete, BoxesOfContinuousVariablesAreFunctions) {
  const TestModel m = flattened(R"(
    func best(xs: real*) -> real = hd(xs)
    proc P = |[ a: real^2, x, y: real | |y|, x' = 1.0, a' = <1.0, 1.0>, y = best([x, a.1, 3.0]) + time ]|)");
  EXPECT_EQ(m.equations(), "|y|\nx' = 1\na[0]' = 1\na[1]' = 1\ny = box(x, a[1]) + time");
  bool found = false;
  for (const FunctionSource& f : m.model->equations.functions) {
    const auto* box = std::get_if<BoxFunction>(&f);
    if (box == nullptr) continue;
    found = true;
    EXPECT_EQ(box->inputs.size(), 2u);
    EXPECT_FALSE(box->reads_time);
  }
  EXPECT_TRUE(found);
}

// So that it is seen where they step; but not where a box may do without them.
TEST(Discrete, WholeNumbersInBoxesAreGivenToThem) {
  EXPECT_EQ(equations(R"(
    proc P = |[ xs: real*, x: real | x' = xs[floor(time)] + xs[floor(x) + floor(2*x)] ]|)"),
            "x' = box(floor(time)) + box(floor(x) + floor(2 * x))");
  EXPECT_EQ(equations(R"(
    proc P = |[ xs: real*, x: real | x' = sum(if x > 0 then xs else [xs[floor(1/x)]]) ]|)"),
            "x' = box(x)");
}

TEST(Discrete, DelayInABoxIsReported) {
  EXPECT_EQ(equations("proc P = |[ x: real | x' = sum([delay(x, 1.0)]) ]|"), "E4011");
}

// An index that changes during the run chooses among the elements.
TEST(Discrete, MovingIndexChooses) {
  const TestModel m = flattened("proc P = |[ n: nat, a: real^5, x: real | x' = a.n + a[n+1] ]|");
  const Equations& e = m.model->equations;
  for (int n = 0; n <= 3; ++n) {
    expr::Point at;
    at.variable = [&](expr::VarRef v) { return 10.0 * (v.var.index - m.slot_of("a")); };
    at.discrete = [&](expr::DiscreteId d) {
      const bool next = std::holds_alternative<BlackBox>(e.discrete[d].source);  // n + 1
      return static_cast<double>(next ? n + 1 : n);
    };
    const auto value = expr::evaluate(e.pool, e.system.equations[EquationId{0}].right, at);
    EXPECT_EQ(value.value, 10.0 * n + 10.0 * (n + 1)) << n;
  }
  expr::Point outside;
  outside.variable = [](expr::VarRef) { return 0.0; };
  outside.discrete = [](expr::DiscreteId) { return 5.0; };
  const auto none = expr::evaluate(e.pool, e.system.equations[EquationId{0}].right, outside);
  EXPECT_EQ(none.fault, expr::Fault::NoAlternative);
}

// ---- substitutes ----

// Fábián, van Beek and Rooda 2001, §6.1: e' <- x' makes e algebraic.
TEST(Substitutes, AreAppliedToEquations) {
  EXPECT_EQ(equations(R"(
    proc PD(F, xset: real) = |[ x, v, e, u, i: real
     | |e, u|, x' = v, v' = F - u, i' = e, e = x - xset, u = 3*e + 3*e' + i, e' <- x'
    ]|)",
                      {.params = {{"F", "0"}, {"xset", "0"}}}),
            "|e|\n|u|\nx' = v\nv' = -u\ni' = e\ne = x\nu = i + (3 * e + 3 * x')\ne' <- x'");
}

TEST(Substitutes, ChainAndReachGuards) {
  EXPECT_EQ(equations(R"(
    proc P = |[ x, a, b: real | x' = b, [ a > 1.0 -> x = 2.0 ], a <- b + 1, b <- 2*x ]|)"),
            "x' = 2 * x\n[2 * x + 1 > 1] x = 2\na <- 2 * x + 1\nb <- 2 * x");
}

TEST(Substitutes, DerivativeFollowsFromTheValue) {
  EXPECT_EQ(equations("proc P = |[ x, y, z: real | |z|, x' = 1.0, z = y', y <- x^2 ]|"),
            "|z|\nx' = 1\nz = 2 * (x' * x)\ny <- x^2\ny' <- 2 * (x' * x)");
}

TEST(Substitutes, ConditionsInThemArePlain) {
  const TestModel m = flattened(
      "proc P = |[ x, y: real | x' = y, y <- [ x > 0.0 -> sqrt(x) | x <= 0.0 -> 0.0 ] ]|");
  const Equations& e = m.model->equations;
  const std::vector<expr::ExprId> roots{e.system.equations[EquationId{0}].right};
  EXPECT_FALSE(e.pool.has(roots[0], expr::kHasEvented));
}

TEST(Substitutes, OfArrayElements) {
  EXPECT_EQ(equations(R"(
    proc P = |[ a: real^2, x: real | x' = a.0 + a.1, i: nat <- 0..1: a.i <- i*x ]|)"),
            "x' = x\na[0] <- 0\na[1] <- x");
}

TEST(Substitutes, TwoForOneVariableInTwoProcessesAreReported) {
  const TestModel m = flattened(R"(
    proc P(ref x: real) = |[ x <- time ]|
    sys S = |[ x: real | a: P(x) || b: P(x) ]|)");
  EXPECT_EQ(m.codes(), "E3002");
  EXPECT_EQ(m.first().message, "`x` is substituted twice: in `a` and in `b`");
}

TEST(Substitutes, CycleAcrossProcessesIsPrinted) {
  const TestModel m = flattened(R"(
    proc P(ref x, y: real) = |[ x <- y + 1 ]|
    sys S = |[ x, y, z: real | P(x, y) || P(y, z) || P(z, x) ]|)");
  EXPECT_EQ(m.codes(), "E3003");
  EXPECT_EQ(m.first().message, "substitute equations form a cycle: `x` <- `y` <- `z` <- `x`");
}

// ---- functions ----

TEST(Functions, ExpressionBodies) {
  const TestModel m = flattened(R"(
    func f(x: real, k: nat) -> real = k*x + g(x)
    func g(x: real) -> real = if x > 0.0 then sqrt(x) else 0.0
    proc P = |[ x: real | x' = f(x, 2) ]|)");
  const Equations& e = m.model->equations;
  const expr::ExprId call = e.system.equations[EquationId{0}].right;
  EXPECT_FALSE(e.pool.has(call, expr::kHasOpaque));
  EXPECT_FALSE(e.pool.has(call, expr::kHasEvented));
  expr::Point at;
  at.variable = [](expr::VarRef) { return 4.0; };
  EXPECT_EQ(expr::evaluate(e.pool, call, at).value, 10.0);
}

double value_at(const TestModel& m, double x) {
  const Equations& e = m.model->equations;
  expr::Point at;
  at.variable = [&](expr::VarRef) { return x; };
  return expr::evaluate(e.pool, e.system.equations[EquationId{0}].right, at).value;
}

TEST(Functions, BlocksWithoutLoops) {
  const TestModel m = flattened(R"(
    func f(x: real) -> real =
    |[ y: real := 1.0, t: real # real
     | [ x < 0.0 -> ret 0.0 - x | x >= 0.0 -> y := x + y ]
     ; t := <y, 2*y>
     ; [ t.1 > 10.0 -> t.0 := 100.0 | t.1 <= 10.0 -> skip ]
     ; ret t.0 + t.1
    ]|
    proc P = |[ x: real | x' = f(x) ]|)");
  EXPECT_FALSE(m.model->equations.pool.has(m.model->equations.system.equations[EquationId{0}].right,
                                           expr::kHasOpaque));
  EXPECT_EQ(value_at(m, -3), 3);
  EXPECT_EQ(value_at(m, 1), 6);
  EXPECT_EQ(value_at(m, 9), 120);
}

TEST(Functions, ResultsMayBeStructures) {
  EXPECT_EQ(equations(R"(
    func swap(t: real # real) -> real # real = <t.1, t.0>
    proc P = |[ a: real # real | a' = swap(a) ]|)"),
            "a.0' = f0(0, a.1)\na.1' = f1(a.0, 0)");
}

TEST(Functions, LoopsAndRecursionAreBlackBoxes) {
  const TestModel m = flattened(R"(
    func loop(x: real) -> real = |[ s: real | *[ s < x -> s := s + 1.0 ]; ret s ]|
    func fac(x: real) -> real = if x < 1.0 then 1.0 else x*fac(x - 1.0)
    proc P = |[ x, y: real | x' = loop(x), y' = fac(y) ]|)");
  EXPECT_EQ(m.equations(), "x' = loop(x)\ny' = fac(y)");
}

TEST(Functions, AreTakenFromParameters) {
  EXPECT_EQ(equations(R"(
    func loop(x: real) -> real = |[ s: real | *[ s < x -> s := s + 1.0 ]; ret s ]|
    proc P(f: real -> real) = |[ x: real | x' = f(x) ]|
    sys S = |[ P(loop) ]|)"),
            "P.x' = loop(P.x)");
}

TEST(Functions, OfConstantsAreConstants) {
  EXPECT_EQ(equations(R"(
    func loop(x: real) -> real = |[ s: real | *[ s < x -> s := s + 1.0 ]; ret s ]|
    proc P(k: real) = |[ x: real | x' = loop(k)*x ]|)",
                      {.params = {{"k", "2.5"}}}),
            "x' = 3 * x");
}

// A type of 2^60 numbers in sixty lines: functions of it are nobody's, and nothing counts them.
TEST(Functions, HugeTypesCostNothing) {
  std::string text = "type t0 = real # real\n";
  for (int i = 1; i < 60; ++i)
    text += "type t" + std::to_string(i) + " = t" + std::to_string(i - 1) + " # t" +
            std::to_string(i - 1) + "\n";
  text += "func f(x: t59, k: real) -> real = k\nproc P = |[ x: real | x' = 1.0 ]|";
  EXPECT_EQ(equations(text), "x' = 1");
}

// ---- statements ----

const syntax::Instant* instant_in(const FlatModel& model) {
  for (const syntax::Stat& s : model.typed.ast.stats) {
    if (const auto* i = std::get_if<syntax::Instant>(&s.node)) return i;
  }
  return nullptr;
}

// van Beek, Bos and Rooda 2003, §6.1.
TEST(Statements, InstantaneousEquations) {
  TestModel m = flattened(R"(
    proc C0(m0,m1, e: real) =
    |[ x0: real := 0.0, x1: real := 1.0, v0, v1, vold0, vold1: real
     | x0' = v0, v0' = 1.0, x1' = v1, v1' = 0.0
     | *[ true -> nabla x0 >= x1; vold0:= v0; vold1:= v1
        ; { |v0,v1|, v0 - v1 = -e * (vold0 - vold1), m0*v0 + m1*v1 = m0*vold0 + m1*vold1 }
        ; nabla x0 < x1 ]
    ]|)",
                          {.params = {{"m0", "1"}, {"m1", "2"}, {"e", "0.5"}}});
  StatementEquations statements(*m.model);
  Diagnostics diagnostics;
  const auto set = statements.instant(0, {}, *instant_in(*m.model), diagnostics);
  ASSERT_TRUE(set.has_value());
  EXPECT_EQ(m.text(*set),
            "|v0|\n|v1|\nv0 - v1 = -0.5 * (vold0 - vold1)\nv0 + 2 * v1 = vold0 + 2 * vold1");
}

TEST(Statements, ConditionsOfNabla) {
  TestModel m = flattened(R"(
    proc P(k: real) = |[ x, y: real | x' = 1.0, y <- 2*x | nabla y >= k and y' > 0.0 ]|)",
                          {.params = {{"k", "3"}}});
  StatementEquations statements(*m.model);
  Diagnostics diagnostics;
  for (const syntax::Stat& s : m.model->typed.ast.stats) {
    const auto* wait = std::get_if<syntax::Wait>(&s.node);
    if (wait == nullptr) continue;
    const auto condition = statements.condition(0, {}, wait->condition, diagnostics);
    ASSERT_TRUE(condition.has_value());
    EXPECT_EQ(m.text(*condition), "2 * x >= 3 and 2 * x' > 0");
  }
}

// ---- size ----

TEST(Size, AHundredThousandUnwoundEquations) {
  const TestModel m = flattened(R"(
    proc Heat(n: nat) = |[ T: real^n
     | T.0' = 0.0, T.(n-1)' = 0.0, i: nat <- 1..n-2: T.i' = T.(i-1) - 2*T.i + T.(i+1) ]|)",
                                {.params = {{"n", "100000"}}});
  EXPECT_EQ(m.model->equations.system.equations.size(), 100000);
}

TEST(Size, FiftyThousandInstances) {
  const TestModel m = flattened(R"(
    proc Lag(k: real, ref u, x: real) = |[ k*x' = u - x ]|
    sys S(n: nat) = |[ x: real^(n+1) | i: nat <- 1..n: Lag(1.0/n, x.(i-1), x.i) ]|)",
                                {.params = {{"n", "50000"}}});
  EXPECT_EQ(m.model->equations.system.equations.size(), 50000);
}

}  // namespace
}  // namespace chi::flat
