#include "sim/algebra/independent_rows.h"

#include <cmath>

#include <gtest/gtest.h>

#include "sim/algebra/part_testing.h"
#include "sim/algebra/system_solver.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using testing::TestPart;
using Result = IndependentRows::Result;

/// y - x² and another row, at the point (0.5, 0.25), then from values beside it.
struct Rows {
  explicit Rows(bool follows) {
    const ExprId square = p.times(p.x(0), p.x(0));
    const auto sine = [&](ExprId e) { return expr::unary(p.pool, expr::Op::Sin, e); };
    // 2 (y - x²) to first order, but with (x - 0.5)² besides.
    const ExprId off = p.minus(p.x(0), p.number(0.5));
    const ExprId tangent = p.plus(p.times(2.0, p.minus(p.x(1), square)), p.times(off, off));
    rows = {{0, 0, p.minus(p.x(1), square)},
            {1, 0, follows ? p.minus(sine(p.x(1)), sine(square)) : tangent}};
    order.rows = rows;
    order.unknowns = {{{0}, 0}, {{1}, 0}};
    order.blocks = {{0, 2}};
    solver.emplace(p.context(), order);
    p.frame.resize(static_cast<std::size_t>(p.leaves.size()), 0.0);
    p.value(0) = 0.5;
    p.value(1) = 0.25;
  }
  TestPart p;
  std::vector<structure::BlockOrder::Row> rows;
  structure::BlockOrder order;
  std::optional<SystemSolver> solver;
};

TEST(IndependentRows, TellsRowsThatFollow) {
  Rows r(true);
  EXPECT_TRUE(r.solver->is_singular_at(r.p.frame.data()));
  EXPECT_EQ(r.solver->failure().singular_rows.size(), 2U);
  const auto some = IndependentRows::make(r.p.context(), r.rows, r.order.unknowns, r.p.frame);
  ASSERT_NE(some, nullptr);
  r.p.value(0) = 0.52;
  r.p.value(1) = 0.24;
  ASSERT_EQ(some->solve(r.p.frame), Result::Holds);
  EXPECT_NEAR(r.p.value(1), r.p.value(0) * r.p.value(0), 1e-14);
  EXPECT_NEAR(r.p.value(0), 0.52, 0.05);
  EXPECT_TRUE(r.solver->is_singular_at(r.p.frame.data()));
}

TEST(IndependentRows, TellsRowsThatOnlyTouch) {
  Rows r(false);
  EXPECT_TRUE(r.solver->is_singular_at(r.p.frame.data()));
  const auto some = IndependentRows::make(r.p.context(), r.rows, r.order.unknowns, r.p.frame);
  ASSERT_NE(some, nullptr);
  r.p.value(0) = 0.52;
  r.p.value(1) = 0.24;
  EXPECT_EQ(some->solve(r.p.frame), Result::RestIsOff);
}

}  // namespace
}  // namespace chi::sim
