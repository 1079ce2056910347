#include "numerics/lu_solver.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace chi::numerics {
namespace {

using Complex = std::complex<double>;

template <class Scalar>
Scalar draw(std::mt19937_64& random) {
  std::uniform_real_distribution<double> value(-1, 1);
  if constexpr (std::is_same_v<Scalar, double>)
    return value(random);
  else
    return {value(random), value(random)};
}

// Random sparse matrices with some diagonals missing, so that pivoting is needed. Each pattern is
// factored with several values: the later sparse ones reuse the pivot order, or drop it.
template <class Scalar>
void expect_solves(bool dense) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 100; ++round) {
    const int n = 1 + static_cast<int>(random() % 12);
    PatternBuilder builder(n, n);
    for (int i = 0; i < n; ++i) builder.add((i + 1) % n, i);  // a cycle: structurally regular
    for (int k = 0; k < 3 * n; ++k) {
      builder.add(static_cast<int>(random() % static_cast<unsigned>(n)),
                  static_cast<int>(random() % static_cast<unsigned>(n)));
    }
    const SparsePattern p = builder.build();
    LuSolver<Scalar> lu(p, dense);
    for (int again = 0; again < 3; ++again) {
      for (Scalar& v : lu.entries()) v = draw<Scalar>(random);
      for (int i = 0; i < n; ++i) {
        lu.entries()[static_cast<std::size_t>(find_entry(p, (i + 1) % n, i))] += Scalar(3.0);
      }
      std::vector<Scalar> x(static_cast<std::size_t>(n)), b(x.size());
      for (Scalar& v : x) v = draw<Scalar>(random);
      for (int j = 0; j < n; ++j) {
        const auto c = static_cast<std::size_t>(j);
        for (int k = p.column_starts[c]; k < p.column_starts[c + 1]; ++k) {
          const auto row = static_cast<std::size_t>(p.row_indices[static_cast<std::size_t>(k)]);
          b[row] += lu.entries()[static_cast<std::size_t>(k)] * x[c];
        }
      }
      ASSERT_TRUE(lu.factor());
      lu.solve(b);
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_LT(std::abs(b[i] - x[i]), 1e-10);
    }
  }
}

TEST(LuSolver, SolvesRealAndComplexDenseAndSparse) {
  for (const bool dense : {true, false}) {
    expect_solves<double>(dense);
    expect_solves<Complex>(dense);
  }
}

// The second matrix has a tiny entry where the first one had its pivot: eliminating in the old
// order would lose all digits.
TEST(LuSolver, DropsAPivotOrderThatHasTurnedBad) {
  for (const bool dense : {true, false}) {
    LuSolver<double> lu(full_pattern(2, 2), dense);
    const double first[] = {1, 0.1, 0.1, 1}, second[] = {1e-20, 1, 1, 1};
    std::copy(first, first + 4, lu.entries().begin());
    ASSERT_TRUE(lu.factor());
    std::copy(second, second + 4, lu.entries().begin());
    ASSERT_TRUE(lu.factor());
    std::vector<double> b{1, 3};  // x = (2, 1)
    lu.solve(b);
    EXPECT_NEAR(b[0], 2, 1e-12);
    EXPECT_NEAR(b[1], 1, 1e-12);
  }
}

TEST(LuSolver, SeesSingularMatrices) {
  for (const bool dense : {true, false}) {
    LuSolver<double> zero(full_pattern(2, 2), dense);
    EXPECT_FALSE(zero.factor());
    LuSolver<Complex> rank_one(full_pattern(2, 2), dense);
    for (Complex& v : rank_one.entries()) v = {1, 1};
    EXPECT_FALSE(rank_one.factor());
    for (std::size_t k = 0; k < 4; ++k) rank_one.entries()[k] = {k == 0 || k == 3 ? 2.0 : 0.5, 1};
    EXPECT_TRUE(rank_one.factor());
  }
}

}  // namespace
}  // namespace chi::numerics
