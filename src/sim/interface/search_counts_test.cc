#include "sim/interface/search_counts.h"

#include <set>

#include <gtest/gtest.h>

namespace chi::sim {
namespace {

TEST(SearchCounts, EveryStrategyHasItsOwnName) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kStrategies; ++i) {
    const std::string_view one = name(static_cast<Strategy>(i));
    EXPECT_FALSE(one.empty()) << i;
    EXPECT_LE(one.size(), 20U) << "does not fit the column of `--stats`: " << one;
    EXPECT_TRUE(names.insert(one).second) << one;
  }
}

TEST(SearchCounts, SumsAreByStrategyAndCountFailures) {
  SearchCounts counts, other;
  counts.note(Strategy::Iteration);
  other.note(Strategy::Iteration);
  other.note(Strategy::OneStep);
  other.failed = 2;
  other.tried = 7;
  counts.add(other);
  EXPECT_EQ(counts.found[static_cast<std::size_t>(Strategy::Iteration)], 2);
  EXPECT_EQ(counts.found[static_cast<std::size_t>(Strategy::OneStep)], 1);
  EXPECT_EQ(counts.tried, 7);
  EXPECT_EQ(counts.searches(), 5);
}

}  // namespace
}  // namespace chi::sim
