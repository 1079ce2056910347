#include "units/unit.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace chi::units {
namespace {

Unit read(std::string_view text) {
  UnitProblem problem;
  const std::optional<Unit> unit = read_unit(text, problem);
  EXPECT_TRUE(unit.has_value()) << text;
  return unit.value_or(Unit{});
}

UnitProblem problem_of(std::string_view text) {
  UnitProblem problem;
  EXPECT_FALSE(read_unit(text, problem).has_value()) << text;
  return problem;
}

std::string dimension_of(std::string_view text) { return unit_text(read(text).dimension); }

TEST(Unit, FactorsAreExactBothWays) {
  EXPECT_EQ(read("km/h").to_si(36), 10);
  EXPECT_EQ(read("km/h").from_si(10), 36);
  EXPECT_EQ(read("bar").to_si(1.5), 150000);
  EXPECT_EQ(read("mm").to_si(5), 0.005);
  EXPECT_EQ(read("min").to_si(10), 600);
  EXPECT_DOUBLE_EQ(read("rpm").to_si(60), 2 * 3.14159265358979323846);
  EXPECT_EQ(read("deg").to_si(180), 3.14159265358979323846);
}

TEST(Unit, TemperaturesHaveAnOffset) {
  EXPECT_EQ(read("degC").to_si(20), 293.15);
  EXPECT_EQ(read("degC").from_si(293.15), 20);
  EXPECT_EQ(read("°C").from_si(read("°C").to_si(25.3)), 25.3);
  EXPECT_NEAR(read("degF").to_si(32), 273.15, 1e-12);
}

TEST(Unit, ProductsQuotientsPowers) {
  for (const char* text : {"kg.m/s2", "kg*m/s^2", "kg m s-2", "kg·m·s⁻²", "kg.m/s**2", "N",
                           "newton", "kg.m per s2", "kg.m/(s.s)"}) {
    EXPECT_EQ(dimension_of(text), "N") << text;
    EXPECT_TRUE(read(text).is_coherent()) << text;
  }
  EXPECT_EQ(dimension_of("W/(m2.K)"), "W/(m2.K)");
  EXPECT_EQ(dimension_of("V/Hz^(1/2)"), "V.s^(1/2)");
  EXPECT_EQ(dimension_of("kg.m2.s-2.mol-1"), "J/mol");
  EXPECT_EQ(dimension_of("1"), "1");
  EXPECT_EQ(read("kW.h").to_si(1), 3.6e6);
  EXPECT_EQ(read("l/min").to_si(60), 0.001);
}

TEST(Unit, NamesPrefixesPlurals) {
  EXPECT_EQ(read("kilometres").to_si(1), 1000);
  EXPECT_EQ(read("Minutes").to_si(1), 60);
  EXPECT_EQ(read("hPa").to_si(1), 100);
  EXPECT_EQ(read("mbar").to_si(1), 100);
  EXPECT_EQ(read("µm").to_si(1), 1e-6);
  EXPECT_EQ(read("kΩ").to_si(1), 1000);
  EXPECT_EQ(read("%").to_si(50), 0.5);
  EXPECT_EQ(read("dam").to_si(1), 10);
}

TEST(Unit, ProblemsNameTheirPlace) {
  EXPECT_EQ(problem_of("kg.parsnip").kind, UnitProblem::Kind::UnknownName);
  EXPECT_EQ(problem_of("kg.parsnip").begin, 3u);
  EXPECT_EQ(problem_of("Kg").suggestion, "kg");
  EXPECT_EQ(problem_of("J/(kg.degC)").kind, UnitProblem::Kind::OffsetInProduct);
  EXPECT_EQ(problem_of("m^").kind, UnitProblem::Kind::Syntax);
  EXPECT_EQ(problem_of("m/").kind, UnitProblem::Kind::Syntax);
  EXPECT_EQ(problem_of("(m").kind, UnitProblem::Kind::Syntax);
  EXPECT_EQ(problem_of("m^9999").kind, UnitProblem::Kind::ExponentTooLarge);
  EXPECT_EQ(problem_of(std::string(5000, '(')).kind, UnitProblem::Kind::Syntax);
}

TEST(Unit, DerivativesArePerSecond) {
  EXPECT_EQ(per_second(read("bar")).text, "bar/s");
  EXPECT_EQ(per_second(read("m")).text, "m/s");
  EXPECT_EQ(per_second(read("degC")).text, "K/s");
  EXPECT_EQ(per_second(read("degC")).from_si(2), 2);
}

TEST(Unit, LooksLikeAUnit) {
  EXPECT_TRUE(looks_like_unit(" m/s "));
  EXPECT_TRUE(looks_like_unit("1"));
  EXPECT_TRUE(looks_like_unit("°C"));
  EXPECT_FALSE(looks_like_unit(""));
  EXPECT_FALSE(looks_like_unit(" "));
  EXPECT_FALSE(looks_like_unit("2"));
  EXPECT_FALSE(looks_like_unit("b -> x := 2"));
  EXPECT_FALSE(looks_like_unit("x, y"));
}

TEST(Dimension, RationalExponents) {
  EXPECT_EQ(Rational(2, 4), Rational(1, 2));
  EXPECT_EQ(Rational(1, -2).text(), "-1/2");
  EXPECT_EQ(as_rational(0.5), Rational(1, 2));
  EXPECT_EQ(as_rational(1.0 / 3), Rational(1, 3));
  EXPECT_FALSE(as_rational(3.14159265).has_value());
  EXPECT_TRUE((Rational(1000000) * Rational(1000000)).overflown());
}

}  // namespace
}  // namespace chi::units
