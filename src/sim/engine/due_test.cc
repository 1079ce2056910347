#include "sim/engine/due.h"

#include <gtest/gtest.h>

namespace chi::sim {
namespace {

using numerics::Restart;

/// With nothing left to do, after the first instant.
Due at_rest() {
  Due due;
  due.settled();
  due.restart_after_settling(false);
  due.moved_on();
  return due;
}

TEST(Due, EverythingIsDueAtTheStart) {
  Due due;
  EXPECT_TRUE(due.has_to_settle());
  EXPECT_TRUE(due.was_assigned());
  EXPECT_TRUE(due.has_to_restart());
  EXPECT_EQ(due.restart(), Restart::Cold);
}

TEST(Due, NothingIsDueOnceAllIsServed) {
  const Due due = at_rest();
  EXPECT_FALSE(due.has_to_settle());
  EXPECT_FALSE(due.has_to_search());
  EXPECT_FALSE(due.has_to_restart());
}

TEST(Due, RequestsNeverTakeBackLargerOnes) {
  Due due = at_rest();
  due.request(Due::Values::Assigned);
  due.request(Due::Values::Event);
  EXPECT_TRUE(due.was_assigned());
  due.request(Due::Motion::Restart);
  due.request(Due::Motion::Search);
  EXPECT_TRUE(due.has_to_restart());
}

TEST(Due, SettlingAsksForASearchAndLeavesRestartsDue) {
  Due due = at_rest();
  due.request(Due::Values::Event);
  due.settled();
  EXPECT_FALSE(due.has_to_settle());
  EXPECT_TRUE(due.has_to_search());
  EXPECT_FALSE(due.has_to_restart());
  due.request(Due::Motion::Restart);
  due.request(Due::Values::Event);
  due.settled();
  EXPECT_TRUE(due.has_to_restart());
}

TEST(Due, ColdRestartStaysColdUnlessTheEquationsChange) {
  Due due = at_rest();
  due.request_cold_restart();
  due.restart_after_settling(true);
  EXPECT_EQ(due.restart(), Restart::Cold);
  due.restart_after_settling(false);
  EXPECT_EQ(due.restart(), Restart::Again);
  due.moved_on();
  due.restart_after_settling(true);
  EXPECT_EQ(due.restart(), Restart::Warm);
}

TEST(Due, ASearchDoesNotForgetHowToRestart) {
  Due due = at_rest();
  due.request(Due::Motion::Search);
  due.moved_on();
  EXPECT_EQ(due.restart(), Restart::Warm);
  EXPECT_FALSE(due.has_to_search());
}

}  // namespace
}  // namespace chi::sim
