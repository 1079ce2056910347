#include "sim/processes/watch_lists.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace chi::sim {
namespace {

// Against a map from slot to processes. A process watches several slots, or one twice; it leaves
// them all at once.
TEST(WatchLists, AgreesWithAMultimap) {
  constexpr std::int32_t kSlots = 20, kProcesses = 15;
  std::mt19937_64 random(1);
  WatchLists lists;
  lists.resize(kSlots, kProcesses);
  std::map<std::int32_t, std::multiset<std::int32_t>> model;
  for (int round = 0; round < 20'000; ++round) {
    const auto process = static_cast<std::int32_t>(random() % kProcesses);
    if (random() % 4 != 0) {
      const auto slot = static_cast<std::int32_t>(random() % kSlots);
      lists.add(slot, process);
      model[slot].insert(process);
    } else {
      lists.remove_all(process);
      for (auto& [slot, watchers] : model) watchers.erase(process);
      EXPECT_FALSE(lists.any(process));
    }
    const auto slot = static_cast<std::int32_t>(random() % kSlots);
    std::vector<std::int32_t> found;
    lists.watchers(slot, found);
    std::sort(found.begin(), found.end());
    const std::vector<std::int32_t> expected(model[slot].begin(), model[slot].end());
    ASSERT_EQ(found, expected);
    ASSERT_EQ(lists.counts()[static_cast<std::size_t>(slot)],
              static_cast<std::int32_t>(expected.size()));
  }
}

TEST(WatchLists, AppendsToWhatWasFound) {
  WatchLists lists;
  lists.resize(2, 2);
  lists.add(0, 1);
  lists.add(1, 0);
  std::vector<std::int32_t> found;
  lists.watchers(0, found);
  lists.watchers(1, found);
  EXPECT_EQ(found, (std::vector<std::int32_t>{1, 0}));
  EXPECT_TRUE(lists.any(1));
}

}  // namespace
}  // namespace chi::sim
