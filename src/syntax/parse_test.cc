#include "syntax/parse.h"

#include <gtest/gtest.h>

#include "syntax/testing.h"

namespace chi::syntax {
namespace {

using testing::body;
using testing::dumped;
using testing::expr;

TEST(ParseExpr, FollowsThePrecedenceTable) {
  EXPECT_EQ(expr("-x^2"), "(- (^ x 2))");
  EXPECT_EQ(expr("2^-y^3"), "(^ 2 (- (^ y 3)))");
  EXPECT_EQ(expr("a^b^c"), "(^ a (^ b c))");
  EXPECT_EQ(expr("-a*b + c"), "(+ (* (- a) b) c)");
  EXPECT_EQ(expr("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(expr("a div b * c mod d"), "(mod (* (div a b) c) d)");
  EXPECT_EQ(expr("xs ++ ys -- zs"), "(-- (++ xs ys) zs)");
  EXPECT_EQ(expr("a + b < c * d"), "(< (+ a b) (* c d))");
  EXPECT_EQ(expr("not a = b"), "(not (= a b))");
  EXPECT_EQ(expr("not a and b or c"), "(or (and (not a) b) c)");
  EXPECT_EQ(expr("a or b and c"), "(or a (and b c))");
  EXPECT_EQ(expr("x in xs ++ ys"), "(in x (++ xs ys))");
  EXPECT_EQ(expr("x' + y.0.1' * z[2]'"), "(+ x' (* (. (. y 0) 1)' (index z 2)'))");
  EXPECT_EQ(expr("sample d + 1"), "(+ (sample d) 1)");
  EXPECT_EQ(expr("if a = b then c else d + e"), "(if (= a b) c (+ d e))");
  EXPECT_EQ(expr("if a then b else if c then d else e"), "(if a b (if c d e))");
}

TEST(ParseExpr, ReadsEveryForm) {
  EXPECT_EQ(expr("true"), "true");
  EXPECT_EQ(expr("1.0"), "1.0");
  EXPECT_EQ(expr("inf"), "inf");
  EXPECT_EQ(expr("time"), "time");
  EXPECT_EQ(expr(R"("a\"b")"), R"("a\"b")");
  EXPECT_EQ(expr("f(x, y)(z)"), "(call (call f x y) z)");
  EXPECT_EQ(expr("sqrt (V)"), "(call sqrt V)");
  EXPECT_EQ(expr("a.i.f.(i+1).3[j]"), "(index (. (index (. (. a i) f) (+ i 1)) 3) j)");
  EXPECT_EQ(expr("[b1 -> e1 | b2 -> e2 [] b3 -> e3]"),
            "(guarded (-> b1 e1) (-> b2 e2) (-> b3 e3))");
  EXPECT_EQ(expr("[ a -> 1 || b -> 2 ]"), "(guarded (-> a 1) (-> b 2))");
  EXPECT_EQ(expr("[]"), "(list)");
  EXPECT_EQ(expr("[1, [2], []]"), "(list 1 (list 2) (list))");
  EXPECT_EQ(expr("<1, a + 2, <3, 4>>"), "(tuple 1 (+ a 2) (tuple 3 4))");
  EXPECT_EQ(expr("<1, (a < b)> = t"), "(= (tuple 1 (< a b)) t)");
  EXPECT_EQ(expr("<-1, <-a^2 + b, -c>>"), "(tuple (- 1) (tuple (+ (- (^ a 2)) b) (- c)))")
      << "`<-` is no arrow where an expression begins";
  EXPECT_EQ(expr("a < b"), "(< a b)");
  EXPECT_EQ(expr("{}"), "(set)");
  EXPECT_EQ(expr("{1, 2}"), "(set 1 2)");
  EXPECT_EQ(expr("{a = 1, b = x < y}"), "(record (a 1) (b (< x y)))");
  EXPECT_EQ(expr("{1: a, b + 1: c}"), "(dict (: 1 a) (: (+ b 1) c))");
  EXPECT_EQ(expr("{<1, 2>: a}"), "(dict (: (tuple 1 2) a))") << "a comma in the first key";
}

TEST(ParseType, ReadsEveryForm) {
  const auto type = [](const std::string& text) { return dumped("type t = " + text); };
  EXPECT_EQ(type("nat**"), "(type t (list (list nat)))");
  EXPECT_EQ(type("real^3^n"), "(type t (array (array real 3) n))");
  EXPECT_EQ(type("real^(n+1)*"), "(type t (list (array real (+ n 1))))");
  EXPECT_EQ(type("nat # real* # bool"), "(type t (tuple nat (list real) bool))");
  EXPECT_EQ(type("(nat # real)*"), "(type t (list (tuple nat real)))");
  EXPECT_EQ(type("{ x, y: real, b: bool }"), "(type t (record (x real) (y real) (b bool)))");
  EXPECT_EQ(type("set(nat)"), "(type t (set nat))");
  EXPECT_EQ(type("dict(nat, string*)"), "(type t (dict nat (list string)))");
  EXPECT_EQ(type("real -> real -> bool"), "(type t (func (real) (func (real) bool)))");
  EXPECT_EQ(type("(nat, int) -> void"), "(type t (func (nat int) void))");
  EXPECT_EQ(type("() -> nat"), "(type t (func () nat))");
  EXPECT_EQ(type("nat # nat -> bool"), "(type t (func ((tuple nat nat)) bool))");
  EXPECT_EQ(type("-> real"), "(type t (dist real))");
  EXPECT_EQ(type("!nat"), "(type t (! nat))");
  EXPECT_EQ(type("?nat # real^2"), "(type t (? (tuple nat (array real 2))))");
  EXPECT_EQ(type("(-lot)^n"), "(type t (array (chan lot) n))");
}

TEST(ParseDefinition, ReadsDefinitions) {
  EXPECT_EQ(dumped("type a = nat, b = a*"), "(type a nat)\n(type b (list a))");
  EXPECT_EQ(dumped("const g: real = 9.8, n = 2"), "(const g real 9.8)\n(const n _ 2)");
  EXPECT_EQ(dumped("func f(x, y: real, b: bool) -> real = x + y"),
            "(func f (((x y) real) ((b) bool)) real (+ x y))");
  EXPECT_EQ(dumped("func f() -> nat = |[ i, j: nat := 0 | i := 1; ret i ]|"),
            "(func f () nat (((i j) nat := 0)) ((:= (i) (1)) (ret i)))");
  EXPECT_EQ(dumped("func f() -> nat = |[ ret 1 ]|"), "(func f () nat () ((ret 1)))");
  EXPECT_EQ(dumped("proc P(ref x, y: real, c: !nat) = |[ c!1 ]|"),
            "(proc P ((ref (x y) real) ((c) (! nat))) () () ((! c 1)))");
  EXPECT_EQ(dumped("proc P = |[ skip ]|"), "(proc P () () () (skip))");
  EXPECT_EQ(dumped("proc P = | [ skip ] |"), "(proc P () () () (skip))");
}

TEST(ParseDefinition, TellsSystemDeclarationsFromLabels) {
  EXPECT_EQ(dumped("sys S = |[ a: A ]|"), "(sys S () () ((inst A label=a)))");
  EXPECT_EQ(dumped("syst S = |[ a: A || B(1) ]|"), "(sys S () () ((inst A label=a) (inst B 1)))");
  EXPECT_EQ(dumped("clus S = |[ a: A | b: A(a) ]|"), "(sys S () (((a) A)) ((inst A label=b a)))");
  EXPECT_EQ(dumped("xper = |[ c: -void | A(c) ]|"), "(xper _ () (((c) (chan void))) ((inst A c)))");
  EXPECT_EQ(dumped("xper X(n: nat) = |[ A() ]|"), "(xper X (((n) nat)) () ((inst A)))");
}

TEST(ParseDefinition, ReadsInstances) {
  EXPECT_EQ(dumped("sys S = |[ A(x)@1 || i: nat <- 0..n-1: B(x.i)@(i+1) || (C || D()) ]|"),
            "(sys S () () ((inst A x @1) (inst B (i nat 0 (- n 1)) (. x i) @(+ i 1)) "
            "(group (inst C) (inst D))))");
  EXPECT_EQ(dumped("sys S = |[ i: nat <- 0..1: j: nat <- 0..2: b: B(i, j) ]|"),
            "(sys S () () ((group (i nat 0 1) (inst B label=b (j nat 0 2) i j))))");
  EXPECT_EQ(dumped("sys S = |[ i: nat <- 0..1: ( A(i) || B(i) ) ]|"),
            "(sys S () () ((group (i nat 0 1) (inst A i) (inst B i))))");
}

TEST(ParseSection, IsRecognisedByContent) {
  EXPECT_EQ(body("x: real"), "(((x) real)) () ()");
  EXPECT_EQ(body("x: real in 0.0..1.0 := 0.5"), "(((x) real in 0.0 1.0 := 0.5)) () ()");
  EXPECT_EQ(body("x: real = 0.5"), "(((x) real := 0.5)) () ()");
  EXPECT_EQ(body("x' = 1"), "() ((= x' 1)) ()");
  EXPECT_EQ(body("x <- 1"), "() ((<- x 1)) ()");
  EXPECT_EQ(body("|x|"), "() ((unknown x)) ()");
  EXPECT_EQ(body("x := 1"), "() () ((:= (x) (1)))");
  EXPECT_EQ(body("x, y := 1, 2"), "() () ((:= (x y) (1 2)))");
  EXPECT_EQ(body("c!"), "() () ((! c _))");
  EXPECT_EQ(body("c.i?x"), "() () ((? (. c i) x))");
  EXPECT_EQ(body("!1, x"), "() () ((print 1 x))");
  EXPECT_EQ(body("[ b -> x = 1 ]"), "() ((guarded (-> b (= x 1)))) ()");
  EXPECT_EQ(body("[ b -> x := 1 ]"), "() () ((select (-> b do (:= (x) (1)))))");
  EXPECT_EQ(body("[ b -> [ c -> |x|, x = 1 ] ]"),
            "() ((guarded (-> b (guarded (-> c (unknown x) (= x 1)))))) ()");
  EXPECT_EQ(body("[ x = 1 -> skip ]"), "() () ((select (-> (= x 1) do skip)))");
  EXPECT_EQ(body("[ x = 1; c?y -> y := 2 ]"),
            "() () ((select (-> (= x 1) on (? c y) do (:= (y) (2)))))");
  EXPECT_EQ(body("[ b -> 1 | c -> 2 ] = x"), "() ((= (guarded (-> b 1) (-> c 2)) x)) ()");
  EXPECT_EQ(body("[a, b] = [c, d]"), "() ((= (list a b) (list c d))) ()");
  EXPECT_EQ(body("x: real | x' = 1 | x := 2"), "(((x) real)) ((= x' 1)) ((:= (x) (2)))");
  EXPECT_EQ(body("x: real | x := 2"), "(((x) real)) () ((:= (x) (2)))");
  EXPECT_EQ(body("| x' = 1"), "() ((= x' 1)) ()");
  EXPECT_EQ(body("| | x := 1"), "() () ((:= (x) (1)))");
  EXPECT_EQ(body("i: nat <- 0..2: x.i = 1"), "() ((for (i nat 0 2) (= (. x i) 1))) ()");
  EXPECT_EQ(body(""), "() () ()");
}

TEST(ParseSection, ReadsBarsInAllRoles) {
  const std::string both = "(((x) real)) ((unknown x) (= x 1)) ()";
  EXPECT_EQ(body("x: real | |x|, x = 1"), both);
  EXPECT_EQ(body("x: real ||x|, x = 1"), both);
  EXPECT_EQ(body("x: real || x |, x = 1"), both);
  EXPECT_EQ(body("|x|, x = 1 | x := 1"), "() ((unknown x) (= x 1)) ((:= (x) (1)))");
  EXPECT_EQ(body("[ b -> |x|, x = 1 | c -> |y|, y = 1 ]"),
            "() ((guarded (-> b (unknown x) (= x 1)) (-> c (unknown y) (= y 1)))) ()");
  EXPECT_EQ(body("[ b -> | c -> |y| ]"), "() ((guarded (-> b) (-> c (unknown y)))) ()");
}

TEST(ParseEquation, ReadsEveryForm) {
  EXPECT_EQ(body("|u, F|,\n, x' = v,, |v'|, v' = F,"),
            "() ((unknown u F) (= x' v) (unknown v') (= v' F)) ()");
  EXPECT_EQ(body("x.0' <- [ a -> 1 | b -> 2 ]"),
            "() ((<- (. x 0)' (guarded (-> a 1) (-> b 2)))) ()");
  EXPECT_EQ(body("0 = if open then i else u"), "() ((= 0 (if open i u))) ()");
  EXPECT_EQ(body("if open then i else u = 0"), "() ((= (if open i u) 0)) ()");
  EXPECT_EQ(body("x = (a = b)"), "() ((= x (= a b))) ()");
  EXPECT_EQ(body("<x, y> = <1, 2>"), "() ((= (tuple x y) (tuple 1 2))) ()");
  EXPECT_EQ(body("(i: nat <- 0..1: x.i = 1, y.i = 2)"),
            "() ((for (i nat 0 1) (= (. x i) 1) (= (. y i) 2))) ()");
  EXPECT_EQ(body("i: nat <- 0..1: ( x.i = 1, y.i = 2 )"),
            "() ((for (i nat 0 1) (= (. x i) 1) (= (. y i) 2))) ()");
  EXPECT_EQ(body("i: nat <- 0..1: (a + b)*x.i = 1, y = 2"),
            "() ((for (i nat 0 1) (= (* (+ a b) (. x i)) 1)) (= y 2)) ()");
  EXPECT_EQ(body("i: nat <- 0..1: j: nat <- 0..2: x = 1"),
            "() ((for (i nat 0 1) (for (j nat 0 2) (= x 1)))) ()");
  EXPECT_EQ(body("skip; { |v|, impulse |F|, v = 0 }"),
            "() () (skip (instant (unknown v) (impulse F) (= v 0)))");
}

TEST(ParseEquation, ReadsComplementarities) {
  EXPECT_EQ(body("0 <= a complements b >= 0"), "() ((complements (<= 0 a) (<= 0 b))) ()");
  EXPECT_EQ(body("0 <= a ⟂ b >= 0 restitution 1/2"),
            "() ((complements (<= 0 a) (<= 0 b) (/ 1 2))) ()");
  EXPECT_EQ(body("-m*N <= F <= m*N complements v, x = 1"),
            "() ((complements (<= (* (- m) N) F (* m N)) v) (= x 1)) ()");
  EXPECT_EQ(body("e complements 1 >= y >= 0 | y := 1"),
            "() ((complements e (<= 0 y 1))) ((:= (y) (1)))");
  EXPECT_EQ(body("[ b -> i: nat <- 0..1: 0 <= x.i complements -y.i >= 0 ]"),
            "() ((guarded (-> b (for (i nat 0 1) (complements (<= 0 (. x i)) (<= 0 (- (. y "
            "i)))))))) ()");
}

TEST(ParseEquation, ComplementsIsANameElsewhere) {
  EXPECT_EQ(body("complements: real | complements = restitution"),
            "(((complements) real)) ((= complements restitution)) ()");
  EXPECT_EQ(body("restitution := complements(1)"),
            "() () ((:= (restitution) ((call complements 1))))");
}

// `require` and `assert` are words where no name can stand.
TEST(ParseClaim, IsAWordAtItsPlaceOnly) {
  EXPECT_EQ(body("x' = 1, require x < 2, \"far\", y = 1"),
            "() ((= x' 1) (require (< x 2) \"far\") (= y 1)) ()");
  EXPECT_EQ(body("require x = 2"), "() ((require (= x 2) _)) ()");
  EXPECT_EQ(body("require (x < 2)"), "() ((require (< x 2) _)) ()");
  EXPECT_EQ(body("require (x) = 2, \"two\""), "() ((require (= x 2) \"two\")) ()");
  EXPECT_EQ(body("[ b -> require x < 2 | c -> y = 1 ]"),
            "() ((guarded (-> b (require (< x 2) _)) (-> c (= y 1)))) ()");
  EXPECT_EQ(body("i: nat <- 0..1: require x[i] < 2, \"far\""),
            "() ((for (i nat 0 1) (require (< (index x i) 2) \"far\"))) ()");
  EXPECT_EQ(body("x := 1; assert x < 2, \"far\"; skip"),
            "() () ((:= (x) (1)) (assert (< x 2) \"far\") skip)");
  EXPECT_EQ(body("assert not b"), "() () ((assert (not b) _))");
  EXPECT_EQ(body("require' = 1, require = 2, require(x) = 3"),
            "() ((= require' 1) (= require 2) (= (call require x) 3)) ()");
  EXPECT_EQ(body("assert := 1; assert!x; assert[1] := 2").substr(0, 14), "() () ((:= (as");
}

TEST(ParseStatement, ReadsEveryForm) {
  EXPECT_EQ(body("skip; terminate; ret x = 1; delta 1.0; nabla x < 1"),
            "() () (skip terminate (ret (= x 1)) (delta 1.0) (nabla (< x 1)))");
  EXPECT_EQ(body("*[ delta 1; skip ]"), "() () ((forever (delta 1) skip))");
  EXPECT_EQ(body("*[ true -> skip [] b -> a! ]"),
            "() () ((loop (-> true do skip) (-> b do (! a _))))");
  EXPECT_EQ(body("[ true; delta 1 -> skip | b; nabla x > 1 -> skip ]"),
            "() () ((select (-> true on (delta 1) do skip) (-> b on (nabla (> x 1)) do skip)))");
  EXPECT_EQ(body("[ i: nat <- 0..2: b.i; c.i?x -> d!x+1 ]"),
            "() () ((select (-> (i nat 0 2) (. b i) on (? (. c i) x) do (! d (+ x 1)))))");
  EXPECT_EQ(body("xs := ys ++ [] [] b -> skip").substr(0, 4), "1:30");  // a box needs brackets
  EXPECT_EQ(body("[ a -> xs := ys ++ [] [] b -> skip ]"),
            "() () ((select (-> a do (:= (xs) ((++ ys (list))))) (-> b do skip)))");
  EXPECT_EQ(body("c!; d?; x[1], r.f := y, z"),
            "() () ((! c _) (? d _) (:= ((index x 1) (. r f)) (y z)))");
}

TEST(Parse, GivesChildrenSmallerIds) {
  const auto parsed = testing::parse_text("const a = f(1 + 2, [b -> 3 | c -> -4])");
  std::int32_t last = -1;
  for (std::int32_t i = 0; i < parsed.ast.exprs.size(); ++i) {
    const Expr& e = parsed.ast.exprs[ExprId{i}];
    if (const auto* call = std::get_if<Call>(&e.node)) last = call->callee.index;
    if (const auto* binary = std::get_if<Binary>(&e.node)) {
      EXPECT_LT(binary->left.index, i);
      EXPECT_LT(binary->right.index, i);
    }
  }
  EXPECT_GE(last, 0);
}

TEST(Parse, SpansCoverTheText) {
  const auto parsed = testing::parse_text("proc P() = |[ x' = (a + b) * 2 ]|");
  const ProcDef& def = std::get<ProcDef>(parsed.ast.definitions[0].node);
  const Equation& eq = parsed.ast.equations[parsed.ast.list(def.equations)[0]];
  EXPECT_EQ(parsed.source->text(eq.span), "x' = (a + b) * 2");
  const auto& equality = std::get<Equality>(eq.node);
  EXPECT_EQ(parsed.source->text(parsed.ast.exprs[equality.right].span), "(a + b) * 2");
  EXPECT_EQ(parsed.source->text(parsed.ast.exprs[equality.left].span), "x'");
  EXPECT_EQ(parsed.source->text(parsed.ast.definitions[0].span), parsed.source->text());
}

}  // namespace
}  // namespace chi::syntax
