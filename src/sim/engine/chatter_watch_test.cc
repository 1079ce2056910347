#include "sim/engine/chatter_watch.h"

#include <cmath>

#include <gtest/gtest.h>

namespace chi::sim {
namespace {

constexpr auto never = [] { return false; };

/// The limit that these times give, if any of them does.
std::optional<ChatterWatch::Limit> limit_of(const std::vector<double>& times,
                                            bool goes_on = false) {
  ChatterWatch watch;
  for (const double time : times) {
    if (const auto limit = watch.limit({.now = time, .mode = {1}}, goes_on, never)) return limit;
  }
  return std::nullopt;
}

/// The bounces of a ball: distances shrink by `ratio`; they accumulate at 1 / (1 - ratio).
std::vector<double> bounces(double ratio, int count) {
  std::vector<double> times = {0};
  double step = 1;
  for (int i = 0; i < count; ++i, step *= ratio) times.push_back(times.back() + step);
  return times;
}

TEST(ChatterWatch, GeometricSeriesHasALimit) {
  for (const double ratio : {0.3, 0.5, 0.81}) {
    const auto limit = limit_of(bounces(ratio, 500));
    ASSERT_TRUE(limit) << ratio;
    EXPECT_EQ(limit->sign, ChatterWatch::Limit::Sign::Ratio);
    EXPECT_NEAR(limit->time, 1 / (1 - ratio), 1e-6);
    EXPECT_NEAR(limit->ratio, ratio, 1e-3);
  }
}

TEST(ChatterWatch, RunsThatGoOnGetNearerToTheLimit) {
  const std::vector<double> times = bounces(0.5, 500);
  const auto stopped = limit_of(times), went_on = limit_of(times, true);
  ASSERT_TRUE(stopped && went_on);
  EXPECT_LT(went_on->step, 1e-3 * stopped->step);
}

TEST(ChatterWatch, PeriodicEventsHaveNone) {
  std::vector<double> times;
  for (int i = 0; i < 1000; ++i) times.push_back(0.1 * i);
  EXPECT_FALSE(limit_of(times));
}

TEST(ChatterWatch, DistancesThatShrinkAsOneOverNHaveNone) {
  std::vector<double> times = {0};
  for (int i = 1; i < 2000; ++i) times.push_back(times.back() + 1.0 / i);
  EXPECT_FALSE(limit_of(times));
}

TEST(ChatterWatch, RetreatsWithoutAnotherModeDoNotCount) {
  ChatterWatch watch;
  for (const double time : bounces(0.5, 60)) {
    EXPECT_FALSE(watch.limit({.now = time, .mode = {1}, .is_retreat = true}, false, never));
  }
  ChatterWatch others;
  bool has_limit = false;
  std::int64_t mode = 0;
  for (const double time : bounces(0.5, 60)) {
    has_limit = has_limit ||
                others.limit({.now = time, .mode = {++mode}, .is_retreat = true}, false, never);
  }
  EXPECT_TRUE(has_limit);
}

TEST(ChatterWatch, EventsLostInRoundingEndARunThatGoesOn) {
  ChatterWatch watch;
  std::optional<ChatterWatch::Limit> limit;
  for (const double time : bounces(0.5, 60)) {
    limit = watch.limit({.now = time, .mode = {1}}, true, [] { return true; });
    if (limit) break;
  }
  ASSERT_TRUE(limit);
  EXPECT_EQ(limit->sign, ChatterWatch::Limit::Sign::Lost);
}

TEST(ChatterWatch, TooManyEventsWithoutTimeAreCrowded) {
  ChatterWatch watch;
  EXPECT_FALSE(watch.is_crowded(1.0));
  for (int i = 1; i < ChatterWatch::kMostAtOnce; ++i) ASSERT_FALSE(watch.is_crowded(1.0)) << i;
  EXPECT_TRUE(watch.is_crowded(1.0));
  EXPECT_FALSE(watch.is_crowded(1.1));
}

}  // namespace
}  // namespace chi::sim
