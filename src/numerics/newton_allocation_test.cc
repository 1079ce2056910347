// solve.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "numerics/allocation_count_testing.h"
#include "numerics/newton.h"
#include "numerics/rectangular_newton.h"
#include "numerics/root_isolation.h"
#include "numerics/root_location.h"

namespace chi::numerics {
namespace {

// A chain x_i³ + x_i - x_(i-1) - c = 0, with sparse Jacobian.
struct Chain {
  explicit Chain(int size) : n(static_cast<std::size_t>(size)) {
    PatternBuilder builder(size, size);
    for (int i = 0; i < size; ++i) {
      builder.add(i, i);
      if (i > 0) builder.add(i, i - 1);
    }
    pattern = builder.build();
  }
  EvalStatus residual(std::span<const double> x, std::span<double> f) const {
    for (std::size_t i = 0; i < n; ++i)
      f[i] = x[i] * x[i] * x[i] + x[i] - (i > 0 ? x[i - 1] : 0.0) - c;
    return EvalStatus::Ok;
  }
  EvalStatus jacobian(std::span<const double> x, std::span<double> values) const {
    std::size_t k = 0;
    for (std::size_t j = 0; j < n; ++j) {
      values[k++] = 3 * x[j] * x[j] + 1;
      if (j + 1 < n) values[k++] = -1.0;
    }
    return EvalStatus::Ok;
  }
  std::size_t n = 0;
  double c = 1.0;
  SparsePattern pattern;
};

template <class Solver>
long allocations_of_second_solve(int size) {
  Chain chain(size);
  const auto residual = [&](std::span<const double> x, std::span<double> f) {
    return chain.residual(x, f);
  };
  const auto jacobian = [&](std::span<const double> x, std::span<double> v) {
    return chain.jacobian(x, v);
  };
  const NonlinearProblem problem = {
      .pattern = &chain.pattern, .residual = residual, .jacobian = jacobian};
  Solver solver(chain.pattern);
  std::vector<double> x(chain.n, 0.0);
  EXPECT_TRUE(solver.solve(problem, x).converged());
  chain.c = 3.0;
  const long before = testing::allocation_count();
  const SolveResult again = solver.solve(problem, x);
  const long after = testing::allocation_count();
  EXPECT_TRUE(again.converged());
  EXPECT_GT(again.iterations, 2);
  return after - before;
}

TEST(Allocation, NewtonIteratesWithoutAny) {
  EXPECT_EQ(allocations_of_second_solve<NewtonSolver>(5), 0);
  EXPECT_EQ(allocations_of_second_solve<NewtonSolver>(100), 0);  // sparse; KLU uses malloc itself
  EXPECT_EQ(allocations_of_second_solve<RectangularNewton>(5), 0);
}

TEST(Allocation, RootsAreFoundWithoutAny) {
  const Polynomial p = make_polynomial(std::vector<double>{0.2, -1.0, 0.9, 0.1});
  const auto g = [](double x) { return std::sin(9 * x) - 0.3; };
  const long before = testing::allocation_count();
  const Isolation a = isolate(p), b = isolate(g);
  double sum = 0.0;
  for (const IsolatedRoot& root : a.roots()) sum += locate(p, root).right;
  for (const IsolatedRoot& root : b.roots())
    sum += locate({.value = g}, root.left, root.right).right;
  const long after = testing::allocation_count();
  EXPECT_EQ(after - before, 0);
  EXPECT_GT(sum, 0.0);
}

}  // namespace
}  // namespace chi::numerics
