#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "run_model.h"

// Deterministic lines of machines: exact times, from the recurrences that describe them.
namespace chi::conformance {
namespace {

/// Processing time of lot i on machine j, the same formula in the models.
double work(int i, int j) { return 1 + (7 * i + 3 * j * j + i * j) % 5 * 0.25; }

constexpr std::string_view kLine = R"(
type lot = nat
func work(i, j: nat) -> real = 1 + (7 * i + 3 * j * j + i * j) mod 5 * 0.25

proc G(a: !lot, n: nat) = |[ i: nat := 0 | *[ i < n -> a!i; i := i + 1 ] ]|
proc M(a: ?lot, b: !lot, j: nat) = |[ x: lot | *[ true -> a?x; delta work(x, j); b!x ] ]|
proc B(a: ?lot, b: !lot, c: nat) = |[ xs: lot* := [], x: lot
| *[ len(xs) < c; a?x -> xs := xs ++ [x]
   | len(xs) > 0; b!hd(xs) -> xs := tl(xs)
   ]
]|
proc E(a: ?lot, n: nat) = |[ x: lot, k: nat := 0
| *[ k < n -> a?x; k := k + 1; !x, " ", time, "\n" ]; terminate
]|
sys Blocking(n, m: nat) = |[ a: (-lot)^(m + 1)
| G(a.0, n) || j: nat <- 0..m-1: M(a.j, a.(j+1), j) || E(a.m, n) ]|
sys Buffered(n, m, c: nat) = |[ a, b: (-lot)^(m + 1)
| G(a.0, n) || j: nat <- 0..m-1: M(a.j, b.j, j) || j: nat <- 0..m-1: B(b.j, a.(j+1), c) || E(a.m, n) ]|
)";

std::string listed(const std::vector<double>& exits) {
  std::string text;
  for (std::size_t i = 0; i < exits.size(); ++i) {
    text += fmt::format("{} {}\n", i,
                        exits[i] == static_cast<double>(static_cast<int>(exits[i]))
                            ? fmt::format("{:.1f}", exits[i])
                            : fmt::format("{}", exits[i]));
  }
  return text;
}

/// Lot i starts on machine j when it is there and the machine is empty, and leaves it when it is
/// done and there is room behind: `room` places between two machines.
std::vector<double> exit_times(int lots, int machines, int room) {
  using Row = std::vector<double>;
  std::vector<Row> start(static_cast<std::size_t>(machines) + 1,
                         Row(static_cast<std::size_t>(lots)));
  auto leave = start;
  for (int i = 0; i < lots; ++i) {
    for (int j = 0; j < machines; ++j) {
      const auto l = static_cast<std::size_t>(i), m = static_cast<std::size_t>(j);
      const double there = j > 0 ? leave[m - 1][l] : 0;
      start[m][l] = std::max(there, i > 0 ? leave[m][l - 1] : 0);
      leave[m][l] = start[m][l] + work(i, j);
      const bool last = j + 1 == machines;
      // Without room behind, the next machine itself must be empty.
      if (!last && room > 0 && i >= room) {
        leave[m][l] = std::max(leave[m][l], start[m + 1][l - static_cast<std::size_t>(room)]);
      }
      if (!last && room == 0 && i > 0) leave[m][l] = std::max(leave[m][l], leave[m + 1][l - 1]);
    }
  }
  return leave[static_cast<std::size_t>(machines) - 1];
}

TEST(FlowLine, BlocksWithoutBuffers) {
  for (const auto& [lots, machines] : {std::pair(1, 1), {5, 1}, {12, 2}, {40, 3}, {25, 10}}) {
    const std::string output = output_of(
        kLine, {.top = "Blocking",
                .params = {{"n", std::to_string(lots)}, {"m", std::to_string(machines)}}});
    EXPECT_EQ(output, listed(exit_times(lots, machines, 0)))
        << lots << " lots, " << machines << " machines";
  }
}

TEST(FlowLine, BuffersOfLimitedRoom) {
  for (const auto& [lots, machines, room] :
       {std::tuple(10, 2, 1), {30, 4, 2}, {30, 7, 1}, {50, 3, 100}}) {
    const std::string output = output_of(kLine, {.top = "Buffered",
                                                 .params = {{"n", std::to_string(lots)},
                                                            {"m", std::to_string(machines)},
                                                            {"c", std::to_string(room)}}});
    EXPECT_EQ(output, listed(exit_times(lots, machines, room)))
        << lots << " lots, " << machines << " machines, room for " << room;
  }
}

// The order in which the policy takes simultaneous actions does not matter to a line.
TEST(FlowLine, DoesNotDependOnChoices) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const std::string output = output_of(kLine, {.top = "Buffered",
                                                 .params = {{"n", "30"}, {"m", "4"}, {"c", "2"}},
                                                 .seed = seed,
                                                 .random_choice = true});
    EXPECT_EQ(output, listed(exit_times(30, 4, 2))) << "seed " << seed;
  }
}

// Arrivals at 1, 2, 3, ...; a furnace takes three at a time, for 4 hours.
TEST(Batching, FurnaceWaitsForItsBatch) {
  EXPECT_EQ(output_of(R"(
proc G(a: !nat) = |[ i: nat := 0 | *[ true -> delta 1.0; a!i; i := i + 1 ] ]|
proc Batch(a: ?nat, b: !nat*, k: nat) = |[ x: nat, xs: nat* := [], full: (nat*)* := []
| *[ true; a?x -> xs := xs ++ [x]; [ len(xs) = k -> full := full ++ [xs]; xs := [] | len(xs) < k -> skip ]
   | len(full) > 0; b!hd(full) -> full := tl(full)
   ]
]|
proc Furnace(a: ?nat*, b: !nat*) = |[ xs: nat* | *[ true -> a?xs; delta 4.0; b!xs ] ]|
proc E(a: ?nat*) = |[ xs: nat*, n: nat := 0 | *[ n < 4 -> a?xs; !xs, " ", time, "\n"; n := n + 1 ]; terminate ]|
sys S() = |[ a: -nat, b, c: -(nat*) | G(a) || Batch(a, b, 3) || Furnace(b, c) || E(c) ]|
)"),
            "[0, 1, 2] 7.0\n[3, 4, 5] 11.0\n[6, 7, 8] 15.0\n[9, 10, 11] 19.0\n");
}

constexpr std::string_view kParallel = R"(
type lot = { id: nat, t: real }
proc G(a: !lot, ts: real*) = |[ i: nat := 0 | *[ i < len(ts) -> a!{ id = i, t = ts[i] }; i := i + 1 ] ]|
proc B(m: nat, a: ?lot, b: (!lot)^m) = |[ xs: lot* := [], x: lot
| *[ true; a?x -> xs := xs ++ [x]
   | j: nat <- 0..m-1: len(xs) > 0; b.j!hd(xs) -> xs := tl(xs)
   ]
]|
proc M(a: ?lot, b: !lot) = |[ x: lot | *[ true -> a?x; delta x.t; b!x ] ]|
proc E(m, n: nat, a: (?lot)^m) = |[ x: lot, k: nat := 0
| *[ j: nat <- 0..m-1: k < n; a.j?x -> k := k + 1; !x.id, " ", time, "\n" ]
; terminate
]|
sys S(m: nat, ts: real*) = |[ a: -lot, b, c: (-lot)^m
| G(a, ts) || B(m, a, b) || j: nat <- 0..m-1: M(b.j, c.j) || E(m, len(ts), c) ]|
)";

// List scheduling: each lot goes to the machine that is free first.
TEST(ParallelMachines, LotsGoToTheFirstFreeMachine) {
  std::mt19937_64 random(1);
  for (const int machines : {1, 2, 3, 8}) {
    std::vector<double> times;
    std::string list = "[";
    for (int i = 0; i < 20; ++i) {
      // No two sums are equal, so that the order of exits is determined.
      times.push_back(static_cast<double>(random() % 64 + 1) + 1.0 / static_cast<double>(2 << i));
      list += fmt::format("{}{}", i > 0 ? ", " : "", times.back());
    }
    list += "]";
    std::vector<double> free(static_cast<std::size_t>(machines), 0.0);
    std::vector<std::pair<double, int>> exits;
    for (int i = 0; i < 20; ++i) {
      auto first = std::min_element(free.begin(), free.end());
      *first += times[static_cast<std::size_t>(i)];
      exits.emplace_back(*first, i);
    }
    std::sort(exits.begin(), exits.end());
    std::string expected;
    for (const auto& [time, lot] : exits) expected += fmt::format("{} {}\n", lot, time);
    EXPECT_EQ(output_of(kParallel, {.params = {{"m", std::to_string(machines)}, {"ts", list}}}),
              expected);
  }
}

constexpr std::string_view kDispatch = R"(
type lot = nat # real
func first(xs: lot*) -> nat = 0
func last(xs: lot*) -> nat = len(xs) - 1
func shortest(xs: lot*) -> nat =
|[ i, best: nat := 0 | *[ i < len(xs) -> [ xs[i].1 < xs[best].1 -> best := i | xs[i].1 >= xs[best].1 -> skip ]; i := i + 1 ]; ret best ]|
proc G(a: !lot) = |[ ts: real* := [5.0, 4.0, 1.0, 3.0, 2.0], i: nat := 0 | *[ i < 5 -> a!<i, ts[i]>; delta 0.5; i := i + 1 ] ]|
proc B(a: ?lot, b: !lot, rule: lot* -> nat) = |[ xs: lot* := [], x: lot, k: nat
| *[ true; a?x -> xs := xs ++ [x]
   | len(xs) > 0; b!xs[rule(xs)] -> k := rule(xs); xs := take(xs, k) ++ drop(xs, k + 1)
   ]
]|
proc M(a: ?lot, b: !lot) = |[ x: lot | *[ true -> a?x; delta x.1; b!x ] ]|
proc E(a: ?lot) = |[ x: lot, k: nat := 0 | *[ k < 5 -> a?x; !x.0, "@", time, " "; k := k + 1 ]; terminate ]|
sys S(rule: lot* -> nat) = |[ a, b, c: -lot | G(a) || B(a, b, rule) || M(b, c) || E(c) ]|
sys Fifo() = |[ S(first) ]|
sys Lifo() = |[ S(last) ]|
sys Spt() = |[ S(shortest) ]|
)";

// Lot 0 starts at once; the others are there when it ends, at 5.
TEST(Dispatching, ByFunctionValue) {
  EXPECT_EQ(output_of(kDispatch, {.top = "Fifo"}), "0@5.0 1@9.0 2@10.0 3@13.0 4@15.0 ");
  EXPECT_EQ(output_of(kDispatch, {.top = "Lifo"}), "0@5.0 4@7.0 3@10.0 2@11.0 1@15.0 ");
  EXPECT_EQ(output_of(kDispatch, {.top = "Spt"}), "0@5.0 2@6.0 4@8.0 3@11.0 1@15.0 ");
}

TEST(Dispatching, ShortestJobFirstByInsertion) {
  EXPECT_EQ(output_of(R"(
type job = { name: string, t: real }
func less(a, b: job) -> bool = a.t < b.t
proc G(a: !job) = |[ |
  a!{ name = "a", t = 3.0 }; a!{ name = "b", t = 2.0 }; a!{ name = "c", t = 3.0 }; a!{ name = "d", t = 1.0 }
; delta 4.0; a!{ name = "e", t = 0.5 } ]|
proc Queue(a: ?job, b: !job) = |[ xs: job* := [], x: job
| *[ true; a?x -> xs := insert(xs, x, less) | len(xs) > 0; b!hd(xs) -> xs := tl(xs) ] ]|
proc M(b: ?job) = |[ x: job, n: nat := 0 | delta 0.0; *[ n < 5 -> b?x; delta x.t; !x.name, "@", time, " "; n := n + 1 ]; terminate ]|
sys S() = |[ a, b: -job | G(a) || Queue(a, b) || M(b)@1 ]|
)"),
            // At 0 the machine, of lower priority, looks when all four are there: d, b (1 to 3),
            // then a; e comes at 4.
            "d@1.0 b@3.0 a@6.0 e@6.5 c@9.5 ");
}

}  // namespace
}  // namespace chi::conformance
