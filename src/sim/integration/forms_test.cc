#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "numerics/difference_jacobian.h"
#include "sim/algebra/block_graph.h"
#include "sim/algebra/part_testing.h"
#include "sim/integration/dae_form.h"
#include "sim/integration/ode_form.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using numerics::EvalStatus;
using testing::TestPart;

// Two masses with a spring, written with second derivatives, a nonlinear loop between two
// algebraic unknowns, a quotient, and an output that nothing needs.
void make_mixed(TestPart& p) {
  enum { x, y, f, g, q, out };
  p.equation(p.times(2.0, p.x(x, 2)), p.minus(p.x(f), p.x(x)));
  p.equation(p.times(p.plus(p.number(2), p.times(p.x(x), p.x(x))), p.x(y, 1)), p.x(g));
  p.equation(p.plus(p.x(f), expr::int_power(p.pool, p.x(g), 3)), p.minus(p.x(y), p.x(x)));
  p.equation(p.plus(p.x(g), p.times(0.1, expr::unary(p.pool, expr::Op::Sin, p.x(f)))),
             p.times(p.x(q), p.x(x, 1)));
  p.equation(p.x(q), expr::div(p.pool, expr::time(p.pool), p.plus(p.x(y), p.number(3))));
  p.equation(p.x(out), expr::unary(p.pool, expr::Op::Sqrt, p.x(x)));
  p.analyse({f, g, q, out});
  p.value(x) = 0.3;
  p.value(y) = 0.7;
}

void expect_near(std::span<const double> a, std::span<const double> b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], tolerance) << "entry " << k;
}

TEST(OdeForm, HasTheExactJacobian) {
  TestPart p;
  make_mixed(p);
  ASSERT_EQ(p.choice.states.size(), 3U);
  const SolverContext context = p.context();
  const BlockGraph graph(p.pool, p.ivp, p.choice.states);
  SystemSolver whole(context, p.ivp);
  OdeForm form(context, whole, graph, p.choice.states, nullptr, p.frame);
  EXPECT_FALSE(form.is_explicit());
  EXPECT_LT(form.counts().explicit_blocks, whole.counts().explicit_blocks);  // not the output
  form.prepare_jacobian();
  p.frame.resize(static_cast<std::size_t>(p.leaves.size()));
  const std::vector<double> y = {0.3, -0.4, 0.7};
  std::vector<double> f(3);
  ASSERT_EQ(form.rhs(1.5, y, f), EvalStatus::Ok);
  const numerics::SparsePattern& pattern = *form.jacobian_pattern();
  std::vector<double> exact(static_cast<std::size_t>(pattern.nonzeros()));
  std::vector<double> quotients = exact;
  ASSERT_EQ(form.jacobian(1.5, y, exact), EvalStatus::Ok);
  numerics::DifferenceJacobian differences(pattern, {1, 1, 1});
  ASSERT_EQ(differences.evaluate(form, 1.5, y, f, quotients), EvalStatus::Ok);
  expect_near(exact, quotients, 1e-6);
}

TEST(OdeForm, DoesNotEvaluateWhatDerivativesDoNotNeed) {
  TestPart p;
  make_mixed(p);
  const BlockGraph graph(p.pool, p.ivp, p.choice.states);
  SystemSolver whole(p.context(), p.ivp);
  OdeForm form(p.context(), whole, graph, p.choice.states, nullptr, p.frame);
  p.frame.resize(static_cast<std::size_t>(p.leaves.size()));
  const std::vector<double> y = {-0.3, -0.4, 0.7};  // the output is the square root of -0.3
  std::vector<double> f(3);
  EXPECT_EQ(form.rhs(1.5, y, f), EvalStatus::Ok);
  EXPECT_EQ(f[0], -0.4);  // x' is a state itself
}

TEST(OdeForm, TellsWhichEquationFailed) {
  TestPart p;
  make_mixed(p);
  const BlockGraph graph(p.pool, p.ivp, p.choice.states);
  SystemSolver whole(p.context(), p.ivp);
  OdeForm form(p.context(), whole, graph, p.choice.states, nullptr, p.frame);
  p.frame.resize(static_cast<std::size_t>(p.leaves.size()));
  const std::vector<double> y = {0.3, -0.4, -3};  // q divides by y + 3
  std::vector<double> f(3);
  EXPECT_EQ(form.rhs(1.5, y, f), EvalStatus::Domain);
  ASSERT_EQ(form.failure().rows.size(), 1U);
  EXPECT_EQ(form.failure().rows[0].row.row, 4);
  ASSERT_TRUE(form.failure().fault.has_value());
  EXPECT_EQ(form.failure().fault->fault, expr::Fault::DivisionByZero);
}

TEST(DaeForm, HasTheExactJacobian) {
  TestPart p;
  make_mixed(p);
  DaeForm form(p.context(), p.ivp, p.choice.states, nullptr, p.frame);
  p.frame.resize(static_cast<std::size_t>(p.leaves.size()));
  // Three states, x'' and y' are their y', x' = x' is a row; f, g, q and the output are algebraic.
  ASSERT_EQ(form.size(), 7);
  EXPECT_EQ(std::ranges::count(form.differential(), 1), 3);
  const std::vector<double> y = {0.3, -0.4, 0.7, 0.2, 0.5, 0.4, 0.6};
  const std::vector<double> yp = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
  std::vector<double> exact(static_cast<std::size_t>(form.jacobian_pattern()->nonzeros()));
  std::vector<double> quotients = exact;
  for (const auto& [cy, cyp] : {std::pair{1.0, 0.0}, {0.0, 1.0}, {1.0, 2.5}}) {
    ASSERT_EQ(form.jacobian(1.5, y, yp, cy, cyp, exact), EvalStatus::Ok);
    numerics::DifferenceJacobian differences(*form.jacobian_pattern(), std::vector<double>(7, 1));
    ASSERT_EQ(differences.evaluate(form, 1.5, y, yp, cy, cyp, quotients), EvalStatus::Ok);
    expect_near(exact, quotients, 1e-6);
  }
}

// v follows x' by more than a sum, and so does what x'' is needed for.
TEST(DaeForm, KeepsSlopesThatOthersFollow) {
  enum { x, p, v, u };
  TestPart part;
  part.equation(part.x(x, 1), part.minus(expr::time(part.pool), part.x(x)));
  part.equation(part.x(p), part.times(part.x(x), part.x(x)));
  part.equation(part.x(p, 1), part.x(v));
  part.equation(part.x(u, 1), part.x(x));
  part.analyse({p, v});
  ASSERT_EQ(part.choice.states.size(), 2U);
  DaeForm form(part.context(), part.ivp, part.choice.states, nullptr, part.frame);
  part.frame.resize(static_cast<std::size_t>(part.leaves.size()));
  const std::span<const expr::VarRef> components = form.components();
  EXPECT_EQ(std::ranges::count(components, expr::VarRef{{x}, 1}), 1);
  EXPECT_EQ(std::ranges::count(components, expr::VarRef{{u}, 1}), 0);
  const auto n = components.size();
  ASSERT_EQ(n, 6U);
  const std::vector<double> y = {0.3, -0.4, 0.7, 0.2, 0.5, 0.4};
  const std::vector<double> yp = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
  std::vector<double> exact(static_cast<std::size_t>(form.jacobian_pattern()->nonzeros()));
  std::vector<double> quotients = exact;
  ASSERT_EQ(form.jacobian(1.5, y, yp, 1, 2.5, exact), EvalStatus::Ok);
  numerics::DifferenceJacobian differences(*form.jacobian_pattern(), std::vector<double>(n, 1));
  ASSERT_EQ(differences.evaluate(form, 1.5, y, yp, 1, 2.5, quotients), EvalStatus::Ok);
  expect_near(exact, quotients, 1e-6);
}

TEST(DaeForm, AgreesWithTheOdeForm) {
  TestPart p;
  make_mixed(p);
  const BlockGraph graph(p.pool, p.ivp, p.choice.states);
  SystemSolver whole(p.context(), p.ivp);
  p.time() = 1.5;
  ASSERT_TRUE(whole.solve(p.frame.data(), Effort::Full));
  std::vector<double> work = p.frame;
  DaeForm form(p.context(), p.ivp, p.choice.states, nullptr, work);
  work.resize(static_cast<std::size_t>(p.leaves.size()));
  p.frame.resize(work.size());
  std::vector<double> y(7), yp(7), r(7);
  form.read(p.frame.data(), y, yp);
  EXPECT_EQ(form.residual(1.5, y, yp, r), EvalStatus::Ok);
  for (const double v : r) EXPECT_NEAR(v, 0, 1e-15);
}

TEST(SymbolicJacobian, LeavesOutWhatNobodyKeeps) {
  TestPart p;
  // delay(x, tau) with tau unknown: its derivative by tau needs past slopes of x.
  const ExprId past = expr::delay(p.pool, p.x(0), p.x(1));
  const std::vector<ExprId> roots = {p.plus(past, p.times(3.0, p.x(1)))};
  enter_leaves(p.context(), roots);
  const std::int32_t before = p.leaves.size();
  SymbolicJacobian jacobian(p.context(), roots, std::vector{p.x(1)});
  EXPECT_EQ(p.leaves.size(), before);
  p.value(1) = 2;
  double slope = 0;
  ASSERT_TRUE(jacobian.evaluate(p.frame.data(), std::span(&slope, 1)));
  EXPECT_EQ(slope, 3);
}

TEST(BlockGraph, EstimatesHowManyStatesMatter) {
  // x_i' = s - x_i with s the sum of all: n² dependencies through one block.
  constexpr int n = 400;
  TestPart p;
  ExprId sum = p.number(0);
  for (int i = 0; i < n; ++i) sum = p.plus(sum, p.x(i));
  p.equation(p.x(n), sum);
  for (int i = 0; i < n; ++i) p.equation(p.x(i, 1), p.minus(p.x(n), p.x(i)));
  p.analyse({n});
  const BlockGraph graph(p.pool, p.ivp, p.choice.states);
  const std::vector<expr::VarRef> slopes = derivatives_of(p.choice.states);
  EXPECT_NEAR(graph.estimated_dependencies(slopes, n) / (n * n), 1, 0.5);
  const std::vector<expr::VarRef> one = {{{n}, 0}};
  EXPECT_EQ(std::ranges::count(graph.needed_for(one), 1), 1);
}

}  // namespace
}  // namespace chi::sim
