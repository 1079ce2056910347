#include <string>

#include <gtest/gtest.h>

#include "run_model.h"

// The data types and the library in statements: every value is its own, however it was made
// (language.md §3).
namespace chi::conformance {
namespace {

TEST(Values, ListsAreCopiedOnAssignment) {
  EXPECT_EQ(output_of_process("xs, ys: nat*",
                              "xs := [1, 2, 3]; ys := xs; xs[0] := 9; ys := ys ++ [4]; !xs, ys"),
            "[9, 2, 3][1, 2, 3, 4]");
  // Both grow from one old value: each sees its own end.
  EXPECT_EQ(output_of_process(
                "xs, ys, zs: nat*",
                "xs := [1]; ys := xs ++ [2]; zs := xs ++ [3]; xs := ys ++ [4]; !xs, ys, zs"),
            "[1, 2, 4][1, 2][1, 3]");
}

TEST(Values, ListsOfListsDoNotShare) {
  EXPECT_EQ(
      output_of_process(
          "xs, ys: (nat*)*",
          "xs := [[1], [2, 3]]; ys := xs; xs[1][1] := 99; xs[0] := xs[0] ++ xs[1]; !xs, ys, \" \""
          "; xs := xs ++ xs; xs[0][0] := 7; xs[2] := []; !xs"),
      "[[1, 2, 99], [2, 99]][[1], [2, 3]] [[7, 2, 99], [2, 99], [], [2, 99]]");
}

TEST(Values, FieldsOfRecordsInLists) {
  EXPECT_EQ(
      output_of_process(
          "xs, ys: { a: nat, b: nat*, t: nat # string }*",
          "xs := [{ a = 1, b = [1], t = <1, \"x\"> }, { a = 2, b = [2], t = <2, \"y\"> }]; ys := xs"
          "; xs[1].a := 3; xs[0].b := xs[0].b ++ [5]; xs[0].b[0] := 8; xs[1].t.1 := \"z\"; !xs, "
          "\"\\n\", ys"),
      "[{a = 1, b = [8, 5], t = <1, \"x\">}, {a = 3, b = [2], t = <2, \"z\">}]\n"
      "[{a = 1, b = [1], t = <1, \"x\">}, {a = 2, b = [2], t = <2, \"y\">}]");
}

TEST(Values, DictionariesOfListsAndOfDictionaries) {
  EXPECT_EQ(output_of_process("d, e: dict(string, nat*), n: dict(nat, dict(nat, string))",
                              "d[\"x\"] := [1]; e := d; d[\"x\"] := d[\"x\"] ++ [2]; d[\"x\"][0] "
                              ":= 9; d[\"a\"] := []; !d, e"
                              "; n[3] := {}; n[3][4] := \"z\"; n[1] := n[3]; n[1][4] := \"y\"; !n"),
            "{\"a\": [], \"x\": [9, 2]}{\"x\": [1]}{1: {4: \"y\"}, 3: {4: \"z\"}}");
}

TEST(Values, ArraysTuplesAndRecords) {
  EXPECT_EQ(output_of_process("a, b: (nat^2)^3, i: nat := 1",
                              "a[1][0] := 5; a.2.1 := 6; b := a; a.i.0 := 7; a.(i + 1)[i] := 8; "
                              "!a, b, a.i, a.(i + 1).1"),
            "[[0, 0], [7, 0], [0, 8]][[0, 0], [5, 0], [0, 6]][7, 0]8");
  EXPECT_EQ(output_of_process("t, u: (nat # string) # bool",
                              "t := <<1, \"a\">, true>; u := t; t.0.1 := \"b\"; u.1 := false; !t, "
                              "u, t.0 = u.0, t.0.0 = u.0.0"),
            "<<1, \"b\">, true><<1, \"a\">, false>falsetrue");
  EXPECT_EQ(output_of_process("r: { p: { x: real, y: real }, n: nat^2 }",
                              "r.p.x := 1.5; r.n[1] := 4; r.p := { y = 2, x = r.p.x + 1 }; !r"),
            "{p = {x = 2.5, y = 2.0}, n = [0, 4]}");
}

// Elements of arrays named by one index variable: which array is meant matters, not the index.
TEST(Values, ListsInArrays) {
  EXPECT_EQ(
      output_of_process(
          "xs, ys: (nat*)^2, i: nat, zs: nat*",
          "ys := [[1, 2, 3], [7]]; xs.0 := [9, 9]; xs.i := tl(ys.i); ys.i := []; zs := [4, 4, 4]"
          "; xs.i := xs.i ++ [5]; zs := zs ++ [4]; !xs, ys, zs"),
      "[[2, 3, 5], []][[], [7]][4, 4, 4, 4]");
}

TEST(Values, SimultaneousAssignment) {
  EXPECT_EQ(
      output_of_process("x: nat := 1, y: nat := 2, z: nat := 3", "x, y, z := y, z, x; !x, y, z"),
      "231");
  EXPECT_EQ(output_of_process("xs: nat* := [1], ys: nat* := [2, 3]",
                              "xs, ys := ys, xs; !xs, ys; xs[0], xs[1] := xs[1], xs[0]; !xs"),
            "[2, 3][1][3, 2]");
  EXPECT_EQ(output_of_process("a: string^2 := [\"p\", \"q\"]", "a.0, a.1 := a.1, a.0; !a"),
            "[\"q\", \"p\"]");
}

TEST(Values, SharedVariablesUnderTwoNames) {
  EXPECT_EQ(output_of(R"(
proc W(ref xs, ys: nat*, ref r: { q: nat* }) = |[ zs: nat*
| xs := tl(xs) ++ [4, 5, 6, 7, 8, 9] ++ [1, 1] ++ ys; !xs; zs := [0, 0, 0, 0]; xs := xs ++ ys; !len(xs), zs
; r.q := [1, 2]; r.q := r.q ++ r.q; !r ]|
sys S() = |[ xs: nat* := [1, 2, 3], r: { q: nat* } | W(xs, xs, r) ]|
)"),
            "[2, 3, 4, 5, 6, 7, 8, 9, 1, 1, 1, 2, 3]26[0, 0, 0, 0]{q = [1, 2, 1, 2]}");
}

TEST(Values, EqualityOfNestedStructures) {
  EXPECT_EQ(output_of_process("a, b: { xs: (nat # string)*, d: dict(nat, set(nat)) }",
                              "a.xs := [<1, \"x\">]; b.xs := [<1, \"x\">]; a.d[1] := {3, 4}; "
                              "b.d[1] := {4} + {3}; !a = b, a /= b"
                              "; b.d[1] := {}; !a = b; b := a; !a = b; b.xs[0].1 := \"\"; !a = b"),
            "truefalsefalsetruefalse");
  EXPECT_EQ(
      output_of_process(
          "e: nat*",
          "!e = [], [[1], []] = [[1], e], {<1, 2>} = {<1, 2>, <1, 2>}, 1 = 1.0, [1, 2] = [2, 1]"),
      "truetruetruetruefalse");
}

TEST(Values, UnsetVariablesAreZero) {
  EXPECT_EQ(output_of_process("b: bool, n: nat, i: int, x: real, s: string, l: nat*, q: set(nat), "
                              "d: dict(nat, nat), a: real^2, "
                              "t: nat # string, r: { x: real, l: (nat*)* }",
                              "!b, n, i, x, s, l, q, d, a, t, r"),
            "false000.0[]{}{}[0.0, 0.0]<0, \"\">{x = 0.0, l = []}");
}

TEST(Values, InitialisersUseWhatStandsBefore) {
  EXPECT_EQ(output_of("proc P(n: nat) = |[ a: nat := n * 2, b, c: nat := a + 1, xs: nat* := "
                      "range(b) | !a, b, c, xs ]|\n"
                      "sys S() = |[ P(2) ]|"),
            "455[0, 1, 2, 3, 4]");
}

constexpr std::string_view kFunctions = R"(
const K: nat* = [4, 5, 6], T: nat # string = <3, "abc">
func fib(n: nat) -> nat = if n < 2 then n else fib(n - 1) + fib(n - 2)
func odd(n: nat) -> bool = if n = 0 then false else even(n - 1)
func even(n: nat) -> bool = if n = 0 then true else odd(n - 1)
func grow(n: nat, xs: nat*) -> nat* = if n = 0 then xs else grow(n - 1, xs ++ [n])
func table(n: nat) -> nat^4 = |[ a: nat^4, i: nat := 0 | *[ i < 4 -> a[i] := i * n; i := i + 1 ]; ret a ]|
func swapped(a: nat^4, i, j: nat) -> nat^4 = |[ b: nat^4 := a | b[i], b.j := b[j], b.i; ret b ]|
func names(n: nat) -> string* = |[ s: string*, i: nat | *[ i < n -> s := s ++ ["v" + str(i)]; i := i + 1 ]; ret s ]|
func less(a, b: nat) -> bool = a < b
func choose(f: (nat, nat) -> bool, a, b: nat) -> nat = if f(a, b) then a else b
func twice(f: nat -> nat, x: nat) -> nat = f(f(x))
func inc(x: nat) -> nat = x + 1
func early(n: nat) -> string = |[ | [ n > 5 -> ret "big" | n <= 5 -> skip ]; ret "small" ]|
func count(xs: (string*)*) -> dict(string, nat) =
|[ d: dict(string, nat), i, j: nat
 | *[ i < len(xs) -> j := 0
    ; *[ j < len(xs[i]) -> [ xs[i][j] in d -> d[xs[i][j]] := d[xs[i][j]] + 1 | not (xs[i][j] in d) -> d[xs[i][j]] := 1 ]; j := j + 1 ]
    ; i := i + 1 ]
 ; ret d ]|
func gcd(a, b: nat) -> nat = |[ x: nat := a, y: nat := b | *[ y > 0 -> x, y := y, x mod y ]; ret x ]|
)";

TEST(Functions, RecursiveMutualAndLocal) {
  EXPECT_EQ(
      output_of_process(
          "", "!fib(20), \" \", odd(101), even(101), \" \", grow(4, [9]), \" \", gcd(1071, 462)",
          kFunctions),
      "6765 truefalse [9, 4, 3, 2, 1] 21");
}

TEST(Functions, WithArraysStringsAndDictionaries) {
  EXPECT_EQ(output_of_process("",
                              "!table(3), swapped(table(3), 0, 3), table(2)[3], names(3), "
                              "names(3)[1], K[1], T.1, early(6), early(5)",
                              kFunctions),
            "[0, 3, 6, 9][9, 3, 6, 0]6[\"v0\", \"v1\", \"v2\"]v15abcbigsmall");
  EXPECT_EQ(output_of_process("", "!count([[\"a\", \"b\"], [], [\"a\"]])", kFunctions),
            "{\"a\": 2, \"b\": 1}");
}

TEST(Functions, AreValues) {
  EXPECT_EQ(output_of_process("", "!choose(less, 4, 7), twice(inc, 5), twice(fib, 7)", kFunctions),
            "47233");
  EXPECT_EQ(
      output_of(
          std::string(kFunctions) +
          "proc Q(f: nat -> nat) = |[ | !f(10), twice(f, 3) ]|\nsys S() = |[ Q(inc) || Q(fib) ]|"),
      "115551");
}

TEST(Library, Numbers) {
  EXPECT_EQ(output_of_process("",
                              "!abs(-3), \" \", abs(-2.5), \" \", sign(-3), sign(2.5), \" \", "
                              "min(1, 2), max(1.0, 2), \" \", "
                              "floor(2.7), ceil(2.1), round(2.5), round(-2.5), floor(-0.5)"),
            "3 2.5 -11.0 12.0 233-3-1");
  EXPECT_EQ(
      output_of_process("",
                        "!sqrt(4), cbrt(1), exp(0), ln(1), log(100), sin(0), cos(0), tan(0), "
                        "asin(0), acos(1), atan(0), "
                        "atan2(0, 1), sinh(0), cosh(0), tanh(0), asinh(0), acosh(1), atanh(0)"),
      "2.01.01.00.02.00.01.00.00.00.00.00.00.01.00.00.00.00.0");
  EXPECT_EQ(output_of_process("",
                              "!7 div 2, -7 div 2, 7 div -2, \" \", 7 mod 2, -7 mod 2, 7 mod -2, "
                              "\" \", 2^10, (-2)^3, 2^0.5, \" \", "
                              "-2^2, 2^3^2, 1 / 4, 7 / 7"),
            "3-4-4 11-1 1024-81.4142135623730951 -45120.251.0");
}

// What is not a number goes through functions, from either argument; it is no failure of theirs.
TEST(Library, NotANumberGoesThrough) {
  EXPECT_EQ(output_of_process(
                "x: real := inf",
                "x := x * 0.0; "
                "!atan2(1.0, x), \" \", atan2(x, 1.0), \" \", 2.0^x, \" \", x^2.0, \" \", sqrt(x)"),
            "nan nan nan nan nan");
}

TEST(Library, Lists) {
  EXPECT_EQ(output_of_process(
                "xs: nat* := [3, 1, 2]",
                "!hd(xs), hr(xs), tl(xs), tr(xs), len(xs), take(xs, 2), take(xs, 9), drop(xs, 2), "
                "drop(xs, 9), reverse(xs), sum(xs), min(xs), max(xs), xs",
                kFunctions),
            "32[1, 2][3, 1]3[3, 1][3, 1, 2][2][][2, 1, 3]613[3, 1, 2]");
  EXPECT_EQ(output_of_process("xs: nat* := [3, 1, 2]",
                              "!sort(xs, less), insert(sort(xs, less), 2, less), range(3), "
                              "range(2, 5), range(5, 1, -2), "
                              "range(3, 3), xs -- [1], [1, 2, 1, 1] -- [1, 1], 2 in xs, 5 in xs",
                              kFunctions),
            "[1, 2, 3][1, 2, 2, 3][0, 1, 2][2, 3, 4][5, 3][][3, 2][2, 1]truefalse");
  EXPECT_EQ(output_of_process("",
                              "!sum([0.5, 0.25]), sum(range(0)), [\"a\"] ++ [\"b\", \"c\"], "
                              "len([[1]]), reverse([\"x\", \"y\"])"),
            "0.750[\"a\", \"b\", \"c\"]1[\"y\", \"x\"]");
}

TEST(Library, SortIsStableAndTakesAnyOrder) {
  EXPECT_EQ(output_of_process("xs: (nat # string)*",
                              "xs := [<2, \"a\">, <1, \"b\">, <2, \"c\">, <1, \"d\">]; !sort(xs, "
                              "by), \" \", sort(xs, always), len(sort(xs, always))",
                              "func by(a, b: nat # string) -> bool = a.0 < b.0\nfunc always(a, b: "
                              "nat # string) -> bool = true\n")
                .substr(0, 43),
            "[<1, \"b\">, <1, \"d\">, <2, \"a\">, <2, \"c\">] [<");
}

TEST(Library, SetsAndDictionaries) {
  EXPECT_EQ(
      output_of_process(
          "s: set(nat) := {3, 1}, d: dict(string, nat) := {\"b\": 2, \"a\": 1}",
          "!s + {2}, s - {1}, s * {1, 5}, 3 in s, size(s), pick(s), \" \"; s := s + {7} - {3}; !s"
          "; !d[\"a\"], keys(d), values(d), \"z\" in d, size(d); d[\"a\"] := 5; d[\"c\"] := 6; !d"),
      "{1, 2, 3}{3}{1}true21 {1, 7}1[\"a\", \"b\"][1, 2]false2{\"a\": 5, \"b\": 2, \"c\": 6}");
}

TEST(Library, Strings) {
  EXPECT_EQ(output_of_process("s: string := \"a\\t\\\"b\\\"\\\\\"",
                              "!s, \" \", s + \"é\", \" \", str(<1, \"q\", 2.0>), \" \", \"ab\" < "
                              "\"b\", \"b\" <= \"ab\", \"a\" = \"a\""
                              "; s := s + str(1.5); !s"),
            "a\t\"b\"\\ a\t\"b\"\\é <1, \"q\", 2.0> truefalsetruea\t\"b\"\\1.5");
}

TEST(Library, PrintedRealsReadBackExactly) {
  EXPECT_EQ(output_of_process("",
                              "!0.1 + 0.2, \" \", 1e300 * 10, \" \", 1.0, \" \", 1e-7, \" \", inf, "
                              "\" \", -inf, \" \", 123456789.125, \" \", -0.0"),
            "0.30000000000000004 1e+301 1.0 1e-07 inf -inf 123456789.125 -0.0");
}

TEST(Expressions, ShortCircuitAndGuarded) {
  EXPECT_EQ(output_of_process("xs: nat*, n: nat := 3",
                              "!len(xs) > 0 and hd(xs) = 1, len(xs) = 0 or hd(xs) = 1, if n > 2 "
                              "then \"y\" else \"n\", [ n < 2 -> 1 | n < 4 -> 2 | true -> 3 ]"),
            "falsetruey2");
}

/// first, first + term, first + term + term, ...: the text of a chain of n terms.
std::string chain(int n, std::string_view first, std::string_view term) {
  std::string text(first);
  for (int i = 1; i < n; ++i) text += term;
  return text;
}

TEST(Expressions, ChainsOfThousandsOfTerms) {
  EXPECT_EQ(output_of_process("n: nat := 1", "!" + chain(3000, "n", " + n")), "3000");
  EXPECT_EQ(output_of_process("x: real := 1.0", "!" + chain(3000, "x", " * x")), "1.0");
  EXPECT_EQ(output_of_process("b: bool := true", "!" + chain(3000, "b", " and b")), "true");
  EXPECT_EQ(output_of_process("xs: nat* := [1]", "!len(" + chain(3000, "xs", " ++ xs") + ")"),
            "3000");
  EXPECT_EQ(
      output_of_process("xs: nat* := [1]", "xs := " + chain(3000, "xs", " ++ [2]") + "; !len(xs)"),
      "3000");
  EXPECT_EQ(output_of_process("s: string := \"a\"",
                              "s := " + chain(3000, "s", " + \"b\"") + "; !s = \"a\", s < \"ac\""),
            "falsetrue");
  EXPECT_EQ(output_of_process("s: set(nat)", "s := " + chain(3000, "s", " + {1}") + "; !s"), "{1}");
  EXPECT_EQ(output_of_process("n: nat", chain(3000, "n := n + 1", "; n := n + 1") + "; !n"),
            "3000");
  std::string list = "[0";
  for (int i = 1; i < 3000; ++i) list += ", " + std::to_string(i);
  EXPECT_EQ(output_of_process("", "!sum(" + list + "])"), "4498500");
}

}  // namespace
}  // namespace chi::conformance
