#include "code/print_value.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "code/distributions.h"
#include "code/value_testing.h"

namespace chi::code {
namespace {

using testing::Model;
using testing::Variable;
using testing::World;

std::string printed(World& w, sema::TypeId id, const Model& model) {
  const RuntimeType& type = w.runtime.at(id);
  std::string text;
  print_value(w.runtime, type, Variable(w, type, model).slots(), text);
  return text;
}

std::string real_text(double x) {
  std::string text;
  print_real(x, text);
  return text;
}

TEST(PrintValue, WritesRealsSoThatTheyReadBackAsReals) {
  EXPECT_EQ(real_text(2.0), "2.0");
  EXPECT_EQ(real_text(-0.0), "-0.0");
  EXPECT_EQ(real_text(0.1), "0.1");
  EXPECT_EQ(real_text(100000.0), "100000.0");
  EXPECT_EQ(real_text(1e22), "1e+22");
  EXPECT_EQ(real_text(1.5e-7), "1.5e-07");
  EXPECT_EQ(real_text(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(real_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(real_text(std::copysign(std::nan(""), -1.0)), "nan");
  EXPECT_EQ(real_text(-std::numeric_limits<double>::infinity()), "-inf");
  World w;
  for (int i = 0; i < 10'000; ++i) {
    const double x =
        std::ldexp(static_cast<double>(w.random()), static_cast<int>(w.below(2000)) - 1000);
    EXPECT_EQ(std::stod(real_text(x)), x);
  }
}

TEST(PrintValue, WritesEveryKindOfValue) {
  World w;
  const Model one{.i = 1}, two{.i = 2}, half{.r = 0.5}, text{.s = "a\"b\\\n\t"};
  EXPECT_EQ(printed(w, w.types.basic(sema::BasicType::Bool), one), "true");
  EXPECT_EQ(printed(w, w.nat(), two), "2");
  EXPECT_EQ(printed(w, w.string(), text), "a\"b\\\n\t");
  EXPECT_EQ(printed(w, w.types.list(w.nat()), {.parts = {one, two}}), "[1, 2]");
  EXPECT_EQ(printed(w, w.types.list(w.nat()), {}), "[]");
  EXPECT_EQ(printed(w, w.types.list(w.string()), {.parts = {text}}), R"(["a\"b\\\n\t"])");
  EXPECT_EQ(printed(w, w.types.array(w.real(), 2, {}), {.parts = {half, half}}), "[0.5, 0.5]");
  EXPECT_EQ(printed(w, w.tuple({w.nat(), w.real()}), {.parts = {one, half}}), "<1, 0.5>");
  EXPECT_EQ(printed(w, w.types.set(w.nat()), {.parts = {one, two}}), "{1, 2}");
  EXPECT_EQ(printed(w, w.types.dict(w.nat(), w.types.list(w.nat())),
                    {.parts = {{.parts = {one, {.parts = {two}}}}, {.parts = {two, {}}}}}),
            "{1: [2], 2: []}");
  const std::vector<sema::Field> fields = {{w.symbols.intern("a"), w.nat()},
                                           {w.symbols.intern("b"), w.tuple({w.nat(), w.string()})}};
  EXPECT_EQ(printed(w, w.types.record(fields), {.parts = {one, {.parts = {two, {.s = "x"}}}}}),
            "{a = 1, b = <2, \"x\">}");
}

TEST(PrintValue, WritesDistributionsAsTheyAreMade) {
  World w;
  const auto printed_law = [&](DistributionKind kind, std::vector<Slot> arguments,
                               sema::TypeId result) {
    Slot d[6];
    EXPECT_EQ(distribution_make(kind, arguments.data(), d), RunError::None);
    std::string text;
    print_value(w.runtime, w.runtime.at(w.types.dist(result)), d, text);
    return text;
  };
  EXPECT_EQ(printed_law(DistributionKind::Exponential, {real_slot(2)}, w.real()),
            "exponential(2.0)");
  EXPECT_EQ(printed_law(DistributionKind::Erlang, {real_slot(2), int_slot(3)}, w.real()),
            "erlang(2.0, 3)");
  EXPECT_EQ(printed_law(DistributionKind::UniformInt, {int_slot(1), int_slot(7)}, w.nat()),
            "uniform(1, 7)");
  EXPECT_EQ(printed_law(DistributionKind::Constant, {int_slot(3)}, w.nat()), "constant(3)");
}

TEST(PrintValue, BrieflyItEndsSoon) {
  World w;
  const RuntimeType& list = w.runtime.at(w.types.list(w.nat()));
  Model numbers;
  for (int i = 0; i < 1000; ++i) numbers.parts.push_back({.i = i});
  const Variable value(w, list, numbers);
  std::string text = "x = ";
  print_briefly(w.runtime, list, value.slots(), 12, text);
  EXPECT_EQ(text, "x = [0, 1, 2, 3,...");
}

}  // namespace
}  // namespace chi::code
