#include "numerics/linear_solver.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace chi::numerics {
namespace {

struct Matrix {
  SparsePattern pattern;
  std::vector<double> values;
};

Matrix make(int n, const std::vector<std::vector<double>>& dense) {
  PatternBuilder builder(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (dense[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] != 0) builder.add(i, j);
    }
  }
  Matrix m{builder.build(), {}};
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      const double v = dense[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
      if (v != 0) m.values.push_back(v);
    }
  }
  return m;
}

// A banded matrix with random far entries, well conditioned.
Matrix random_sparse(int n, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  PatternBuilder builder(n, n);
  for (int i = 0; i < n; ++i) {
    builder.add(i, i);
    builder.add(i, (i + 1) % n);
    builder.add(i, static_cast<int>(random() % static_cast<unsigned>(n)));
  }
  Matrix m{builder.build(), {}};
  for (int j = 0; j < n; ++j) {
    for (int k = m.pattern.column_starts[static_cast<std::size_t>(j)];
         k < m.pattern.column_starts[static_cast<std::size_t>(j) + 1]; ++k) {
      const bool diagonal = m.pattern.row_indices[static_cast<std::size_t>(k)] == j;
      m.values.push_back(uniform(random) + (diagonal ? 4.0 : 0.0));
    }
  }
  return m;
}

double residual(const Matrix& m, std::span<const double> x, std::span<const double> b) {
  std::vector<double> r(b.begin(), b.end());
  multiply_add(m.pattern, m.values, -1.0, x, r);
  double worst = 0.0;
  for (const double v : r) worst = std::max(worst, std::abs(v));
  return worst;
}

TEST(LinearSolver, SolvesDenseAndSparseAlike) {
  std::mt19937_64 random(1);
  for (const int n : {1, 2, 5, 13, 60, 200}) {
    const Matrix m = random_sparse(n, random);
    std::vector<double> b(static_cast<std::size_t>(n));
    for (double& v : b) v = static_cast<double>(random() % 100) / 10;
    for (const LinearMethod method :
         {LinearMethod::Auto, LinearMethod::Dense, LinearMethod::Sparse}) {
      LinearSolver solver(m.pattern, method);
      ASSERT_EQ(solver.factor(m.values), FactorStatus::Ok);
      std::vector<double> x = b;
      solver.solve(x);
      EXPECT_LT(residual(m, x, b), 1e-13);
      EXPECT_GT(solver.pivot_ratio(), 0.01);
    }
  }
}

TEST(LinearSolver, SolvesTheTransposedSystem) {
  const Matrix m = make(3, {{0, 2, 1}, {1, 0, 3}, {4, 1, 0}});
  for (const LinearMethod method : {LinearMethod::Dense, LinearMethod::Sparse}) {
    LinearSolver solver(m.pattern, method);
    ASSERT_EQ(solver.factor(m.values), FactorStatus::Ok);
    std::vector<double> x = {1 * 1 + 4 * 2.0, 2 * -1 + 1 * 2.0, 1 * -1 + 3 * 1.0};  // Aᵀ(-1, 1, 2)
    solver.solve_transposed(x);
    EXPECT_NEAR(x[0], -1, 1e-14);
    EXPECT_NEAR(x[1], 1, 1e-14);
    EXPECT_NEAR(x[2], 2, 1e-14);
  }
}

// Exchanging two rows turns the sign, so does the sign of one.
TEST(LinearSolver, KnowsTheSignOfTheDeterminant) {
  for (const LinearMethod method : {LinearMethod::Dense, LinearMethod::Sparse}) {
    std::vector<std::vector<double>> a = {{0, 2, 0, 1}, {3, 0, 1, 0}, {0, 1, 0, -4}, {1, 0, 5, 0}};
    const auto sign = [&] {
      const Matrix m = make(4, a);
      LinearSolver solver(m.pattern, method);
      EXPECT_EQ(solver.factor(m.values), FactorStatus::Ok);
      return solver.determinant_sign();
    };
    EXPECT_EQ(sign(), -1);  // (2*-4 - 1) * (3*5 - 1): two blocks
    std::swap(a[0], a[1]);
    EXPECT_EQ(sign(), 1);
    std::swap(a[2], a[3]);
    EXPECT_EQ(sign(), -1);
    for (double& v : a[1]) v = -v;
    EXPECT_EQ(sign(), 1);
    std::swap(a[0], a[3]);
    EXPECT_EQ(sign(), -1);
  }
}

TEST(LinearSolver, RefactorsWithOtherValues) {
  std::mt19937_64 random(2);
  Matrix m = random_sparse(100, random);
  LinearSolver solver(m.pattern);
  EXPECT_TRUE(solver.is_sparse());
  for (int round = 0; round < 20; ++round) {
    // Every few rounds the diagonal vanishes almost, so that the old pivots would be unstable.
    for (double& v : m.values) v *= round % 5 == 4 && std::abs(v) > 2 ? 1e-12 : 1.0 + 0.1 * round;
    std::vector<double> b(100, 1.0);
    if (solver.factor(m.values) != FactorStatus::Ok) break;
    std::vector<double> x = b;
    solver.solve(x);
    double size = 0.0;
    for (const double v : x) size = std::max(size, std::abs(v));
    EXPECT_LT(residual(m, x, b), 1e-10 * (1 + size));
  }
}

TEST(LinearSolver, ScalingDoesNotMakeItSingular) {
  const Matrix m = make(2, {{1e-150, 2e-150}, {3e120, -1e120}});
  LinearSolver solver(m.pattern);
  ASSERT_EQ(solver.factor(m.values), FactorStatus::Ok);
  std::vector<double> x = {5e-150, 1e120};
  solver.solve(x);
  EXPECT_NEAR(x[0], 1, 1e-14);
  EXPECT_NEAR(x[1], 2, 1e-14);
}

TEST(LinearSolver, SaysWhichColumnIsDependent) {
  // Column 2 is column 0 plus column 1.
  const Matrix m = make(4, {{1, 2, 3, 0}, {4, -1, 3, 1}, {2, 2, 4, 5}, {1, 1, 2, 1}});
  for (const LinearMethod method : {LinearMethod::Dense, LinearMethod::Sparse}) {
    LinearSolver solver(m.pattern, method);
    EXPECT_EQ(solver.factor(m.values), FactorStatus::Singular);
    EXPECT_NE(solver.singularity().col, 3);
    EXPECT_EQ(solver.pivot_ratio(), 0.0);
  }
}

TEST(LinearSolver, SeesEmptyRowsAndUnmatchedPatterns) {
  Matrix zero_row = make(2, {{1, 2}, {3, 4}});
  zero_row.values = {1, 0, 2, 0};
  LinearSolver dense(zero_row.pattern);
  EXPECT_EQ(dense.factor(zero_row.values), FactorStatus::Singular);
  EXPECT_EQ(dense.singularity().row, 1);

  PatternBuilder builder(3, 3);  // columns 1 and 2 meet row 1 only
  builder.add(0, 0);
  builder.add(1, 1);
  builder.add(1, 2);
  builder.add(2, 0);
  LinearSolver sparse(builder.build(), LinearMethod::Sparse);
  EXPECT_EQ(sparse.factor(std::vector<double>{1, 1, 1, 1}), FactorStatus::Singular);
}

TEST(LinearSolver, RefusesNaN) {
  LinearSolver solver(full_pattern(1, 1));
  EXPECT_EQ(solver.factor(std::vector<double>{std::nan("")}), FactorStatus::NotFinite);
}

TEST(LinearSolver, AcceptsTheEmptySystem) {
  LinearSolver solver(full_pattern(0, 0));
  EXPECT_EQ(solver.factor({}), FactorStatus::Ok);
  solver.solve({});
}

}  // namespace
}  // namespace chi::numerics
