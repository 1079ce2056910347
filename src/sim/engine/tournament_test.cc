#include "sim/engine/tournament.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace chi::sim {
namespace {

TEST(Tournament, TheEarliestWinsAndOfEqualOnesTheLowestNumber) {
  Tournament race;
  race.resize(5);
  EXPECT_EQ(race.time(), std::numeric_limits<double>::infinity());
  race.set(3, 2.0);
  race.set(1, 2.0);
  race.set(4, 5.0);
  EXPECT_EQ(race.first(), 1u);
  race.set(1, 7.0);
  EXPECT_EQ(race.first(), 3u);
  EXPECT_EQ(race.time(), 2.0);
}

TEST(Tournament, AgreesWithASearchOverAll) {
  std::mt19937 random(7);
  for (const std::size_t size : {1u, 2u, 3u, 17u, 64u, 100u}) {
    Tournament race;
    race.resize(size);
    std::vector<double> times(size, std::numeric_limits<double>::infinity());
    for (int i = 0; i < 1000; ++i) {
      const std::size_t who = random() % size;
      times[who] = static_cast<double>(random() % 50);
      race.set(who, times[who]);
      const auto least = std::min_element(times.begin(), times.end());
      ASSERT_EQ(race.time(), *least);
      ASSERT_EQ(race.first(), static_cast<std::size_t>(least - times.begin()));
    }
  }
}

TEST(Tournament, NobodyRacesInAnEmptyOne) {
  Tournament race;
  race.resize(0);
  EXPECT_EQ(race.time(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace chi::sim
