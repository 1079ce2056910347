#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "run_model.h"

// An interrupt ends a run wherever it is. Here it is not a signal, which comes when it comes, but
// set the moment the model prints a word: what it meets is certain.
namespace chi::conformance {
namespace {

/// Runs `statements` behind a word at which the run is interrupted, at t = 1. Nothing else would
/// end it. The selection hands the word out and lets the process go on at once.
Ran interrupted_in(std::string_view statements, std::string_view definitions = "") {
  return run_model(std::string(definitions) +
                       "proc P() = |[ n, m: nat := 7 | delta 1.0; !\"here\"; [ true; delta 0.0 -> "
                       "skip ]; " +
                       std::string(statements) + " ]|",
                   {.max_actions = std::numeric_limits<std::int64_t>::max() / 2,
                    .record = true,
                    .interrupt = "here"});
}

void expect_kept(const Ran& ran) {
  EXPECT_EQ(ran.report, "");
  EXPECT_TRUE(ran.interrupted);
  EXPECT_EQ(ran.output, "here");
  EXPECT_EQ(ran.time, 1);
  ASSERT_GE(ran.trace.rows(), 2u);
  EXPECT_EQ(ran.trace.times[0], 0);
  EXPECT_EQ(ran.trace.times[1], 1);
  EXPECT_EQ(ran.trace.columns[0][1], 7);
}

TEST(Interrupt, BetweenDelays) { expect_kept(interrupted_in("*[ true -> delta 1.0 ]")); }

TEST(Interrupt, InALoop) { expect_kept(interrupted_in("*[ true -> n := 8 - n ]")); }

TEST(Interrupt, InNestedLoops) {
  expect_kept(
      interrupted_in("*[ true -> n := 8 - n; m := 0; *[ m < 1000 -> m := m + 1 ]; delta 0.0 ]"));
}

TEST(Interrupt, InAFunction) {
  expect_kept(interrupted_in(
      "n := f(3)", "func f(n: nat) -> nat = |[ i: nat | *[ n > 0 -> i := 1 - i ]; ret i ]|\n"));
}

TEST(Interrupt, InARecursion) {
  expect_kept(interrupted_in("n := f(90)",
                             "func f(n: nat) -> nat = if n < 2 then n else f(n - 1) + f(n - 2)\n"));
}

// What was printed is handed out while a function computes: else nobody could interrupt it here.
TEST(Interrupt, OutputIsSeenBeforeALongComputation) {
  const Ran ran = run_model(
      "func f(n: nat) -> nat = |[ i: nat | *[ n > 0 -> i := 1 - i ]; ret i ]|\n"
      "proc P() = |[ n: nat | delta 1.0; !\"here\"; n := f(3) ]|",
      {.max_actions = std::numeric_limits<std::int64_t>::max() / 2, .interrupt = "here"});
  EXPECT_TRUE(ran.interrupted);
  EXPECT_EQ(ran.output, "here");
}

}  // namespace
}  // namespace chi::conformance
