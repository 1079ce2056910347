#include "sim/processes/ready_set.h"

#include <iterator>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace chi::sim {
namespace {

TEST(ReadySet, EmptyAndSmall) {
  ReadySet none;
  none.resize(0);
  EXPECT_EQ(none.first(), -1);
  EXPECT_EQ(none.take_first(), -1);
  ReadySet one;
  one.resize(1);
  EXPECT_EQ(one.first(), -1);
  one.insert(0);
  EXPECT_EQ(one.first(), 0);
  EXPECT_EQ(one.count(0, 1), 1);
  one.erase(0);
  EXPECT_EQ(one.first(), -1);
}

// Against std::set, at the sizes where a level is full or one begins.
TEST(ReadySet, AgreesWithASortedSet) {
  std::mt19937_64 random(1);
  for (const std::int32_t size : {1, 2, 63, 64, 65, 4095, 4096, 4097, 300'000}) {
    ReadySet set;
    set.resize(size);
    std::set<std::int32_t> model;
    const auto any = [&] {
      return static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(size));
    };
    for (int round = 0; round < 3000; ++round) {
      const std::int32_t process = any();
      if (!model.contains(process)) {
        set.insert(process);
        model.insert(process);
      } else {
        set.erase(process);
        model.erase(process);
      }
      if (random() % 3 == 0) {
        ASSERT_EQ(set.take_first(), model.empty() ? -1 : *model.begin());
        if (!model.empty()) model.erase(model.begin());
      }
      const std::int32_t asked = any();
      EXPECT_EQ(set.contains(asked), model.contains(asked));
      EXPECT_EQ(set.first(), model.empty() ? -1 : *model.begin());
      const auto next = model.lower_bound(asked);
      if (random() % 2 == 0) continue;  // asking for numbers changes where the members are
      const std::int32_t high =
          asked +
          static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(size - asked + 1));
      const auto count = static_cast<std::int32_t>(std::distance(next, model.lower_bound(high)));
      ASSERT_EQ(set.count(asked, high), count) << size << ": " << asked << " to " << high;
      if (count == 0) continue;
      const auto skip = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(count));
      ASSERT_EQ(set.nth_from(asked, skip), *std::next(next, skip));
    }
  }
}

TEST(ReadySet, KeepsItsMembersWhenItGrows) {
  ReadySet set;
  set.resize(3);
  for (const std::int32_t p : {2, 0, 1}) set.insert(p);
  for (const std::int32_t size : {70, 5000, 300000}) {
    set.grow(size);
    set.insert(size - 1);
  }
  for (const std::int32_t p : {0, 1, 2, 69, 4999, 299999}) EXPECT_EQ(set.take_first(), p);
  EXPECT_EQ(set.take_first(), -1);
}

}  // namespace
}  // namespace chi::sim
