#include "sim/jumps/conserved.h"

#include <map>

#include <gtest/gtest.h>

namespace chi::sim {
namespace {

constexpr expr::VarRef kFirst{{0}, 0}, kSecond{{1}, 0}, kThird{{2}, 0};
constexpr expr::VarRef kForce{{7}, 0}, kOther{{8}, 0};

std::string name(expr::VarRef x) { return "v" + std::to_string(x.var.index + 1); }

std::pair<double, double> values(expr::VarRef x) {
  static const std::map<int, std::pair<double, double>> all = {
      {0, {4, 1}}, {1, {0, 2}}, {2, {0, 0.75}}};
  return all.at(x.var.index);
}

TEST(Conserved, TwoBodies) {
  const std::vector<IntegratedRow> rows = {{{{kFirst, 2, false}, {kForce, -1, true}}},
                                           {{{kSecond, 3, false}, {kForce, 1, true}}}};
  const auto sums = conserved_sums(rows, values);
  ASSERT_EQ(sums.size(), 1u);
  EXPECT_EQ(sums[0].text(name), "2 * v1 + 3 * v2");
  EXPECT_DOUBLE_EQ(sums[0].before, 8);
  EXPECT_DOUBLE_EQ(sums[0].after, 8);
}

TEST(Conserved, ThreeBodiesInARow) {
  const std::vector<IntegratedRow> rows = {
      {{{kFirst, 1, false}, {kForce, -1, true}}},
      {{{kSecond, 1, false}, {kForce, 1, true}, {kOther, -1, true}}},
      {{{kThird, -2, false}, {kOther, -1, true}}}};
  const auto sums = conserved_sums(rows, values);
  ASSERT_EQ(sums.size(), 1u);
  EXPECT_EQ(sums[0].text(name), "v1 + v2 + 2 * v3");
}

TEST(Conserved, WhatAWallTakesIsNotConserved) {
  const std::vector<IntegratedRow> rows = {{{{kFirst, 2, false}, {kForce, -1, true}}}};
  EXPECT_TRUE(conserved_sums(rows, values).empty());
}

TEST(Conserved, OnlyWhatJumpsCounts) {
  const auto at_rest = [](expr::VarRef) { return std::pair(1.0, 1.0); };
  const std::vector<IntegratedRow> rows = {{{{kFirst, 1, false}, {kSecond, -1, false}}}};
  EXPECT_TRUE(conserved_sums(rows, at_rest).empty());
}

}  // namespace
}  // namespace chi::sim
