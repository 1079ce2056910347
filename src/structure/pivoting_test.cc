#include "structure/pivoting.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace chi::structure {
namespace {

NumberRows random_rows(std::mt19937_64& random, int rows, int columns, int per_row) {
  NumberRows m;
  m.columns = columns;
  for (int r = 0; r < rows; ++r) {
    std::set<int> used = {r};  // so that the rank is full
    while (static_cast<int>(used.size()) < per_row) {
      used.insert(static_cast<int>(random() % static_cast<unsigned>(columns)));
    }
    for (const int c : used) {
      m.column.push_back(c);
      m.value.push_back(std::ldexp(double(random() % 2001) - 1000, static_cast<int>(random() % 7)));
      if (m.value.back() == 0) m.value.back() = 1;
    }
    m.row_start.push_back(static_cast<std::int32_t>(m.column.size()));
  }
  return m;
}

// Smallest pivot of the chosen columns, with the rows scaled, by Gauss with full pivoting.
double smallest_pivot(const NumberRows& m, const std::vector<std::int32_t>& chosen) {
  const std::size_t n = chosen.size();
  std::vector<std::vector<double>> a(n, std::vector<double>(n, 0));
  for (std::size_t r = 0; r < n; ++r) {
    double largest = 0;
    for (auto k = m.row_start[r]; k < m.row_start[r + 1]; ++k) {
      const auto place = std::lower_bound(chosen.begin(), chosen.end(), m.column[std::size_t(k)]);
      largest = std::max(largest, std::fabs(m.value[std::size_t(k)]));
      if (place != chosen.end() && *place == m.column[std::size_t(k)]) {
        a[r][std::size_t(place - chosen.begin())] = m.value[std::size_t(k)];
      }
    }
    for (double& x : a[r]) x /= largest;
  }
  double smallest = 1e300;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pr = k, pc = k;
    for (std::size_t r = k; r < n; ++r) {
      for (std::size_t c = k; c < n; ++c) {
        if (std::fabs(a[r][c]) > std::fabs(a[pr][pc])) pr = r, pc = c;
      }
    }
    std::swap(a[k], a[pr]);
    for (auto& row : a) std::swap(row[k], row[pc]);
    smallest = std::min(smallest, std::fabs(a[k][k]));
    if (a[k][k] == 0) return 0;
    for (std::size_t r = k + 1; r < n; ++r) {
      const double f = a[r][k] / a[k][k];
      for (std::size_t c = k; c < n; ++c) a[r][c] -= f * a[k][c];
    }
  }
  return smallest;
}

TEST(RegularColumns, SmallAndLargeMatrices) {
  std::mt19937_64 random(3);
  for (const int rows : {1, 2, 5, 20, 60, 230}) {
    for (int trial = 0; trial < (rows < 100 ? 30 : 3); ++trial) {
      const NumberRows m = random_rows(random, rows, rows + 1 + rows / 2, std::min(rows, 3));
      const std::vector<double> good_enough(static_cast<std::size_t>(m.columns), 1.0);
      const auto chosen = regular_columns(m, good_enough);
      ASSERT_EQ(chosen.size(), static_cast<std::size_t>(rows));
      EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
      EXPECT_GT(smallest_pivot(m, chosen), 1e-6);
    }
  }
}

TEST(RegularColumns, PreferredColumnsAsLongAsTheyWillDo) {
  NumberRows m{.columns = 3, .row_start = {0, 3}, .column = {0, 1, 2}, .value = {1e-2, 1.0, 0.7}};
  EXPECT_EQ(regular_columns(m, {1, 1, 1}), (std::vector<std::int32_t>{1}));
  EXPECT_EQ(regular_columns(m, {1e-3, 1, 1}), (std::vector<std::int32_t>{0}));
  EXPECT_EQ(regular_columns(m, {1e-1, 1, 0.5}), (std::vector<std::int32_t>{2}));
}

TEST(RegularColumns, FewerThanRowsIfTheRankIsShort) {
  NumberRows m{
      .columns = 3, .row_start = {0, 2, 4}, .column = {0, 1, 0, 1}, .value = {1.0, 3.0, 0.1, 0.3}};
  EXPECT_LT(regular_columns(m, {1, 1, 1}).size(), 2u);
  m.value = {std::nan(""), 0, 0, 1};
  EXPECT_LT(regular_columns(m, {1, 1, 1}).size(), 2u);
  // The same in a large matrix.
  std::mt19937_64 random(4);
  NumberRows large = random_rows(random, 230, 400, 3);
  for (int k = large.row_start[0]; k < large.row_start[1]; ++k) {
    large.column.push_back(large.column[std::size_t(k)]);
    large.value.push_back(3 * large.value[std::size_t(k)]);
  }
  large.row_start.push_back(static_cast<std::int32_t>(large.column.size()));
  EXPECT_LT(regular_columns(large, std::vector<double>(400, 1.0)).size(), 231u);
}

}  // namespace
}  // namespace chi::structure
