#include "flat/top_arguments.h"

#include <gtest/gtest.h>

#include "flat/test_model.h"

namespace chi::flat {
namespace {

using testing::flattened;
using Flattened = testing::TestModel;

std::string top_value(const std::string& type, const std::string& value,
                      const std::string& more = "") {
  const Flattened f =
      flattened(more + "\nproc P(v: " + type + ") = |[ skip ]|", {.params = {{"v", value}}});
  return f.model ? f.value("", 0) : f.codes();
}

TEST(TopParameters, ReadsLiterals) {
  EXPECT_EQ(top_value("nat", "3"), "3");
  EXPECT_EQ(top_value("int", "-3"), "-3");
  EXPECT_EQ(top_value("real", "1.5e-3"), "0.0015");
  EXPECT_EQ(top_value("real", "-2"), "-2.0");
  EXPECT_EQ(top_value("bool", "true"), "true");
  EXPECT_EQ(top_value("string", "\"a b\""), "a b");
}

TEST(TopParameters, ReadsStructures) {
  EXPECT_EQ(top_value("nat*", "[1, 2, 3]"), "[1, 2, 3]");
  EXPECT_EQ(top_value("real^2", "[1, 2.5]"), top_value("real^2", "<1, 2.5>"));
  EXPECT_EQ(top_value("nat # bool", "<1, false>"), "<1, false>");
  EXPECT_EQ(top_value("{ a: nat, b: real }", "{ b = 2.5, a = 1 }"),
            top_value("{ a: nat, b: real }", "{ a = 1, b = 2.5 }"));
  EXPECT_EQ(top_value("set(nat)", "{3, 1, 3}"), "{1, 3}");
}

TEST(TopParameters, ReadsUnits) {
  EXPECT_EQ(top_value("real [bar]", "2.5"), "250000.0");
  EXPECT_EQ(top_value("real [bar]", "2.5 bar"), "250000.0");
  EXPECT_EQ(top_value("real [bar]", "250 [kPa]"), "250000.0");
  EXPECT_EQ(top_value("real [Pa]", "2.5bar"), "250000.0");
  EXPECT_EQ(top_value("real [eV]", "1e3 eV"), top_value("real [eV]", "1000"));
  EXPECT_EQ(top_value("real [degC]", "-5"), "268.15");
  EXPECT_EQ(top_value("real [degC]", "-5 degC"), "268.15");
  EXPECT_EQ(top_value("(real [km/h])*", "[36, 5 [m/s]]"), "[10.0, 5.0]");
  EXPECT_EQ(top_value("{ p: real [bar], n: nat }", "{ p = 1, n = 2 }"), "{p = 100000.0, n = 2}");
  EXPECT_EQ(top_value("real [bar]", "2 m"), "E0015");
  EXPECT_EQ(top_value("real", "2 m"), "E0015");
  EXPECT_EQ(top_value("nat", "2 m"), "E0015");
}

TEST(TopParameters, ReadsUnitsOfDistributions) {
  EXPECT_EQ(top_value("-> real [min]", "exponential(2)"), "exponential(120.0)");
  EXPECT_EQ(top_value("-> real [min]", "normal(2, 1)"), "normal(120.0, 3600.0)");
  EXPECT_EQ(top_value("-> real [min]", "gamma(2, 3 [s])"), "gamma(2.0, 3.0)");
}

TEST(TopParameters, ReadsNames) {
  EXPECT_EQ(top_value("real", "g", "const g = 9.8"), "9.8");
  EXPECT_EQ(top_value("real -> real", "f", "func f(x: real) -> real = 2.0*x"), "f");
}

TEST(TopParameters, ReadsDistributions) {
  const Flattened f =
      flattened("proc P(d: -> real) = |[ skip ]|", {.params = {{"d", "exponential(2)"}}});
  const auto& bound = std::get<BoundValue>(f.block("").bindings[0]);
  const auto& d = std::get<sema::Value::Distribution>(bound.value.data);
  EXPECT_EQ(d.kind, sema::DistributionKind::Exponential);
  EXPECT_EQ(d.arguments, (std::vector<sema::Value::Distribution::Argument>{2.0}));
  EXPECT_EQ(top_value("-> real", "uniform(1, 2)"), "uniform(1.0, 2.0)");
  EXPECT_EQ(top_value("-> real", "erlang(3, 2)"), "erlang(3.0, 2)");
  EXPECT_EQ(top_value("-> nat", "uniform(0, 9223372036854775807)"),
            "uniform(0, 9223372036854775807)");
  EXPECT_EQ(top_value("-> int", "constant(-2)"), "constant(-2)");
  EXPECT_EQ(top_value("-> int", "poisson(2)"), "poisson(2.0)");
  EXPECT_EQ(top_value("-> bool", "constant(true)"), "constant(true)");
  EXPECT_EQ(top_value("-> bool", "bernoulli(0.5)"), "bernoulli(0.5)");
}

TEST(TopParameters, RefusesDistributionsOfAnotherType) {
  for (const char* value : {"poisson(3)", "bernoulli(0.5)", "binomial(5, 0.5)", "erlang(1.0, 2.5)",
                            "constant(true)", "uniform(1)"}) {
    EXPECT_EQ(top_value("-> real", value), "E0015") << value;
  }
  for (const char* value :
       {"exponential(2)", "triangle(1, 2, 3)", "erlang(1.0, 2)", "constant(2.5)", "constant(-2)",
        "uniform(-3, -1)", "uniform(1.0, 2)", "bernoulli(0.5)"}) {
    EXPECT_EQ(top_value("-> nat", value), "E0015") << value;
  }
  for (const char* value : {"uniform(0, 1)", "constant(1)", "poisson(1)", "normal(0, 1)"}) {
    EXPECT_EQ(top_value("-> bool", value), "E0015") << value;
  }
}

TEST(TopParameters, RefusesArgumentsThatMakeNoDistribution) {
  for (const char* value :
       {"exponential(-1)", "uniform(3, 1)", "erlang(2.0, 0)", "normal(0, -1)"}) {
    EXPECT_EQ(top_value("-> real", value), "E0015") << value;
  }
  const Flattened f =
      flattened("proc P(d: -> nat) = |[ skip ]|", {.params = {{"d", "binomial(-5, 0.5)"}}});
  EXPECT_NE(f.first().message.find("number of trials"), std::string::npos) << f.first().message;
}

TEST(TopParameters, WrongValuesAreReported) {
  for (const auto& [type, value] :
       std::vector<std::pair<std::string, std::string>>{{"nat", "-1"},
                                                        {"nat", "1.5"},
                                                        {"bool", "1"},
                                                        {"string", "word"},
                                                        {"real^2", "[1, 2, 3]"},
                                                        {"real", ""},
                                                        {"real", "1, b = 2"},
                                                        {"real", "1 proc Q = |[ skip ]|"},
                                                        {"nat*", "[1, true]"},
                                                        {"real -> real", "sqrt"},
                                                        {"nat # nat", "<1>"}}) {
    EXPECT_EQ(top_value(type, value), "E0015") << type << " " << value;
  }
}

TEST(TopParameters, ReportNamesTheParameter) {
  const Flattened f = flattened("proc P(size: nat) = |[ skip ]|", {.params = {{"size", "1.5"}}});
  EXPECT_NE(f.first().message.find("`size`"), std::string::npos);
}

TEST(TopParameters, AllMissingOnesAreReported) {
  EXPECT_EQ(flattened("proc P(a: nat, b: nat) = |[ skip ]|").codes(), "E0013 E0013");
}

TEST(TopParameters, UnknownAndRepeatedOnesAreReported) {
  EXPECT_EQ(flattened("proc P(a: nat) = |[ skip ]|", {.params = {{"a", "1"}, {"b", "2"}}}).codes(),
            "E0014");
  EXPECT_EQ(flattened("proc P(a: nat) = |[ skip ]|", {.params = {{"a", "1"}, {"a", "2"}}}).codes(),
            "E0017");
}

TEST(TopParameters, LengthMayDependOnAParameter) {
  const Flattened f = flattened("proc P(n: nat, xs: real^n) = |[ skip ]|",
                                {.params = {{"xs", "[1, 2]"}, {"n", "2"}}});
  EXPECT_EQ(f.codes(), "");
  EXPECT_EQ(flattened("proc P(n: nat, xs: real^n) = |[ skip ]|",
                      {.params = {{"xs", "[1, 2]"}, {"n", "3"}}})
                .codes(),
            "E0015");
}

}  // namespace
}  // namespace chi::flat
