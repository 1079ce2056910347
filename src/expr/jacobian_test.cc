#include <array>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "expr/print.h"
#include "expr/random_expression.h"

namespace chi::expr {
namespace {

ExprId entry(const Jacobian& j, int row, int column) {
  for (int k = j.row_start[static_cast<std::size_t>(row)];
       k < j.row_start[static_cast<std::size_t>(row) + 1]; ++k) {
    if (j.column[static_cast<std::size_t>(k)] == column)
      return j.entry[static_cast<std::size_t>(k)];
  }
  return {};
}

TEST(Jacobian, RowsAndColumns) {
  Pool pool;
  const ExprId x = variable(pool, {0}), y = variable(pool, {1}), z = variable(pool, {2});
  const std::array roots{mul(pool, x, y), constant(pool, 3), add(pool, x, unary(pool, Op::Sin, y)),
                         z};
  const Jacobian j = jacobian(pool, roots, std::array{x, y});
  EXPECT_EQ(j.row_start, (std::vector{0, 2, 2, 4, 4}));
  EXPECT_EQ(j.column, (std::vector{0, 1, 0, 1}));
  EXPECT_EQ(j.entry, (std::vector{y, x, constant(pool, 1), unary(pool, Op::Cos, y)}));
}

TEST(Jacobian, LeafRootsAndRepeatedRoots) {
  Pool pool;
  const ExprId x = variable(pool, {0}), y = variable(pool, {1});
  const ExprId e = add(pool, x, y);
  const Jacobian j = jacobian(pool, std::array{x, e, x, e}, std::array{y, x});
  EXPECT_EQ(j.row_start, (std::vector{0, 1, 3, 4, 6}));
  EXPECT_EQ(j.column, (std::vector{1, 0, 1, 1, 0, 1}));
}

TEST(Jacobian, CancelledEntriesAreNotStored) {
  Pool pool;
  const ExprId x = variable(pool, {0}), y = variable(pool, {1});
  const ExprId e = sub(pool, add(pool, x, y), x);
  const Jacobian j = jacobian(pool, std::array{e}, std::array{x, y});
  EXPECT_EQ(j.column, std::vector{1});
}

// One sum of n variables: accumulating forward would take n^2/2 intermediate entries.
TEST(Jacobian, WideSumIsLinear) {
  Pool pool;
  std::vector<ExprId> leaves;
  ExprId total = constant(pool, 0);
  for (int i = 0; i < 200000; ++i) {
    leaves.push_back(variable(pool, {i}));
    total = add(pool, total, leaves.back());
  }
  const Jacobian j = jacobian(pool, std::array{total}, leaves);
  EXPECT_EQ(j.entry.size(), leaves.size());
}

// A chain of n nodes that are all roots: accumulating backward from each would take n^2/2 steps.
TEST(Jacobian, SharedChainIsLinear) {
  Pool pool;
  const ExprId x = variable(pool, {0});
  std::vector<ExprId> roots{x};
  for (int i = 0; i < 100000; ++i) roots.push_back(unary(pool, Op::Sin, roots.back()));
  const Jacobian j = jacobian(pool, roots, std::array{x});
  EXPECT_EQ(j.entry.size(), roots.size());
  EXPECT_LT(pool.size(), 400000);
}

// Several roots with common parts, so that regions, shared rows and choices all occur.
TEST(JacobianProperty, EqualsPartials) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Pool pool;
    testing::RandomExpressions random(pool, seed, {.partial = seed % 2 == 0});
    std::vector<ExprId> roots{random.real(8), random.real(4)};
    for (int i = 0; i < 4; ++i) {
      const Op op = random.below(2) == 0 ? Op::Mul : Op::Add;
      roots.push_back(
          binary(pool, op, roots[random.below(roots.size())], roots[random.below(roots.size())]));
      roots.push_back(binary(pool, op, roots[random.below(roots.size())], random.real(5)));
    }
    roots.erase(roots.begin() +
                static_cast<std::ptrdiff_t>(random.below(roots.size())));  // shared, but no root
    const auto leaves = random.variable_leaves();
    const Jacobian j = jacobian(pool, roots, leaves);
    ASSERT_EQ(j.rows(), static_cast<int>(roots.size()));
    const Point point = random.point();
    for (int c = 0; c < static_cast<int>(leaves.size()); ++c) {
      const auto column = partials(pool, roots, leaves[static_cast<std::size_t>(c)]);
      for (int r = 0; r < j.rows(); ++r) {
        const ExprId expected = column[static_cast<std::size_t>(r)], found = entry(j, r, c);
        if (is_zero(pool, expected)) continue;
        const Value a = evaluate(pool, expected, point);
        const Value b = found ? evaluate(pool, found, point) : Value{};
        if (evaluate(pool, roots[static_cast<std::size_t>(r)], point).where || a.where ||
            std::fabs(a.value) > 1e9)
          continue;
        ASSERT_NEAR(a.value, b.value, 1e-7 * (1 + std::fabs(a.value))) << "seed " << seed;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 10000);
}

}  // namespace
}  // namespace chi::expr
