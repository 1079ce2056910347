#include "sim/processes/waiting_line.h"

#include <vector>

#include <gtest/gtest.h>

namespace chi::sim {
namespace {

std::vector<std::int32_t> in_order(const WaitingLine& line) {
  std::vector<std::int32_t> processes;
  for (std::size_t i = 0; i < line.size(); ++i) processes.push_back(line[i].process);
  return processes;
}

TEST(WaitingLine, LongestFirstThenByText) {
  WaitingLine line;
  line.insert({2.0, 7, 7, 0});
  line.insert({2.0, 3, 3, 0});
  line.insert({1.0, 9, 9, 0});
  line.insert({3.0, 1, 1, 0});
  EXPECT_EQ(in_order(line), (std::vector{9, 3, 7, 1}));
}

TEST(WaitingLine, AProcessStandsInItOnce) {
  WaitingLine line;
  line.insert({1.0, 4, 4, 0});
  line.insert({1.0, 4, 4, 1});
  ASSERT_EQ(line.size(), 1U);
  EXPECT_EQ(line[0].offer, 0);
}

TEST(WaitingLine, LeavesFromAnyPlace) {
  WaitingLine line;
  for (std::int32_t p = 0; p < 6; ++p) line.insert({0.0, p, p, 0});
  line.erase(0);
  line.erase(3);
  line.erase(1);
  line.erase(42);
  EXPECT_EQ(in_order(line), (std::vector{2, 4, 5}));
  line.insert({0.0, 3, 3, 0});
  EXPECT_EQ(in_order(line), (std::vector{2, 3, 4, 5}));
  for (const std::int32_t p : {2, 3, 4, 5}) line.erase(p);
  EXPECT_TRUE(line.empty());
}

}  // namespace
}  // namespace chi::sim
