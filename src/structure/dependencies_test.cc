#include "structure/dependencies.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

namespace chi::structure {
namespace {

using Matrix = std::vector<std::vector<std::int64_t>>;

constexpr std::int64_t kPrime = 1'000'003;

int rank(Matrix m) {
  int found = 0;
  const std::size_t columns = m.empty() ? 0 : m[0].size();
  for (auto& row : m) {
    for (auto& x : row) x = ((x % kPrime) + kPrime) % kPrime;
  }
  for (std::size_t c = 0; c < columns; ++c) {
    std::size_t p = static_cast<std::size_t>(found);
    while (p < m.size() && m[p][c] == 0) ++p;
    if (p == m.size()) continue;
    std::swap(m[p], m[static_cast<std::size_t>(found)]);
    const auto& pivot = m[static_cast<std::size_t>(found)];
    for (std::size_t r = static_cast<std::size_t>(found) + 1; r < m.size(); ++r) {
      // Cross-multiplied: no inverse is needed for the rank.
      const std::int64_t a = pivot[c], b = m[r][c];
      for (std::size_t k = 0; k < columns; ++k) {
        m[r][k] = (((m[r][k] * a - pivot[k] * b) % kPrime) + kPrime) % kPrime;
      }
    }
    ++found;
  }
  return found;
}

IntegerRows sparse(const Matrix& m) {
  IntegerRows rows;
  for (const auto& row : m) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (row[c] != 0) rows.add(static_cast<std::int32_t>(c), row[c]);
    }
    rows.end_row();
  }
  return rows;
}

void expect_right(const IntegerRows& rows, const Dependency& d, const std::vector<char>& counts) {
  std::map<std::int32_t, std::int64_t> sum;
  bool has_row = false;
  for (const auto& [r, coefficient] : d.of) {
    has_row = has_row || (r == d.row && coefficient != 0);
    const auto at = static_cast<std::size_t>(r);
    for (auto k = static_cast<std::size_t>(rows.row_start[at]);
         k < static_cast<std::size_t>(rows.row_start[at + 1]); ++k) {
      sum[rows.column[k]] += coefficient * rows.coefficient[k];
    }
  }
  EXPECT_TRUE(has_row);
  std::erase_if(sum, [](const auto& entry) { return entry.second == 0; });
  EXPECT_EQ(d.rest, (std::vector<std::pair<std::int32_t, std::int64_t>>(sum.begin(), sum.end())));
  for (const auto& [c, value] : d.rest) EXPECT_FALSE(counts[static_cast<std::size_t>(c)]);
}

TEST(FindDependencies, AsManyAsTheRankIsShort) {
  std::mt19937_64 random(11);
  int found_any = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const std::size_t n = 1 + random() % 9, m = 1 + random() % 9;
    Matrix matrix(n, std::vector<std::int64_t>(m, 0));
    const std::uint64_t sparsity = 1 + random() % 4, size = 1 + random() % 3;
    for (auto& row : matrix) {
      for (auto& x : row) {
        if (random() % sparsity == 0) {
          x = static_cast<std::int64_t>(random() % (2 * size + 1)) -
              static_cast<std::int64_t>(size);
        }
      }
    }
    std::vector<char> counts(m, 1);
    for (auto& c : counts) c = random() % 4 != 0;
    Matrix counting = matrix;
    for (auto& row : counting) {
      for (std::size_t c = 0; c < m; ++c) row[c] *= counts[c];
    }
    const IntegerRows rows = sparse(matrix);
    const std::vector<Dependency> found = find_dependencies(rows, counts);
    ASSERT_EQ(static_cast<int>(found.size()), static_cast<int>(n) - rank(counting));
    Matrix left;
    std::vector<char> dropped(n, 0);
    for (const Dependency& d : found) {
      ASSERT_TRUE(d.has_coefficients);
      expect_right(rows, d, counts);
      dropped[static_cast<std::size_t>(d.row)] = 1;
    }
    for (std::size_t r = 0; r < n; ++r) {
      if (!dropped[r]) left.push_back(counting[r]);
    }
    ASSERT_EQ(rank(left), static_cast<int>(left.size()));
    found_any += found.empty() ? 0 : 1;
  }
  EXPECT_GT(found_any, 500);
}

// Node balances of a network with one node too many: a ring, and spokes to a hub with very many.
TEST(FindDependencies, OfALargeNetwork) {
  const std::int32_t n = 100'000;
  IntegerRows rows;
  for (std::int32_t i = 0; i < n; ++i) {
    rows.add(i, 1);
    rows.add((i + n - 1) % n, -1);
    rows.add(n + i, 1);
    rows.end_row();
  }
  for (std::int32_t i = 0; i < n; ++i) rows.add(n + i, -1);
  rows.end_row();
  const std::vector<char> counts(static_cast<std::size_t>(2 * n), 1);
  const std::vector<Dependency> found = find_dependencies(rows, counts);
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].of.size(), static_cast<std::size_t>(n) + 1);
  for (const auto& [r, coefficient] : found[0].of) ASSERT_EQ(coefficient, found[0].of[0].second);
}

// Coefficients that outgrow every machine number: nothing wrong may come out, and nothing crash.
TEST(FindDependencies, GivesUpOnGiants) {
  IntegerRows rows;
  const std::int64_t big = (std::int64_t{1} << 53) - 111;
  for (std::int32_t i = 0; i < 40; ++i) {
    for (std::int32_t c = 0; c < 40; ++c) rows.add(c, big - 977 * i * i - 31 * c * c * (i + 1));
    rows.end_row();
  }
  const std::vector<char> counts(40, 1);
  for (const Dependency& d : find_dependencies(rows, counts)) {
    if (d.has_coefficients) expect_right(rows, d, counts);
  }
}

}  // namespace
}  // namespace chi::structure
