#include "sim/modes/state_monitor.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "sim/algebra/part_testing.h"

namespace chi::sim {
namespace {

using expr::VarRef;
using testing::TestPart;

// `count` pendulums in Cartesian coordinates: x of each is variable 3i, y the next, and the force.
ModeEquations pendulums(TestPart& p, int count) {
  for (int i = 0; i < count; ++i) {
    const int x = 3 * i, y = x + 1, force = x + 2;
    p.equation(p.x(x, 2), p.times(p.x(force), p.x(x)));
    p.equation(p.x(y, 2), p.minus(p.times(p.x(force), p.x(y)), p.number(9.81)));
    p.equation(p.plus(p.times(p.x(x), p.x(x)), p.times(p.x(y), p.x(y))), p.number(1));
    p.system.declared.push_back({force});
  }
  ModeEquations mode;
  mode.system = p.system;
  mode.equations.assign(p.system.rows.size(), -1);
  return mode;
}

class StateMonitorTest : public ::testing::TestWithParam<int> {};

// x^2 + y^2 = 1 differentiated twice is 2 x x'' + 2 y y'' + ...: another choice is y/x times as
// good where x depends on y, and x/y times where y depends on x.
TEST_P(StateMonitorTest, GrowthIsWhatAnExchangeWouldGain) {
  const int count = GetParam();
  TestPart p;
  Plan plan(p.context(), pendulums(p, count), {});
  ASSERT_FALSE(plan.is_singular());
  StateMonitor monitor(p.context(), plan);
  ASSERT_TRUE(monitor.watches());
  const StateVariant& variant = *plan.structural_variant();
  const auto& dummies = variant.choice.dummies;
  double largest = 0, largest_sized = 0;
  for (int i = 0; i < count; ++i) {
    const double angle = 0.3 + 0.9 * i / count;
    p.value(3 * i) = std::cos(angle);
    p.value(3 * i + 1) = std::sin(angle);
    const bool x_depends = std::binary_search(dummies.begin(), dummies.end(), VarRef{{3 * i}, 2});
    const double gain = x_depends ? std::tan(angle) : 1 / std::tan(angle);
    largest = std::max(largest, gain);
    largest_sized = std::max(largest_sized, gain * (x_depends ? 5.0 : 0.2));
  }
  p.frame.resize(static_cast<std::size_t>(p.leaves.size()), 0.0);
  const auto size = [](VarRef v) { return v.var.index % 3 == 1 ? 5.0 : 1.0; };
  const auto growth = monitor.growth(variant, p.frame, size);
  ASSERT_TRUE(growth);
  EXPECT_NEAR(growth->plain, largest, 1e-12 * largest);
  EXPECT_NEAR(growth->sized, largest_sized, 1e-12 * largest_sized);
}

TEST_P(StateMonitorTest, ASingularChoiceIsInfinitelyBad) {
  const int count = GetParam();
  TestPart p;
  Plan plan(p.context(), pendulums(p, count), {});
  StateMonitor monitor(p.context(), plan);
  const StateVariant& variant = *plan.structural_variant();
  const auto& dummies = variant.choice.dummies;
  for (int i = 0; i < count; ++i) {
    const bool x_depends = std::binary_search(dummies.begin(), dummies.end(), VarRef{{3 * i}, 2});
    p.value(3 * i) = i > 0 || !x_depends ? 1 : 0;
    p.value(3 * i + 1) = i > 0 || x_depends ? 1 : 0;
  }
  p.frame.resize(static_cast<std::size_t>(p.leaves.size()), 0.0);
  const auto growth = monitor.growth(variant, p.frame, [](VarRef) { return 1.0; });
  ASSERT_TRUE(growth);
  EXPECT_TRUE(std::isinf(growth->plain));
}

// A crank at constant speed, x' = u, y' = v, and two forces: x'', y'', u', v' are all determined,
// and so are x', y', u, v. Left to choose is x or y.
TEST(StateMonitorLevels, ALowerLevelIsWatchedToo) {
  enum { x, y, u, v, a, b };
  TestPart p;
  p.equation(p.x(x, 1), p.x(u));
  p.equation(p.x(y, 1), p.x(v));
  p.equation(p.x(u, 1), p.minus(p.times(p.x(a), p.x(x)), p.times(p.x(b), p.x(y))));
  p.equation(p.x(v, 1), p.plus(p.times(p.x(a), p.x(y)), p.times(p.x(b), p.x(x))));
  p.equation(p.plus(p.times(p.x(x), p.x(x)), p.times(p.x(y), p.x(y))), p.number(1));
  p.equation(p.minus(p.times(p.x(x), p.x(v)), p.times(p.x(y), p.x(u))), p.number(5));
  p.system.declared = {{y}, {u}, {v}, {a}, {b}};
  ModeEquations mode;
  mode.system = p.system;
  mode.equations.assign(p.system.rows.size(), -1);
  Plan plan(p.context(), mode, {});
  ASSERT_FALSE(plan.is_singular());
  StateMonitor monitor(p.context(), plan);
  ASSERT_TRUE(monitor.watches());
  const StateVariant& variant = *plan.structural_variant();
  ASSERT_EQ(variant.choice.states, (std::vector<VarRef>{{{x}, 0}}));
  const auto growth_at = [&](double angle) {
    p.value(x) = std::cos(angle);
    p.value(y) = std::sin(angle);
    p.frame.resize(static_cast<std::size_t>(p.leaves.size()), 0.0);
    return monitor.growth(variant, p.frame, [](VarRef) { return 1.0; })->plain;
  };
  EXPECT_NEAR(growth_at(1.2), 1 / std::tan(1.2), 1e-12);
  EXPECT_NEAR(growth_at(0.01), 1 / std::tan(0.01), 1e-9);
  EXPECT_TRUE(std::isinf(growth_at(0)));
}

INSTANTIATE_TEST_SUITE_P(DenseAndSparse, StateMonitorTest, ::testing::Values(1, 3, 40));

}  // namespace
}  // namespace chi::sim
