#include "flat/flatten.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "flat/test_model.h"

namespace chi::flat {
namespace {

using testing::flattened;
using Flattened = testing::TestModel;

// ---- names ----

// The two tanks of van Beek, Bos and Rooda 2003, §6.2.
constexpr const char* kTwoTanks = R"(
proc T(ref steady: bool, ref Qi,Qo: real) =
  |[ V: real
  | [ steady -> |V|, V' = 0 ]
  , |Qo|
  , V' = Qi - Qo,
  , Qo = sqrt(V)
  ]|
proc Source(ref Q: real) =
  |[ |Q|, Q = 2 ]|
proc Ini(ref steady: bool) =
  |[ steady:= false ]|
syst TwoTanks() =
  |[ steady: bool:= true
   , Q0,Q1,Q2: real
   | Source(Q0) || Ini(steady)
  || T(steady, Q0, Q1)
  || T(steady, Q1, Q2)
  ]|
)";

TEST(Flatten, NamesTheTwoTanks) {
  const Flattened f = flattened(kTwoTanks);
  EXPECT_EQ(f.variables(), "steady Q0 Q1 Q2 T[0].V T[1].V");
  EXPECT_EQ(f.processes(), "Source Ini T[0] T[1]");
}

TEST(Flatten, SharesRefVariables) {
  const Flattened f = flattened(kTwoTanks);
  EXPECT_EQ(f.slot("T[0]", 0), f.slot_of("steady"));
  EXPECT_EQ(f.slot("T[0]", 2), f.slot_of("Q1"));
  EXPECT_EQ(f.slot("T[1]", 1), f.slot_of("Q1"));
  EXPECT_EQ(f.slot("Source", 0), f.slot_of("Q0"));
}

TEST(Flatten, InstancesShareTheirBody) {
  const Flattened f = flattened(kTwoTanks);
  EXPECT_EQ(f.block("T[0]").body, f.block("T[1]").body);
  EXPECT_EQ(f.model->bodies.size(), 4);
}

constexpr const char* kLocal = "proc P(a: nat) = |[ x: real | x' = 1.0 ]|\n";

TEST(Flatten, SingleUnlabelledInstanceHasNoNumber) {
  const Flattened f = flattened(std::string(kLocal) + "sys S = |[ P(1) ]|");
  EXPECT_EQ(f.variables(), "P.x");
}

TEST(Flatten, LabelsName) {
  const Flattened f =
      flattened(std::string(kLocal) + "sys S = |[ left: P(1) || right: P(2) || P(3) ]|");
  EXPECT_EQ(f.variables(), "left.x right.x P.x");
}

TEST(Flatten, UnwoundLabelsCarryTheIndex) {
  const Flattened f = flattened(std::string(kLocal) + "sys S = |[ i: nat <- 2..4: M: P(i) ]|");
  EXPECT_EQ(f.variables(), "M[2].x M[3].x M[4].x");
  EXPECT_EQ(f.value("M[4]", 0), "4");
}

TEST(Flatten, UnwoundUnlabelledInstancesAreNumberedFromZero) {
  const Flattened f =
      flattened(std::string(kLocal) + "sys S = |[ P(7) || i: nat <- 5..6: P(i) || P(8) ]|");
  EXPECT_EQ(f.variables(), "P[0].x P[1].x P[2].x P[3].x");
  EXPECT_EQ(f.value("P[2]", 0), "6");
}

TEST(Flatten, UnwindingOfOneIsNumberedToo) {
  const Flattened f = flattened(std::string(kLocal) + "sys S = |[ i: nat <- 0..0: P(i) ]|");
  EXPECT_EQ(f.variables(), "P[0].x");
}

TEST(Flatten, ReversedRangeIsEmpty) {
  const Flattened f = flattened(std::string(kLocal) + "sys S = |[ i: nat <- 1..0: P(i) || P(9) ]|");
  EXPECT_EQ(f.variables(), "P[0].x");
}

TEST(Flatten, GroupsUnwindTogether) {
  const Flattened f =
      flattened(std::string(kLocal) + "sys S = |[ i: nat <- 0..1: ( A: P(i) || B: P(i) ) ]|");
  EXPECT_EQ(f.variables(), "A[0].x B[0].x A[1].x B[1].x");
}

TEST(Flatten, NestedUnwindingsGiveSeveralIndices) {
  const Flattened f = flattened(std::string(kLocal) +
                                "sys S = |[ i: nat <- 0..2: ( j: nat <- i..2: M: P(i*j) ) ]|");
  EXPECT_EQ(f.variables(), "M[0][0].x M[0][1].x M[0][2].x M[1][1].x M[1][2].x M[2][2].x");
  EXPECT_EQ(f.value("M[1][2]", 0), "2");
}

TEST(Flatten, NestedSystemsAddALevel) {
  const Flattened f = flattened(std::string(kLocal) + R"(
    sys Line(n: nat) = |[ y: real | i: nat <- 1..n: M: P(i) ]|
    sys S = |[ Line(2) || back: Line(1) ]|)");
  EXPECT_EQ(f.variables(), "Line.y Line.M[1].x Line.M[2].x back.y back.M[1].x");
  EXPECT_EQ(f.processes(), "Line.M[1] Line.M[2] back.M[1]");
  EXPECT_EQ(f.model->blocks[0].path, "");
  EXPECT_EQ(f.model->blocks[1].path, "Line");
}

TEST(Flatten, LabelEqualToAnUnlabelledNameIsReported) {
  const Flattened f = flattened(std::string(kLocal) +
                                "proc Q = |[ y: real | y' = 1.0 ]|\nsys S = |[ P: Q() || P(2) ]|");
  EXPECT_EQ(f.codes(), "E4008");
}

TEST(Flatten, LabelEqualToARecordIsReported) {
  const Flattened f = flattened(std::string(kLocal) + "sys S = |[ r: { x: real } | r: P(2) ]|");
  EXPECT_EQ(f.codes(), "E4008");
}

// ---- which part runs ----

TEST(Flatten, RunsTheExperiment) {
  const Flattened f =
      flattened(std::string(kLocal) + "sys S = |[ P(1) ]| sys U = |[ P(2) ]| xper = |[ S() ]|");
  EXPECT_EQ(f.variables(), "S.P.x");
}

TEST(Flatten, RunsTheSystemThatNothingInstantiates) {
  const Flattened f = flattened(std::string(kLocal) +
                                "sys S = |[ P(1) ]| sys U = |[ S() ]| proc Alone = |[ skip ]|");
  EXPECT_EQ(f.variables(), "S.P.x");
}

TEST(Flatten, RunsTheOnlyProcess) {
  const Flattened f = flattened("proc P = |[ x: real | x' = 1.0 ]|");
  EXPECT_EQ(f.variables(), "x");
  EXPECT_EQ(f.processes(), "P");
}

TEST(Flatten, SeveralPartsAreListed) {
  const Flattened f = flattened(std::string(kLocal) + "sys S = |[ P(1) ]| sys U = |[ P(2) ]|");
  EXPECT_EQ(f.codes(), "E0011");
  EXPECT_NE(f.first().message.find("`S`, `U`"), std::string::npos);
}

TEST(Flatten, TopIsTakenByName) {
  const Flattened f =
      flattened(std::string(kLocal) + "sys S = |[ P(1) ]| sys U = |[ P(2) ]|", {.top = "U"});
  EXPECT_EQ(f.value("P", 0), "2");
}

TEST(Flatten, UnknownTopIsReported) {
  const Flattened f = flattened(std::string(kLocal) + "sys S = |[ P(1) ]|", {.top = "Q"});
  EXPECT_EQ(f.codes(), "E0012");
}

TEST(Flatten, NothingToRunIsReported) { EXPECT_EQ(flattened("const a = 1").codes(), "E0010"); }

TEST(Flatten, RefParameterOfTheTopIsAVariable) {
  const Flattened f = flattened("proc P(ref x: real, k: real) = |[ y: real | x' = k, y' = x ]|",
                                {.params = {{"k", "2"}}});
  EXPECT_EQ(f.variables(), "x y");
  EXPECT_EQ(f.slot("", 0), 0);
  EXPECT_EQ(f.value("", 1), "2.0");
}

TEST(Flatten, ChannelParameterOfTheTopIsReported) {
  const Flattened f = flattened("proc P(a: !nat) = |[ a!1 ]|");
  EXPECT_EQ(f.codes(), "E0016");
}

// ---- values ----

TEST(Flatten, EvaluatesArgumentsInTheSystem) {
  const Flattened f = flattened(R"(
    const c = 10
    func twice(n: nat) -> nat = 2*n
    proc P(a: real, b: nat) = |[ skip ]|
    sys S(k: nat) = |[ i: nat <- 1..2: p: P(k + i, twice(i) + c) ]|)",
                                {.params = {{"k", "5"}}});
  EXPECT_EQ(f.value("p[2]", 0), "7.0");
  EXPECT_EQ(f.value("p[2]", 1), "14");
}

TEST(Flatten, PassesFunctionsAndDistributionsOn) {
  const Flattened f = flattened(R"(
    func f(x: real) -> real = x + 1.0
    proc P(g: real -> real, d: -> real) = |[ skip ]|
    sys S(h: real -> real, d: -> real) = |[ P(h, d) ]|
    xper = |[ S(f, exponential(3.0)) ]|)");
  EXPECT_EQ(f.value("S.P", 0), "f");
  const auto& bound = std::get<BoundValue>(f.block("S.P").bindings[1]);
  EXPECT_EQ(std::get<sema::Value::Distribution>(bound.value.data).arguments,
            (std::vector<sema::Value::Distribution::Argument>{3.0}));
}

TEST(Flatten, ErrorInAnArgumentIsReportedOnceForAllCopies) {
  const Flattened f =
      flattened(std::string(kLocal) + "sys S(k: nat) = |[ i: nat <- 0..99: P(1 div k) ]|",
                {.params = {{"k", "0"}}});
  EXPECT_EQ(f.diagnostics.error_count(), 1);
}

TEST(Flatten, BoundsAreEvaluated) {
  const Flattened f = flattened("proc P(n: nat) = |[ x: real in 0.0..2.0*n := 1.0 | x' = 1.0 ]|",
                                {.params = {{"n", "3"}}});
  EXPECT_EQ(*f.model->variables[VariableId{0}].high, 6.0);
  EXPECT_EQ(*f.model->variables[VariableId{0}].low, 0.0);
}

TEST(Flatten, EmptyBoundsAreReported) {
  const Flattened f = flattened("proc P(n: int) = |[ x: real in 0.0..2.0*n := 1.0 | x' = 1.0 ]|",
                                {.params = {{"n", "-3"}}});
  EXPECT_EQ(f.codes(), "E4010");
}

// ---- references to elements ----

constexpr const char* kRef = "proc R(ref x: real) = |[ |x|, x = 1.0 ]|\n";

TEST(Flatten, RefToArrayElements) {
  const Flattened f = flattened(std::string(kRef) + R"(
    sys S = |[ b: real, a: real^5 | i: nat <- 0..3: r: R(a.(i+1)) || first: R(a.0) ]|)");
  EXPECT_EQ(f.slot("r[2]", 0), f.slot_of("a") + 3);
  EXPECT_EQ(f.slot("first", 0), 1);
  EXPECT_EQ(f.model->variable_slots, 6);
}

TEST(Flatten, RefToIndexedMembers) {
  const Flattened f = flattened(std::string(kRef) + R"(
    sys S = |[ a: ({ u: real^2, v: real } # real)^3 | i: nat <- 0..2: ( A: R(a.i.0.u[1]) || B: R(a[i].0.v) || C: R((a.i).1) ) ]|)");
  EXPECT_EQ(f.slot("A[2]", 0), 9);
  EXPECT_EQ(f.slot("B[1]", 0), 6);
  EXPECT_EQ(f.slot("C[0]", 0), 3);
}

TEST(Flatten, RefThroughNestedSystems) {
  const Flattened f = flattened(std::string(kRef) + R"(
    sys Inner(ref a: real^3) = |[ i: nat <- 0..2: R(a.i) ]|
    sys S = |[ m: (real^3)^2 | i: nat <- 0..1: Inner(m.i) ]|)");
  EXPECT_EQ(f.slot("Inner[1].R[2]", 0), 5);
}

TEST(Flatten, RefIndexOutOfRangeIsReportedOnce) {
  const Flattened f =
      flattened(std::string(kRef) + "sys S = |[ a: real^3 | i: nat <- 0..9: R(a.i) ]|");
  EXPECT_EQ(f.codes(), "E4003");
}

TEST(Flatten, ListElementsAreNoVariables) {
  const Flattened f = flattened(std::string(kRef) + "sys S = |[ xs: real* := [1.0] | R(xs[0]) ]|");
  EXPECT_EQ(f.codes(), "E4009");
}

TEST(Flatten, RefLengthsMustAgree) {
  const Flattened f = flattened(R"(
    proc R(n: nat, ref x: real^n) = |[ i: nat <- 0..n-1: x.i' = 1.0 ]|
    sys S = |[ a: real^3 | R(3, a) || R(4, a) ]|)");
  EXPECT_EQ(f.codes(), "E4001");
}

// ---- channels ----

constexpr const char* kChannels = R"(
  proc G(a: !nat) = |[ a!1 ]|
  proc E(a: ?nat) = |[ x: nat | a?x ]|
  proc M(a: ?nat, b: !nat) = |[ x: nat | *[ a?x; b!x ] ]|
)";

TEST(Channels, ConnectTwoProcesses) {
  const Flattened f = flattened(std::string(kChannels) + "sys S = |[ c: -nat | G(c) || E(c) ]|");
  EXPECT_EQ(f.channels(), "c: G -> E");
}

TEST(Channels, BundlesAreConnectedByElement) {
  const Flattened f = flattened(std::string(kChannels) + R"(
    sys S(n: nat) = |[ c: (-nat)^(n+1) | G(c.0) || i: nat <- 0..n-1: m: M(c.i, c.(i+1)) || E(c[n]) ]|)",
                                {.params = {{"n", "3"}}});
  EXPECT_EQ(f.channels(),
            "c[0]: G -> m[0], c[1]: m[0] -> m[1], c[2]: m[1] -> m[2], c[3]: m[2] -> E");
}

TEST(Channels, BundlesArePassedWhole) {
  const Flattened f = flattened(std::string(kChannels) + R"(
    proc Fan(n: nat, a: (!nat)^n) = |[ a.0!1 ]|
    sys Ends(n: nat, a: (?nat)^n) = |[ i: nat <- 0..n-1: E(a.i) ]|
    sys S = |[ c: ((-nat)^2)^2 | Fan(2, c.1) || Fan(2, c.0) || Ends(2, c.1) || Ends(2, c.0) ]|)");
  EXPECT_EQ(f.channels(),
            "c[0][0]: Fan[1] -> Ends[1].E[0], c[0][1]: Fan[1] -> Ends[1].E[1], "
            "c[1][0]: Fan[0] -> Ends[0].E[0], c[1][1]: Fan[0] -> Ends[0].E[1]");
}

TEST(Channels, InnerChannelsAreNamedByPath) {
  const Flattened f = flattened(std::string(kChannels) + R"(
    sys Line(a: ?nat, b: !nat) = |[ c: -nat | front: M(a, c) || back: M(c, b) ]|
    sys S = |[ a, b: -nat | G(a) || Line(a, b) || E(b) ]|)");
  EXPECT_EQ(f.channels(), "a: G -> Line.front, b: Line.back -> E, Line.c: Line.front -> Line.back");
}

TEST(Channels, TwoSendersAreReportedWithBothNames) {
  const Flattened f =
      flattened(std::string(kChannels) + "sys S = |[ c: -nat | G(c) || E(c) || other: G(c) ]|");
  EXPECT_EQ(f.codes(), "E4004");
  EXPECT_EQ(f.first().message, "channel `c` has two senders, `G` and `other`");
}

TEST(Channels, TwoReceiversAreReported) {
  const Flattened f =
      flattened(std::string(kChannels) + "sys S = |[ c: -nat | i: nat <- 0..1: E(c) ]|");
  EXPECT_EQ(f.codes(), "E4005");
}

TEST(Channels, BundleLengthsMustAgree) {
  const Flattened f = flattened(std::string(kChannels) + R"(
    proc Fan(n: nat, a: (!nat)^n) = |[ a.0!1 ]|
    sys S = |[ c: (-nat)^2 | Fan(3, c) ]|)");
  EXPECT_EQ(f.codes(), "E4001");
}

// ---- priorities ----

TEST(Priorities, OrderTheProcesses) {
  const Flattened f =
      flattened(std::string(kLocal) +
                "sys S = |[ a: P(1)@2 || b: P(1) || c: P(1)@1 || d: P(1)@(0-1) || e: P(1) ]|");
  EXPECT_EQ(f.processes(), "d b e c a");
}

TEST(Priorities, AreInheritedFromTheSystem) {
  const Flattened f = flattened(std::string(kLocal) + R"(
    sys L = |[ a: P(1) || b: P(1)@1 ]|
    sys S = |[ late: L()@2 || c: P(1) || i: nat <- 0..1: d: P(1)@(3 - i) ]|)");
  EXPECT_EQ(f.processes(), "c late.b late.a d[1] d[0]");
  EXPECT_EQ(f.model->processes[ProcessId{1}].priority, 1);
}

TEST(Priorities, ChannelEndsFollowTheSorting) {
  const Flattened f = flattened(std::string(kChannels) + "sys S = |[ c: -nat | G(c)@1 || E(c) ]|");
  EXPECT_EQ(f.processes(), "E G");
  EXPECT_EQ(f.channels(), "c: G -> E");
}

// ---- bodies ----

TEST(Bodies, DifferByStructuralParametersOnly) {
  const Flattened f = flattened(R"(
    proc P(n: nat, k: real) = |[ x: real^n | i: nat <- 0..n-1: x.i' = k ]|
    sys S = |[ P(2, 1.0) || P(3, 1.0) || P(2, 5.0) ]|)");
  EXPECT_EQ(f.model->bodies.size(), 3);  // S and two of P
  EXPECT_EQ(f.block("P[0]").body, f.block("P[2]").body);
  EXPECT_NE(f.block("P[0]").body, f.block("P[1]").body);
  EXPECT_EQ(f.model->variable_slots, 7);
}

TEST(Bodies, RangesOfAlternativesAreStructural) {
  const Flattened f = flattened(R"(
    proc P(n: nat, k: nat) = |[ x: nat | [ i: nat <- 0..n-1: x = i -> x := k ] ]|
    sys S = |[ P(2, 1) || P(3, 1) || P(2, 5) ]|)");
  EXPECT_EQ(f.block("P[0]").body, f.block("P[2]").body);
  EXPECT_NE(f.block("P[0]").body, f.block("P[1]").body);
}

TEST(Bodies, HoldConcreteTypes) {
  const Flattened f = flattened(R"(
    proc P(n: nat) = |[ x: (real^n)^(n+1), y: nat* | skip ]|
    sys S = |[ P(2) ]|)");
  const Body& body = f.model->bodies[f.block("P").body];
  EXPECT_EQ(f.model->typed.types.text(body.locals[0], f.model->typed.ast.symbols), "real^2^3");
}

TEST(Bodies, NegativeLengthIsReported) {
  const Flattened f =
      flattened("proc P(n: int) = |[ x: real^(n - 1) | skip ]|", {.params = {{"n", "0"}}});
  EXPECT_EQ(f.codes(), "E4002");
}

// ---- sizes ----

TEST(Sizes, DeepNestingIsReported) {
  std::string text = "proc P = |[ skip ]|\nsys S0 = |[ P() ]|\n";
  for (int i = 1; i <= 1000; ++i) text += fmt::format("sys S{} = |[ S{}() ]|\n", i, i - 1);
  EXPECT_EQ(flattened(text, {.top = "S999"}).codes(), "");
  EXPECT_EQ(flattened(text).codes(), "E4007");
}

TEST(Sizes, TooManyInstancesAreReported) {
  const Flattened f = flattened(
      "proc P = |[ skip ]|\nsys S = |[ i: nat <- 0..1000000000: ( j: nat <- 1..0: P() ) ]|");
  EXPECT_EQ(f.codes(), "E4006");
}

TEST(Sizes, TooManyVariablesAreReported) {
  const Flattened f =
      flattened("proc P(n: nat) = |[ x: (real^n)^n | skip ]|", {.params = {{"n", "50000"}}});
  EXPECT_EQ(f.codes(), "E4007");
}

TEST(Sizes, AHundredThousandProcessesInARing) {
  const Flattened f = flattened(std::string(kChannels) + R"(
    proc N(k: nat, a: ?nat, b: !nat, ref v: real) = |[ x: nat, y: real | |y|, v' = y, y = 1.0*k | *[ a?x; b!x ] ]|
    sys S(n: nat) =
      |[ c: (-nat)^n, v: real^n
       | i: nat <- 0..n-1: m: N(i, c.i, c.((i + 1) mod n), v.i)
      ]|)",
                                {.params = {{"n", "100000"}}});
  ASSERT_TRUE(f.model.has_value());
  EXPECT_EQ(f.model->processes.size(), 100000);
  EXPECT_EQ(f.model->bodies.size(), 2);
  EXPECT_EQ(f.model->variables.size(), 1 + 200000);
  EXPECT_EQ(f.model->processes[f.model->channels[ChannelId{0}].sender].name, "m[99999]");
  EXPECT_EQ(f.slot("m[99999]", 3), 99999);
}

}  // namespace
}  // namespace chi::flat
