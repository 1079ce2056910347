#include "code/formulas_batches.h"

#include <bit>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "expr/build.h"

namespace chi::code {
namespace {

using expr::ExprId;
using expr::Op;

FormulaProgram program_of(const expr::Pool& pool, std::span<const ExprId> roots,
                          FormulaLeaves& leaves) {
  Terms terms = collect_terms(pool, roots);
  const Contexts contexts = assign_contexts(terms, pool);
  return write_program(std::move(terms), contexts, leaves);
}

ExprId x(expr::Pool& pool, int i) { return expr::variable(pool, {i}, 0); }

// Rows of a chain: n² (x_(i-1) - 2 x_i + x_(i+1)) + sin(x_i).
std::vector<ExprId> chain(expr::Pool& pool, int n) {
  std::vector<ExprId> roots;
  const ExprId rate = expr::constant(pool, n * n), two = expr::constant(pool, 2);
  for (int i = 1; i <= n; ++i) {
    ExprId sum = expr::sub(pool, x(pool, i - 1), expr::mul(pool, two, x(pool, i)));
    sum = expr::mul(pool, rate, expr::add(pool, sum, x(pool, i + 1)));
    roots.push_back(expr::add(pool, sum, expr::unary(pool, Op::Sin, x(pool, i))));
  }
  return roots;
}

std::vector<double> some_frame(const FormulaLeaves& leaves, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-3, 3);
  std::vector<double> frame(static_cast<std::size_t>(leaves.size()));
  for (double& v : frame) v = any(random);
  return frame;
}

// Interpreted at first, in loops later: no bit may change.
void expect_same_bits(const expr::Pool& pool, std::span<const ExprId> roots) {
  FormulaLeaves leaves;
  const FormulaProgram program = program_of(pool, roots, leaves);
  std::optional<FormulaBatches> batches = FormulaBatches::make(program);
  ASSERT_TRUE(batches.has_value());
  Formulas formulas(pool, roots, leaves);
  std::vector<double> a(roots.size()), b(roots.size());
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const std::vector<double> frame = some_frame(leaves, seed);
    ASSERT_EQ(formulas.evaluate(frame.data(), a.data()), batches->run(frame.data(), b.data()));
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << i;
    }
  }
}

TEST(FormulaBatches, AChainIsAFewLoops) {
  expr::Pool pool;
  const std::vector<ExprId> roots = chain(pool, 400);
  FormulaLeaves leaves;
  const auto batches = FormulaBatches::make(program_of(pool, roots, leaves));
  ASSERT_TRUE(batches.has_value());
  EXPECT_LE(batches->pieces(), 20U);
  expect_same_bits(pool, roots);
}

// Terms that rows share, operands in no order, numbers that differ, roots that are leaves and
// numbers.
TEST(FormulaBatches, KeepTheBitsOfAnyArithmetic) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    expr::Pool pool;
    std::mt19937 random(seed);
    const auto any = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    std::vector<ExprId> roots{x(pool, 3), expr::constant(pool, 2.5)};
    std::vector<ExprId> shared;
    for (int i = 0; i < 300; ++i) {
      const ExprId number = expr::constant(pool, 1 + 0.25 * any(40));
      ExprId e = expr::sub(pool, x(pool, any(100)), expr::mul(pool, number, x(pool, i)));
      if (!shared.empty()) e = expr::add(pool, e, shared[random() % shared.size()]);
      shared.push_back(e);
      e = expr::mul(pool, e, expr::unary(pool, any(2) != 0 ? Op::Cos : Op::Abs, x(pool, any(50))));
      roots.push_back(i % 3 == 0 ? expr::unary(pool, Op::Exp, e) : expr::int_power(pool, e, 2));
    }
    FormulaLeaves leaves;
    if (!FormulaBatches::make(program_of(pool, roots, leaves)))
      continue;  // deep sharing: many pieces
    expect_same_bits(pool, roots);
  }
  expr::Pool pool;
  std::vector<ExprId> roots;
  for (int i = 0; i < 300; ++i) {  // one level of sharing, irregular
    const ExprId flow = expr::mul(pool, expr::constant(pool, i * 0.5 + 1),
                                  expr::sub(pool, x(pool, i), x(pool, i * 7 % 300)));
    roots.push_back(
        expr::sub(pool, flow, expr::div(pool, x(pool, i + 1), expr::constant(pool, 3))));
  }
  expect_same_bits(pool, roots);
}

TEST(FormulaBatches, SuspectWhatTheInterpreterSuspects) {
  expr::Pool pool;
  std::vector<ExprId> roots;
  for (int i = 0; i < 200; ++i) roots.push_back(expr::div(pool, x(pool, 0), x(pool, i + 1)));
  FormulaLeaves leaves;
  auto batches = FormulaBatches::make(program_of(pool, roots, leaves));
  ASSERT_TRUE(batches.has_value());
  std::vector<double> frame(static_cast<std::size_t>(leaves.size()), 1.0), out(roots.size());
  EXPECT_TRUE(batches->run(frame.data(), out.data()));
  frame[57] = 0;
  EXPECT_FALSE(batches->run(frame.data(), out.data()));
  frame[57] = std::nan("");
  EXPECT_FALSE(batches->run(frame.data(), out.data()));
}

TEST(FormulaBatches, AreNotForBranchesNorForDifferentThings) {
  expr::Pool pool;
  FormulaLeaves leaves;
  std::vector<ExprId> roots = chain(pool, 100);
  const ExprId zero = expr::constant(pool, 0);
  const ExprId positive = expr::binary(pool, Op::Greater, x(pool, 0), zero);
  const ExprId risky = expr::unary(pool, Op::Sqrt, x(pool, 0));
  roots.push_back(expr::if_else(pool, expr::IfKind::Plain, positive, risky, zero));
  EXPECT_FALSE(FormulaBatches::make(program_of(pool, roots, leaves)).has_value());
  ExprId deep = x(pool, 0);
  for (int i = 0; i < 300; ++i)
    deep = expr::unary(pool, Op::Sin, expr::add(pool, deep, x(pool, i)));
  EXPECT_FALSE(FormulaBatches::make(program_of(pool, std::array{deep}, leaves)).has_value());
}

}  // namespace
}  // namespace chi::code
