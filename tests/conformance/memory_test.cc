#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/sanitized.h"
#include "driver/compile.h"
#include "run_model.h"

// Memory of a run: no leaks, no growth, no allocation on the way wait - wake - communicate - wait.
namespace {

thread_local long news = 0;  // of the thread that runs, not of those that compile beside it

}  // namespace

// g++ takes the pair for mismatched where it inlines one and not the other.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t size) {
  ++news;
  if (void* const block = std::malloc(size == 0 ? 1 : size)) return block;
  throw std::bad_alloc();
}
// stable_sort asks this way; without it, what one allocates the other would free.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

namespace chi::conformance {
namespace {

/// Objects and bytes alive at the end, for a model that does something `n` times.
Ran repeated(std::string_view model, int n) {
  return run_model(model, {.params = {{"n", std::to_string(n)}}, .max_actions = 1'000'000'000});
}

void expect_no_leak(std::string_view model) {
  const Ran few = repeated(model, 10);
  const Ran many = repeated(model, 1000);
  EXPECT_EQ(few.report, "");
  EXPECT_EQ(many.report, "");
  EXPECT_EQ(few.live_objects, many.live_objects) << model;
  EXPECT_GE(many.heap_allocations, few.heap_allocations + 900)
      << "this model makes no values: " << model;
}

TEST(Leaks, Functions) {
  expect_no_leak(R"(
func build(n: nat) -> (string*)* = if n = 0 then [] else build(n - 1) ++ [[str(n), "x"]]
func pass(xs: (string*)*) -> (string*)* = |[ ys: (string*)* := xs, t: nat # string | t := <1, "t" + str(len(ys))>; ys := ys ++ [[t.1]]; ret ys ]|
func early(xs: nat*) -> nat = |[ ys: nat* := xs ++ [1] | *[ len(ys) > 0 -> [ hd(ys) = 1 -> ret len(ys) | hd(ys) /= 1 -> ys := tl(ys) ] ]; ret 0 ]|
func less(a, b: string*) -> bool = hd(a) < hd(b)
proc P(n: nat) = |[ i: nat, k: nat, xs: (string*)*
| *[ i < n -> xs := pass(build(5)); k := k + early([3, 2]) + len(pass(pass(xs))) + len(build(3)[1]); xs := sort(xs, less); xs := insert(xs, ["a"], less); i := i + 1 ]; !k ]|
)");
}

TEST(Leaks, AssignmentsOfEveryShape) {
  expect_no_leak(R"(
type rec = { a: nat, b: string*, t: nat # string }
proc P(n: nat) = |[ i: nat, xs, ys: rec*, d: dict(string, nat*), e: dict(nat, dict(nat, string)), a: (string*)^3, s: set(string), r: rec, p, q: string, j: nat := 1
| *[ i < n ->
     xs := [{ a = i, b = [str(i)], t = <i, "t" + str(i)> }, { a = i, b = [], t = <i, str(i)> }]; ys := xs
   ; xs[1].b := xs[0].b ++ ["z" + str(i)]; xs[0].b[0] := "w" + str(i); xs[j].t.1 := str(i * i); r := xs[1]; r.b := tl(r.b)
   ; d["k" + str(i mod 7)] := [i]; d["k" + str(i mod 7)] := d["k" + str(i mod 7)] ++ [1]; d["k" + str(i mod 7)][0] := 2
   ; e[i mod 3] := {1: str(i)}; e[i mod 3][2] := str(i + 1)
   ; a.j := a.j ++ [str(i)]; a.(j + 1) := take(a.j, 1); a.0 := drop(a.2, 1); a.j := take(reverse(a.j), 2); a[0], a[2] := a[2], a[0]
   ; s := s + {str(i mod 5)} - {str((i + 1) mod 5)}; p, q := q + str(i mod 10), p; p := "p"
   ; xs := ys ++ xs; ys := []; q := if i mod 2 = 0 then str(i) else "c"; i := i + 1
   ; [ hd(xs).t.1 = q or hd(xs) = r or [r] = ys or q in s or ("k" + q) in d -> skip | true -> skip ]
   ]
; xs := []; ys := []; d := {}; e := {}; a := [[], [], []]; s := {}; r := { a = 0, b = [], t = <0, ""> }; p := ""; q := ""
]|
)");
}

TEST(Leaks, Communication) {
  expect_no_leak(R"(
type rec = { a: nat, b: string* }
proc S(a: !string*, b: !rec, n: nat, ref g: string*) = |[ i: nat, xs: string*, r: rec
| *[ i < n -> xs := [str(i)]; a!xs; a!xs ++ ["y" + str(i)]; r.b := xs; b!r; b!{ a = 1, b = [str(i)] }
   ; [ true; a!g ++ xs -> skip | true; b!r -> skip ]; i := i + 1 ]
; xs := []; r := { a = 0, b = [] } ]|
proc R(a: ?string*, b: ?rec, n: nat, ref g: string*) = |[ i: nat, xs: string*, ys: (string*)*, r: rec, rs: rec^2, zs: rec*
| ys := [[], []]; zs := [r, r]
; *[ i < n -> a?xs; a?ys[1]; b?rs.1; b?zs[0]; [ true; b?r -> skip | true; a?g -> g := take(g, 3) ]; i := i + 1 ]
; xs := []; ys := []; zs := []; g := []; r := { a = 0, b = [] }; rs := [r, r] ]|
sys T(n: nat) = |[ a: -(string*), b: -rec, g: string* | S(a, b, n, g) || R(a, b, n, g) ]|
)");
}

TEST(Size, FifoBufferOfAMillionLots) {
  const Ran ran = run_model(R"(
type lot = nat # real
proc G(a: !lot, n: nat) = |[ i: nat | *[ i < n -> a!<i, time>; i := i + 1; [ i mod 1000 = 0 -> delta 1.0 | i mod 1000 /= 0 -> skip ] ] ]|
proc B(a: ?lot, b: !lot, n: nat) = |[ xs: lot*, x: lot, k: nat
| *[ k < n -> a?x; xs := xs ++ [x]; k := k + 1 ]; !len(xs), " "
; *[ len(xs) > 0; b!hd(xs) -> xs := tl(xs) ] ]|
proc E(b: ?lot, n: nat) = |[ x: lot, k, s: nat | *[ k < n -> b?x; s := s + x.0; k := k + 1; [ k mod 1000 = 0 -> delta 1.0 | k mod 1000 /= 0 -> skip ] ]; !s, " ", time ]|
sys S(n: nat) = |[ a, b: -lot | G(a, n) || B(a, b, n) || E(b, n) ]|
)",
                            {.params = {{"n", "1000000"}}});
  EXPECT_EQ(ran.report, "");
  EXPECT_EQ(ran.output, "1000000 499999500000 1999.0");
  EXPECT_EQ(ran.counts.communications, 2'000'000);
  EXPECT_LT(ran.heap_allocations, 100);
}

TEST(Size, HundredThousandProcesses) {
  const Ran ran = run_model(R"(
proc First(b: !nat) = |[ | b!1 ]|
proc P(a: ?nat, b: !nat) = |[ x: nat | a?x; delta 0.5; b!x + 1 ]|
proc Last(a: ?nat) = |[ x: nat | a?x; !x, " ", time; terminate ]|
proc T(k: nat) = |[ i: nat | *[ i < 3 -> delta 1.0 + k mod 7; i := i + 1 ] ]|
sys S(n: nat) = |[ a: (-nat)^(n + 1) | First(a.0) || i: nat <- 0..n-1: P(a.i, a.(i+1)) || i: nat <- 0..n-1: T(i) || Last(a.n) ]|
)",
                            {.params = {{"n", "50000"}}});
  EXPECT_EQ(ran.report, "");
  EXPECT_EQ(ran.output, "50001 25000.0");
  EXPECT_EQ(ran.counts.time_events, 50'000 + 3 * 50'000);
}

// Each process has one entry in the calendar at most, however many delays it does.
TEST(Size, TwoMillionTimers) {
  const Ran ran = run_model(R"(
proc T(i, k: nat) = |[ j: nat | *[ j < k -> delta 1.0 + 0.0001*(7919*i mod 10007); j := j + 1 ] ]|
sys S(n, k: nat) = |[ | i: nat <- 0..n-1: T(i, k) ]|
)",
                            {.params = {{"n", "100000"}, {"k", "20"}}});
  EXPECT_EQ(ran.report, "");
  EXPECT_EQ(ran.counts.time_events, 2'000'000);
  EXPECT_EQ(ran.counts.resumptions, 2'100'000);
  EXPECT_EQ(ran.heap_allocations, 0);
}

constexpr std::string_view kFactory = R"(
type lot = { id: nat, t: real, route: nat* }
proc G(a: !lot) = |[ i: nat, u: -> real := exponential(1.0) | *[ true -> delta sample u; a!{ id = i, t = time, route = [i mod 2, 2] }; i := i + 1 ] ]|
proc B(a: ?lot, b: (!lot)^2, ref level: nat) = |[ xs: lot*, x: lot
| *[ true; a?x -> xs := xs ++ [x]; level := len(xs)
   | j: nat <- 0..1: len(xs) > 0 and hd(hd(xs).route) = j; b.j!hd(xs) -> xs := tl(xs); level := len(xs)
   ] ]|
proc M(a: ?lot, b: !lot) = |[ x: lot, u: -> real := gamma(2.0, 0.4) | *[ true -> a?x; x.route := tl(x.route); delta sample u; b!x ] ]|
proc E(c: (?lot)^2, ref n: nat) = |[ x: lot | *[ j: nat <- 0..1: true; c.j?x -> n := n + 1 ] ]|
proc Watch(ref level: nat) = |[ high: nat | *[ true -> nabla level > 5; high := high + 1; [ true; nabla level < 3 -> skip | true; delta 10.0 -> skip ] ] ]|
sys S() = |[ a: -lot, b, c: (-lot)^2, level, n: nat | G(a) || B(a, b, level) || j: nat <- 0..1: M(b.j, c.j) || E(c, n) || Watch(level) ]|
)";

/// Counts what happens in the recorder's calls, which come at every instant.
class Gauge : public sim::Recorder {
 public:
  explicit Gauge(code::Machine& machine, double from) : machine_(machine), from_(from) {}
  void start(double) override {}
  void constant_until(double, double) override {}
  void moved(double, double, sim::MotionView&) override {}
  void before_event(double time) override {
    if (time < from_) return;
    const code::Heap& heap = machine_.heap();
    if (!started_) {
      started_ = true;
      news_ = news;
      system_ = heap.system_allocations();
    }
    new_calls = news - news_;
    system_calls = heap.system_allocations() - system_;
    most_bytes = std::max(most_bytes, heap.live_bytes());
  }
  void after_event(double) override {}
  void finish(double, const sim::MotionView*) override {}

  long new_calls = 0;
  std::int64_t system_calls = 0, most_bytes = 0;

 private:
  code::Machine& machine_;
  double from_;
  bool started_ = false;
  long news_ = 0;
  std::int64_t system_ = 0;
};

class SteadyState : public testing::TestWithParam<sim::Executor> {};
INSTANTIATE_TEST_SUITE_P(Executors, SteadyState,
                         testing::Values(sim::Executor::Interpreter, sim::Executor::Native));

TEST_P(SteadyState, AllocatesNothing) {
  const SourceFile source("factory.chi", std::string(kFactory));
  Diagnostics diagnostics;
  const auto compiled = driver::compile(source, {}, {}, diagnostics);
  ASSERT_TRUE(compiled.has_value());
  sim::Scheduler scheduler(*compiled->model, *compiled->program,
                           {.end = 400'000, .executor = GetParam()});
  Gauge gauge(scheduler.machine(), 50'000);
  scheduler.recorder = &gauge;
  const sim::Outcome outcome = scheduler.run();
  EXPECT_TRUE(std::holds_alternative<sim::EndReached>(outcome.why));
  EXPECT_GT(scheduler.counts().communications, 1'000'000);
  EXPECT_EQ(gauge.new_calls, 0);
  // When sanitized, every block is the system's.
  if (!kSanitized) {
    EXPECT_EQ(gauge.system_calls, 0);
  }
  EXPECT_GT(scheduler.machine().heap().allocations(), 300'000)
      << "the model's own lists come from the pool";
  EXPECT_LT(gauge.most_bytes, 100'000);
}

// Time then passes in the loop of the processes. A longer run asks for no more.
TEST(SteadyStateAlone, AllocatesNothing) {
  const SourceFile source("factory.chi", std::string(kFactory));
  Diagnostics diagnostics;
  const auto compiled = driver::compile(source, {}, {}, diagnostics);
  ASSERT_TRUE(compiled.has_value());
  const auto news_until = [&](double end) {
    sim::Scheduler scheduler(*compiled->model, *compiled->program,
                             {.end = end, .executor = sim::Executor::Interpreter});
    const long before = news;
    const sim::Outcome outcome = scheduler.run();
    EXPECT_TRUE(std::holds_alternative<sim::EndReached>(outcome.why));
    EXPECT_GT(scheduler.counts().communications, static_cast<std::int64_t>(2 * end));
    return news - before;
  };
  EXPECT_EQ(news_until(50'000), news_until(200'000));
}

// Ten million events: the memory at the end is that of the beginning.
TEST(Memory, DoesNotGrow) {
  constexpr std::string_view model = R"(
proc G(a: !nat) = |[ i: nat | *[ true -> a!i; i := i + 1; delta 1.0 ] ]|
proc B(a: ?nat, b: !nat) = |[ xs: nat*, x: nat | *[ len(xs) < 10; a?x -> xs := xs ++ [x] | len(xs) > 5; b!hd(xs) -> xs := tl(xs) ] ]|
proc E(b: ?nat) = |[ x: nat, s: string, d: dict(nat, string) | *[ true -> b?x; s := str(x); d[x mod 10] := s + "!" ] ]|
sys S() = |[ a, b: -nat | G(a) || B(a, b) || E(b) ]|
)";
  const Ran early = run_model(model, {.end = 10'000});
  const Ran late = run_model(model, {.end = 3'400'000});
  EXPECT_GT(late.counts.time_events + late.counts.communications, 10'000'000);
  EXPECT_EQ(late.live_objects, early.live_objects);
  EXPECT_LE(late.live_bytes, early.live_bytes + 256);
  if (!kSanitized) {
    EXPECT_EQ(late.system_allocations, early.system_allocations);
  }
}

// Five valves make modes without end; what was forgotten is made again, and nothing else changes.
// Some modes have more states than others, events of their own and numbers that make them singular.
TEST(Memory, ForgottenModesAreMadeAgain) {
  constexpr std::string_view kModel = R"(
proc Tanks(ref h, q: real^5, ref open: bool^5, ref m: real) =
|[ x: real := 1.0, f, s: real
 | |q, f|
 , h.0' = 1.0 - q.0
 , i: nat <- 1..4: h.i' = q.(i-1) - q.i
 , i: nat <- 0..4: [ open.i -> q.i = sqrt(h.i + 1) | not open.i -> q.i = 0 ]
 , [ open.0 -> x' = h.0 - x | not open.0 -> |x|, x = h.0 ]
 , f = (if h.1 > 0.5 then 1.0 else 0.5)*h.2
 , m*s' = f - s
]|
proc Valve(ref open: bool, i: nat) =
|[ open := true; *[ delta 1.0 + 0.13*i; open := false; delta 0.3 + 0.01*i; open := true ] ]|
proc Mass(ref m: real) = |[ *[ m := 0.5; delta 2.0; m := 1.0; delta 2.5 ] ]|
proc Watch(ref h: real^5) = |[ *[ nabla h.4 >= 0.1; !time, " "; nabla h.4 < 0.1 ] ]|
xper = |[ h, q: real^5, open: bool^5, m: real := 0.5
 | Tanks(h, q, open, m) || j: nat <- 0..4: Valve(open.j, j) || Mass(m) || Watch(h)
]|)";
  const Ran all = run_model(kModel, {.end = 40, .record = true});
  ASSERT_EQ(all.report, "");
  const auto words = [](const Ran& ran) { return std::ranges::count(ran.output, ' '); };
  EXPECT_GT(words(all), 3);
  for (const std::int64_t rows : {0, 40, 200}) {
    const Ran few = run_model(kModel, {.end = 40, .kept_rows = rows, .record = true});
    EXPECT_EQ(few.report, "");
    EXPECT_EQ(words(few), words(all));
    for (std::size_t k = 0; k < all.trace.columns.size(); ++k) {
      EXPECT_NEAR(few.trace.columns[k].back(), all.trace.columns[k].back(), 1e-4)
          << all.trace.names[k];
    }
  }
}

}  // namespace
}  // namespace chi::conformance
