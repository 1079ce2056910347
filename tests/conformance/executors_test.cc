#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "driver/compile.h"
#include "run_model.h"

// Interpreted and compiled statements do the same. `run_model` compares them for every model of
// these tests; here is what else there is to say.
namespace chi::conformance {
namespace {

class Printed : public sim::Scheduler::Pulse {
 public:
  void pulse(double, const sim::RunCounts&) override {}
  void print(std::string_view text) override { output += text; }
  std::string output;
};

struct Result {
  std::string output;
  sim::RunCounts counts;
};

Result run_by(sim::Executor executor, std::string_view text) {
  const SourceFile source("model.chi", std::string(text));
  Diagnostics diagnostics;
  const auto compiled = driver::compile(source, {}, {}, diagnostics);
  if (!compiled) return {"it does not compile", {}};
  sim::Scheduler scheduler(*compiled->model, *compiled->program, {.executor = executor});
  Printed printed;
  scheduler.pulse = &printed;
  const sim::Outcome outcome = scheduler.run();
  EXPECT_TRUE(std::holds_alternative<sim::Terminated>(outcome.why));
  return {printed.output, scheduler.counts()};
}

// Long enough for compiled code to take over in the middle, at a moment that depends on the machine
// and that nobody can tell from the results.
TEST(Executors, TakeOverInTheMiddle) {
  constexpr std::string_view model = R"(
type lot = { id: nat, t: real, route: nat* }
func weight(x: lot) -> nat = if len(x.route) = 0 then x.id mod 7 else hd(x.route) + weight({ id = x.id, t = x.t, route = tl(x.route) })
proc G(a: !lot) = |[ i: nat, u: -> real := exponential(1.0), v: -> nat := uniform(0, 5) | *[ true -> delta sample u; a!{ id = i, t = time, route = [sample v, 2] }; i := i + 1 ] ]|
proc B(a: ?lot, b: !lot, ref level: nat) = |[ xs: lot*, x: lot
| *[ true; a?x -> xs := xs ++ [x]; level := len(xs) | len(xs) > 0; b!hd(xs) -> xs := tl(xs); level := len(xs) ] ]|
proc M(a: ?lot, b: !lot) = |[ x: lot, u: -> real := gamma(2.0, 0.4) | *[ true -> a?x; delta sample u; b!x ] ]|
proc E(c: ?lot, n: nat, ref done: nat) = |[ x: lot, sum: real, w: nat
| *[ done < n -> c?x; done := done + 1; sum := sum + time - x.t; w := (w + weight(x)) mod 1000
   ; [ done mod 10000 = 0 -> !done, " ", sum, " ", w, "\n" | done mod 10000 /= 0 -> skip ] ]; terminate ]|
proc Watch(ref level, done: nat) = |[ high: nat | *[ done < 90000 -> nabla level > 3; high := high + 1; nabla level < 2 or done >= 90000 ]; !high, "\n" ]|
sys S() = |[ a, b, c: -lot, level, done: nat | G(a) || B(a, b, level) || M(b, c) || E(c, 100000, done) || Watch(level, done) ]|
)";
  const Result interpreted = run_by(sim::Executor::Interpreter, model);
  const Result changing = run_by(sim::Executor::Auto, model);
  const Result native = run_by(sim::Executor::Native, model);
  EXPECT_GT(interpreted.counts.resumptions, 500'000);
  EXPECT_EQ(changing.output, interpreted.output);
  EXPECT_EQ(native.output, interpreted.output);
  EXPECT_EQ(changing.counts.resumptions, interpreted.counts.resumptions);
  EXPECT_EQ(native.counts.resumptions, interpreted.counts.resumptions);
}

// In the body of a process, and not of a function: only bodies are compiled.
TEST(Executors, OperationsInBodies) {
  EXPECT_EQ(
      output_of(R"(
type part = { on: bool, at: real # nat, tags: string* }
proc P() =
|[ n: int := -7, m: int := 3, k: nat := 2, x: real := -2.5, s: string := "ab", p, q: part, v: part^2, i: nat, u: -> nat := constant(4)
 | !min(n, m), " ", max(n, m), " ", sign(n), " ", sign(m), " ", sign(m - 3), " ", sign(x), " ", sign(-x), " ", sign(x + 2.5), "\n"
 ; !n div m, " ", n mod m, " ", m ^ k, " ", abs(n), " ", abs(x), " ", min(x, 1.0), " ", max(x, 1.0), "\n"
 ; p := { on = true, at = <1.5, 2>, tags = ["x", s] }; q := p; q.tags := q.tags ++ [str(q.at)]; v.1 := q; i := 1
 ; !p = q, " ", v.i = q, " ", s < "b", " ", s <= "ab", " ", "b" < s, "\n"
 ; !v, "\n"; v.0 := v.i; v.i := { on = false, at = <0.0, 0>, tags = [] }; !v.0.tags, " ", v.(i).on, " ", sample u + sample u
]|
)"),
      "-7 3 -1 1 0 -1.0 1.0 0.0\n"
      "-3 2 9 7 2.5 -2.5 1.0\n"
      "false true true true false\n"
      "[{on = false, at = <0.0, 0>, tags = []}, {on = true, at = <1.5, 2>, tags = [\"x\", \"ab\", "
      "\"<1.5, 2>\"]}]\n"
      "[\"x\", \"ab\", \"<1.5, 2>\"] false 8");
}

// A value is computed when both sides are there, by whoever comes last: in a send or in a
// selection, with the shared variables and the time of that moment, or with an error.
TEST(Executors, ValuesAreComputedWhenBothAreThere) {
  constexpr std::string_view model = R"(
proc S(a: !real, b: !nat, c: !(nat # real), ref n: nat, wait: real) = |[ xs: nat* := [3, 4], v: nat^2, k: nat := 1
| v := [10, 20]; delta wait; a!time + n; b!hd(xs) * n + v.k; c!<n, time>; [ true; b!hd(tl(xs)) -> skip | n > 90; a!1.5 -> skip ]
; xs := []; [ len(xs) = 0; b!hd(xs) -> skip ] ]|
proc R(a: ?real, b: ?nat, c: ?(nat # real), ref n: nat, wait: real) = |[ x: real, y: nat, z: nat # real
| n := 7; delta wait; n := n + 1; a?x; n := n + 1; b?y; n := n + 1; c?z; !x, " ", y, " ", z; delta 0.5; b?y; !" ", y, "\n"; b?y ]|
sys T(s, r: real) = |[ a: -real, b: -nat, c: -(nat # real), n: nat | S(a, b, c, n, s) || R(a, b, c, n, r) ]|
)";
  for (const bool events : {false, true}) {
    for (const bool random : {false, true}) {
      RunRequest request{.params = {{"s", "2.0"}, {"r", "1.0"}}, .random_choice = random};
      request.events = events;
      const Ran sender_last = run_model(model, request);
      EXPECT_EQ(sender_last.output, "10.0 47 <10, 2.0> 4\n");
      EXPECT_NE(sender_last.report.find("empty"), std::string::npos) << sender_last.report;
      request.params = {{"s", "1.0"}, {"r", "2.0"}};
      const Ran receiver_last = run_model(model, request);
      EXPECT_EQ(receiver_last.output, "10.0 47 <10, 2.0> 4\n");
      EXPECT_EQ(receiver_last.report, sender_last.report);
    }
  }
}

#ifdef CHI_WITH_NATIVE
TEST(Executors, StatementsAreCompiled) {
  const Ran ran = run_model("proc P() = |[ n: nat | *[ n < 100 -> delta 1.0; n := n + 1 ]; !n ]|");
  EXPECT_EQ(ran.output, "100");
  EXPECT_TRUE(ran.native);
}
#endif

}  // namespace
}  // namespace chi::conformance
