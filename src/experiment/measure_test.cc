#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "experiment/subject.h"

namespace chi::experiment {
namespace {

/// The measures of one run of a model.
std::vector<double> measured(const char* model, double end, const std::vector<std::string>& texts,
                             double rtol = 1e-9, double warmup = 0) {
  const SourceFile source("model.chi", model);
  Diagnostics diagnostics;
  const auto subject = Subject::check(source, diagnostics);
  EXPECT_TRUE(subject);
  Setting setting{.warmup = warmup};
  setting.run.end = end;
  setting.run.rtol = rtol;
  setting.run.atol = 1e-12;
  for (const std::string& text : texts) setting.measures.push_back(measure_of(text));
  Worker worker(*subject, setting);
  EXPECT_TRUE(worker.try_out({}, diagnostics))
      << (diagnostics.all().empty() ? "" : diagnostics.all().front().message);
  const RunResult result = worker.run({});
  EXPECT_EQ(result.problem, "");
  return result.measures;
}

std::string refusal(const char* measure) {
  const SourceFile source("model.chi", "proc P() = |[ x: real, b: bool | x' = 1 ]|");
  Diagnostics diagnostics;
  const auto subject = Subject::check(source, diagnostics);
  Setting setting{.measures = {measure_of(measure)}};
  setting.run.end = 1;
  EXPECT_FALSE(Worker(*subject, setting).try_out({}, diagnostics)) << measure;
  return diagnostics.all().empty()
             ? ""
             : diagnostics.all().back().message + diagnostics.all().back().help;
}

const char* const kSine = "proc P() = |[ x: real := 0.0, v: real := 1.0 | x' = v, v' = -x ]|";
constexpr double kPi = std::numbers::pi;

// x = sin t over 0..10. The peaks lie inside of steps, where nothing is sampled.
TEST(Measure, LocatesExtremesBetweenSteps) {
  const auto m = measured(kSine, 10, {"max(x)", "min(x)", "max(x) - min(x)", "max(x^2)"});
  EXPECT_NEAR(m[0], 1, 1e-8);
  EXPECT_NEAR(m[1], -1, 1e-8);
  EXPECT_NEAR(m[2], 2, 2e-8);
  EXPECT_NEAR(m[3], 1, 2e-8);
}

TEST(Measure, TakesValuesAtTimes) {
  const auto m = measured(kSine, 10, {"x(end)", "x(3.5)", "x(0)", "v(end)^2 + x(end)^2", "end"});
  EXPECT_NEAR(m[0], std::sin(10), 1e-7);
  EXPECT_NEAR(m[1], std::sin(3.5), 1e-7);
  EXPECT_EQ(m[2], 0);
  EXPECT_NEAR(m[3], 1, 1e-7);
  EXPECT_EQ(m[4], 10);
}

// Integrals of sin t and its square; |sin t| has a kink at every multiple of π, and is above 1/2
// for two thirds of the time.
TEST(Measure, IntegratesBetweenSteps) {
  const auto m = measured(kSine, 4 * kPi,
                          {"integral(x)", "rms(x)", "integral(abs(x))", "mean(abs(x) > 0.5)",
                           "mean(if x > 0 then x else 0)"});
  EXPECT_NEAR(m[0], 0, 1e-7);
  EXPECT_NEAR(m[1], std::sqrt(0.5), 1e-7);
  EXPECT_NEAR(m[2], 8, 1e-6);
  EXPECT_NEAR(m[3], 2.0 / 3, 1e-6);
  EXPECT_NEAR(m[4], 1 / kPi, 1e-6);
}

TEST(Measure, FindsWhenConditionsHold) {
  const auto m = measured(kSine, 4 * kPi,
                          {"first(x > 0.5)", "count(x > 0.5)", "first(x > 2)", "first(x < 0)",
                           "count(x > 0.5 and v < 0)", "first(x > 0.9999 and time > 5)"});
  EXPECT_NEAR(m[0], kPi / 6, 1e-7);
  EXPECT_EQ(m[1], 2);
  EXPECT_TRUE(std::isnan(m[2]));
  EXPECT_NEAR(m[3], kPi, 1e-7);
  EXPECT_EQ(m[4], 2);
  EXPECT_NEAR(m[5], 2 * kPi + std::asin(0.9999), 1e-5);
}

// x = 1 - exp(-t): within 2 % of its last value, of the way from the first, since ln 50.
TEST(Measure, TellsSettling) {
  const char* const lag = "proc P() = |[ x: real := 0.0 | x' = 1 - x ]|";
  const auto m = measured(lag, 30, {"settle(x, 2%)", "settle(x, 0.1)", "settle(x, 5)"});
  EXPECT_NEAR(m[0], std::log(50), 1e-5);
  EXPECT_NEAR(m[1], std::log(10), 1e-5);
  EXPECT_EQ(m[2], 0);
}

// n counts 0, 1, 2, ... for one time unit each; jumps are seen on both sides.
TEST(Measure, SeesModelsWithoutEquations) {
  const char* const steps =
      "proc P() = |[ n: nat, b: bool | *[ n < 4 -> delta 1.0; n := n + 1; b := not b ]; "
      "delta 1.0; terminate ]|";
  const auto m = measured(steps, INFINITY,
                          {"mean(n)", "max(n)", "n(2.5)", "n(2)", "count(b)", "first(n = 3)",
                           "integral(time)", "mean(b)"});
  EXPECT_NEAR(m[0], 2, 1e-12);
  EXPECT_EQ(m[1], 4);
  EXPECT_EQ(m[2], 2);
  EXPECT_EQ(m[3], 2);
  EXPECT_EQ(m[4], 2);
  EXPECT_EQ(m[5], 3);
  EXPECT_NEAR(m[6], 12.5, 1e-9);
  EXPECT_NEAR(m[7], 0.4, 1e-12);
}

// After one unit of warm-up the mean of t over 1..3 is 2.
TEST(Measure, LeavesTheWarmUpOut) {
  const char* const ramp = "proc P() = |[ x: real | x' = 1 ]|";
  const auto m = measured(ramp, 3, {"mean(x)", "min(x)", "integral(x)"}, 1e-9, 1);
  EXPECT_NEAR(m[0], 2, 1e-9);
  EXPECT_NEAR(m[1], 1, 1e-9);
  EXPECT_NEAR(m[2], 4, 1e-9);
}

// The impact of a ball: before and after it v has two values at one time.
TEST(Measure, SeesBothSidesOfAnEvent) {
  const char* const ball =
      "proc P() = |[ y: real := 1.0, v: real := 0.0 | y' = v, v' = -2.0 "
      "| *[ nabla y <= 0 and v < 0; v := -0.5*v ] ]|";
  const auto m = measured(ball, 1.5, {"min(v)", "max(v)", "count(v > 0)", "first(v > 0)"});
  EXPECT_NEAR(m[0], -2, 1e-7);
  EXPECT_NEAR(m[1], 1, 1e-7);
  EXPECT_EQ(m[2], 1);
  EXPECT_NEAR(m[3], 1, 1e-7);
}

TEST(Measure, RefusesWhatIsNone) {
  EXPECT_NE(refusal("max(y)").find("`y` is no variable"), std::string::npos);
  EXPECT_NE(refusal("x").find("`x` has many values"), std::string::npos);
  EXPECT_NE(refusal("max(x").find("`)` is missing"), std::string::npos);
  EXPECT_NE(refusal("mx(1)").find("there is no `mx`"), std::string::npos);
  EXPECT_NE(refusal("first(x)").find("true or false"), std::string::npos);
  EXPECT_NE(refusal("max(max(x))").find("stands inside"), std::string::npos);
  EXPECT_NE(refusal("x(end) +").find("ends where a value"), std::string::npos);
  EXPECT_NE(refusal("x(end) 2").find("left over"), std::string::npos);
  EXPECT_NE(refusal("settle(x, 0)").find("positive"), std::string::npos);
  EXPECT_NE(refusal("").find("ends where a value"), std::string::npos);
  EXPECT_NE(refusal(std::string(2000, '(').c_str()).find("too deep"), std::string::npos);
}

}  // namespace
}  // namespace chi::experiment
