#include "sema/unit_check.h"

#include <gtest/gtest.h>

#include "sema/dimension_terms.h"
#include "sema/model_testing.h"

namespace chi::sema {
namespace {

using testing::Checked;
using units::Base;
using units::Dimension;
using units::Rational;

/// The unit in which people see a variable.
std::string unit_of(const Checked& c, std::string_view name) {
  const units::Unit* unit = c.model.measures.unit(c.model.measures.of(c.decl(name)));
  return unit == nullptr ? "" : unit->text;
}

std::vector<std::string> codes_of(const std::string& text) { return Checked(text).codes(); }

TEST(DimensionTerms, SolveForOneUnknownAtATime) {
  DimensionTerms terms;
  const TermId x = terms.unknown(0), y = terms.unknown(0);
  const TermId m = terms.known(Dimension::of(Base::Metre));
  EXPECT_TRUE(terms.unify(terms.product(x, y, 2), m, {}));  // x y^2 = m
  EXPECT_FALSE(terms.value(x).has_value());
  EXPECT_TRUE(terms.unify(x, terms.power(y, 2), {}));  // x = y^2, so y^4 = m
  EXPECT_EQ(terms.value(y), units::power(Dimension::of(Base::Metre), Rational(1, 4)));
  EXPECT_EQ(terms.value(x), units::power(Dimension::of(Base::Metre), Rational(1, 2)));
  EXPECT_FALSE(terms.unify(x, m, {}));
}

TEST(DimensionTerms, InstancesHaveUnknownsOfTheirOwn) {
  DimensionTerms terms;
  const TermId x = terms.unknown(7), square = terms.power(x, 2);
  for (const Base base : {Base::Metre, Base::Second}) {
    DimensionTerms::Renamed renamed;
    const TermId here = terms.instance(x, 7, 0, renamed);
    const TermId result = terms.instance(square, 7, 0, renamed);
    EXPECT_TRUE(terms.unify(here, terms.known(Dimension::of(base)), {}));
    EXPECT_EQ(terms.value(result), units::power(Dimension::of(base), 2));
  }
  EXPECT_FALSE(terms.value(x).has_value());
}

TEST(Units, AreInferred) {
  const Checked c(
      "const g = 9.81\n"
      "func sq(x: real) -> real = x*x\n"
      "proc P(m: real [kg]) = |[ v: real [km/h], x, E, k: real, T: real [degC], A: real^2"
      "| m*v' = -k*sq(v), x' = v, E = 0.5*m*sq(v) + m*g*x, T' = (20.0 [degC] - T)/10.0 [s]"
      ", A.0 = x*x, A.1 = 0.0 | !E ]|");
  EXPECT_TRUE(c.codes().empty());
  EXPECT_EQ(unit_of(c, "g"), "m/s2");
  EXPECT_EQ(unit_of(c, "v"), "km/h");
  EXPECT_EQ(unit_of(c, "E"), "J");
  EXPECT_EQ(unit_of(c, "k"), "kg/m");
  EXPECT_EQ(unit_of(c, "T"), "degC");
  EXPECT_EQ(unit_of(c, "A"), "m2");
}

TEST(Units, AreNotAskedForWhereThereAreNone) {
  const Checked c("proc P() = |[ x, y: real | x' = time + x, y = sin(x) + x^y ]|");
  EXPECT_TRUE(c.codes().empty());
  EXPECT_TRUE(c.model.measures.empty());
}

TEST(Units, OfProcessesAreThoseOfEachInstance) {
  const std::string gain =
      "proc Gain(ref u, y: real, k: real) = |[ | y = k*u ]|\n"
      "sys S() = |[ a: real [m], b: real [m/s], c: real [N] | ";
  EXPECT_TRUE(codes_of(gain + "Gain(a, b, 2.0 [1/s]) || Gain(b, c, 2.0 [kg/s]) ]|").empty());
  EXPECT_EQ(codes_of(gain + "Gain(a, b, 2.0 [1/s]) || Gain(b, c, 2.0 [s]) ]|"),
            std::vector<std::string>{"E2100"});
}

TEST(Units, OfNodesJoinPotentialsAndFlows) {
  const Checked c(
      "type pin = node { v: real [V], flow i: real [A] }\n"
      "proc R(p, n: pin, R: real) = |[ | p.v - n.v = R*p.i, p.i + n.i = 0 ]|\n"
      "proc G(p: pin) = |[ | p.v = 0 ]|\n"
      "sys S() = |[ a, g: pin | R(a, g, 2.0 [ohm]) || G(g) ]|");
  EXPECT_TRUE(c.codes().empty());
  const Measures& measures = c.model.measures;
  const MeasureId node = measures.of(c.model.definitions[3].locals.front());
  ASSERT_TRUE(measures.unit(measures.part(node, 0)));
  EXPECT_EQ(measures.unit(measures.part(node, 0))->text, "V");
}

TEST(Units, NumbersWithoutAdaptToCoherentOnesOnly) {
  const auto one = [](const std::string& declaration, const std::string& statement) {
    return codes_of("proc P(n: nat) = |[ " + declaration + ", y: real [1] | | " + statement +
                    " ]|");
  };
  EXPECT_TRUE(one("x: real [m]", "x := 2.0; x := x + 3; x := n; y := x/2.0 [m]; !x, y").empty());
  EXPECT_TRUE(one("x: real [bar]", "x := 0.0; x := 2.0*x; x := inf; !x, y").empty());
  const std::vector<std::string> bare{"E2101"};
  EXPECT_EQ(one("x: real [bar]", "x := 2.0; !x, y"), bare);
  EXPECT_EQ(one("x: real [bar]", "x := n; !x, y"), bare);
  EXPECT_EQ(one("x: real [degC]", "x := 0.0; !x, y"), bare);
  EXPECT_TRUE(one("x: real [km/h]", "y := x/x; [ y < 2.0 -> skip ]; !x, y").empty());
  EXPECT_EQ(one("x: real [deg]", "y := x*y; [ x*y < 2.0 -> skip ]; !x, y"), bare);
}

TEST(Units, ThatAreNotCoherentAreKnownInCalls) {
  const auto one = [](const std::string& statement) {
    return codes_of(
        "func add(x, y: real) -> real = x + y\n"
        "func part(x: real) -> real = if x > 2.0 then x else 0.0\n"
        "proc P(p: real [bar], q: real [Pa]) = |[ a: real | | " +
        statement + "; !a, p, q ]|");
  };
  const std::vector<std::string> bare{"E2101"};
  EXPECT_TRUE(one("a := add(q, 2.0); a := part(q); a := add(p, 0.0); a := add(p, p)").empty());
  EXPECT_EQ(one("a := add(p, 2.0)"), bare);
  EXPECT_EQ(one("a := add(2.0, p)"), bare);
  EXPECT_EQ(one("a := part(p)"), bare);
  EXPECT_EQ(one("[ add(p, p) > 2.0 -> skip ]"), bare);
}

TEST(Units, ThatAreNotCoherentMeetDefaultValues) {
  const std::string limit =
      "proc Limit(ref u, y: real, low: real := -1.0, high: real := 1.0) = |[ | y = min(max(u, "
      "low), "
      "high) ]|\n"
      "sys S() = |[ a, b: real [bar], c, d: real [Pa] | Limit(c, d) || ";
  EXPECT_TRUE(codes_of(limit + "Limit(a, b, -1.0 [bar], 1.0 [bar]) ]|").empty());
  EXPECT_EQ(codes_of(limit + "Limit(a, b) ]|"), (std::vector<std::string>{"E2101", "E2101"}));
}

TEST(Units, OfTemperaturesKnowDifferences) {
  const auto one = [](const std::string& statement) {
    return codes_of("proc P(a, b: real [degC], d: real [K]) = |[ x: real [degC], y: real [K] | | " +
                    statement + "; !x, y ]|");
  };
  const std::vector<std::string> offset{"E2104"};
  EXPECT_TRUE(one("x := a + d; y := a - b; x := a - (a - b); x := 0.5*(a + b)").empty());
  EXPECT_TRUE(one("[ a - b > 5.0 [K] and a > 20.0 [degC] -> skip ]").empty());
  EXPECT_EQ(one("x := a - b"), offset);
  EXPECT_EQ(one("[ a - b > 5.0 [degC] -> skip ]"), offset);
  EXPECT_EQ(one("x := a + 5.0 [degC]"), offset);
  EXPECT_EQ(one("x := 2.0*20.0 [degC]"), offset);
}

TEST(Units, OfFilesWithoutAnyAreNotChecked) {
  const SourceFile source("test.chi", "proc P(x: real [m]) = |[ y: real | y = x ]|");
  Diagnostics diagnostics;
  syntax::Ast ast = syntax::parse(syntax::lex(source, diagnostics), diagnostics);
  const SourceFile old("old.chi", "proc Q() = |[ y: real | y = sin(time) ]|");
  ast = syntax::parse(syntax::lex(old, diagnostics), diagnostics, std::move(ast));
  check(std::move(ast), diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
}

TEST(Units, OfAliasesThatDoubleEndSoon) {
  std::string text = "type t0 = real [m] # real";
  for (int k = 1; k < 60; ++k) {
    text +=
        ", t" + std::to_string(k) + " = t" + std::to_string(k - 1) + " # t" + std::to_string(k - 1);
  }
  Checked(text + "\nproc P() = |[ x: t59* | skip ]|");
}

}  // namespace
}  // namespace chi::sema
