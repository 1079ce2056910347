#include "numerics/newton_convergence.h"

#include <gtest/gtest.h>

namespace chi::numerics {
namespace {

using Verdict = NewtonConvergence::Verdict;

TEST(NewtonConvergence, MeasuresTheRate) {
  NewtonConvergence c;
  EXPECT_EQ(c.judge(0, 1.0, 0.1), Verdict::NotYet);
  EXPECT_EQ(c.judge(1, 0.5, 0.1), Verdict::NotYet);  // rate 0.5: 0.5 remains
  EXPECT_EQ(c.judge(2, 0.04, 0.1), Verdict::Converged);
  EXPECT_EQ(c.judge(0, 0.2, 0.1), Verdict::Converged);  // rate 0.2, known by now
  c.forget();
  EXPECT_EQ(c.judge(0, 0.2, 0.1), Verdict::NotYet);
}

TEST(NewtonConvergence, DoesNotBelieveInPerfection) {
  NewtonConvergence c;
  EXPECT_EQ(c.judge(0, 1.0, 0.1), Verdict::NotYet);
  EXPECT_EQ(c.judge(1, 1e-14, 0.1), Verdict::Converged);  // a linear equation
  EXPECT_EQ(c.judge(0, 0.5, 0.1), Verdict::Converged);
  EXPECT_EQ(c.judge(0, 100.0, 0.1), Verdict::NotYet);
  EXPECT_EQ(c.judge(1, 99.0, 0.1), Verdict::Diverges);
}

TEST(NewtonConvergence, IsDoneWhenNothingIsCorrected) {
  NewtonConvergence c;
  EXPECT_EQ(c.judge(0, 0.0, 0.1), Verdict::Converged);
}

}  // namespace
}  // namespace chi::numerics
