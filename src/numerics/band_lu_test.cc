#include "numerics/band_lu.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace chi::numerics {
namespace {

struct Matrix {
  SparsePattern pattern;
  std::vector<double> values;
};

// Entries up to `below` and `above` the diagonal, in an order that hides it.
Matrix random_band(int n, int below, int above, bool shuffled, std::mt19937& random) {
  std::vector<int> order(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  if (shuffled) std::shuffle(order.begin(), order.end(), random);
  PatternBuilder builder(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(0, i - below); j <= std::min(n - 1, i + above); ++j) {
      builder.add(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]);
    }
  }
  Matrix m{builder.build(), {}};
  std::uniform_real_distribution<double> any(-1, 1);
  for (int k = 0; k < m.pattern.nonzeros(); ++k) m.values.push_back(any(random));
  return m;
}

template <class Scalar>
double residual(const Matrix& m, std::span<const Scalar> values, std::span<const Scalar> x,
                std::span<const Scalar> b) {
  std::vector<Scalar> r(b.begin(), b.end());
  for (int j = 0; j < m.pattern.cols; ++j) {
    const auto column = static_cast<std::size_t>(j);
    for (int k = m.pattern.column_starts[column]; k < m.pattern.column_starts[column + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      r[static_cast<std::size_t>(m.pattern.row_indices[at])] -= values[at] * x[column];
    }
  }
  double worst = 0, size = 1;
  for (std::size_t i = 0; i < r.size(); ++i) {
    worst = std::max(worst, std::abs(r[i]));
    size = std::max(size, std::abs(x[i]));
  }
  return worst / size;
}

template <class Scalar>
void solves(const Matrix& m, const std::vector<Scalar>& values) {
  auto lu = BandLu<Scalar>::make(m.pattern);
  ASSERT_TRUE(lu.has_value());
  ASSERT_TRUE(lu->factor(values));
  std::vector<Scalar> b;
  for (int i = 0; i < m.pattern.rows; ++i) b.push_back(Scalar(1 + i % 3));
  std::vector<Scalar> x = b;
  lu->solve(x);
  EXPECT_LT(residual<Scalar>(m, values, x, b), 1e-11);
}

// No entry is larger than others, so rows change places all the time.
TEST(BandLu, SolvesAnyNarrowMatrixInAnyOrder) {
  std::mt19937 random(1);
  for (const int n : {1, 2, 3, 10, 57}) {
    for (const auto& [below, above] : {std::pair{1, 1}, {1, 0}, {0, 1}, {2, 1}, {0, 3}, {4, 4}}) {
      for (const bool shuffled : {false, true}) {
        if (shuffled && below + above > 3) continue;  // the order found may be wider
        Matrix m = random_band(n, below, above, shuffled, random);
        for (int i = 0; i < n && (below == 0 || above == 0); ++i) {
          const int d = find_entry(m.pattern, i, i);  // triangular: no growth to speak of
          m.values[static_cast<std::size_t>(d)] +=
              m.values[static_cast<std::size_t>(d)] < 0 ? -4 : 4;
        }
        solves(m, m.values);
        std::vector<std::complex<double>> turned;
        for (const double v : m.values) turned.emplace_back(v, 0.5 * v + 0.1);
        solves(m, turned);
      }
    }
  }
}

TEST(BandLu, SaysWhatItCannotDo) {
  std::mt19937 random(2);
  EXPECT_FALSE(BandLu<double>::make(full_pattern(20, 20)).has_value());
  EXPECT_FALSE(BandLu<double>::make(full_pattern(2, 3)).has_value());
  Matrix m = random_band(10, 1, 1, false, random);
  auto lu = BandLu<double>::make(m.pattern);
  ASSERT_TRUE(lu.has_value());
  std::vector<double> zero(m.values.size(), 0.0);
  EXPECT_FALSE(lu->factor(zero));
  m.values[3] = std::nan("");
  EXPECT_FALSE(lu->factor(m.values));
}

// A ring is narrow only if it is folded; two arrays of one length, only if they are interleaved.
TEST(BandOrder, FindsNarrowOrders) {
  const int n = 100;
  PatternBuilder ring(n, n), pairs(2 * n, 2 * n);
  for (int i = 0; i < n; ++i) {
    ring.add(i, i), ring.add(i, (i + 1) % n);
    pairs.add(i, i), pairs.add(n + i, n + i);
    pairs.add(i, n + i);
    if (i > 0) pairs.add(n + i, i - 1);
  }
  const BandOrder folded = find_band_order(ring.build(), 3);
  EXPECT_LE(folded.below + folded.above, 4);
  const BandOrder interleaved = find_band_order(pairs.build(), 3);
  EXPECT_LE(interleaved.below + interleaved.above, 3);
  EXPECT_EQ(interleaved.old_of_new.size(), static_cast<std::size_t>(2 * n));
}

}  // namespace
}  // namespace chi::numerics
