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

TEST(TopParameters, ReadsNames) {
  EXPECT_EQ(top_value("real", "g", "const g = 9.8"), "9.8");
  EXPECT_EQ(top_value("real -> real", "f", "func f(x: real) -> real = 2.0*x"), "f");
}

TEST(TopParameters, ReadsDistributions) {
  const Flattened f =
      flattened("proc P(d: -> real) = |[ skip ]|", {.params = {{"d", "exponential(2)"}}});
  const auto& bound = std::get<BoundValue>(f.block("").bindings[0]);
  const auto& d = std::get<sema::Value::Distribution>(bound.value.data);
  EXPECT_EQ(d.kind, sema::Builtin::Exponential);
  EXPECT_EQ(d.arguments, std::vector{2.0});
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
