#include "numerics/newton_convergence.h"

#include <array>

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

TEST(NewtonConvergence, DoesNotTakeTheRateOfOneVariableForThatOfAnother) {
  NewtonConvergence c;
  EXPECT_EQ(c.judge(0, 2e9, 0.3), Verdict::NotYet);
  EXPECT_EQ(c.judge(1, 400.0, 0.3), Verdict::NotYet);
  EXPECT_EQ(c.judge(2, 0.3, 0.3), Verdict::Converged);
}

TEST(NewtonConvergence, LooksAtTheResidualWhereSlopesMayBeInfinite) {
  NewtonConvergence c;
  const std::array<double, 2> weights{10.0, 1.0};
  const auto judge = [&](int iteration, double norm, double residual) {
    c.look_at(iteration, std::array{residual / 10, residual}, weights);
    return c.judge(iteration, norm, 0.1);
  };
  EXPECT_EQ(judge(0, 1e-12, 50.0), Verdict::NotYet);
  EXPECT_EQ(judge(1, 1e-13, 49.0), Verdict::Diverges);  // corrected, and nothing has changed
  EXPECT_EQ(judge(0, 1e-4, 50.0), Verdict::NotYet);
  EXPECT_EQ(judge(1, 1e-6, 0.5), Verdict::Converged);
  EXPECT_EQ(judge(0, 1e-4, 0.05), Verdict::Converged);  // there is nothing left to correct
  EXPECT_EQ(judge(0, 1e-4, 50.0), Verdict::NotYet);
  EXPECT_EQ(judge(1, 1e-4, -50.0), Verdict::Converged);  // it lies between
  EXPECT_EQ(judge(0, 0.09, 0.15), Verdict::NotYet);
  EXPECT_EQ(judge(1, 0.09, -0.15), Verdict::Diverges);  // a step: no slope is steep there
  EXPECT_EQ(judge(0, 0.2, -50.0), Verdict::NotYet);
  EXPECT_EQ(judge(1, 0.2, 50.0), Verdict::Diverges);
}

TEST(NewtonConvergence, IsDoneWhenNothingIsCorrected) {
  NewtonConvergence c;
  EXPECT_EQ(c.judge(0, 0.0, 0.1), Verdict::Converged);
}

}  // namespace
}  // namespace chi::numerics
