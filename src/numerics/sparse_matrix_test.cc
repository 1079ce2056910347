#include "numerics/sparse_matrix.h"

#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace chi::numerics {
namespace {

// [ . b ]
// [ a . ]
// [ . c ]
TEST(SparsePattern, BuilderSortsAndDropsDuplicates) {
  PatternBuilder builder(3, 2);
  builder.add(2, 1);
  builder.add(1, 0);
  builder.add(0, 1);
  builder.add(2, 1);
  const SparsePattern p = builder.build();
  EXPECT_EQ(p.column_starts, (std::vector{0, 1, 3}));
  EXPECT_EQ(p.row_indices, (std::vector{1, 0, 2}));
  EXPECT_TRUE(is_valid(p));
  EXPECT_EQ(find_entry(p, 2, 1), 2);
  EXPECT_EQ(find_entry(p, 0, 0), -1);
}

TEST(SparsePattern, EmptyAndFull) {
  EXPECT_TRUE(is_valid(SparsePattern{}));
  EXPECT_TRUE(is_valid(PatternBuilder(4, 4).build()));
  const SparsePattern full = full_pattern(2, 3);
  EXPECT_TRUE(is_valid(full));
  EXPECT_EQ(full.nonzeros(), 6);
  EXPECT_EQ(find_entry(full, 1, 2), 5);
}

TEST(SparsePattern, InvalidOnesAreSeen) {
  EXPECT_FALSE(is_valid({.rows = 2, .cols = 1, .column_starts = {0, 2}, .row_indices = {1, 0}}));
  EXPECT_FALSE(is_valid({.rows = 2, .cols = 1, .column_starts = {0, 1}, .row_indices = {2}}));
  EXPECT_FALSE(is_valid({.rows = 2, .cols = 2, .column_starts = {0, 1}, .row_indices = {0}}));
}

// Random patterns against sets of pairs: build, merge, find and multiply agree with the definition.
TEST(SparsePattern, AgreesWithSetsOfPairs) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    const int rows = 1 + static_cast<int>(random() % 9);
    const int cols = 1 + static_cast<int>(random() % 9);
    PatternBuilder a(rows, cols), b(rows, cols);
    std::set<std::pair<int, int>> in_a, in_b;
    for (int i = 0; i < 15; ++i) {
      const int r = static_cast<int>(random() % static_cast<unsigned>(rows));
      const int c = static_cast<int>(random() % static_cast<unsigned>(cols));
      (i % 2 ? a : b).add(r, c);
      (i % 2 ? in_a : in_b).insert({r, c});
    }
    const SparsePattern pa = a.build(), both = merge(pa, b.build());
    ASSERT_TRUE(is_valid(pa));
    ASSERT_TRUE(is_valid(both));
    std::vector<double> values(static_cast<std::size_t>(pa.nonzeros()));
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k + 1);
    std::vector<double> x(static_cast<std::size_t>(cols), 2.0);
    std::vector<double> product(static_cast<std::size_t>(rows), 1.0), expected = product;
    multiply_add(pa, values, 3.0, x, product);
    for (int c = 0; c < cols; ++c) {
      for (int r = 0; r < rows; ++r) {
        const int k = find_entry(pa, r, c);
        ASSERT_EQ(k >= 0, in_a.count({r, c}) == 1);
        ASSERT_EQ(find_entry(both, r, c) >= 0, in_a.count({r, c}) + in_b.count({r, c}) > 0);
        if (k >= 0) expected[static_cast<std::size_t>(r)] += 3.0 * 2.0 * (k + 1);
      }
    }
    ASSERT_EQ(product, expected);
  }
}

}  // namespace
}  // namespace chi::numerics
