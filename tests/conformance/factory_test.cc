#include <string>

#include <gtest/gtest.h>

#include "run_model.h"

// Small factories and classics of concurrent programming, with exact times.
namespace chi::conformance {
namespace {

TEST(TimeOut, OfSelectiveWaiting) {
  EXPECT_EQ(output_of(R"(
proc S(a: !nat) = |[ | delta 3.0; a!1; delta 1.0; a!2; delta 10.0; a!3 ]|
proc R(a: ?nat) = |[ x: nat, n: nat := 0
| *[ n < 5 -> [ true; a?x -> !x, "@", time, " " | true; delta 2.0 -> !"-@", time, " " ]; n := n + 1 ]; terminate ]|
sys T() = |[ a: -nat | S(a) || R(a) ]|
)"),
            "-@2.0 1@3.0 2@4.0 -@6.0 -@8.0 ");
}

// A time-out and a communication at the same instant: the alternative that stands first is taken.
TEST(TimeOut, MeetsACommunication) {
  const auto model = [](std::string_view alternatives) {
    return "proc S(a: !nat) = |[ | delta 2.0; a!7; !\"sent@\", time, \" \" ]|\n"
           "proc R(a: ?nat) = |[ x: nat | [ " +
           std::string(alternatives) +
           " ]; terminate ]|\n"
           "sys T() = |[ a: -nat | S(a) || R(a)@1 ]|\n";
  };
  EXPECT_EQ(output_of(model("true; a?x -> !x, \"@\", time | true; delta 2.0 -> !\"out@\", time")),
            "7@2.0");
  EXPECT_EQ(output_of(model("true; delta 2.0 -> !\"out@\", time | true; a?x -> !x, \"@\", time")),
            "out@2.0");
}

// A shuttle carries at most two boxes, 5 minutes each way, and leaves when it has two, or one and
// nobody came for 3. Boxes come at 1, 3, 4, 12, 20.
TEST(Shuttle, WithCapacityAndPatience) {
  EXPECT_EQ(output_of(R"(
proc G(a: !nat) = |[ gaps: real* := [1.0, 2.0, 1.0, 8.0, 8.0], i: nat := 0
| *[ i < 5 -> delta gaps[i]; a!i; i := i + 1 ] ]|
proc B(a: ?nat, b: !nat) = |[ xs: nat*, x: nat
| *[ true; a?x -> xs := xs ++ [x] | len(xs) > 0; b!hd(xs) -> xs := tl(xs) ] ]|
proc Shuttle(a: ?nat, b: !nat*) = |[ x: nat, load: nat*, go: bool
| *[ true -> a?x; load := [x]; go := false
   ; *[ not go and len(load) < 2; a?x -> load := load ++ [x] | not go and len(load) < 2; delta 3.0 -> go := true ]
   ; delta 5.0; b!load; delta 5.0
   ]
]|
proc E(b: ?nat*) = |[ xs: nat*, n: nat := 0 | *[ n < 5 -> b?xs; n := n + len(xs); !xs, "@", time, " " ]; terminate ]|
sys S() = |[ a, b: -nat, c: -(nat*) | G(a) || B(a, b) || Shuttle(b, c) || E(c) ]|
)"),
            // 0 at 1 and 1 at 3: leaves at 3, there at 8, back at 13. 2 and 3 wait: leaves at 13,
            // there at 18, back at
            // 23. 4 waits; leaves at 26, there at 31.
            "[0, 1]@8.0 [2, 3]@18.0 [4]@31.0 ");
}

// Frames every 3, wheels every 1 in pairs; assembly takes 2 and needs a frame and two wheels.
TEST(Assembly, WaitsForAllParts) {
  EXPECT_EQ(output_of(R"(
proc G(a: !string, t: real, s: string) = |[ | *[ true -> delta t; a!s ] ]|
proc A(f, w: ?string, b: !string*) = |[ x, y, z: string
| *[ true -> f?x; w?y; w?z; delta 2.0; b![x, y, z] ] ]|
proc E(b: ?string*) = |[ xs: string*, n: nat := 0 | *[ n < 3 -> b?xs; !xs, "@", time, "\n"; n := n + 1 ]; terminate ]|
sys S() = |[ f, w: -string, b: -(string*) | G(f, 3.0, "frame") || G(w, 1.0, "wheel") || A(f, w, b) || E(b) ]|
)"),
            // The wheel of 1 waits until 3; the next is made by 4. At 4 assembly starts, done at 6.
            // At 5 a wheel waits again (blocked until 6 + ...): frame of 6 waits; 6: frame, wheel;
            // 7: wheel; done at 9; and so on.
            "[\"frame\", \"wheel\", \"wheel\"]@6.0\n[\"frame\", \"wheel\", \"wheel\"]@9.0\n"
            "[\"frame\", \"wheel\", \"wheel\"]@12.0\n");
}

// Cards go round between two machines of 2 and 3: one card gives a product every 5, more of them
// one every 3.
TEST(Kanban, CardsLimitTheWork) {
  constexpr std::string_view model = R"(
proc Cards(a: ?nat, b: !nat, n: nat) = |[ xs: nat* := range(n), x: nat
| *[ true; a?x -> xs := xs ++ [x] | len(xs) > 0; b!hd(xs) -> xs := tl(xs) ] ]|
proc M(a: ?nat, b: !nat, t: real) = |[ x: nat | *[ true -> a?x; delta t; b!x ] ]|
proc B(a: ?nat, b: !nat) = |[ xs: nat*, x: nat
| *[ true; a?x -> xs := xs ++ [x] | len(xs) > 0; b!hd(xs) -> xs := tl(xs) ] ]|
proc E(a: ?nat, b: !nat) = |[ x: nat, k: nat := 0 | *[ k < 5 -> a?x; !x, "@", time, " "; b!x; k := k + 1 ]; terminate ]|
sys S(n: nat) = |[ a, b, c, d, e: -nat | Cards(e, a, n) || M(a, b, 2.0) || B(b, c) || M(c, d, 3.0) || E(d, e) ]|
)";
  EXPECT_EQ(output_of(model, {.params = {{"n", "1"}}}), "0@5.0 0@10.0 0@15.0 0@20.0 0@25.0 ");
  EXPECT_EQ(output_of(model, {.params = {{"n", "2"}}}), "0@5.0 1@8.0 0@11.0 1@14.0 0@17.0 ");
  EXPECT_EQ(output_of(model, {.params = {{"n", "4"}}}), "0@5.0 1@8.0 2@11.0 3@14.0 0@17.0 ");
}

// A server goes round three queues with 2, 0 and 3 lots; 1 to walk, 2 to serve one; it empties a
// queue before it goes.
TEST(Polling, ServerWalksRound) {
  EXPECT_EQ(output_of(R"(
proc Q(b: !nat, n, q: nat) = |[ k: nat := 0 | *[ k < n -> b!(10 * q + k); k := k + 1 ]; delta 100.0 ]|
proc Server(b: (?nat)^3) = |[ x: nat, i, served: nat := 0, more: bool
| *[ served < 5 -> more := true
   ; *[ more -> [ true; b.i?x -> delta 2.0; served := served + 1; !x, "@", time, " " | true; delta 0.0 -> more := false ] ]
   ; delta 1.0; i := (i + 1) mod 3
   ]
; terminate
]|
sys S() = |[ b: (-nat)^3 | Q(b.0, 2, 0) || Q(b.1, 0, 1) || Q(b.2, 3, 2) || Server(b)@1 ]|
)"),
            "0@2.0 1@4.0 20@8.0 21@10.0 22@12.0 ");
}

constexpr std::string_view kPhilosophers = R"(
proc Phil(left, right: !void, leftback, rightback: !void, i: nat, polite: bool) = |[ meals: nat := 0
| *[ meals < 3 ->
     delta 1.0
   ; [ polite and i = 0 -> right!; delta 0.5; left! | not (polite and i = 0) -> left!; delta 0.5; right! ]
   ; delta 2.0; leftback!; rightback!; meals := meals + 1; !i, "@", time, " "
   ]
; delta 100.0
]|
proc Fork(take: (?void)^2, back: (?void)^2) = |[ | *[ j: nat <- 0..1: true; take.j? -> back.j? ] ]|
sys Dinner(polite: bool) = |[ t, b: ((-void)^2)^3
| i: nat <- 0..2: Phil(t.i.0, t.((i + 1) mod 3).1, b.i.0, b.((i + 1) mod 3).1, i, polite)
|| i: nat <- 0..2: Fork(t.i, b.i)
]|
)";

TEST(DiningPhilosophers, AllTakeTheLeftForkAndStarve) {
  const Ran ran = run_model(kPhilosophers, {.params = {{"polite", "false"}}});
  EXPECT_EQ(ran.code, "E6001");
  EXPECT_EQ(ran.time, 1.5);
  EXPECT_EQ(ran.output, "");
  for (const std::string_view part : {"6 processes wait",
                                      "`Phil[0]` (model.chi:5:99) waits to send on `t[1][1]` "
                                      "(`Fork[1]`, which could receive, waits elsewhere)",
                                      "`Phil[1]` (", "`Phil[2]` (",
                                      "`Fork[0]` (model.chi:10:88) waits to receive from `b[0][0]` "
                                      "(`Phil[0]`, which could send, waits elsewhere)"}) {
    EXPECT_NE(ran.report.find(part), std::string::npos) << part << "\n" << ran.report;
  }
}

TEST(DiningPhilosophers, OneTakesTheRightForkFirst) {
  const Ran ran = run_model(kPhilosophers, {.params = {{"polite", "true"}}, .end = 50});
  EXPECT_EQ(ran.report, "");
  int meals = 0;
  for (const char c : ran.output) meals += c == '@';
  EXPECT_EQ(meals, 9) << ran.output;
}

// Hoare's sieve: every process prints the first number it gets and passes on what it does not
// divide.
TEST(Sieve, OfProcesses) {
  EXPECT_EQ(output_of(R"(
proc G(a: !nat) = |[ i: nat := 2 | *[ true -> a!i; i := i + 1 ] ]|
proc F(a: ?nat, b: !nat) = |[ p, x: nat
| a?p; !p, " "; *[ true -> a?x; [ x mod p > 0 -> b!x | x mod p = 0 -> skip ] ] ]|
proc E(a: ?nat) = |[ x: nat | a?x; !x; terminate ]|
sys S(n: nat) = |[ a: (-nat)^(n + 1) | G(a.0) || i: nat <- 0..n-1: F(a.i, a.(i+1)) || E(a.n) ]|
)",
                      {.params = {{"n", "24"}}}),
            "2 3 5 7 11 13 17 19 23 29 31 37 41 43 47 53 59 61 67 71 73 79 83 89 97");
}

// Rendezvous both ways: a value goes through a ring of processes and comes back.
TEST(Ring, TokenGoesRound) {
  EXPECT_EQ(output_of(R"(
proc First(a: ?nat, b: !nat) = |[ x: nat := 0 | b!1; a?x; !x, "@", time; terminate ]|
proc P(a: ?nat, b: !nat) = |[ x: nat | *[ true -> a?x; delta 0.25; b!x + 1 ] ]|
sys S(n: nat) = |[ a: (-nat)^n | First(a.0, a.1) || i: nat <- 1..n-1: P(a.i, a.((i + 1) mod n)) ]|
)",
                      {.params = {{"n", "1001"}}}),
            "1001@250.0");
}

}  // namespace
}  // namespace chi::conformance
