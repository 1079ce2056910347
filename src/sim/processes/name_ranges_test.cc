#include "sim/processes/name_ranges.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace chi::sim {
namespace {

std::string text(const std::vector<std::string>& names) { return name_ranges(names); }

TEST(NameRanges, OneAfterTheOther) {
  EXPECT_EQ(text({"M"}), "`M`");
  EXPECT_EQ(text({"M", "N"}), "`M`, `N`");
  EXPECT_EQ(text({"M[3]"}), "`M[3]`");
  EXPECT_EQ(text({"M[3]", "M[4]"}), "`M[3..4]`");
  EXPECT_EQ(text({"M[0]", "M[1]", "M[2]", "N[3]", "M[4]"}), "`M[0..2]`, `N[3]`, `M[4]`");
}

TEST(NameRanges, WithGaps) {
  EXPECT_EQ(text({"M[0]", "M[2]", "M[4]", "M[6]"}), "`M[0..6 by 2]`");
  EXPECT_EQ(text({"M[0]", "M[7]"}), "`M[0, 7]`");
  EXPECT_EQ(text({"M[0]", "M[1]", "M[2]", "M[5]", "M[6]", "M[7]"}), "`M[0..2, 5..7]`");
  EXPECT_EQ(text({"M[0]", "M[1]", "M[2]", "M[5]", "M[6]"}), "`M[0..2]`, `M[5..6]`");
  EXPECT_EQ(text({"M[1]", "M[2]", "M[4]", "M[5]", "M[7]", "M[8]", "M[10]", "M[11]"}),
            "`M[1..2, 4..5, ..., 10..11]`");
  EXPECT_EQ(text({"M[5]", "M[4]"}), "`M[5]`, `M[4]`") << "in their order";
}

TEST(NameRanges, OfSystemsInSystems) {
  std::vector<std::string> names;
  for (int i = 0; i < 30; ++i) {
    for (int j = 1; j < 6; j += 2)
      names.push_back("Cell[" + std::to_string(i) + "].M[" + std::to_string(j) + "]");
  }
  EXPECT_EQ(name_ranges(names), "`Cell[0..29].M[1..5 by 2]`");
  names.erase(names.begin() + 10);
  EXPECT_EQ(name_ranges(names),
            "`Cell[0..2].M[1..5 by 2]`, `Cell[3].M[1, 5]`, `Cell[4..29].M[1..5 by 2]`");
  EXPECT_EQ(name_ranges(names, 2), "`Cell[0].M[1]` to `Cell[29].M[5]`");
}

TEST(NameRanges, WhatIsNoIndexStays) {
  EXPECT_EQ(text({"M1", "M2"}), "`M1`, `M2`");
  EXPECT_EQ(text({"a[", "b]", "[x]"}), "`a[`, `b]`, `[x]`");
  EXPECT_EQ(text({"M[99999999999999999999]"}), "`M[99999999999999999999]`");
}

}  // namespace
}  // namespace chi::sim
