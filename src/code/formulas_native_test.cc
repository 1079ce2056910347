#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "code/formulas.h"
#include "code/formulas_testing.h"

namespace chi::code {
namespace {

using expr::ExprId;
using expr::Op;
using expr::Pool;

// Whether the compiler is there must not depend on luck where it was built.
bool make_native(Formulas& formulas) {
  const bool made = formulas.make_native();
#ifdef CHI_WITH_NATIVE
  EXPECT_TRUE(made);
#endif
  return made;
}

void expect_same(Formulas& native, Formulas& interpreted, const std::vector<double>& frame) {
  const auto n = static_cast<std::size_t>(native.size());
  std::vector<double> a(n, 1), b(n, 2);
  ASSERT_EQ(native.evaluate_each(frame.data(), a.data()),
            interpreted.evaluate_each(frame.data(), b.data()));
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i]))
        << "root " << i << ": " << a[i] << " for " << b[i];
  }
  ASSERT_EQ(native.fault().root, interpreted.fault().root);
  ASSERT_EQ(native.fault().where, interpreted.fault().where);
  ASSERT_EQ(native.fault().fault, interpreted.fault().fault);
}

TEST(NativeFormulas, SameBitsAndFaultsAsInterpreted) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Pool pool;
    testing::RandomGraph graph(pool, seed);
    testing::GraphBoxes boxes(graph);
    graph.grow(5 + static_cast<int>(seed % 100));
    const std::vector<ExprId> roots = graph.roots(1 + static_cast<int>(seed % 13));
    FormulaLeaves leaves;
    Formulas native(pool, roots, leaves, &boxes), interpreted(pool, roots, leaves, &boxes);
    if (!make_native(native)) GTEST_SKIP() << "no native executor here";
    for (int i = 0; i < 50; ++i) {
      expect_same(native, interpreted, testing::frame_of(pool, leaves, graph.point()));
      if (HasFatalFailure()) FAIL() << "seed " << seed;
    }
  }
}

// A long program is cut into several functions, which hand values on to each other.
TEST(NativeFormulas, SameBitsInPieces) {
  Pool pool;
  testing::RandomGraph graph(pool, 5);
  testing::GraphBoxes boxes(graph);
  graph.grow(200);
  std::vector<ExprId> roots = graph.roots(5);
  ExprId sum = variable(pool, {0});
  std::vector<ExprId> parts;
  for (int i = 0; i < 3000; ++i) {
    const ExprId x = variable(pool, {i % 4}), y = variable(pool, {(i + 1) % 4}, 1);
    const ExprId part = expr::mul(pool, expr::add(pool, x, expr::constant(pool, i)), y);
    const ExprId low = expr::binary(pool, Op::Less, part, expr::constant(pool, 20 * (i % 50)));
    parts.push_back(expr::if_else(pool, expr::IfKind::Plain, low, expr::unary(pool, Op::Sin, part),
                                  expr::unary(pool, Op::Sqrt, expr::neg(pool, part))));
    sum = expr::add(pool, expr::mul(pool, sum, expr::constant(pool, 0.75)), part);
    if (i % 100 == 0) roots.push_back(sum);
    if (i >= 1500)
      roots.push_back(expr::add(pool, parts[static_cast<std::size_t>(i - 1500)], part));
  }
  FormulaLeaves leaves;
  Formulas native(pool, roots, leaves, &boxes), interpreted(pool, roots, leaves, &boxes);
  if (!make_native(native)) GTEST_SKIP() << "no native executor here";
  for (int i = 0; i < 20; ++i) {
    expect_same(native, interpreted, testing::frame_of(pool, leaves, graph.point()));
    if (HasFatalFailure()) FAIL();
  }
}

// Nobody has to ask for it; short runs never do it.
TEST(NativeFormulas, TakeOverAfterManyEvaluations) {
  Pool pool;
  const ExprId x = variable(pool, {0});
  ExprId sum = x;
  for (int i = 0; i < 1000; ++i) sum = expr::add(pool, expr::mul(pool, sum, x), x);
  FormulaLeaves leaves;
  Formulas formulas(pool, std::array{sum}, leaves);
  const double at = 0.5;
  double first = 0, out = 0;
  ASSERT_TRUE(formulas.evaluate(&at, &first));
  for (int i = 0; i < 5'000; ++i) formulas.evaluate(&at, &out);
  EXPECT_FALSE(formulas.is_native());
  for (int i = 0; i < 20'000; ++i) formulas.evaluate(&at, &out);
#ifdef CHI_WITH_NATIVE
  EXPECT_TRUE(formulas.is_native());
#endif
  EXPECT_EQ(out, first);
}

// A branch too large for a compiler is left to the interpreter.
TEST(NativeFormulas, DeepBranchesStayInterpreted) {
  Pool pool;
  const ExprId x = variable(pool, {0});
  ExprId nested = x;
  for (int i = 0; i < 30'000; ++i) {
    const ExprId condition = expr::binary(pool, Op::Less, x, expr::constant(pool, i));
    nested = pool.intern(Op::PlainIf, condition.index, expr::add(pool, nested, x).index,
                         expr::unary(pool, Op::Sin, x).index);
  }
  FormulaLeaves leaves;
  Formulas formulas(pool, std::array{nested}, leaves);
  const double at = 0.5;
  double before = 0, after = 0;
  ASSERT_TRUE(formulas.evaluate(&at, &before));
  formulas.make_native();
  ASSERT_TRUE(formulas.evaluate(&at, &after));
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace chi::code
