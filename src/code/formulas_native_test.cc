#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "code/compile_at_once.h"
#include "code/formulas.h"
#include "code/formulas_testing.h"

namespace chi::code {
namespace {

using expr::ExprId;
using expr::Op;
using expr::Pool;

// Whether the compiler is there must not depend on luck where it was built.
bool make_native(Formulas& formulas, FormulaTier tier = FormulaTier::Compiled) {
  const bool made =
      tier == FormulaTier::Optimised ? formulas.make_optimised() : formulas.make_native();
#ifdef CHI_WITH_NATIVE
  EXPECT_TRUE(made);
  EXPECT_EQ(formulas.tier(), tier);
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

class NativeFormulas : public ::testing::TestWithParam<FormulaTier> {};
INSTANTIATE_TEST_SUITE_P(Tiers, NativeFormulas,
                         ::testing::Values(FormulaTier::Compiled, FormulaTier::Optimised),
                         [](const auto& about) {
                           return about.param == FormulaTier::Compiled ? "Compiled" : "Optimised";
                         });

TEST_P(NativeFormulas, SameBitsAndFaultsAsInterpreted) {
  const std::uint64_t seeds = GetParam() == FormulaTier::Optimised ? 75 : 150;  // it takes longer
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Pool pool;
    testing::RandomGraph graph(pool, seed);
    testing::GraphBoxes boxes(graph);
    graph.grow(5 + static_cast<int>(seed % 100));
    const std::vector<ExprId> roots = graph.roots(1 + static_cast<int>(seed % 13));
    FormulaLeaves leaves;
    Formulas native(pool, roots, leaves, &boxes), interpreted(pool, roots, leaves, &boxes);
    if (!make_native(native, GetParam())) GTEST_SKIP() << "no native executor here";
    for (int i = 0; i < 50; ++i) {
      expect_same(native, interpreted, testing::frame_of(pool, leaves, graph.point()));
      if (HasFatalFailure()) FAIL() << "seed " << seed;
    }
  }
}

// Sums and products of four variables with and without choices, which share much; and what random
// graphs have.
std::vector<ExprId> long_program(Pool& pool, testing::RandomGraph& graph, int parts_wanted) {
  graph.grow(200);
  std::vector<ExprId> roots = graph.roots(5);
  ExprId sum = variable(pool, {0});
  std::vector<ExprId> parts;
  for (int i = 0; i < parts_wanted; ++i) {
    const ExprId x = variable(pool, {i % 4}), y = variable(pool, {(i + 1) % 4}, 1);
    const ExprId part = expr::mul(pool, expr::add(pool, x, expr::constant(pool, i)), y);
    const ExprId low = expr::binary(pool, Op::Less, part, expr::constant(pool, 20 * (i % 50)));
    parts.push_back(expr::if_else(pool, expr::IfKind::Plain, low, expr::unary(pool, Op::Sin, part),
                                  expr::unary(pool, Op::Sqrt, expr::neg(pool, part))));
    sum = expr::add(pool, expr::mul(pool, sum, expr::constant(pool, 0.75)), part);
    if (i % 100 == 0) roots.push_back(sum);
    if (i >= parts_wanted / 2)
      roots.push_back(expr::add(pool, parts[static_cast<std::size_t>(i - parts_wanted / 2)], part));
  }
  return roots;
}

// A long program is cut into several functions, which hand values on to each other.
TEST_P(NativeFormulas, SameBitsInPieces) {
  Pool pool;
  testing::RandomGraph graph(pool, 5);
  testing::GraphBoxes boxes(graph);
  const std::vector<ExprId> roots = long_program(pool, graph, 1200);
  FormulaLeaves leaves;
  Formulas native(pool, roots, leaves, &boxes), interpreted(pool, roots, leaves, &boxes);
  if (!make_native(native, GetParam())) GTEST_SKIP() << "no native executor here";
  for (int i = 0; i < 20; ++i) {
    expect_same(native, interpreted, testing::frame_of(pool, leaves, graph.point()));
    if (HasFatalFailure()) FAIL();
  }
}

// Evaluated all the while that a thread compiles it, and behind.
TEST(NativeFormulasInBackground, SameBitsBeforeAndAfterTheyTakeOver) {
  Pool pool;
  testing::RandomGraph graph(pool, 7);
  testing::GraphBoxes boxes(graph);
  const std::vector<ExprId> roots = long_program(pool, graph, 400);
  FormulaLeaves leaves;
  Formulas native(pool, roots, leaves, &boxes), interpreted(pool, roots, leaves, &boxes);
  if (!make_native(native)) GTEST_SKIP() << "no native executor here";
  native.start_optimising();
  const std::vector<double> frame = testing::frame_of(pool, leaves, graph.point());
  std::vector<double> out(static_cast<std::size_t>(native.size()));
  for (int i = 0; i < 2'000'000 && native.tier() != FormulaTier::Optimised; ++i)
    native.evaluate_each(frame.data(), out.data());
  ASSERT_EQ(native.tier(), FormulaTier::Optimised);
  for (int i = 0; i < 20; ++i) {
    expect_same(native, interpreted, testing::frame_of(pool, leaves, graph.point()));
    if (HasFatalFailure()) FAIL();
  }
}

// Whoever drops or moves formulas need not know whether a thread reads them.
TEST(NativeFormulasInBackground, AreDroppedWhileTheyAreCompiled) {
  for (int i = 0; i < 8; ++i) {
    Pool pool;
    testing::RandomGraph graph(pool, static_cast<std::uint64_t>(i));
    testing::GraphBoxes boxes(graph);
    FormulaLeaves leaves;
    const std::vector<ExprId> roots = long_program(pool, graph, 400);
    Formulas dropped(pool, roots, leaves, &boxes), waiting(pool, roots, leaves, &boxes);
    const std::vector<double> frame = testing::frame_of(pool, leaves, graph.point());
    std::vector<double> out(static_cast<std::size_t>(dropped.size()));
    dropped.start_optimising();
    waiting.start_optimising();
    dropped.evaluate_each(frame.data(), out.data());
    waiting.evaluate_each(frame.data(), out.data());
    Formulas moved = std::move(dropped);
    moved.evaluate_each(frame.data(), out.data());
    expect_same(moved, waiting, frame);
    if (HasFatalFailure()) FAIL();
  }
}

// Nobody has to ask for it; short runs never do it.
TEST(NativeFormulasTiers, TakeOverAfterManyEvaluations) {
  if (compile_at_once()) GTEST_SKIP() << "nothing is interpreted first";
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
  EXPECT_EQ(formulas.tier(), FormulaTier::Interpreted);
  for (int i = 0; i < 20'000; ++i) formulas.evaluate(&at, &out);
#ifdef CHI_WITH_NATIVE
  EXPECT_EQ(formulas.tier(), FormulaTier::Compiled);
#endif
  EXPECT_EQ(out, first);
}

// A branch too large for a compiler is left to the interpreter.
TEST(NativeFormulasTiers, DeepBranchesStayInterpreted) {
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
