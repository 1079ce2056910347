#include <string>

#include <gtest/gtest.h>

#include "diag/diagnostic.h"
#include "driver/explain.h"
#include "run_model.h"

// Runs that end badly, and what they say (semantics.md §3). The texts are pinned in
// tests/golden/run.
namespace chi::conformance {
namespace {

void expect_in(const Ran& ran, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts)
    EXPECT_NE(ran.report.find(part), std::string::npos) << part << "\n" << ran.report;
}

TEST(Failure, KeepsOutputAndResultsSoFar) {
  const Ran ran = run_model(
      "proc P() = |[ n: nat := 3 | *[ true -> delta 1.0; !12 div n, \" \"; n := n - 1 ] ]|",
      {.record = true});
  EXPECT_EQ(ran.code, "E6015");
  EXPECT_EQ(ran.output, "4 6 12 ");
  EXPECT_EQ(ran.time, 4.0);
  EXPECT_EQ(ran.trace.times, (std::vector<double>{0, 1, 1, 2, 2, 3, 3, 4, 4}));
  EXPECT_EQ(ran.trace.columns[0], (std::vector<double>{3, 3, 2, 2, 1, 1, 0, 0, 0}));
}

TEST(Failure, NamesTheInstanceInNestedSystems) {
  const Ran ran = run_model(R"(
proc P(n: nat) = |[ x: nat | delta 0.5; x := 10 div n; !x ]|
sys Cell(n: nat) = |[ P(n) || P(n - 1) ]|
sys S() = |[ left: Cell(3) || right: Cell(1) ]|
)");
  expect_in(ran, {"error[E6015]: division by zero", "model.chi:2:46",
                  "in process `right.P[1]`, at t = 0.5"});
}

TEST(Failure, OfEveryKindHasItsCode) {
  using code::RunError;
  const auto code = [](RunError error) {
    code::Failure failure;
    failure.error = error;
    sim::Outcome outcome;
    outcome.why = sim::RuntimeError{"P", failure};
    return code_text(driver::explain(outcome, SourceFile("model.chi", "text")).code);
  };
  EXPECT_EQ(code(RunError::IndexOutOfRange), "E6010");
  EXPECT_EQ(code(RunError::EmptyList), "E6011");
  EXPECT_EQ(code(RunError::EmptySet), "E6012");
  EXPECT_EQ(code(RunError::MissingKey), "E6013");
  EXPECT_EQ(code(RunError::Overflow), "E6014");
  EXPECT_EQ(code(RunError::DivisionByZero), "E6015");
  EXPECT_EQ(code(RunError::NegativeNat), "E6016");
  EXPECT_EQ(code(RunError::Domain), "E6017");
  EXPECT_EQ(code(RunError::ZeroStep), "E6018");
  EXPECT_EQ(code(RunError::BadDistribution), "E6019");
  EXPECT_EQ(code(RunError::NoOpenGuard), "E6020");
  EXPECT_EQ(code(RunError::NoReturn), "E6021");
  EXPECT_EQ(code(RunError::RecursionTooDeep), "E6022");
  EXPECT_EQ(code(RunError::OutOfMemory), "E6023");
}

TEST(Failure, MemoryIsLimited) {
  const std::string_view model =
      "proc P() = |[ s: string := \"x\", xs: nat* | *[ true -> s := s + s; xs := xs ++ [len(xs)]; "
      "delta 1.0 ] ]|";
  const Ran ran = run_model(model, {.heap_limit = 1 << 20});
  EXPECT_EQ(ran.code, "E6023");
  expect_in(ran, {"the model's lists, sets and strings need too much memory", "s := s + s",
                  "in process `P`, at t = "});
  EXPECT_GE(ran.time, 17.0);
  EXPECT_LE(ran.time, 20.0);
}

TEST(CheckedIntegers, EveryOperation) {
  const auto code = [](std::string_view declarations, std::string_view statements) {
    return run_model("proc P() = |[ big: int := 9223372036854775807, low: int, n: nat, i: int" +
                     std::string(declarations) + " | low := -big - 1; " + std::string(statements) +
                     "; !n, i, big, low ]|")
        .code;
  };
  EXPECT_EQ(code("", "i := big + 1"), "E6014");
  EXPECT_EQ(code("", "i := low - 1"), "E6014");
  EXPECT_EQ(code("", "i := big * 2"), "E6014");
  EXPECT_EQ(code("", "i := -low"), "E6014");
  EXPECT_EQ(code("", "i := abs(low)"), "E6014");
  EXPECT_EQ(code("", "i := low div -1"), "E6014");
  EXPECT_EQ(code("", "i := 10 ^ 19"), "E6014");
  EXPECT_EQ(code("", "i := sum([big, 1])"), "E6014");
  EXPECT_EQ(code("", "i := floor(1e19)"), "E6014");
  EXPECT_EQ(code("", "i := low mod -1"), "");
  EXPECT_EQ(code("", "i := big + low"), "");
  EXPECT_EQ(code("", "i := 7 div i"), "E6015");
  EXPECT_EQ(code("", "i := 7 mod i"), "E6015");
  EXPECT_EQ(code("", "n := i - 1"), "E6016");
  EXPECT_EQ(code("", "n := n - 1 + 2"), "") << "what is in between may be negative";
  EXPECT_EQ(code(", xs: nat*", "xs := [1] ++ [i - 1]; !xs"), "E6016");
  EXPECT_EQ(code(", xs: nat*", "xs := take([1], i - 1); !xs"), "E6016");
  EXPECT_EQ(code(", t: nat # nat", "t := <1, i - 1>; !t"), "E6016");
}

TEST(Deadlock, OfABufferWithoutCustomers) {
  const Ran ran = run_model(R"(
proc G(a: !nat) = |[ | a!1; a!2 ]|
proc B(a: ?nat, b: !nat) = |[ xs: nat*, x: nat | *[ len(xs) < 5; a?x -> xs := xs ++ [x] | len(xs) > 0; b!hd(xs) -> xs := tl(xs) ] ]|
proc M(b: ?nat) = |[ x: nat | *[ true -> b?x; delta 1.0 ] ]|
sys S() = |[ a, b: -nat | G(a) || B(a, b) || M(b) ]|
)");
  EXPECT_EQ(ran.code, "E6001");
  EXPECT_EQ(ran.time, 2.0);
  expect_in(
      ran,
      {"deadlock at t = 2.0: 2 processes wait",
       "`B` (model.chi:3:50) waits to receive from `a` (`G`, which could send, has finished)\n",
       "`M` (model.chi:4:42) waits to receive from `b` (`B`, which could send, waits elsewhere)"});
}

TEST(Deadlock, NamesTheSharedVariables) {
  const Ran ran = run_model(R"(
proc P(ref a: nat, ref b: bool^2) = |[ | nabla a > 3 or b.1 ]|
sys S() = |[ x: nat := 2, y: (bool^2)^3 | P(x, y.1) ]|
)");
  expect_in(ran, {"`P` (model.chi:2:42) waits for a change of `x` (now 2), or for a change of `y` "
                  "(now [[false, false], "});
  EXPECT_EQ(run_model("proc P() = |[ n: nat | nabla n > 0 ]|").code, "E6001");
}

// Every process is named, in few words: those that wait at the same place for the same are one.
TEST(Deadlock, OfManyNamesAll) {
  const Ran ran = run_model(
      "proc P(a: ?nat) = |[ x: nat | a?x; !x ]|\nproc Q(a: !nat) = |[ | delta inf; a!1 ]|\n"
      "sys S() = |[ a: (-nat)^1000 | i: nat <- 0..999: P(a.i) || i: nat <- 0..999: Q(a.i) ]|");
  expect_in(ran, {"2000 processes wait",
                  "`P[0..999]` (1000 processes, model.chi:1:31) wait to receive from `a[0..999]` "
                  "(`Q[0..999]`, which could send, is in a delay)\n",
                  "`Q[0..999]` (1000 processes, model.chi:2:24) wait for an infinite delay\n"});
}

TEST(Deadlock, OfManyNamesThoseThatAreLeft) {
  const Ran ran = run_model(R"(
proc P(i: nat, a: ?nat) = |[ x: nat | [ i mod 3 = 0 -> skip | true -> a?x ] ]|
proc Q(ref n: nat) = |[ | delta 1.0; nabla n > 3 ]|
proc G(a: !nat) = |[ | delta 2.0; a!7 ]|
sys Cell(i: nat, a: ?nat, ref n: nat) = |[ P(i, a) || Q(n) ]|
sys S() =
|[ a: (-nat)^10000, n: nat^10000, b: -nat
 | i: nat <- 0..9999: Cell(i, a.i, n.i) || last: P(2, b) || G(b)
]|
)");
  expect_in(ran, {"deadlock at t = 2.0: 16666 processes wait",
                  "`Cell[0..9999].Q` (10000 processes, model.chi:3:38) wait for a change of `n`\n",
                  "`Cell[1..2, 4..5, ..., 9997..9998].P` (6666 processes, model.chi:2:71) wait to "
                  "receive from `a[1..2, 4..5, ..., 9997..9998]` (no process is connected there to "
                  "send)\n"});
  EXPECT_LT(ran.report.size(), 2000U);
}

TEST(Livelock, OfALoopNamesItWithItsValues) {
  const Ran ran =
      run_model("proc P() = |[ n: nat := 3, b: bool\n| delta 2.0;\n  *[ n > 0 -> b := not b ] ]|");
  EXPECT_EQ(ran.code, "E6002");
  EXPECT_EQ(ran.time, 2.0);
  expect_in(ran, {"livelock at t = 2.0: more than 3000000 actions, and time does not advance",
                  "model.chi:3:3", "`P` repeats this", "with n = 3, b = "});
}

TEST(Livelock, AcrossTwoProcesses) {
  const Ran ran = run_model(R"(
proc A(a: !nat, b: ?nat) = |[ x: nat := 5 | *[ true -> a!x; b?x ] ]|
proc B(a: ?nat, b: !nat) = |[ y: nat | *[ true -> a?y; b!y ] ]|
proc C() = |[ | delta 100.0 ]|
sys S() = |[ a, b: -nat | A(a, b) || B(a, b) || C() ]|
)");
  EXPECT_EQ(ran.code, "E6002");
  expect_in(ran, {"`A` (model.chi:2:", "with x = 5", "`B` (model.chi:3:", "with y = 5"});
  EXPECT_EQ(ran.report.find("`C`"), std::string::npos);
}

TEST(Livelock, OfZeroDelaysAndOfDelaysTooShortToCount) {
  EXPECT_EQ(run_model("proc P() = |[ | *[ true -> delta 0.0 ] ]|").code, "E6002");
  EXPECT_EQ(run_model("proc P() = |[ | delta 1.0; *[ true -> delta 1e-20 ] ]|").code, "E6002");
  // Achilles and the tortoise: the sum of the delays is 2, in the end they vanish beside it.
  const Ran ran = run_model("proc P() = |[ d: real := 1.0 | *[ true -> delta d; d := d / 2 ] ]|");
  EXPECT_EQ(ran.code, "E6002");
  EXPECT_EQ(ran.time, 2.0);
}

TEST(Livelock, InAFunction) {
  const Ran loop = run_model(
      "func f(n: nat) -> nat = |[ i: nat | *[ n > 0 -> i := 1 - i ]; ret i ]|\nproc P() = |[ | "
      "delta 1.0; !f(3) ]|");
  EXPECT_EQ(loop.code, "E6002");
  expect_in(loop, {"livelock at t = 1.0", "model.chi:1:37", "`P` (model.chi:1:37), in `f`"});
  EXPECT_EQ(run_model("func f(n: nat) -> nat = |[ i: nat | *[ i < n -> i := i + 1 ]; ret i ]|\n"
                      "proc P() = |[ x: nat | *[ true -> x := f(3) ] ]|")
                .code,
            "E6002")
      << "a loop that spends its time in a function";
  EXPECT_EQ(run_model("func f(n: nat) -> nat = |[ i: nat | *[ n > 0 -> i := 1 - i ]; ret i "
                      "]|\nproc P() = |[ x: nat := f(3) | !x ]|")
                .code,
            "E6002");
}

// A cycle of 300 000 states; and one in which the loop inside comes to an end each time.
TEST(Livelock, InAFunctionThatComesBackLate) {
  EXPECT_EQ(run_model("func f(n: nat) -> nat = |[ i: nat | *[ n > 0 -> i := (i + 7) mod 300000 ]; "
                      "ret i ]|\nproc P() = |[ | !f(3) ]|")
                .code,
            "E6002");
  EXPECT_EQ(run_model("func f(n: nat) -> nat = |[ i, j: nat | *[ n > 0 -> j := 0; *[ j < 1000 -> j "
                      ":= j + 1 ]; i := 1 - i ]; ret i ]|\nproc P() = |[ | !f(3) ]|")
                .code,
            "E6002");
}

// Long computations that come to an end, and long runs of short instants, are no livelocks.
TEST(Livelock, IsNotSuspectedOfWork) {
  // More repetitions and calls in functions than processes may do actions at one instant.
  const std::string f = "func f(n: nat) -> nat = |[ i: nat | *[ i < n -> i := i + 1 ]; ret i ]|\n";
  EXPECT_EQ(output_of(f + "proc P() = |[ | !f(20000000) ]|"), "20000000");
  EXPECT_EQ(
      output_of(f + "proc P() = |[ k: nat | *[ k < 200 -> k := k + f(65536) - 65535 ]; !k ]|"),
      "200");
  EXPECT_EQ(output_of("func f(n: nat) -> nat = if n < 2 then n else f(n - 1) + f(n - 2)\n"
                      "proc P() = |[ | !f(32) ]|"),
            "2178309");
  EXPECT_EQ(
      output_of(
          "func f(n: nat) -> nat = |[ i: nat | *[ i < n -> i := i + 1 ]; ret i ]|\n"
          "proc P() = |[ k: nat | *[ k < 100 -> k := k + f(100000) - 99999; delta 0.001 ]; !k ]|"),
      "100");
  EXPECT_EQ(output_of("proc P() = |[ i: nat | *[ i < 2000000 -> i := i + 1 ]; !i; delta 1.0; i := "
                      "0; *[ i < 2000000 -> i := i + 1 ]; !i ]|"),
            "20000002000000");
}

TEST(NobodyThere, SelectiveWaitingLooksForSomebodyElse) {
  EXPECT_EQ(output_of(R"(
proc A(a, b: !nat) = |[ n: nat | delta 1.0; *[ n < 2; a!n -> !"a"; n := n + 1 | n < 2; b!n -> !"b"; n := n + 1 ] ]|
proc B(a: ?nat) = |[ | ]|
proc C(b: ?nat) = |[ x: nat | delta 2.0; b?x; b?x ]|
sys S() = |[ a, b: -nat | A(a, b) || B(a) || C(b) ]|
)"),
            "bb");
}

}  // namespace
}  // namespace chi::conformance
