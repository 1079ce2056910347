#include <string>

#include <gtest/gtest.h>

#include "run_model.h"

// Statements of processes (language.md §5): selection, repetition, delays, selective waiting,
// communication.
namespace chi::conformance {
namespace {

TEST(Delay, ZeroNegativeAndIntegerPassAtOnce) {
  EXPECT_EQ(output_of_process(
                "", "delta 0; delta -3.5; delta 0.0; !time; delta 2; !time; delta 0.5; !time"),
            "0.02.02.5");
  // At once: no other process comes between.
  EXPECT_EQ(output_of("proc P() = |[ delta 0.0; !1 ]|\nproc Q() = |[ !2 ]|\n"
                      "sys S() = |[ P() || Q() ]|"),
            "12");
}

TEST(Delay, InfiniteNeverPasses) {
  const Ran ran = run_model("proc P() = |[ | !1; delta inf; !2 ]|");
  EXPECT_EQ(ran.output, "1");
  EXPECT_EQ(ran.code, "E6001");
  EXPECT_NE(ran.report.find("waits for an infinite delay"), std::string::npos) << ran.report;
  EXPECT_EQ(run_model("proc P() = |[ | delta 1e308; delta 1e308; !2 ]|").code, "E6001");
}

// The duration is evaluated once, when the process comes there.
TEST(Delay, IsEvaluatedOnce) {
  EXPECT_EQ(output_of(R"(
proc A(ref d: real) = |[ | delta 1.0; d := 100.0 ]|
proc B(ref d: real) = |[ | delta d; !time, " "; d := 2.0; [ true; delta d -> !time | d > 50.0; delta 0.0 -> !"changed" ] ]|
sys S() = |[ d: real := 3.0 | A(d) || B(d) ]|
)"),
            "3.0 5.0");
}

TEST(Process, WithoutStatementsOrEmpty) {
  EXPECT_EQ(
      output_of("proc P() = |[ ]|\nproc Q() = |[ x: nat := 3 | !x ]|\nsys S() = |[ P() || Q() ]|"),
      "3");
  EXPECT_EQ(run_model("proc P() = |[ ]|").report, "");
  EXPECT_EQ(output_of_process("", "skip; skip"), "");
}

TEST(Terminate, EndsTheRunInTheMiddle) {
  const Ran ran = run_model(
      "proc P() = |[ | delta 1.0; !1; terminate; !2 ]|\nproc Q() = |[ | delta 1.0; !3; delta 5.0; "
      "!4 ]|\n"
      "sys S() = |[ P() || Q() ]|");
  EXPECT_EQ(ran.output, "1");
  EXPECT_EQ(ran.report, "");
  EXPECT_EQ(ran.time, 1.0);
}

TEST(Selection, TakesTheFirstOpenAlternative) {
  EXPECT_EQ(
      output_of_process(
          "n: nat",
          "[ n = 0 -> !\"a\" | true -> !\"b\" ]; n := 1; [ n = 0 -> !\"a\" | true -> !\"b\" ]"),
      "ab");
}

TEST(Selection, UnwoundAndNested) {
  EXPECT_EQ(
      output_of_process("a: nat^4 := [3, 1, 4, 1], n: nat",
                        "*[ i: nat <- 0..3: a.i > 0 -> a.i := a.i - 1; n := n + 10 ^ i ]; !n, a"),
      "1413[0, 0, 0, 0]");
  EXPECT_EQ(
      output_of_process("m: (nat^3)^2, k: nat",
                        "k := 0; *[ i: nat <- 0..1: k mod 2 = i and k < 6 -> [ j: nat <- i..2: k "
                        "mod 3 = j or j = 2 -> m.i.j := m.i.j + 1 ]; k := k + 1 ]; !m"),
      "[[1, 1, 1], [0, 1, 2]]");
}

TEST(Repetition, EndsWhenAllGuardsAreClosed) {
  EXPECT_EQ(
      output_of_process(
          "n: nat", "*[ n < 3 -> n := n + 1 | n > 5 -> !\"never\" ]; !n; *[ n < 3 -> skip ]; !n"),
      "33");
  EXPECT_EQ(
      output_of_process("n: nat", "*[ n := n + 1; [ n = 4 -> !n; terminate | n < 4 -> skip ] ]"),
      "4");
}

// `*[ b; E -> S ]`: a shared variable that closes the last guard ends it while it waits.
TEST(Repetition, OfWaitingEndsWhenASharedVariableClosesIt) {
  EXPECT_EQ(output_of(R"(
proc A(c: !nat, ref on: bool) = |[ | c!1; delta 1.0; c!2; delta 1.0; on := false; delta 1.0 ]|
proc B(c: ?nat, ref on: bool) = |[ x: nat | *[ on; c?x -> !x, " " ]; !"off at ", time ]|
sys S() = |[ c: -nat, on: bool := true | A(c, on) || B(c, on) ]|
)"),
            "1 2 off at 2.0");
}

// A guard that was closed by the very process that sends is closed for this communication.
TEST(SelectiveWaiting, GuardsAreThoseOfTheMoment) {
  EXPECT_EQ(output_of(R"(
proc A(ref n: nat, c: !void) = |[ | delta 1.0; n := 1; c!; !"A@", time ]|
proc B(ref n: nat, c: ?void) = |[ | [ n = 0; c? -> !"wrong, n = ", n | true; delta 5.0 -> !"B@", time, " "; c? ] ]|
sys S() = |[ n: nat := 0, c: -void | A(n, c) || B(n, c) ]|
)"),
            "B@5.0 A@5.0");
  // And one that it opened is open.
  EXPECT_EQ(output_of(R"(
proc A(ref n: nat, c: !void) = |[ | delta 1.0; n := 1; c!; !"A@", time ]|
proc B(ref n: nat, c: ?void) = |[ | [ n = 1; c? -> !"B@", time, " " | true; delta 5.0 -> !"late" ] ]|
sys S() = |[ n: nat := 0, c: -void | A(n, c) || B(n, c) ]|
)"),
            "B@1.0 A@1.0");
}

// A delay counts from when the process came to the selection, whenever its guard opens.
TEST(SelectiveWaiting, DelaysBehindGuardsThatChange) {
  constexpr std::string_view model = R"(
proc A(ref b: bool, t: real) = |[ | delta t; b := true; delta 0.5; b := false; delta 0.5; b := true; delta 9.0 ]|
proc B(ref b: bool) = |[ | [ b; delta 3.0 -> !time | true; delta 6.0 -> !"late ", time ]; terminate ]|
sys S(t: real) = |[ b: bool := false | A(b, t) || B(b) ]|
)";
  EXPECT_EQ(output_of(model, {.params = {{"t", "1.0"}}}), "3.0");
  EXPECT_EQ(output_of(model, {.params = {{"t", "2.75"}}}), "3.0");
  EXPECT_EQ(output_of(model, {.params = {{"t", "2.25"}}}), "3.25")
      << "closed when it would pass; it passes when it opens";
  EXPECT_EQ(output_of(model, {.params = {{"t", "4.0"}}}), "4.0") << "opens after its time";
  EXPECT_EQ(output_of(model, {.params = {{"t", "7.0"}}}), "late 6.0");
}

// The guard protects the duration.
TEST(SelectiveWaiting, DurationBehindAClosedGuardIsNotEvaluated) {
  EXPECT_EQ(
      output_of_process("xs: real*", "[ len(xs) > 0; delta hd(xs) -> !1 | true; delta 1.0 -> !2 ]"),
      "2");
}

TEST(SelectiveWaiting, NestedSelections) {
  EXPECT_EQ(output_of(R"(
proc S(a, b: !nat) = |[ | delta 1.0; a!1; delta 1.0; b!2; delta 3.0; a!3; a!4 ]|
proc R(a, b: ?nat) = |[ x, y: nat, n: nat := 0
| *[ n < 3; a?x -> n := n + 1; [ x < 3; b?y -> !x, y, "@", time, " " | true; delta 2.0 -> !x, "alone@", time, " " ]
   | n < 3; b?y -> !"b first"
   ]
; terminate
]|
sys T() = |[ a, b: -nat | S(a, b) || R(a, b) ]|
)"),
            "12@2.0 3alone@7.0 4alone@9.0 ");
}

TEST(SelectiveWaiting, BothSidesSelect) {
  EXPECT_EQ(output_of(R"(
proc A(a: !nat, b: ?nat) = |[ x: nat, n: nat | *[ n < 4; a!n -> !"s", n, " "; n := n + 1; delta 1.0 | n < 4; b?x -> !"r", x, " "; n := n + 1; delta 1.0 ] ]|
proc B(a: ?nat, b: !nat) = |[ x: nat, n: nat | *[ n < 4; b!(10 + n) -> n := n + 1; delta 1.0 | n < 4; a?x -> n := n + 1; delta 1.0 ] ]|
sys S() = |[ a, b: -nat | A(a, b) || B(a, b) ]|
)"),
            // Of two who both wait, the one that looks second finds the first: at each time A
            // waits, B takes its first.
            "r10 r11 r12 r13 ");
}

TEST(SelectiveWaiting, OverBundles) {
  EXPECT_EQ(
      output_of(R"(
proc G(a: (!nat)^3) = |[ i: nat | *[ i < 6 -> a.(i mod 3)!i; delta 1.0; i := i + 1 ] ]|
proc R(a: (?nat)^3) = |[ x: nat^3, n: nat
| *[ i: nat <- 0..2: n < 6; a.i?x.i -> !i, x, "@", time, " "; n := n + 1 ] ]|
sys S() = |[ a: (-nat)^3 | G(a) || R(a) ]|
)"),
      "0[0, 0, 0]@0.0 1[0, 1, 0]@1.0 2[0, 1, 2]@2.0 0[3, 1, 2]@3.0 1[3, 4, 2]@4.0 2[3, 4, 5]@5.0 ");
}

TEST(SelectiveWaiting, NablaAsAnAlternative) {
  EXPECT_EQ(output_of(R"(
proc A(ref n: nat) = |[ | *[ n < 5 -> delta 1.0; n := n + 1 ]; delta 1.0 ]|
proc B(ref n: nat, c: ?nat) = |[ x: nat | [ true; c?x -> !"c" | true; nabla n >= 3 -> !"n@", time | true; delta 10.0 -> !"late" ] ]|
proc C(c: !nat) = |[ | [ false; c!1 -> skip | true; delta 20.0 -> skip ] ]|
sys S() = |[ n: nat := 0, c: -nat | A(n) || B(n, c) || C(c) ]|
)"),
            "n@3.0");
}

TEST(Nabla, WaitsForSharedVariables) {
  EXPECT_EQ(output_of(R"(
proc W(ref b: bool, ref n: nat, ref xs: nat*) = |[ | delta 1.0; n := 4; delta 1.0; b := true; delta 1.0; xs := xs ++ [1]; delta 1.0; xs[0] := 7; delta 5.0 ]|
proc R(ref b: bool, ref n: nat, ref xs: nat*) = |[
| nabla n >= 4; !"n@", time; nabla b; !" b@", time; nabla len(xs) > 0; !" x@", time; nabla xs = [7]; !" 7@", time; nabla true; nabla n = 4 and b ]|
sys T() = |[ b: bool := false, n: nat := 0, xs: nat* | W(b, n, xs) || R(b, n, xs) ]|
)"),
            "n@1.0 b@2.0 x@3.0 7@4.0");
}

TEST(Nabla, WatchesElementsOfSharedArrays) {
  EXPECT_EQ(output_of(R"(
proc W(ref a: nat^4, ref r: { u: nat, v: bool^2 }) = |[ i: nat | *[ i < 4 -> delta 1.0; a.i := i + 1; i := i + 1 ]; delta 1.0; r.v.1 := true; delta 1.0; r.u := 3 ]|
proc R(ref a: nat^4, i: nat) = |[ | nabla a.i > 0; !i, "@", time, " " ]|
proc All(ref a: nat^4, ref r: { u: nat, v: bool^2 }) = |[ | nabla a.0 + a.1 + a.2 + a.3 = 10; !"all@", time, " "; nabla r.v[1]; !"v@", time, " "; nabla r.u = 3; !"u@", time ]|
sys T() = |[ a: nat^4, r: { u: nat, v: bool^2 } | W(a, r) || i: nat <- 0..3: R(a, 3 - i) || All(a, r) ]|
)"),
            "0@1.0 1@2.0 2@3.0 3@4.0 all@4.0 v@5.0 u@6.0");
}

TEST(Nabla, WatchesWhatIsReceivedIntoASharedVariable) {
  EXPECT_EQ(output_of(R"(
proc S(c: !nat) = |[ | delta 2.0; c!5 ]|
proc R(c: ?nat, ref n: nat) = |[ | c?n ]|
proc N(ref n: nat) = |[ | nabla n = 5; !time ]|
sys T() = |[ n: nat, c: -nat | S(c) || R(c, n) || N(n) ]|
)"),
            "2.0");
}

TEST(Communication, SendsTheValueOfTheMoment) {
  EXPECT_EQ(output_of(R"(
proc S(a: !nat, b: !nat*, ref n: nat) = |[ xs: nat* := [1] | a!n + 1; b!xs; xs[0] := 9; b!xs ++ [n] ]|
proc R(a: ?nat, b: ?nat*) = |[ x: nat, ys, zs: nat* | delta 3.0; a?x; b?ys; b?zs; !x, ys, zs ]|
proc C(ref n: nat) = |[ | delta 1.0; n := 7 ]|
sys T() = |[ a: -nat, b: -(nat*), n: nat | S(a, b, n) || R(a, b) || C(n) ]|
)"),
            "8[1][9, 7]");
}

TEST(Communication, ReceivesIntoAnyPlace) {
  EXPECT_EQ(output_of(R"(
type rec = { p: nat, q: string* }
proc S(a: !nat*, b: !rec, c: !nat) = |[ xs: nat* := [1, 2], r: rec := { p = 1, q = ["s"] }
| a!xs; xs[0] := 9; a!xs ++ [3]; a!xs; b!r; r.q[0] := "t"; b!r; b!{ p = 7, q = ["u"] }; c!1; c!2; c!3; c!4; c!5 ]|
proc R(a: ?nat*, b: ?rec, c: ?nat, ref g: nat*, ref h: (nat^2)^2) = |[
  ys: (nat*)*, zs: (nat*)^2, rs: rec^2, k: { l: nat*, r: rec }, d: dict(string, nat), t: nat # nat, i: nat := 1, v: real, ns: nat*
| ys := [[], []]; a?ys[i]; a?zs.i; a?g; !ys, zs, g, "\n"
; b?rs[0]; b?k.r; rs[1] := k.r; b?k.r; !rs, k, "\n"
; c?h.i.0; c?d["x"]; c?t.1; ns := [0, 0]; c?ns[1]; c?h[0][i]; !h, d, t, ns ]|
sys T() = |[ a: -(nat*), b: -rec, c: -nat, g: nat*, h: (nat^2)^2 | S(a, b, c) || R(a, b, c, g, h) ]|
)"),
            "[[], [1, 2]][[], [9, 2, 3]][9, 2]\n"
            "[{p = 1, q = [\"s\"]}, {p = 1, q = [\"t\"]}]{l = [], r = {p = 7, q = [\"u\"]}}\n"
            "[[0, 5], [1, 0]]{\"x\": 2}<0, 3>[0, 4]");
}

TEST(Communication, WholeBundlesAndBundlesOfBundles) {
  EXPECT_EQ(output_of(R"(
proc S(a: ((!nat)^2)^2) = |[ | a.0.0!1; a.0.1!2; a.1.0!3; a[1][1]!4 ]|
proc R(a: (?nat)^2, i: nat) = |[ x, y: nat | a.0?x; a.1?y; !i, ":", x, y, " " ]|
sys Inner(a: ((?nat)^2)^2) = |[ i: nat <- 0..1: R(a.i, i) ]|
sys T() = |[ a: ((-nat)^2)^2 | S(a) || Inner(a) ]|
)"),
            "0:12 1:34 ");
}

TEST(Communication, OfVoidAndOfEveryType) {
  EXPECT_EQ(output_of(R"(
proc S(a: !void, b: !bool, c: !set(nat), d: !dict(nat, string), e: !real^2, f: !string, g: !real # nat*) = |[
| a!; b!true; c!{2, 1}; d!{1: "x"}; e![1.5, 2]; f!"text" + "s"; g!<1, [2]> ]|
proc R(a: ?void, b: ?bool, c: ?set(nat), d: ?dict(nat, string), e: ?real^2, f: ?string, g: ?real # nat*) = |[
  vb: bool, vc: set(nat), vd: dict(nat, string), ve: real^2, vf: string, vg: real # nat*
| a?; b?vb; c?vc; d?vd; e?ve; f?vf; g?vg; !vb, vc, vd, ve, vf, vg ]|
sys T() = |[ a: -void, b: -bool, c: -set(nat), d: -dict(nat, string), e: -real^2, f: -string, g: -real # nat*
| S(a, b, c, d, e, f, g) || R(a, b, c, d, e, f, g) ]|
)"),
            "true{1, 2}{1: \"x\"}[1.5, 2.0]texts<1.0, [2]>");
}

TEST(Priorities, LowestNumberRunsFirst) {
  EXPECT_EQ(output_of(R"(
proc P(n: nat) = |[ | delta 1.0; !n ]|
sys S() = |[ P(0)@2 || P(1)@1 || P(2) || P(3)@1 || P(4)@0 ]|
)"),
            "24130");
  // Also of those that a communication made ready.
  EXPECT_EQ(output_of(R"(
proc S(a, b: !void) = |[ | delta 1.0; a!; b!; !"s" ]|
proc R(a: ?void, n: nat) = |[ | a?; !n ]|
sys T() = |[ a, b: -void | S(a, b)@1 || R(a, 1)@3 || R(b, 2)@2 ]|
)"),
            "s21");
}

TEST(Instances, SystemsInSystemsWithLabelsAndUnwinding) {
  const Ran ran = run_model(R"(
proc P(x: nat) = |[ y: nat := x | delta 1.0; y := y + 1 ]|
sys Cell(n: nat) = |[ k: nat := n | i: nat <- 0..1: P(10 * n + i) || last: P(k0(n)) ]|
func k0(n: nat) -> nat = n + 100
xper = |[ z: nat := 5 | left: Cell(1) || Cell(2) ]|
)",
                            {.record = true});
  EXPECT_EQ(ran.report, "");
  const std::vector<std::string> names = {"z",           "left.k",      "left.P[0].y",
                                          "left.P[1].y", "left.last.y", "Cell.k",
                                          "Cell.P[0].y", "Cell.P[1].y", "Cell.last.y"};
  EXPECT_EQ(ran.trace.names, names);
  std::vector<double> last;
  for (const auto& column : ran.trace.columns) last.push_back(column.back());
  EXPECT_EQ(last, (std::vector<double>{5, 1, 11, 12, 102, 2, 21, 22, 103}));
}

}  // namespace
}  // namespace chi::conformance
