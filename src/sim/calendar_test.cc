#include "sim/calendar.h"

#include <random>
#include <set>
#include <utility>

#include <gtest/gtest.h>

namespace chi::sim {
namespace {

TEST(Calendar, EqualTimesGoByNumber) {
  Calendar calendar;
  calendar.resize(3);
  for (const std::int32_t process : {2, 0, 1}) calendar.insert(1.5, process);
  for (const std::int32_t process : {0, 1, 2}) {
    EXPECT_EQ(calendar.next_process(), process);
    EXPECT_EQ(calendar.next_time(), 1.5);
    calendar.pop();
  }
  EXPECT_TRUE(calendar.empty());
}

TEST(Calendar, ZeroOfEitherSignIsTheSameTime) {
  Calendar calendar;
  calendar.resize(2);
  calendar.insert(-0.0, 1);
  calendar.insert(0.0, 0);
  EXPECT_EQ(calendar.next_process(), 0);
  EXPECT_EQ(calendar.next_time(), 0.0);
}

// Against an ordered set, with many equal times; what is taken out may be anywhere, and right
// behind a `pop`.
TEST(Calendar, AgreesWithAnOrderedSet) {
  std::mt19937_64 random(7);
  for (const std::int32_t processes : {1, 2, 3, 5, 17, 200}) {
    Calendar calendar;
    calendar.resize(processes);
    std::set<std::pair<double, std::int32_t>> expected;
    for (int step = 0; step < 20'000; ++step) {
      const auto process =
          static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(processes));
      if (calendar.contains(process)) {
        const auto entry = std::pair(calendar.time_of(process), process);
        ASSERT_EQ(expected.count(entry), 1U);
        if (random() % 4 == 0) {
          calendar.erase(process);
          expected.erase(entry);
        }
      } else {
        const auto time = static_cast<double>(random() % 50) / 8;
        calendar.insert(time, process);
        expected.emplace(time, process);
      }
      ASSERT_EQ(calendar.size(), static_cast<std::int32_t>(expected.size()));
      if (expected.empty()) continue;
      ASSERT_EQ(std::pair(calendar.next_time(), calendar.next_process()), *expected.begin());
      ASSERT_TRUE(calendar.next_is(expected.begin()->first));
      if (random() % 2 == 0) {
        ASSERT_FALSE(calendar.empty());
        const double time = calendar.next_time();
        calendar.pop();
        expected.erase(expected.begin());
        ASSERT_EQ(calendar.next_is(time), !expected.empty() && expected.begin()->first == time);
        ASSERT_EQ(calendar.empty(), expected.empty());
      }
    }
  }
}

}  // namespace
}  // namespace chi::sim
