#include "sim/events/event.h"

#include <cmath>

#include <gtest/gtest.h>

namespace chi::sim {
namespace {

constexpr EventKind kLast = EventKind::Passed;

/// The location of a change of sign of f near `at`, and what it is taken for.
template <class F>
SignChange classified(F f, double at, bool implicit, double width) {
  const numerics::Location bracket{.left = at - width,
                                   .right = at + width,
                                   .value_left = f(at - width),
                                   .value_right = f(at + width)};
  const double away = away_from(bracket);
  return classify(bracket, {std::abs(f(bracket.left - away)), std::abs(f(bracket.right + away))},
                  implicit);
}

TEST(EventKind, OnlyEventsOfABorderWakeAndWidenItsBand) {
  for (int k = 0; k <= static_cast<int>(kLast); ++k) {
    const Consequence c = consequence_of(static_cast<EventKind>(k));
    EXPECT_NE(c.of_border, c.settles) << k;  // a border says itself whether it decides the mode
    EXPECT_TRUE(c.of_border || !c.widens_band) << k;
    EXPECT_TRUE(c.of_border || !c.puts_on_border) << k;
    EXPECT_TRUE(c.restarts || !c.is_cold) << k;
    EXPECT_TRUE(c.restarts || !c.settles) << k;
  }
}

TEST(EventKind, ValuesThatJumpOverZeroDoNotWidenTheBand) {
  EXPECT_TRUE(consequence_of(EventKind::Crossing).widens_band);
  EXPECT_TRUE(consequence_of(EventKind::Touch).widens_band);
  EXPECT_FALSE(consequence_of(EventKind::Pole).widens_band);
  EXPECT_FALSE(consequence_of(EventKind::Left).widens_band);
  EXPECT_FALSE(consequence_of(EventKind::Passed).widens_band);
}

TEST(EventKind, OnlyDelaysAndLimitsBringValuesThatMayHaveJumped) {
  for (int k = 0; k <= static_cast<int>(kLast); ++k) {
    const auto kind = static_cast<EventKind>(k);
    EXPECT_EQ(consequence_of(kind).reads_memory,
              kind == EventKind::DelayBreak || kind == EventKind::Limit)
        << k;
  }
}

TEST(EventKind, StepsInVainAreNoEventUnlessTheModeChanges) {
  for (const EventKind kind : {EventKind::Stuck, EventKind::Retreat, EventKind::BranchSwitch}) {
    EXPECT_TRUE(consequence_of(kind).is_retreat);
    EXPECT_TRUE(consequence_of(kind).crowds);
  }
  EXPECT_FALSE(consequence_of(EventKind::Collapsed).is_retreat);
}

TEST(Classify, SmoothCrossingIsARoot) {
  for (const bool implicit : {false, true}) {
    EXPECT_EQ(classified([](double x) { return x - 0.5; }, 0.5, implicit, 1e-16), SignChange::Root);
    EXPECT_EQ(classified([](double x) { return std::tanh(20 * (x - 0.3)); }, 0.3, implicit, 1e-16),
              SignChange::Root);
  }
}

// With wide brackets the distance grows with them: at a fixed one, values inside the bracket would
// be compared with each other, and a plain crossing looked like a branch switch.
TEST(Classify, CrossingStaysARootHoweverWideTheBracket) {
  for (const double width : {1e-16, 1e-12, 1e-9, 1e-6, 1e-4}) {
    EXPECT_EQ(classified([](double x) { return x - 0.5; }, 0.5, true, width), SignChange::Root)
        << width;
  }
}

TEST(Classify, ValuesThatShrinkOnBothSidesAreAPole) {
  for (const bool implicit : {false, true}) {
    EXPECT_EQ(classified([](double x) { return 1 / (x - 0.5); }, 0.5, implicit, 1e-12),
              SignChange::Pole);
  }
}

TEST(Classify, JumpOfAnImplicitFunctionIsABranchSwitch) {
  const auto jump = [](double x) { return x < 0.5 ? 1.0 : -1.0; };
  EXPECT_EQ(classified(jump, 0.5, true, 1e-12), SignChange::BranchSwitch);
  EXPECT_EQ(classified(jump, 0.5, false, 1e-12), SignChange::Root);  // it jumps by itself
}

}  // namespace
}  // namespace chi::sim
