#include <string>

#include <gtest/gtest.h>

#include "run_model.h"

// Processes that statements start, channels of many, interrupted delays; interpreted and compiled.
namespace chi::conformance {
namespace {

// Lists and strings that are given to started processes, and those that they make, go with them.
TEST(Started, LeaveNothingBehind) {
  const std::string model = R"(
type lot = { id: nat, route: nat*, name: string }
proc Job(x: lot, out: !lot, d: -> real) =
|[ xs: nat* := x.route, text: string := x.name ++ "!", seen: set(nat)
| *[ len(xs) > 0 -> delta sample d; seen := seen + {hd(xs)}; xs := tl(xs) ]
; out!{ id = size(seen), route = xs, name = text } ]|
proc Source(n: nat, out: !lot) =
|[ k: nat, u: -> real := exponential(1.0)
| *[ k < n -> delta sample u; start Job({ id = k, route = [k, k + 1, k], name = "job" }, out, exponential(2.0)); k := k + 1 ] ]|
proc Sink(n: nat, in_: ?lot) =
|[ x: lot, k, sum: nat | *[ k < n -> in_?x; sum := sum + x.id; k := k + 1 ]; !sum, " ", x.name, "\n"; x := { id = 0, route = [], name = "" } ]|
sys S(n: nat) = |[ a: -lot many | Source(n, a) || Sink(n, a) ]|
)";
  const Ran few = run_model(model, {.params = {{"n", "10"}}, .events = true});
  const Ran many = run_model(model, {.params = {{"n", "1000"}}, .events = true});
  EXPECT_EQ(few.report, "");
  EXPECT_EQ(few.output, "20 job!\n");
  EXPECT_EQ(many.output, "2000 job!\n");
  EXPECT_EQ(few.live_objects, many.live_objects);
  EXPECT_EQ(few.live_bytes, many.live_bytes);
}

// Processes that start processes, wait for them, and are waited for; with handles in lists.
TEST(Started, FormTrees) {
  EXPECT_EQ(output_of(R"(
proc Tree(depth: nat, ref leaves: nat) =
|[ hs: inst*, h: inst, k: nat
| [ depth = 0 -> delta 1.0; leaves := leaves + 1
  | depth > 0 -> *[ k < 3 -> h := start Tree(depth - 1, leaves); hs := hs ++ [h]; k := k + 1 ]
    ; *[ len(hs) > 0 -> h := hd(hs); hs := tl(hs); finish h ] ] ]|
proc Main(ref leaves: nat) = |[ h: inst | h := start Tree(6, leaves); finish h; !leaves, " at ", time ]|
sys S() = |[ leaves: nat := 0 | Main(leaves) ]|
)"),
            "729 at 1.0");
}

// The end of one process as an alternative; it comes, or something else comes first.
TEST(Started, EndsAreAlternatives) {
  EXPECT_EQ(output_of(R"(
proc Job(t: real) = |[ delta t ]|
proc Main(a: ?nat) =
|[ h: inst, x: nat, k: nat
| *[ k < 3 -> h := start Job(2.0*k + 1)
   ; [ true; finish h -> !"end@", time, " " | true; a?x -> !x, "@", time, " "; finish h | k = 2; delta 1.0 -> !"late " ]
   ; k := k + 1 ] ]|
proc Other(a: !nat) = |[ delta 2.0; a!7 ]|
sys S() = |[ a: -nat | Main(a) || Other(a) ]|
)"),
            "end@1.0 7@2.0 late ");
}

// A started process may do all its work at the instant at which it is started.
TEST(Started, RunWhenTheirStarterWaits) {
  EXPECT_EQ(output_of(R"(
proc Job(k: nat) = |[ !"job", k, " " ]|
proc Main() = |[ start Job(1); start Job(2); !"main "; delta 1.0; start Job(3); !"again " ]|
)"),
            "main job1 job2 again job3 ");
}

// With `--choice random` any of those who wait at a channel of many is met, and all in the end.
TEST(Many, AnyIsMetAtRandom) {
  const std::string model = R"(
proc S(a: !nat, k: nat) = |[ a!k ]|
proc R(a: ?nat) = |[ x, n: nat | delta 1.0; *[ n < 6 -> a?x; !x; n := n + 1 ] ]|
sys T() = |[ a: -nat many | k: nat <- 1..6: S(a, k) || R(a) ]|
)";
  EXPECT_EQ(output_of(model), "123456");
  const std::string one = output_of(model, {.seed = 1, .random_choice = true});
  const std::string two = output_of(model, {.seed = 2, .random_choice = true});
  EXPECT_NE(one, two);
  EXPECT_EQ(one.size(), 6U);
  for (const char c : {'1', '2', '3', '4', '5', '6'}) EXPECT_NE(one.find(c), std::string::npos);
}

// Selections at both ends, with guards; a process that offers both does not meet itself.
TEST(Many, SelectionsAtBothEnds) {
  const Ran ran = run_model(R"(
proc Peer(a: !nat, b: ?nat, k: nat, ref sent, got: nat) =
|[ x, n: nat, u: -> real := exponential(1.0)
| *[ n < 200 -> delta sample u
   ; [ true; a!k -> sent := sent + 1 | true; b?x -> got := got + 1; [ x = k -> !"itself" | x /= k -> skip ] | true; delta 0.5 -> skip ]
   ; n := n + 1 ] ]|
proc End(ref sent, got: nat) = |[ delta 1000.0; !sent = got and sent > 100; terminate ]|
sys S() = |[ a: -nat many, sent, got: nat := 0 | k: nat <- 1..8: Peer(a, a, k, sent, got) || End(sent, got) ]|
)",
                            {.events = true});
  EXPECT_EQ(ran.report, "");
  EXPECT_EQ(ran.output, "true");
}

TEST(Interruption, ResumesAndRestarts) {
  EXPECT_EQ(output_of(R"(
proc M(a: ?nat) =
|[ x: nat
| delta 5.0 else [ true; a?x -> delta 1.0*x; resume ]; !time, " "
; delta 5.0 else [ true; a?x -> delta 1.0*x; restart ]; !time, " "
; delta 5.0 else [ true; a?x -> skip ]; !time, " "
; delta 0.0 else [ true; a?x -> !"never" ]; !time ]|
proc B(a: !nat) = |[ delta 2.0; a!1; delta 3.0; a!2; delta 5.0; a!3; delta 11.0; a!0 ]|
sys S() = |[ a: -nat | M(a) || B(a) ]|
)"),
            "8.0 18.0 21.0 21.0");
}

// The delay ends at the instant of the interruption: it has ended. Guards, conditions and nesting.
TEST(Interruption, OfManyKinds) {
  EXPECT_EQ(output_of(R"(
proc M(a: ?void, ref on: bool) =
|[ n: nat
| delta 2.0 else [ true; a? -> !"early " ]; !time, " "; a?
; delta 4.0 else [ n = 0; nabla not on -> n := 1; !"off@", time, " "; nabla on
                   ; delta 1.0 else [ true; delta 0.25 -> resume ]; resume ]
; !time, " ", n ]|
proc B(a: !void, ref on: bool) = |[ delta 2.0; a!; delta 1.0; on := false; delta 1.0; on := true ]|
sys S() = |[ a: -void, on: bool := true | M(a, on) || B(a, on) ]|
)"),
            "2.0 off@3.0 8.0 1");
}

}  // namespace
}  // namespace chi::conformance
