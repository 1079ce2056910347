#include "sim/algebra/system_solver.h"

#include <cmath>

#include <gtest/gtest.h>

#include "sim/algebra/isolate.h"
#include "sim/algebra/part_testing.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarRef;
using numerics::SolveStatus;
using testing::make_order;
using testing::TestPart;

std::vector<VarRef> vars(int n) {
  std::vector<VarRef> result;
  for (int i = 0; i < n; ++i) result.push_back({{i}, 0});
  return result;
}

TEST(Isolate, TakesTermsToTheOtherSide) {
  TestPart p;
  const ExprId f = expr::unary(p.pool, expr::Op::Sin, p.x(1));
  EXPECT_EQ(isolate(p.pool, p.minus(p.x(0, 1), f), p.x(0, 1))->value, f);
  EXPECT_EQ(isolate(p.pool, p.minus(f, p.x(0, 1)), p.x(0, 1))->value, f);
  const std::optional<Isolated> scaled =
      isolate(p.pool, p.minus(p.times(2.0, p.x(0)), p.number(6)), p.x(0));
  EXPECT_EQ(scaled->value, p.number(3));
  EXPECT_TRUE(scaled->divisors.empty());
}

TEST(Isolate, NamesWhatItDividesBy) {
  TestPart p;
  const ExprId sum = p.minus(p.x(1), p.x(2));
  const std::optional<Isolated> s =
      isolate(p.pool, p.minus(p.times(p.times(sum, p.x(3)), p.x(0)), p.number(1)), p.x(0));
  ASSERT_TRUE(s.has_value());
  EXPECT_EQ(s->divisors.size(), 2U);
  EXPECT_FALSE(isolate(p.pool, p.minus(p.times(p.x(0), p.x(0)), p.number(4)), p.x(0)));
  EXPECT_FALSE(isolate(p.pool, expr::div(p.pool, p.number(1), p.x(0)), p.x(0)));
}

TEST(Isolate, CollectsLeavesThatOccurTwice) {
  TestPart p;
  const ExprId row = p.minus(p.plus(p.times(2.0, p.x(0)), p.times(p.x(1), p.x(0))), p.number(8));
  const std::optional<Isolated> s = isolate(p.pool, row, p.x(0));
  ASSERT_TRUE(s.has_value());
  EXPECT_EQ(s->divisors.size(), 1U);
}

// x0 = 3, x1 = 2 x0 + t, x2 = x1 x0: one run.
TEST(SystemSolver, MergesAssignments) {
  TestPart p;
  const structure::BlockOrder order =
      make_order({p.minus(p.x(0), p.number(3)),
                  p.minus(p.x(1), p.plus(p.times(2.0, p.x(0)), expr::time(p.pool))),
                  p.minus(p.x(2), p.times(p.x(1), p.x(0)))},
                 vars(3), {1, 1, 1});
  SystemSolver solver(p.context(), order);
  p.time() = 0.5;
  ASSERT_TRUE(solver.solve(p.frame.data(), Effort::Near));
  EXPECT_EQ(p.value(1), 6.5);
  EXPECT_EQ(p.value(2), 19.5);
  EXPECT_EQ(solver.counts().explicit_blocks, 3);
  ASSERT_NE(solver.explicit_run(), nullptr);
  EXPECT_TRUE(solver.guessed().empty());
}

TEST(SystemSolver, SolvesLinearBlocksWhateverTheGuess) {
  TestPart p;
  const structure::BlockOrder order =
      make_order({p.minus(p.plus(p.x(0), p.x(1)), p.number(3)),
                  p.minus(p.minus(p.x(0), p.times(expr::time(p.pool), p.x(1))), p.number(1))},
                 vars(2), {2});
  SystemSolver solver(p.context(), order);
  EXPECT_EQ(solver.counts().linear_blocks, 1);
  p.time() = 1;
  p.value(0) = 1e20;
  ASSERT_TRUE(solver.solve(p.frame.data(), Effort::Near));
  const double first = p.value(0);
  EXPECT_NEAR(first, 2, 1e-15);
  EXPECT_NEAR(p.value(1), 1, 1e-15);
  p.value(0) = -7;
  ASSERT_TRUE(solver.solve(p.frame.data(), Effort::Near));
  EXPECT_EQ(p.value(0), first);
  p.time() = 3;  // other coefficients
  ASSERT_TRUE(solver.solve(p.frame.data(), Effort::Near));
  EXPECT_NEAR(p.value(0), 2.5, 1e-15);
}

TEST(SystemSolver, SolvesNonlinearBlocksBetweenAssignments) {
  TestPart p;
  // x0 = 2; x1² + x2 = x0 + 3, x1 x2 = 2 (near x1 = 2, x2 = 1); x3 = x1 + x2.
  const structure::BlockOrder order = make_order(
      {p.minus(p.x(0), p.number(2)),
       p.minus(p.plus(p.times(p.x(1), p.x(1)), p.x(2)), p.plus(p.x(0), p.number(3))),
       p.minus(p.times(p.x(1), p.x(2)), p.number(2)), p.minus(p.x(3), p.plus(p.x(1), p.x(2)))},
      vars(4), {1, 2, 1});
  SystemSolver solver(p.context(), order);
  p.value(1) = 2.2;
  p.value(2) = 0.8;
  ASSERT_TRUE(solver.solve(p.frame.data(), Effort::Near));
  EXPECT_NEAR(p.value(1), 2, 1e-15);
  EXPECT_NEAR(p.value(3), 3, 1e-15);
  EXPECT_EQ(solver.guessed().size(), 2U);
  EXPECT_GT(solver.iterations(), 0);
}

// 0 = (t - 1) x - b: singular at t = 1, and consistent there if b = 0.
TEST(SystemSolver, WatchesCoefficientsThatVanish) {
  TestPart p;
  const ExprId a = p.minus(expr::time(p.pool), p.number(1));
  const structure::BlockOrder order =
      make_order({p.minus(p.times(a, p.x(0)), p.x(1)), p.minus(p.x(2), p.times(2.0, p.x(0)))},
                 {{{0}, 0}, {{2}, 0}}, {1, 1});
  SystemSolver solver(p.context(), order);
  p.value(1) = 6;
  p.time() = 3;
  ASSERT_TRUE(solver.solve(p.frame.data(), Effort::Near));
  EXPECT_EQ(p.value(0), 3);
  EXPECT_EQ(p.value(2), 6);

  p.time() = 1;
  EXPECT_FALSE(solver.solve(p.frame.data(), Effort::Near));
  EXPECT_EQ(solver.failure().status, SolveStatus::Singular);
  EXPECT_EQ(solver.failure().rows.at(0).row.row, 0);
  EXPECT_EQ(p.value(0), 3);  // the guess stays
  EXPECT_FALSE(solver.solve(p.frame.data(), Effort::Full));

  p.value(1) = 0;
  EXPECT_FALSE(solver.solve(p.frame.data(), Effort::Near));
  p.value(0) = 5;
  ASSERT_TRUE(solver.solve(p.frame.data(), Effort::Full));
  EXPECT_EQ(solver.rank_deficiency(), 1);
  EXPECT_EQ(p.value(0), 5);
  EXPECT_EQ(p.value(2), 10);
}

TEST(SystemSolver, WatchesCoefficientsLostInRounding) {
  TestPart p;
  // (x1 - x2) x0 = 1 with x1 - x2 one ulp: a number, but a meaningless one.
  const structure::BlockOrder order =
      make_order({p.minus(p.times(p.minus(p.x(1), p.x(2)), p.x(0)), p.number(1))}, vars(1), {1});
  SystemSolver solver(p.context(), order);
  p.value(1) = 1 + 0x1p-52;
  p.value(2) = 1;
  EXPECT_FALSE(solver.solve(p.frame.data(), Effort::Near));
  EXPECT_EQ(solver.failure().status, SolveStatus::Singular);
  p.value(1) = 1 + 1e-6;
  EXPECT_TRUE(solver.solve(p.frame.data(), Effort::Near));
}

// i1 = i2 + i3, u = 2 i1 + 3 i2, 3 i2 = 6 i3: code, not matrices.
TEST(SystemSolver, InvertsSmallConstantBlocks) {
  TestPart p;
  enum { i1, i2, i3, u, power };
  const structure::BlockOrder order =
      make_order({p.minus(p.x(i1), p.plus(p.x(i2), p.x(i3))),
                  p.minus(p.x(u), p.plus(p.times(2.0, p.x(i1)), p.times(3.0, p.x(i2)))),
                  p.minus(p.times(3.0, p.x(i2)), p.times(6.0, p.x(i3))),
                  p.minus(p.x(power), p.times(p.x(u), p.x(i1)))},
                 {{{i1}, 0}, {{i2}, 0}, {{i3}, 0}, {{power}, 0}}, {3, 1});
  SystemSolver solver(p.context(), order);
  EXPECT_NE(solver.explicit_run(), nullptr);
  EXPECT_EQ(solver.counts().explicit_blocks, 2);
  p.value(u) = 8;
  ASSERT_TRUE(solver.solve(p.frame.data(), Effort::Near));
  EXPECT_NEAR(p.value(i1), 2, 1e-15);
  EXPECT_NEAR(p.value(i2), 4.0 / 3, 1e-15);
  EXPECT_NEAR(p.value(i3), 2.0 / 3, 1e-15);
  EXPECT_NEAR(p.value(power), 16, 1e-14);
}

TEST(SystemSolver, NamesTheEquationInsideASmallBlock) {
  TestPart p;
  const ExprId root = expr::unary(p.pool, expr::Op::Sqrt, p.x(2));
  const structure::BlockOrder order = make_order(
      {p.minus(p.plus(p.x(0), p.x(1)), p.number(3)), p.minus(p.minus(p.x(0), p.x(1)), root)},
      vars(2), {2});
  SystemSolver solver(p.context(), order);
  EXPECT_NE(solver.explicit_run(), nullptr);
  p.value(2) = -1;
  EXPECT_FALSE(solver.solve(p.frame.data(), Effort::Near));
  ASSERT_EQ(solver.failure().rows.size(), 2U);
  EXPECT_EQ(solver.failure().worst, 1);
  EXPECT_EQ(solver.failure().fault->where, root);
}

TEST(SystemSolver, LeavesAlmostSingularBlocksToLu) {
  TestPart p;
  const structure::BlockOrder order =
      make_order({p.minus(p.plus(p.x(0), p.x(1)), p.number(3)),
                  p.minus(p.plus(p.x(0), p.times(1 + 1e-6, p.x(1))), p.number(3))},
                 vars(2), {2});
  SystemSolver solver(p.context(), order);
  EXPECT_EQ(solver.counts().linear_blocks, 1);
}

TEST(SystemSolver, TellsASingularLinearBlock) {
  TestPart p;
  // Two equations that say the same; inconsistent unless x2 = 4.
  const structure::BlockOrder order =
      make_order({p.minus(p.plus(p.x(0), p.x(1)), p.number(2)),
                  p.minus(p.times(2.0, p.plus(p.x(0), p.x(1))), p.x(2))},
                 vars(2), {2});
  SystemSolver solver(p.context(), order);
  p.value(2) = 5;
  EXPECT_FALSE(solver.solve(p.frame.data(), Effort::Near));
  EXPECT_EQ(solver.failure().status, SolveStatus::Singular);
  EXPECT_FALSE(solver.solve(p.frame.data(), Effort::Full));
  EXPECT_EQ(solver.failure().rows.size(), 2U);
  EXPECT_EQ(solver.failure().singular_rows.size(), 2U);

  p.value(2) = 4;
  p.value(0) = 1.5;
  ASSERT_TRUE(solver.solve(p.frame.data(), Effort::Full));
  EXPECT_EQ(solver.rank_deficiency(), 1);
  EXPECT_NEAR(p.value(0) + p.value(1), 2, 1e-12);
  EXPECT_NEAR(p.value(0) - p.value(1), 1.5, 1e-9);  // the shortest change
}

TEST(SystemSolver, TellsWhereAFormulaHasNoValue) {
  TestPart p;
  const ExprId root = expr::unary(p.pool, expr::Op::Sqrt, p.x(2));
  const structure::BlockOrder order = make_order(
      {p.minus(p.x(0), p.number(1)), p.minus(p.x(1), p.plus(root, p.x(0)))}, vars(2), {1, 1});
  SystemSolver solver(p.context(), order);
  p.value(2) = -1;
  EXPECT_FALSE(solver.solve(p.frame.data(), Effort::Full));
  EXPECT_EQ(solver.failure().status, SolveStatus::Undefined);
  ASSERT_TRUE(solver.failure().fault.has_value());
  EXPECT_EQ(solver.failure().fault->fault, expr::Fault::SqrtOfNegative);
  EXPECT_EQ(solver.failure().fault->where, root);
  EXPECT_EQ(solver.failure().rows.at(0).row.row, 1);
}

TEST(SystemSolver, NearFailsWhereFullSearches) {
  TestPart p;
  // The pendulum's first equation at an unset guess: x² = 1 from x = 0.
  const structure::BlockOrder order =
      make_order({p.minus(p.times(p.x(0), p.x(0)), p.number(1))}, vars(1), {1});
  SystemSolver solver(p.context(), order);
  p.value(0) = 0;
  EXPECT_FALSE(solver.solve(p.frame.data(), Effort::Near));
  EXPECT_EQ(p.value(0), 0);
  ASSERT_TRUE(solver.solve(p.frame.data(), Effort::Full));
  EXPECT_NEAR(p.value(0), 1, 1e-15);
}

TEST(SystemSolver, KeepsBounds) {
  TestPart p;
  const structure::BlockOrder order =
      make_order({p.minus(p.times(p.x(0), p.x(0)), p.number(4))}, vars(1), {1});
  SolverContext context = p.context();
  context.upper = [](VarRef) { return 0.0; };
  SystemSolver solver(context, order);
  p.value(0) = 1;
  ASSERT_TRUE(solver.solve(p.frame.data(), Effort::Full));
  EXPECT_NEAR(p.value(0), -2, 1e-15);
}

// Three equations for two unknowns, consistent (x0 = 1, x1 = 2), before a block that needs them.
TEST(SystemSolver, SolvesOverAndUnderDeterminedParts) {
  TestPart p;
  structure::BlockOrder order =
      make_order({p.minus(p.x(2), p.times(p.x(0), p.x(1)))}, {{{2}, 0}}, {1});
  order.over_rows = {{1, 0, p.minus(p.plus(p.x(0), p.x(1)), p.number(3))},
                     {2, 0, p.minus(p.minus(p.x(1), p.x(0)), p.number(1))},
                     {3, 0, p.minus(p.times(p.x(0), p.x(1)), p.x(5))}};
  order.over_unknowns = vars(2);
  order.under_rows = {{4, 0, p.minus(p.plus(p.x(3), p.x(4)), p.x(2))}};
  order.under_unknowns = {{{3}, 0}, {{4}, 0}};
  SystemSolver solver(p.context(), order);
  p.value(5) = 2;
  ASSERT_TRUE(solver.solve(p.frame.data(), Effort::Full));
  EXPECT_NEAR(p.value(0), 1, 1e-12);
  EXPECT_NEAR(p.value(2), 2, 1e-12);
  EXPECT_NEAR(p.value(3), 1, 1e-12);
  EXPECT_NEAR(p.value(4), 1, 1e-12);
  EXPECT_EQ(solver.rank_deficiency(), 1);

  p.value(5) = 2.5;
  EXPECT_FALSE(solver.solve(p.frame.data(), Effort::Full));
  EXPECT_EQ(solver.failure().status, SolveStatus::Inconsistent);
  EXPECT_EQ(solver.failure().rows.size(), 3U);
}

TEST(SystemSolver, ChecksRowsWithoutUnknowns) {
  TestPart p;
  structure::BlockOrder order;
  order.over_rows = {{0, 0, p.minus(p.times(1e6, p.x(0)), p.number(1e6))}};
  SystemSolver solver(p.context(), order);
  p.value(0) = 1 + 1e-10;
  EXPECT_TRUE(solver.solve(p.frame.data(), Effort::Full));
  p.value(0) = 1.001;
  EXPECT_FALSE(solver.solve(p.frame.data(), Effort::Full));
  EXPECT_EQ(solver.failure().status, SolveStatus::Inconsistent);
  EXPECT_NEAR(solver.failure().rows.at(0).residual, 1000, 1e-6);
}

// The pendulum at rest on the side: x unset must become 1, T follows (Fábián, van Beek, Rooda 2001
// §7.4).
TEST(SystemSolver, InitialisesThePendulum) {
  TestPart p;
  enum { x, y, vx, vy, T };
  p.equation(p.x(x, 1), p.x(vx));
  p.equation(p.x(y, 1), p.x(vy));
  p.equation(p.x(vx, 1), p.times(p.x(T), p.x(x)));
  p.equation(p.x(vy, 1), p.minus(p.times(p.x(T), p.x(y)), p.number(9.8)));
  p.equation(p.plus(p.times(p.x(x), p.x(x)), p.times(p.x(y), p.x(y))), p.number(1));
  p.analyse({x, vx, T});
  EXPECT_EQ(p.analysis.degrees_of_freedom, 2);
  SystemSolver solver(p.context(), p.ip);
  p.value(x);
  ASSERT_TRUE(solver.solve(p.frame.data(), Effort::Full)) << name(solver.failure().status);
  EXPECT_NEAR(p.value(x), 1, 1e-12);
  EXPECT_NEAR(p.value(vx), 0, 1e-12);
  EXPECT_NEAR(p.value(T), 0, 1e-12);
  EXPECT_NEAR(p.value(vy, 1), -9.8, 1e-12);
}

}  // namespace
}  // namespace chi::sim
