#include "numerics/mode_problem.h"

#include <gtest/gtest.h>

#include "numerics/mode_problems_testing.h"

namespace chi::numerics {
namespace {

using namespace testing;  // NOLINT

TEST(CompleteLaw, DiodeIsComplete) {
  Problem p({});
  p.diode(var("u"), var("i"));
  const ModeProblem made = p.make();
  ASSERT_EQ(made.laws[0].pieces.size(), 2U);
  EXPECT_EQ(made.laws[0].pieces[0].beyond[0], std::vector{(FacetRef{1, 0})});
}

TEST(CompleteLaw, FrictionGetsThePieceThatSticks) {
  Problem p({});
  p.friction(var("F"), var("v"), num(1));
  const ModeProblem made = p.make();
  ASSERT_EQ(made.laws[0].pieces.size(), 3U);
  const Piece& sticks = made.laws[0].pieces[2];
  EXPECT_EQ(sticks.below, 0);
  EXPECT_EQ(sticks.above, 1);
  EXPECT_EQ(sticks.conditions.size(), 2U);
  for (const Piece& piece : made.laws[0].pieces) {
    for (const auto& beyond : piece.beyond) EXPECT_EQ(beyond.size(), 1U);
  }
}

// The bound of friction is an unknown: either sign of the normal force gives a piece.
TEST(CompleteLaw, GapThatIsAnUnknownGivesTwoSlidingPieces) {
  Problem p({});
  p.friction(var("F"), var("v"), var("N"));
  EXPECT_EQ(p.make().laws[0].pieces.size(), 4U);
}

TEST(CompleteLaw, FacetsThatMeetNothingAreEdges) {
  Problem p({});
  p.law({{{var("a")}, {var("x")}}});
  EXPECT_TRUE(p.make().laws[0].pieces[0].beyond[0].empty());
}

}  // namespace
}  // namespace chi::numerics
