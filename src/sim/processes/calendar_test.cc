#include "sim/processes/calendar.h"

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <utility>
#include <vector>

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

// A calendar and an ordered set of the same.
class Both {
 public:
  explicit Both(std::int32_t processes) : stays_(static_cast<std::size_t>(processes)) {
    calendar_.resize(processes);
  }
  std::size_t size() const { return expected_.size(); }

  /// Puts the process in, for good or to be withdrawn; or withdraws it one time in four.
  void change(std::int32_t process, double time, std::uint64_t chance) {
    const auto p = static_cast<std::size_t>(process);
    if (stays_[p]) {
      ASSERT_FALSE(calendar_.contains(process));
    } else if (calendar_.contains(process)) {
      const auto entry = std::pair(calendar_.time_of(process), process);
      ASSERT_EQ(expected_.count(entry), 1U);
      if (chance % 4 != 0) return;
      calendar_.erase(process);
      expected_.erase(entry);
    } else {
      stays_[p] = chance % 2 != 0;
      if (stays_[p]) {
        calendar_.insert(time, process);
      } else {
        calendar_.insert_to_withdraw(time, process);
      }
      expected_.emplace(time, process);
    }
  }
  void pop() {
    const double time = calendar_.next_time();
    stays_[static_cast<std::size_t>(calendar_.next_process())] = false;
    calendar_.pop();
    expected_.erase(expected_.begin());
    ASSERT_EQ(calendar_.next_is(time), !expected_.empty() && expected_.begin()->first == time);
    agree();
  }
  /// Takes out the first if it is alone at its time, behind `now` and not to be withdrawn.
  void take_lonely(double now, double end) {
    const auto first = expected_.begin();
    const double time = first->first;
    const bool alone = std::next(first) == expected_.end() || std::next(first)->first != time;
    const bool stays = stays_[static_cast<std::size_t>(first->second)];
    const Calendar::Next next = calendar_.take_lonely(now, end);
    if (alone && stays && time > now && time <= end) {
      ASSERT_EQ(next.process, first->second);
      ASSERT_EQ(next.time, time);
      stays_[static_cast<std::size_t>(next.process)] = false;
      expected_.erase(first);
    } else {
      ASSERT_EQ(next.process, -1);
    }
    agree();
  }
  void agree() const {
    ASSERT_EQ(calendar_.size(), static_cast<std::int32_t>(expected_.size()));
    ASSERT_EQ(calendar_.empty(), expected_.empty());
    if (expected_.empty()) return;
    ASSERT_EQ(std::pair(calendar_.next_time(), calendar_.next_process()), *expected_.begin());
    ASSERT_TRUE(calendar_.next_is(expected_.begin()->first));
    if (calendar_.far() == 0 || calendar_.far() + 2 > expected_.size()) return;
    const std::array<std::int32_t, 8> near = calendar_.near_first();
    const std::int32_t second = std::next(expected_.begin())->second;
    ASSERT_NE(std::find(near.begin(), near.end(), second), near.end());
  }

 private:
  Calendar calendar_;
  std::set<std::pair<double, std::int32_t>> expected_;
  std::vector<bool> stays_;  // came in never to be withdrawn
};

std::int32_t any_of(std::int32_t processes, std::uint64_t random) {
  return static_cast<std::int32_t>(random % static_cast<std::uint64_t>(processes));
}

// With many equal times; what is taken out may be anywhere, and right behind a `pop`.
TEST(Calendar, AgreesWithAnOrderedSet) {
  std::mt19937_64 random(7);
  for (const std::int32_t processes : {1, 2, 3, 5, 17, 200}) {
    Both both(processes);
    for (int step = 0; step < 20'000 && !HasFatalFailure(); ++step) {
      both.change(any_of(processes, random()), static_cast<double>(random() % 50) / 8, random());
      both.agree();
      if (both.size() > 0 && random() % 2 == 0) both.pop();
      if (both.size() > 0 && random() % 4 == 0) {
        const double now = static_cast<double>(random() % 4) / 8;
        both.take_lonely(now, now + static_cast<double>(random() % 50) / 8);
      }
    }
  }
}

// So many that most are far. Time goes on, as in a run; at the end all leave.
TEST(Calendar, VeryManyAgreeWithAnOrderedSet) {
  std::mt19937_64 random(11);
  for (const int different : {1, 3, 100'000}) {
    constexpr std::int32_t kProcesses = 20'000;
    Both both(kProcesses);
    const auto time = [&](int round) {
      const auto step = static_cast<std::uint64_t>(different);
      return round + static_cast<double>(random() % step) / static_cast<double>(step);
    };
    for (std::int32_t p = 0; p < kProcesses; ++p) both.change(p, time(0), random());
    both.agree();
    for (int step = 0; step < 60'000 && !HasFatalFailure(); ++step) {
      both.change(any_of(kProcesses, random()), time(1 + step / 10'000), random());
      if (both.size() > 0 && random() % 3 != 0) both.pop();
      if (both.size() > 0 && random() % 3 == 0) both.take_lonely(0, 1e9);
    }
    while (both.size() > 0 && !HasFatalFailure()) both.pop();
  }
}

TEST(Calendar, KeepsItsEntriesWhenItGrows) {
  Calendar calendar;
  calendar.resize(2);
  calendar.insert(5.0, 0);
  calendar.insert_to_withdraw(4.0, 1);
  std::int32_t next = 2;
  for (const std::int32_t size : {20, 10000, 40000}) {
    calendar.grow(size);
    for (; next < size; ++next) calendar.insert(100.0 + (next * 7919) % 40000, next);
  }
  EXPECT_TRUE(calendar.contains(1));
  double last = 0;
  for (std::int32_t i = 0; i < 40000; ++i) {
    ASSERT_GE(calendar.next_time(), last);
    last = calendar.next_time();
    calendar.pop();
  }
  EXPECT_TRUE(calendar.empty());
}

}  // namespace
}  // namespace chi::sim
