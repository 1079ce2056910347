#include "sema/evaluate.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sema/arithmetic.h"
#include "sema/model_testing.h"

namespace chi::sema {
namespace {

using testing::Checked;

/// The value of `expr`, as text; or the message of what is wrong with it.
std::string value_of(const std::string& expr, const std::string& definitions = "") {
  const Checked c("const result = " + expr + "\n" + definitions);
  if (c.diagnostics.has_errors()) return c.diagnostics.all()[0].message;
  const DeclId decl = c.decl("result");
  return text(c.model.constant_values.at(decl), c.model, c.model.decls[decl].type);
}

TEST(Evaluate, Integers) {
  EXPECT_EQ(value_of("7 div 2"), "3");
  EXPECT_EQ(value_of("-7 div 2"), "-4");
  EXPECT_EQ(value_of("-7 mod 2"), "1");
  EXPECT_EQ(value_of("7 mod -2"), "-1");
  EXPECT_EQ(value_of("2^62 - 1 + 2^62"), "9223372036854775807");
  EXPECT_EQ(value_of("2^63"), "integer overflow");
  EXPECT_EQ(value_of("9223372036854775807 + 1"), "integer overflow");
  EXPECT_EQ(value_of("3 - 5"), "-2");
  EXPECT_EQ(value_of("(3 - 3) div (2 - 2)"), "division by zero");
  EXPECT_EQ(value_of("0^0"), "1");
}

TEST(Evaluate, Reals) {
  EXPECT_EQ(value_of("1 / 4"), "0.25");
  EXPECT_EQ(value_of("4 / 2"), "2.0");
  EXPECT_EQ(value_of("2^-2"), "0.25");
  EXPECT_EQ(value_of("-2.0^2"), "-4.0");
  EXPECT_EQ(value_of("1.0 / (1 - 1)"), "division by zero");
  EXPECT_EQ(value_of("sqrt(2 - 3)"), "`sqrt` has no value at -1.0");
  EXPECT_EQ(value_of("ln(0)"), "`ln` has no value at 0.0");
  EXPECT_EQ(value_of("(-8.0)^0.5"), "-8^0.5 is not a real number");
  EXPECT_EQ(value_of("sin(pi / 2) + log(100)"), "3.0");
  EXPECT_EQ(value_of("1e300 * 1e10"), "inf");
  EXPECT_EQ(value_of("round(2.5) + floor(-0.5) + ceil(0.5)"), "3");
  EXPECT_EQ(value_of("floor(1e30)"), "integer overflow");
  EXPECT_EQ(value_of("max(1, 2.5) + min([3, 1, 2])"), "3.5");
  EXPECT_EQ(value_of("max(inf - inf, 2.5) + min(1, inf - inf)"), "3.5");
  EXPECT_EQ(value_of("abs(-3) + sign(-2.5)"), "2.0");
}

TEST(Evaluate, Lists) {
  EXPECT_EQ(value_of("[1, 2] ++ [3]"), "[1, 2, 3]");
  EXPECT_EQ(value_of("[1, 2, 1, 3, 1] -- [1, 1, 4]"), "[2, 3, 1]");
  EXPECT_EQ(value_of("hd(tl([1, 2])) + hr(tr([3, 4]))"), "5");
  EXPECT_EQ(value_of("take([1, 2, 3], 2) ++ drop([1, 2, 3], 2) ++ take([1], 5)"), "[1, 2, 3, 1]");
  EXPECT_EQ(value_of("reverse(range(3)) ++ range(5, 2, -1)"), "[2, 1, 0, 5, 4, 3]");
  EXPECT_EQ(value_of("range(5, 2, -1)"), "[5, 4, 3]");
  EXPECT_EQ(value_of("sum([1, 2, 3]) + len([4])"), "7");
  EXPECT_EQ(value_of("hd(tl([1]))"), "`hd` of an empty list");
  EXPECT_EQ(value_of("[1, 2][2]"), "index 2 is out of range: there are 2 elements");
  EXPECT_EQ(value_of("range(1, 2, 0)"), "a range with step 0");
  EXPECT_EQ(value_of("2 in [1, 2] and not (\"c\" in [\"a\"])"), "true");
  EXPECT_EQ(value_of("[[1], [2.5]]"), "[[1.0], [2.5]]");
}

TEST(Evaluate, SetsAndDictionaries) {
  EXPECT_EQ(value_of("({3, 1} + {2, 1}) * {1, 3, 4} - {3}"), "{1}");
  EXPECT_EQ(value_of("size({1, 1, 2}) + pick({5, 3, 4})"), "5");
  EXPECT_EQ(value_of("{2: \"b\", 1: \"a\", 2: \"c\"}"), "{1: \"a\", 2: \"c\"}");
  EXPECT_EQ(value_of("keys({2: true, 1: false})"), "[1, 2]");
  EXPECT_EQ(value_of("values({2: true, 1: false})"), "[false, true]");
  EXPECT_EQ(value_of("{1: 2}[3]"), "the dictionary has no key 3");
  EXPECT_EQ(value_of("1 in {1: 2}"), "true");
}

TEST(Evaluate, OtherValues) {
  EXPECT_EQ(value_of("\"a\" + \"b\" ++ str(1.0) + str([\"c\"])"), "ab1.0[\"c\"]");
  EXPECT_EQ(value_of("<1, true>.0"), "1");
  EXPECT_EQ(value_of("str(a)", "const a: nat^2 = <1, 2>"), "[1, 2]") << "as the run prints it";
  EXPECT_EQ(value_of("0.0 ^ (-1.5)"), "0^-1.5 is not a real number") << "a pole, as in a run";
  EXPECT_EQ(value_of("atanh(1.0)").substr(0, 7), "`atanh`");
  EXPECT_EQ(value_of("{ a = 1, b = \"x\" }"), "{a = 1, b = \"x\"}");  // as the run prints it
  EXPECT_EQ(value_of("{ a = 1, b = 2.5 }.b"), "2.5");
  EXPECT_EQ(value_of("if 1 < 2 then 1 else 2.5"), "1.0") << "of the type of both branches";
  EXPECT_EQ(value_of("[ 1 > 2 -> 1 | 2 > 1 -> 2 ]"), "2");
  EXPECT_EQ(value_of("[ 1 > 2 -> 1 | 2 > 3 -> 2 ]"), "no guard is open");
  EXPECT_EQ(value_of("false and 1 div (1 - 1) = 0"), "false") << "short-circuit";
}

TEST(Evaluate, Functions) {
  EXPECT_EQ(value_of("f(10)", "func f(n: nat) -> nat = if n = 0 then 1 else n * f(n - 1)"),
            "3628800");
  EXPECT_EQ(value_of("f(10)",
                     "func f(n: nat) -> nat = |[ a, b, i: nat := 0 | b := 1; *[ i < n -> a, b := "
                     "b, a + b; i := i + 1 ]; ret a ]|"),
            "55");
  EXPECT_EQ(
      value_of("f(g, 3)",
               "func f(h: nat -> nat, x: nat) -> nat = h(h(x))\nfunc g(x: nat) -> nat = 2 * x"),
      "12");
  EXPECT_EQ(
      value_of("f(2)",
               "func f(n: nat) -> nat* = |[ a: nat^3, d: dict(nat, nat), i: nat | *[ i < 3 -> a.i "
               ":= i * n; d[i mod 2] := a.i; i := i + 1 ]; ret [a.0, a.1, a.2] ++ values(d) ]|"),
      "[0, 2, 4, 4, 2]");
  EXPECT_EQ(value_of("f(2)", "func f(x: nat) -> nat = x - 3"), "-1 is negative and no `nat`");
  EXPECT_EQ(
      value_of("f(5)", "func f(n: nat) -> nat = |[ [ i: nat <- 0..9: i * i > n -> ret i ] ]|"),
      "3");
  EXPECT_EQ(value_of("f(500)", "func f(n: nat) -> nat = if n = 0 then 0 else 1 + f(n - 1)"), "500");
  EXPECT_EQ(value_of("sort([<2, 1.0>, <1, 2.0>, <1, 1.0>], f)",
                     "func f(a, b: nat # real) -> bool = a.0 < b.0"),
            "[<1, 2.0>, <1, 1.0>, <2, 1.0>]");
  EXPECT_EQ(value_of("insert([1, 3], 2, f)", "func f(a, b: nat) -> bool = a < b"), "[1, 2, 3]");
  // Not in order: found by halving, as in a run.
  EXPECT_EQ(value_of("insert([5, 1, 2, 3], 4, f)", "func f(a, b: nat) -> bool = a < b"),
            "[5, 1, 2, 3, 4]");
}

// The stack is limited by the depth of brackets and calls together.
TEST(Evaluate, NestsDeeplyWithoutExhaustingTheStack) {
  EXPECT_EQ(value_of("f(998)", "func f(n: nat) -> nat = if n = 0 then 0 else 1 + f(n - 1)"), "998");
  EXPECT_EQ(value_of("f(998)",
                     "func f(n: nat) -> int = abs(abs(abs(abs(abs(if n = 0 then 0 else "
                     "f(n - 1))))))"),
            "this nests too deeply to evaluate");
}

TEST(Evaluate, GivesUpOnTooMuchWork) {
  EXPECT_EQ(value_of("f(0)", "func f(n: nat) -> nat = f(n + 1)"),
            "this takes more than 1000 nested calls");
  EXPECT_EQ(value_of("f(0)", "func f(n: nat) -> nat = |[ i: nat | *[ true -> i := i + n ] ]|"),
            "this takes more than 10000000 steps to evaluate");
  EXPECT_EQ(
      value_of("f(60)", "func f(n: nat) -> nat* = if n = 0 then [1] else f(n - 1) ++ f(n - 1)"),
      "this takes more than 10000000 steps to evaluate");
  EXPECT_EQ(value_of("len(range(9000000000000))"),
            "this takes more than 10000000 steps to evaluate");
}

TEST(Evaluate, UsesParametersOfTheEnvironment) {
  const Checked c(
      "proc P(n: nat, x: real) = |[ a: real^(2*n), t: real | a' = a, t' = x + n | t := time ]|");
  ASSERT_TRUE(c.codes().empty());
  Environment environment;
  environment[c.decl("n")].data = std::int64_t{3};
  environment[c.decl("x")].data = 0.5;
  Diagnostics d;
  const TypeId real = c.model.types.basic(BasicType::Real);
  const auto sum = evaluate(c.model, c.expr("x + n"), real, environment, d);
  ASSERT_TRUE(sum);
  EXPECT_EQ(std::get<double>(sum->data), 3.5);
  const auto zero = zero_value(c.model, c.model.decls[c.decl("a")].type, environment, d);
  ASSERT_TRUE(zero);
  EXPECT_EQ(std::get<Value::Sequence>(zero->data).size(), 6u);
  EXPECT_FALSE(d.has_errors());
  EXPECT_FALSE(evaluate(c.model, c.expr("time"), real, environment, d));
  EXPECT_FALSE(evaluate(c.model, c.expr("a"), real, environment, d));
  EXPECT_EQ(d.error_count(), 2);
}

TEST(Evaluate, KeepsDistributionsAsDescriptions) {
  const Checked c(
      "proc P(u: -> real) = |[ skip ]|\nsys S() = |[ P(uniform(1, 3)) || P(normal(0, 2)) ]|");
  ASSERT_TRUE(c.codes().empty());
  Diagnostics d;
  const syntax::ExprId e = c.expr("uniform(1, 3)");
  const auto value = evaluate(c.model, e, c.model.type[e], {}, d);
  ASSERT_TRUE(value);
  const auto& u = std::get<Value::Distribution>(value->data);
  EXPECT_EQ(u.kind, DistributionKind::UniformReal) << "reals are wanted";
  EXPECT_EQ(u.arguments, (std::vector<Value::Distribution::Argument>{1.0, 3.0}));
}

/// The value of argument `text` for a parameter of type `type`, or the message that refuses it.
std::string argument_of(const std::string& type, const std::string& text) {
  const Checked c("proc P(u: " + type + ") = |[ skip ]|\nconst k: int = -5\nsys S() = |[ P(" +
                  text + ") ]|");
  EXPECT_TRUE(c.codes().empty()) << text;
  Diagnostics d;
  const syntax::ExprId e = c.expr(text);
  const auto value = evaluate(c.model, e, c.model.type[e], {}, d);
  return value ? sema::text(*value, c.model, c.model.type[e]) : d.all().front().message;
}

TEST(Evaluate, KeepsArgumentsOfDistributionsExact) {
  EXPECT_EQ(argument_of("-> nat", "uniform(9007199254740993, 9223372036854775807)"),
            "uniform(9007199254740993, 9223372036854775807)");
  EXPECT_EQ(argument_of("-> real", "constant(3)"), "constant(3.0)");
  EXPECT_EQ(argument_of("-> bool", "constant(true)"), "constant(true)");
}

TEST(Evaluate, ChecksArgumentsOfDistributions) {
  EXPECT_EQ(argument_of("-> real", "exponential(k)"),
            "the mean of `exponential` must be positive and finite");
  EXPECT_EQ(argument_of("-> real", "uniform(3, 1)"),
            "the bounds of `uniform` must be finite and increasing");
  EXPECT_EQ(argument_of("-> nat", "binomial(k, 0.5)"),
            "the number of trials of `binomial` cannot be negative");
  EXPECT_EQ(argument_of("-> nat", "uniform(k, 0)"), "-5 is negative and no `nat`");
  EXPECT_EQ(argument_of("-> nat", "constant(k)"), "-5 is negative and no `nat`");
  EXPECT_EQ(argument_of("-> int", "uniform(k, 0)"), "uniform(-5, 0)");
}

// Against 128-bit integers, which cannot overflow here.
TEST(Arithmetic, IsExactOrOverflows) {
  std::mt19937_64 rng(7);
  const auto value = [&] {
    const auto bits = static_cast<std::int64_t>(rng());
    return bits >> (rng() % 64);
  };
  __extension__ using Wide = __int128;
  const auto expect = [](std::optional<std::int64_t> result, Wide exact) {
    const bool fits = exact == static_cast<std::int64_t>(exact);
    ASSERT_EQ(result.has_value(), fits);
    if (!fits) return;
    EXPECT_EQ(*result, static_cast<std::int64_t>(exact));
  };
  for (int i = 0; i < 20'000; ++i) {
    const std::int64_t a = value();
    const std::int64_t b = value();
    expect(checked_add(a, b), Wide{a} + b);
    expect(checked_sub(a, b), Wide{a} - b);
    expect(checked_mul(a, b), Wide{a} * b);
    if (b == 0) continue;
    const Wide rest = ((Wide{a} % b) + b) % b;  // of the sign of b
    expect(floor_mod(a, b), rest);
    expect(floor_div(a, b), (Wide{a} - rest) / b);
  }
  for (std::int64_t base = -5; base <= 5; ++base) {
    Wide power = 1;
    for (std::int64_t exponent = 0; exponent < 50; ++exponent, power *= base) {
      expect(checked_pow(base, exponent), power);
    }
  }
  EXPECT_EQ(checked_pow(-1, std::int64_t{1} << 62), 1);
}

TEST(ValueText, RealsReadBackAsReals) {
  EXPECT_EQ(real_text(2.0), "2.0");
  EXPECT_EQ(real_text(0.1), "0.1");
  EXPECT_EQ(real_text(1e20), "1e+20");
  EXPECT_EQ(real_text(-0.0), "-0.0");
  std::mt19937_64 rng(11);
  for (int i = 0; i < 10'000; ++i) {
    const double x = std::bit_cast<double>(rng());
    if (std::isnan(x)) continue;
    const std::string text = real_text(x);
    EXPECT_EQ(std::strtod(text.c_str(), nullptr), x) << text;
    EXPECT_NE(text.find_first_of(".en"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace chi::sema
