#include "numerics/step_control.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "numerics/callable_problem.h"

namespace chi::numerics {
namespace {

TEST(StepControl, NormIsTheWeightedRootMeanSquare) {
  ErrorNorm norm({.relative = 0.1, .absolute_each = {1, 2, 3}}, 3, {});
  const std::vector<double> y{10, -20, 0}, v{2, 4, 3};
  norm.set_reference(y);  // weights 2, 4, 3
  EXPECT_DOUBLE_EQ(norm(v), 1);
  const std::vector<double> z{0, 0, -30};
  norm.set_reference(y, z);  // weights 2, 4, 6
  EXPECT_DOUBLE_EQ(norm(v), std::sqrt((1 + 1 + 0.25) / 3));
  const std::vector<double> bad{0, std::nan(""), 0};
  EXPECT_EQ(norm(bad), std::numeric_limits<double>::infinity());
}

TEST(StepControl, ComponentsThatDoNotCountAreLeftOut) {
  const std::vector<char> counts{1, 0};
  ErrorNorm norm({.relative = 0, .absolute = 1}, 2, counts);
  const std::vector<double> y{0, 0}, v{3, 1e9};
  norm.set_reference(y);
  EXPECT_DOUBLE_EQ(norm(v), 3);
}

TEST(StepControl, SharesTheTolerance) {
  const IntegratorOptions o{.tolerances = {.relative = 1e-6, .absolute_each = {1e-8, 0}}};
  const Tolerances t = step_tolerances(o, 0.1);
  EXPECT_DOUBLE_EQ(t.relative, 1e-7);
  EXPECT_DOUBLE_EQ(t.absolute_each[0], 1e-9);
  EXPECT_GT(t.absolute_each[1], 0);  // so that no weight is infinite
  const Tolerances tight = step_tolerances({.tolerances = {.relative = 1e-13}}, 0.01);
  EXPECT_GT(tight.relative, 1e-14);  // round-off cannot be controlled
  EXPECT_DOUBLE_EQ(step_tolerances({.tolerances = {.relative = 1e-6}, .share = 1}, 0.1).relative,
                   1e-6);
  EXPECT_NEAR(multistep_share(1e-12) / multistep_share(1e-6), 0.1, 1e-3);
}

// The first step of a method of order 5 on y' = -y errs by less than the tolerance but not absurdly
// so.
TEST(StepControl, InitialStepSuitsTheProblem) {
  for (const double scale : {1e-6, 1.0, 1e6}) {
    CallableOde decay(1, [=](double, auto y, auto f) { f[0] = -scale * y[0]; });
    ErrorNorm norm({.relative = 1e-6, .absolute = 1e-9}, 1, {});
    const std::vector<double> y{1.0}, f{-scale};
    std::vector<double> work(1), slope(1);
    norm.set_reference(y);
    const double h = initial_step(norm, 0, y, f, 5, &decay, 1e30, work, slope) * scale;
    EXPECT_LT(std::pow(h, 6) / 720 / 1e-6, 1);
    EXPECT_GT(h, 1e-2);

    CallableOde charging(
        1, [=](double, auto u, auto slope_of_u) { slope_of_u[0] = scale * (1 - u[0]); });
    const std::vector<double> zero{0.0}, rising{scale};
    norm.set_reference(zero);
    const double from_zero =
        initial_step(norm, 0, zero, rising, 5, &charging, 1e30, work, slope) * scale;
    EXPECT_GT(from_zero, 1e-10);
    EXPECT_LT(from_zero, 1e-1);
  }
  ErrorNorm norm({.relative = 1e-6, .absolute = 1e-9}, 1, {});
  CallableOde ramp(1, [](double t, auto, auto f) { f[0] = t; });
  const std::vector<double> rest{0.0};
  std::vector<double> work(1), slope(1);
  norm.set_reference(rest);
  const double from_rest = initial_step(norm, 0, rest, rest, 5, &ramp, 1e30, work, slope);
  EXPECT_GT(from_rest, 0);
  EXPECT_LT(from_rest, 1e-2);
}

// x' = 1e8 from 0 at t = 1 moves by one tolerance in 1e-17: a step has to be told from none.
TEST(StepControl, InitialStepIsNoShorterThanTimeCanTell) {
  ErrorNorm norm({.relative = 1e-6, .absolute = 1e-9}, 1, {});
  CallableOde steep(1, [](double t, auto, auto f) { f[0] = 1e8 * t; });
  const std::vector<double> rest{0.0};
  std::vector<double> work(1), slope(1);
  norm.set_reference(rest);
  for (const double t : {1.0, -3600.0, 1e9}) {
    const std::vector<double> yp{1e8 * t};
    const double h = initial_step(norm, t, rest, yp, 5, &steep, 1e30, work, slope);
    EXPECT_GT(h, 25 * smallest_step(t, 0));
  }
}

// Where nothing moves only the limit tells the unit of time.
TEST(StepControl, InitialStepAtRestIsAPartOfTheWayAhead) {
  ErrorNorm norm({.relative = 1e-6, .absolute = 1e-9}, 1, {});
  const std::vector<double> rest{0.0};
  norm.set_reference(rest);
  const double short_way = initial_step(norm, 0, rest, rest, 3, nullptr, 1e-12, {}, {});
  EXPECT_LT(short_way, 1e-13);
  EXPECT_EQ(initial_step(norm, 0, rest, rest, 3, nullptr, std::ldexp(1e-12, 60), {}, {}),
            std::ldexp(short_way, 60));
  EXPECT_GT(initial_step(norm, 0, rest, rest, 3, nullptr, HUGE_VAL, {}, {}), 0);
}

TEST(StepControl, SmallestStepFollowsTheResolutionOfTime) {
  EXPECT_GT(1.0 + smallest_step(1.0, 0), 1.0);
  EXPECT_GT(1e9 + smallest_step(1e9, 0), 1e9);
  EXPECT_GT(smallest_step(0, 0), 0);
  EXPECT_GT(smallest_step(0, 1), 1e-16);
  EXPECT_LT(smallest_step(1, 1), 1e-14);
}

}  // namespace
}  // namespace chi::numerics
