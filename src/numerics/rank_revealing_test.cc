#include "numerics/rank_revealing.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace chi::numerics {
namespace {

using Vector = std::vector<double>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Random of the given rank: a product of two full ones.
Vector random_matrix(int rows, int cols, int rank, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Vector left(at(rows * rank)), right(at(rank * cols)), a(at(rows * cols), 0.0);
  for (double& v : left) v = normal(random);
  for (double& v : right) v = normal(random);
  for (int j = 0; j < cols; ++j) {
    for (int k = 0; k < rank; ++k) {
      for (int i = 0; i < rows; ++i)
        a[at(j * rows + i)] += left[at(k * rows + i)] * right[at(j * rank + k)];
    }
  }
  return a;
}

Vector product(const Vector& a, int rows, const Vector& x) {
  Vector b(at(rows), 0.0);
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (int i = 0; i < rows; ++i) b[at(i)] += a[j * at(rows) + at(i)] * x[j];
  }
  return b;
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

TEST(RankRevealingQr, FindsRankKernelAndShortestSolutions) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 300; ++round) {
    const int rows = 1 + static_cast<int>(random() % 8), cols = 1 + static_cast<int>(random() % 8);
    const int rank = 1 + static_cast<int>(random() % at(std::min(rows, cols)));
    const Vector a = random_matrix(rows, cols, rank, random);
    RankRevealingQr qr;
    qr.factor(rows, cols, a);
    ASSERT_EQ(qr.rank(), rank);

    Vector kernel(at(cols * (cols - rank)));
    qr.null_space(kernel);
    Vector x(at(cols), 1.0), y(at(cols));
    const Vector b = product(a, rows, x);
    EXPECT_LT(qr.solve(b, y), 1e-10);
    const Vector again = product(a, rows, y);
    for (int i = 0; i < rows; ++i) EXPECT_NEAR(again[at(i)], b[at(i)], 1e-9);
    for (int k = 0; k < cols - rank; ++k) {
      const Vector v(kernel.begin() + k * cols, kernel.begin() + (k + 1) * cols);
      EXPECT_NEAR(dot(v, v), 1.0, 1e-12);
      EXPECT_NEAR(dot(v, y), 0.0, 1e-9);  // shortest: nothing of the kernel in it
      for (const double r : product(a, rows, v)) EXPECT_NEAR(r, 0.0, 1e-10);
    }
  }
}

TEST(RankRevealingQr, LeastSquaresResidualIsOrthogonal) {
  std::mt19937_64 random(5);
  const Vector a = random_matrix(6, 3, 3, random);
  const Vector b = {1, -2, 3, 0.5, 7, -1};
  Vector x(3);
  RankRevealingQr qr;
  qr.factor(6, 3, a);
  const double length = qr.solve(b, x);
  Vector r = product(a, 6, x);
  for (std::size_t i = 0; i < 6; ++i) r[i] -= b[i];
  EXPECT_NEAR(std::sqrt(dot(r, r)), length, 1e-13);
  for (int j = 0; j < 3; ++j) {
    EXPECT_NEAR(dot(Vector(a.begin() + j * 6, a.begin() + j * 6 + 6), r), 0.0, 1e-12);
  }
}

// The pendulum's constraint x x' + y y' = 0 as a matrix (x, y): near the side x is the one to solve
// for, near the bottom y (state selection by pivoting).
TEST(RankRevealingQr, OrdersColumnsByIndependence) {
  RankRevealingQr qr;
  qr.factor(1, 2, Vector{0.99, 0.1});
  EXPECT_EQ(qr.column_order()[0], 0);
  qr.factor(1, 2, Vector{0.1, 0.99});
  EXPECT_EQ(qr.column_order()[0], 1);
  qr.factor(1, 2, Vector{0.5, 0.5});
  EXPECT_EQ(qr.column_order()[0], 0);  // ties go to the earlier one
  EXPECT_EQ(qr.pivot_ratio(), 1.0);
}

TEST(RankRevealingQr, HandlesTheZeroAndEmptyMatrix) {
  RankRevealingQr qr;
  qr.factor(2, 2, Vector(4, 0.0));
  EXPECT_EQ(qr.rank(), 0);
  Vector x(2, 7.0);
  EXPECT_NEAR(qr.solve(Vector{3, 4}, x), 5.0, 1e-15);
  EXPECT_EQ(x, (Vector{0, 0}));
  qr.factor(0, 3, {});
  EXPECT_EQ(qr.rank(), 0);
}

TEST(FindDependencies, NamesTheEquationsAndUnknownsInvolved) {
  // Equation 3 is equation 0 plus equation 2; unknown 1 has no part in it, nor has equation 1.
  const Vector a = {1, 0, 1, 2, 0, 1, 0, 0, 1, 0, -1, 0, 2, 0, 3, 5};  // by columns
  const Dependencies found = find_dependencies(full_pattern(4, 4), a);
  EXPECT_EQ(found.rank, 3);
  EXPECT_EQ(found.rows, (std::vector{0, 2, 3}));
  EXPECT_EQ(found.cols, (std::vector{0, 2, 3}));
}

}  // namespace
}  // namespace chi::numerics
