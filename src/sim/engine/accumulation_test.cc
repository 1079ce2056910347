#include "sim/engine/accumulation.h"

#include <array>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace chi::sim {
namespace {

/// Events one after the other, until a limit is found.
class Series {
 public:
  explicit Series(int values) : values_(values) {}
  bool add(double time, std::vector<double> values, std::uint64_t kind = 1,
           std::uint64_t memory = 7, bool by_statement = false) {
    ++events_;
    const auto snapshot = [&] { return Accumulation::Snapshot{values, memory, by_statement}; };
    if (watch_.note({time, kind, kind}, snapshot, false)) {
      limit_ = watch_.limit(values_, {1e-6, 1e-9});
    }
    return limit_.has_value();
  }
  int events() const { return events_; }
  const std::optional<Accumulation::Limit>& limit() const { return limit_; }

 private:
  Accumulation watch_;
  int values_;
  std::optional<Accumulation::Limit> limit_;
  int events_ = 0;
};

/// A ball that falls from a height of 1 m and loses 1 - e of its speed in every bounce, drifting
/// with speed 1 sideways: time, values after each bounce.
void bounce(Series& series, double e, int most = 1000, bool counts = false) {
  const double g = 9.81;
  double t = std::sqrt(2 / g), v = e * g * t;
  for (int n = 0; n < most && !series.add(t, {0, v, t}, 1, counts ? static_cast<unsigned>(n) : 7);
       ++n) {
    t += 2 * v / g;
    v *= e;
  }
}

TEST(Accumulation, BouncesOfABall) {
  for (const double e : {0.1, 0.3, 0.5, 0.8, 0.9}) {
    Series series(3);
    bounce(series, e);
    ASSERT_TRUE(series.limit()) << e;
    const double exact = std::sqrt(2 / 9.81) * (1 + e) / (1 - e);
    EXPECT_NEAR(series.limit()->time, exact, 1e-12) << e;
    EXPECT_NEAR(series.limit()->values[0], 0, 1e-12) << e;
    EXPECT_NEAR(series.limit()->values[1], 0, 1e-11) << e;
    EXPECT_NEAR(series.limit()->values[2], exact, 1e-11) << e;
    EXPECT_LE(series.events(), 60) << e;
  }
}

TEST(Accumulation, FloorAndApexAreAPeriodOfTwo) {
  Series series(2);
  const double e = 0.8, g = 9.81;
  double t = 0, v = 1;
  while (!series.limit() && series.events() < 200) {
    series.add(t, {0, v}, 1);
    if (!series.limit()) series.add(t + v / g, {v * v / 2 / g, 0}, 2);
    t += 2 * v / g;
    v *= e;
  }
  ASSERT_TRUE(series.limit());
  EXPECT_EQ(series.limit()->period, 2);
  EXPECT_NEAR(series.limit()->time, 2 / g / (1 - e), 1e-12);
  EXPECT_LE(series.events(), 60);
}

TEST(Accumulation, DistancesThatShrinkAsASumOfPowers) {
  // The time that is left, and a value that bends with it.
  Series series(1);
  const auto left = [](int n) { return std::pow(0.6, n) * (1 + 0.2 * std::pow(0.6, n)); };
  for (int n = 0; n < 100 && !series.limit(); ++n) {
    series.add(2 - left(n), {std::sin(left(n)) + 0.25 * left(n) * left(n)});
  }
  ASSERT_TRUE(series.limit());
  EXPECT_NEAR(series.limit()->time, 2, 1e-9);
  EXPECT_NEAR(series.limit()->values[0], 0, 1e-9);
}

TEST(Accumulation, DistancesThatShrinkAsAPowerOfTheNumber) {
  Series series(1);
  for (int n = 1; n < 500 && !series.limit(); ++n) {
    const double left = 1.0 / (n + 1) / (n + 1);
    series.add(3 - left, {left * left});
  }
  ASSERT_TRUE(series.limit());
  EXPECT_NEAR(series.limit()->time, 3, 1e-7);
}

TEST(Accumulation, WhatCountsTheEventsIsFollowedToTheTolerance) {
  Series counted(3), plain(3);
  bounce(counted, 0.8, 1000, true);
  bounce(plain, 0.8);
  ASSERT_TRUE(counted.limit() && plain.limit());
  EXPECT_GT(counted.events(), plain.events() + 15);
  Series few(3);
  bounce(few, 0.8, 40, true);
  EXPECT_FALSE(few.limit());
}

TEST(Accumulation, ValuesWithoutALimit) {
  Series series(1);
  for (int n = 0; n < 100 && !series.limit(); ++n) {
    const double left = std::pow(0.7, n);
    series.add(1 - left, {std::sin(1 / left)});
  }
  EXPECT_FALSE(series.limit());
}

TEST(Accumulation, RandomSequencesThatAreFinite) {
  std::mt19937 random(25);
  const auto draw = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random);
  };
  int cut = 0;
  for (int model = 0; model < 500; ++model) {
    Series series(1);
    double t = draw(0, 5), step = draw(0.1, 2);
    const double q = draw(0.3, 0.98);
    // Down to which distance the series is geometric, and what comes then.
    const double least = step * std::pow(10, draw(-3.0, -0.5));
    const double drift = draw(0.2, 3), power = draw(0.2, 1.0), begin = draw(0.5, 4);
    const int kind = model % 5;
    for (int n = 1; n < 300; ++n) {
      bool has_limit = false;
      switch (kind) {
        case 0:  // bounces until the speed is below a threshold, then evenly
          has_limit = series.add(t, {step}, 1, 7, true);
          step = std::max(step * q, least);
          break;
        case 1:  // decays towards a rhythm
          has_limit = series.add(t, {step});
          step = least + q * (step - least);
          break;
        case 2:  // a chirp: sin(t^k)
          t = std::pow(n, 1 / (1 + drift)) * begin;
          has_limit = series.add(t, {std::sin(n)});
          continue;
        case 3:  // distances that shrink as a power of the number, and diverge
          has_limit = series.add(t, {1 / static_cast<double>(n)});
          step = begin * std::pow(n, -power);
          break;
        default:  // geometric for some bounces, which nothing but their number ends
          has_limit = series.add(t, {step}, 1, static_cast<unsigned>(n));
          step = step > least ? step * q : begin;
          break;
      }
      cut += has_limit;
      if (has_limit) {
        ADD_FAILURE() << "model " << model << " kind " << kind << " event " << n << " q " << q;
        break;
      }
      t += step;
    }
  }
  EXPECT_EQ(cut, 0);
}

}  // namespace
}  // namespace chi::sim
