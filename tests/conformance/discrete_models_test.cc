#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "run_model.h"

// Discrete systems of the kinds that simulators are used for, of several sizes. What each is to
// print was found by a program that goes from one event of that system to the next, without
// processes.
namespace chi::conformance {
namespace {

/// What the model prints, with these values of its parameters.
std::string printed(std::string_view model,
                    std::vector<std::pair<std::string, std::string>> parameters) {
  return output_of(model, {.params = std::move(parameters)});
}

// A CAN bus: of those who have a frame when the bus becomes free the lowest identifier wins. A
// frame takes 1; node i has its next one 2 n + i after the last was begun.
TEST(CanBus, LowestIdentifierWins) {
  constexpr std::string_view model = R"(
proc Node(i, n, k: nat, ask: !nat, won: ?void) =
|[ j: nat := 0
 | delta (i mod 7); *[ j < k -> ask!i; won?; delta (2 * n + i); j := j + 1 ]
]|
proc Bus(n, total: nat, ask: (?nat)^n, won: (!void)^n) =
|[ waiting: set(nat) := {}, x, m, sent, check: nat := 0, busy: bool := false, until: real := 0.0
 | *[ sent < total
      -> [ j: nat <- 0..n - 1: true; ask.j?x -> waiting := waiting + {x}
         | busy; delta until - time -> busy := false
         | not busy and size(waiting) > 0; delta 0.0
           -> m := pick(waiting); waiting := waiting - {m}; won.m!
            ; sent := sent + 1; check := (check * 31 + m) mod 1000003; busy := true; until := time + 1.0
         ]
    ]
 ; !check, " ", until, "\n"; terminate
]|
sys S(n, k: nat) =
|[ ask: (-nat)^n, won: (-void)^n
 | i: nat <- 0..n - 1: Node(i, n, k, ask.i, won.i) || Bus(n, n * k, ask, won)@1
]|
)";
  EXPECT_EQ(printed(model, {{"n", "10"}, {"k", "20"}}), "539846 566.0\n");
  EXPECT_EQ(printed(model, {{"n", "100"}, {"k", "5"}}), "147383 1296.0\n");
}

// A furnace that takes up to 4 lots at once and begins when it is full or the first has waited 5;
// 10 a batch.
TEST(Furnace, BeginsWhenFullOrAfterAWhile) {
  constexpr std::string_view model = R"(
proc G(n: nat, a: !nat) = |[ i: nat := 0 | *[ i < n -> delta 1.0 + (i * i * 7 mod 11); a!i; i := i + 1 ] ]|
proc Furnace(a: ?nat, b: !nat*) =
|[ xs: nat* := [], x: nat, since: real := 0.0, full: bool := false
 | *[ a?x; xs := [x]; since := time; full := false
    ; *[ not full and len(xs) < 4; a?x -> xs := xs ++ [x]
       | not full and len(xs) < 4; delta since + 5.0 - time -> full := true
       ]
    ; delta 10.0; b!xs
    ]
]|
proc Buffer(a: ?nat, b: !nat) =
|[ xs: nat* := [], x: nat
 | *[ true; a?x -> xs := xs ++ [x] | len(xs) > 0; b!hd(xs) -> xs := tl(xs) ]
]|
proc Exit(n: nat, b: ?nat*) =
|[ xs: nat*, k, check, batches: nat := 0
 | *[ k < n -> b?xs; k := k + len(xs); batches := batches + 1; check := (check * 31 + sum(xs) * len(xs)) mod 1000003 ]
 ; !batches, " ", check, " ", time, "\n"; terminate
]|
sys S(n: nat) = |[ a, b: -nat, c: -(nat*) | G(n, a) || Buffer(a, b) || Furnace(b, c) || Exit(n, c) ]|
)";
  EXPECT_EQ(printed(model, {{"n", "10"}}), "6 980266 91.0\n");
  EXPECT_EQ(printed(model, {{"n", "100"}}), "47 112199 707.0\n");
  EXPECT_EQ(printed(model, {{"n", "1000"}}), "467 754012 7017.0\n");
}

// A job shop: m machines, lots that know where they are to go. A store keeps the lots that wait for
// each machine in a dictionary and gives each machine the shortest job, of equals the first that
// came.
TEST(JobShop, ShortestJobFirst) {
  constexpr std::string_view model = R"(
type lot = { id: nat, route: nat*, came: nat }
func work(x: lot, m: nat) -> nat = 1 + (x.id * 5 + m * 3) mod 13
proc Source(n, m: nat, a: !lot) =
|[ i: nat := 0 | *[ i < n -> a!{ id = i, route = [i mod m, i * 3 mod m, i * 7 mod m], came = 0 }; delta 2.0; i := i + 1 ] ]|
proc Store(m: nat, a: ?lot, back: (?lot)^m, to: (!lot)^m, out: !lot) =
|[ waiting: dict(nat, lot*) := {}, x: lot, k: nat := 0
 | *[ true; a?x -> x.came := k; k := k + 1; waiting[hd(x.route)] := (if hd(x.route) in waiting then waiting[hd(x.route)] else []) ++ [x]
    | j: nat <- 0..m - 1: true; back.j?x
      -> x.route := tl(x.route); x.came := k; k := k + 1
       ; [ len(x.route) > 0 -> waiting[hd(x.route)] := (if hd(x.route) in waiting then waiting[hd(x.route)] else []) ++ [x]
         | len(x.route) = 0 -> out!x
         ]
    | j: nat <- 0..m - 1: j in waiting and len(waiting[j]) > 0; to.j!hd(sort(waiting[j], shorter))
      -> waiting[j] := tl(sort(waiting[j], shorter))
    ]
]|
func shorter(x, y: lot) -> bool = work(x, hd(x.route)) < work(y, hd(y.route)) or work(x, hd(x.route)) = work(y, hd(y.route)) and x.came < y.came
proc Machine(a: ?lot, b: !lot) = |[ x: lot | *[ a?x; delta work(x, hd(x.route)); b!x ] ]|
proc Exit(n: nat, a: ?lot) = |[ x: lot, k, check: nat := 0 | *[ k < n -> a?x; k := k + 1; check := (check * 31 + x.id) mod 1000003 ]; !check, " ", time, "\n"; terminate ]|
sys S(n, m: nat) = |[ a, out: -lot, back, to: (-lot)^m | Source(n, m, a) || Store(m, a, back, to, out) || j: nat <- 0..m - 1: Machine(to.j, back.j) || Exit(n, out) ]|
)";
  EXPECT_EQ(printed(model, {{"n", "10"}, {"m", "3"}}), "700604 107.0\n");
  EXPECT_EQ(printed(model, {{"n", "100"}, {"m", "7"}}), "470389 908.0\n");
  EXPECT_EQ(printed(model, {{"n", "300"}, {"m", "40"}}), "946011 620.0\n");
}

// A packet switch: n inputs, n outputs with a queue for each of three priorities; a packet of
// length l takes l.
TEST(PacketSwitch, HasPriorities) {
  constexpr std::string_view model = R"(
type packet = { from: nat, to: nat, class: nat, size: nat }
proc Input(i, n, k: nat, a: !packet) =
|[ j: nat := 0
 | *[ j < k -> delta 1.0 + (i + j) mod 4; a!{ from = i, to = (i * 7 + j * j) mod n, class = (i + 2 * j) mod 3, size = 1 + (3 * i + j) mod 5 }; j := j + 1 ]
]|
proc Fabric(n: nat, a: (?packet)^n, b: (!packet)^n) = |[ p: packet | *[ i: nat <- 0..n - 1: true; a.i?p -> b.(p.to)!p ] ]|
proc Queue(a: ?packet, b: !packet) =
|[ q: (packet*)^3, p: packet
 | *[ true; a?p -> q.(p.class) := q.(p.class) ++ [p]
    | len(q.0) > 0; b!hd(q.0) -> q.0 := tl(q.0)
    | len(q.0) = 0 and len(q.1) > 0; b!hd(q.1) -> q.1 := tl(q.1)
    | len(q.0) + len(q.1) = 0 and len(q.2) > 0; b!hd(q.2) -> q.2 := tl(q.2)
    ]
]|
proc Link(a: ?packet, c: !packet) = |[ p: packet | *[ a?p; delta p.size; c!p ] ]|
proc Exit(n, total: nat, c: (?packet)^n) =
|[ p: packet, k, check: nat := 0
 | *[ i: nat <- 0..n - 1: k < total; c.i?p -> k := k + 1; check := check + (p.from + 1) * (p.class + 1) * floor(time) ]
 ; !check, " ", time, "\n"; terminate
]|
sys S(n, k: nat) =
|[ a, b, c, d: (-packet)^n
 | Fabric(n, a, b) || i: nat <- 0..n - 1: Input(i, n, k, a.i) || i: nat <- 0..n - 1: Queue(b.i, c.i) || i: nat <- 0..n - 1: Link(c.i, d.i)@1
|| Exit(n, n * k, d)
]|
)";
  EXPECT_EQ(printed(model, {{"n", "10"}, {"k", "20"}}), "84326 84.0\n");
  EXPECT_EQ(printed(model, {{"n", "60"}, {"k", "10"}}), "749254 44.0\n");
}

// n shops with stock: below 20 a shop orders up to 60 from one depot, which delivers after 3, or
// after 8 when it has to make the goods itself; the depot makes 5 a day. Demand comes daily; what
// cannot be served is lost.
TEST(Stock, IsOrderedUpToALevel) {
  constexpr std::string_view model = R"(
proc Shop(i, days: nat, order: !nat, goods: ?nat, over: !(nat # nat)) =
|[ stock: nat := 40, lost, d, demand, x: nat := 0, waits: bool := false, next: real := 1.0
 | *[ d < days
      -> [ waits; goods?x -> stock := stock + x; waits := false
         | true; delta next - time
           -> demand := (i * 3 + d * d * 5) mod 9; next := next + 1.0; d := d + 1
            ; [ demand <= stock -> stock := stock - demand | demand > stock -> lost := lost + demand - stock; stock := 0 ]
            ; [ stock < 20 and not waits -> order!60 - stock; waits := true | stock >= 20 or waits -> skip ]
         ]
    ]
 ; over!<stock, lost>
]|
proc Depot(n: nat, order: (?nat)^n, goods: (!nat)^n) =
|[ due: (real # nat # nat)* := [], x, have: nat := 100, next: real := 1.0
 | *[ i: nat <- 0..n - 1: true; order.i?x
      -> [ x <= have -> have := have - x; due := insert(due, <time + 3.0, i, x>, earlier)
         | x > have -> due := insert(due, <time + 8.0, i, x>, earlier)
         ]
    | true; delta next - time -> have := have + 5; next := next + 1.0
    | len(due) > 0; delta hd(due).0 - time -> goods.(hd(due).1)!hd(due).2; due := tl(due)
    ]
]|
func earlier(x, y: real # nat # nat) -> bool = x.0 < y.0 or x.0 = y.0 and x.1 < y.1
proc Exit(n: nat, over: (?(nat # nat))^n) =
|[ r: nat # nat, k, stock, lost: nat := 0
 | *[ i: nat <- 0..n - 1: k < n; over.i?r -> k := k + 1; stock := stock + r.0; lost := lost + r.1 ]; !stock, " ", lost, " ", time, "\n"; terminate
]|
sys S(n, days: nat) =
|[ order, goods: (-nat)^n, over: (-(nat # nat))^n
 | Depot(n, order, goods)@1 || i: nat <- 0..n - 1: Shop(i, days, order.i, goods.i, over.i) || Exit(n, over)
]|
)";
  EXPECT_EQ(printed(model, {{"n", "10"}, {"days", "200"}}), "167 1947 200.0\n");
  EXPECT_EQ(printed(model, {{"n", "60"}, {"days", "100"}}), "1182 6914 100.0\n");
}

// A lift for f floors and c people: it goes on in its direction while somebody wants to get in or
// out there, a floor in 1, and stops for 2 where somebody does. People come one by one.
TEST(Lift, GoesOnInItsDirection) {
  constexpr std::string_view model = R"(
type person = { id: nat, from: nat, to: nat }
proc People(n, f: nat, a: !person) =
|[ i: nat := 0 | *[ i < n -> delta 1.0 + (i * 11) mod 6; a!{ id = i, from = (i * 5) mod f, to = (i * 5 + 1 + i mod (f - 1)) mod f }; i := i + 1 ] ]|
func going(xs: person*, at: nat, up: bool, inside: bool) -> bool =
|[ i, w: nat := 0, yes: bool := false
 | *[ i < len(xs) and not yes -> w := if inside then xs[i].to else xs[i].from; yes := up and w > at or not up and w < at; i := i + 1 ]
 ; ret yes
]|
proc Lift(n, f, c: nat, a: ?person) =
|[ waiting, inside, rest: person* := [], p: person, at, gone, check, i: nat := 0, up, stop, go: bool := true, until: real := 0.0
 | *[ gone < n
      -> until := time
       ; stop := false; rest := []; i := 0
       ; *[ i < len(inside) -> [ inside[i].to = at -> stop := true; gone := gone + 1; check := (check * 31 + inside[i].id * floor(time)) mod 1000003
                               | inside[i].to /= at -> rest := rest ++ [inside[i]] ]; i := i + 1 ]
       ; inside := rest; rest := []; i := 0
       ; *[ i < len(waiting) -> [ waiting[i].from = at and len(inside) < c -> stop := true; inside := inside ++ [waiting[i]]
                                | waiting[i].from /= at or len(inside) >= c -> rest := rest ++ [waiting[i]] ]; i := i + 1 ]
       ; waiting := rest
       ; [ stop -> until := time + 2.0 | not stop -> skip ]
       ; [ not (going(inside, at, up, true) or going(waiting, at, up, false)) -> up := not up
         | going(inside, at, up, true) or going(waiting, at, up, false) -> skip ]
       ; [ going(inside, at, up, true) or going(waiting, at, up, false)
           -> until := until + 1.0; at := if up then at + 1 else at - 1
         | not (going(inside, at, up, true) or going(waiting, at, up, false)) -> skip ]
       ; [ until > time -> skip | until <= time and gone < n -> a?p; waiting := waiting ++ [p]; until := time | gone >= n -> skip ]
       ; go := until <= time; *[ not go; a?p -> waiting := waiting ++ [p] | not go; delta until - time -> go := true ]
    ]
 ; !check, " ", time, "\n"; terminate
]|
proc Queue(a: ?person, b: !person) = |[ xs: person* := [], x: person | *[ true; a?x -> xs := xs ++ [x] | len(xs) > 0; b!hd(xs) -> xs := tl(xs) ] ]|
sys S(n, f, c: nat) = |[ a, b: -person | People(n, f, a) || Queue(a, b) || Lift(n, f, c, b)@1 ]|
)";
  EXPECT_EQ(printed(model, {{"n", "10"}, {"f", "5"}, {"c", "3"}}), "761336 56.0\n");
  EXPECT_EQ(printed(model, {{"n", "100"}, {"f", "10"}, {"c", "4"}}), "31610 555.0\n");
  EXPECT_EQ(printed(model, {{"n", "200"}, {"f", "4"}, {"c", "1"}}), "372448 810.0\n");
}

}  // namespace
}  // namespace chi::conformance
