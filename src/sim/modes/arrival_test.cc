#include "sim/modes/arrival.h"

#include <gtest/gtest.h>

namespace chi::sim {
namespace {

Arrival two_borders() {
  Arrival arrival;
  arrival.resize(2);
  return arrival;
}

TEST(Arrival, BandIsTwiceTheWorstResidualOfTheInstant) {
  Arrival arrival = two_borders();
  arrival.touch(0, 1.0, 1e-9, false, false);
  arrival.touch(0, 1.0, -3e-9, false, false);
  arrival.touch(0, 1.0, 2e-9, false, false);
  EXPECT_DOUBLE_EQ(arrival.band(0, 1.0), 6e-9);
  EXPECT_EQ(arrival.band(1, 1.0), 0);
}

TEST(Arrival, NothingIsKnownAtOtherTimes) {
  Arrival arrival = two_borders();
  arrival.touch(0, 1.0, 1e-9, true, false);
  arrival.crowd(1.0);
  EXPECT_TRUE(arrival.grazes(0, 1.0));
  EXPECT_TRUE(arrival.is_crowded(1.0));
  EXPECT_EQ(arrival.band(0, 2.0), 0);
  EXPECT_FALSE(arrival.grazes(0, 2.0));
  EXPECT_FALSE(arrival.is_crowded(2.0));
}

TEST(Arrival, EventsOfALaterTimeReplaceAllOthers) {
  Arrival arrival = two_borders();
  arrival.touch(0, 1.0, 1e-9, true, false);
  arrival.crowd(1.0);
  arrival.touch(1, 2.0, 5e-9, false, false);
  EXPECT_EQ(arrival.band(0, 2.0), 0);
  EXPECT_FALSE(arrival.grazes(0, 2.0));
  EXPECT_FALSE(arrival.is_crowded(2.0));
  EXPECT_DOUBLE_EQ(arrival.band(1, 2.0), 1e-8);
}

TEST(Arrival, CrowdsAfterFourTouchesThatHardlyLeftTheBorder) {
  Arrival arrival = two_borders();
  for (int i = 0; i < 3; ++i) {
    arrival.touch(0, i, 0, false, true);
    EXPECT_FALSE(arrival.is_crowded(i));
  }
  arrival.touch(0, 3, 0, false, true);
  EXPECT_TRUE(arrival.is_crowded(3));
}

TEST(Arrival, AMotionThatLeavesTheBorderProperlyDoesNotCrowd) {
  Arrival arrival = two_borders();
  for (int i = 0; i < 20; ++i) {
    arrival.touch(0, i, 0, false, i % 3 != 0);
    arrival.touch(1, i, 0, false, false);
    EXPECT_FALSE(arrival.is_crowded(i)) << i;
  }
}

TEST(Arrival, DeparturesLastUntilTheyAreTakenBack) {
  Arrival arrival = two_borders();
  arrival.set_departs(1, true);
  arrival.touch(0, 1.0, 0, false, false);
  arrival.forget();
  EXPECT_TRUE(arrival.departs(1));
  EXPECT_FALSE(arrival.departs(0));
  arrival.resize(3);
  EXPECT_TRUE(arrival.departs(1));
  EXPECT_FALSE(arrival.departs(2));
  arrival.set_departs(1, false);
  EXPECT_FALSE(arrival.departs(1));
}

}  // namespace
}  // namespace chi::sim
