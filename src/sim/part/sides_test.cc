#include "sim/part/sides.h"

#include <map>

#include <gtest/gtest.h>

namespace chi::sim {
namespace {

TEST(Sides, StandKeepsItsSide) {
  for (const Side side :
       {Side::Minus, Side::On, Side::Plus, Side::Slide, Side::None, Side::Kink, Side::Rest}) {
    EXPECT_EQ(Stand(side).side(), side);
    EXPECT_TRUE(Stand(side) == side);
  }
  EXPECT_EQ(Stand(), Side::On);
}

TEST(Sides, DependentBorderKnowsLeaderAndDirection) {
  for (const int leader : {0, 1, 127, 128, 100000}) {
    for (const int orientation : {1, -1}) {
      const Stand stand = Stand::follow(leader, orientation);
      EXPECT_EQ(stand, Side::Follow);
      EXPECT_EQ(stand.leader(), leader);
      EXPECT_EQ(stand.orientation(), orientation);
    }
  }
}

TEST(SidesDeathTest, NoBorderFollowsWithoutLeader) {
  EXPECT_DEATH(static_cast<void>(Stand(Side::Follow)), "leader");
  EXPECT_DEATH(static_cast<void>(Stand::follow(-1, 1)), "leader");
  EXPECT_DEATH(static_cast<void>(Stand(Side::Slide).leader()), "leader");
}

// Two modes in which the same border follows different leaders are different modes: a table by
// sides must not confuse them.
TEST(Sides, ModesThatDifferInALeaderAreDifferentKeys) {
  const Sides one = {Side::Slide, Side::Slide, Stand::follow(0, 1)};
  const Sides other = {Side::Slide, Side::Slide, Stand::follow(1, 1)};
  const Sides turned = {Side::Slide, Side::Slide, Stand::follow(0, -1)};
  std::map<Sides, int> table = {{one, 1}, {other, 2}, {turned, 3}};
  EXPECT_EQ(table.size(), 3U);
  EXPECT_EQ(table.at(one), 1);
  EXPECT_EQ(table.at(other), 2);
  EXPECT_EQ(table.at(turned), 3);
}

TEST(Sides, DependentBorderTakesTheSideOfItsLeader) {
  Sides sides = {Side::Slide, Stand::follow(0, 1), Stand::follow(0, -1)};
  EXPECT_EQ(side_of(sides, 1), Side::Follow);
  sides[0] = Side::Plus;
  EXPECT_EQ(side_of(sides, 1), Side::Plus);
  EXPECT_EQ(side_of(sides, 2), Side::Minus);
  sides[0] = Side::Minus;
  EXPECT_EQ(side_of(sides, 1), Side::Minus);
  EXPECT_EQ(side_of(sides, 2), Side::Plus);
  sides[0] = Side::None;
  EXPECT_EQ(side_of(sides, 1), Side::On);
  EXPECT_EQ(side_of(sides, 0), Side::None);
}

}  // namespace
}  // namespace chi::sim
