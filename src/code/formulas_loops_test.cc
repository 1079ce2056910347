#include "code/formulas_loops.h"

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "expr/substitute.h"

namespace chi::code {
namespace {

using expr::ExprId;
using expr::Op;

constexpr int kCopies = 300;  // two times as many as are done at once, and some

/// Rows x_i' - c_i f(x_(i-1), x_i, x_(i+1)) of a chain, with f by its body.
struct Chain {
  expr::Pool pool;
  std::vector<ExprId> leaves, rows;

  explicit Chain(ExprId (*body)(expr::Pool&)) {
    const expr::FunctionId f = pool.add_function(4, body(pool));
    for (int i = 0; i < kCopies + 2; ++i) leaves.push_back(expr::variable(pool, {i}));
    for (int i = 1; i <= kCopies; ++i) {
      const ExprId c = expr::constant(pool, 1 + 0.01 * i);
      const ExprId value = expr::call(pool, f, std::array{at(i - 1), at(i), at(i + 1), c});
      rows.push_back(expr::sub(pool, expr::variable(pool, {i}, 1), value));
    }
  }
  ExprId at(int i) const { return leaves[static_cast<std::size_t>(i)]; }
};

ExprId p(expr::Pool& pool, int i) { return expr::param_real(pool, i); }

ExprId reaction(expr::Pool& pool) {
  const ExprId rate = expr::unary(pool, Op::Exp, expr::neg(pool, p(pool, 1)));
  const ExprId flow = expr::sub(pool, p(pool, 0), expr::mul(pool, p(pool, 3), p(pool, 2)));
  return expr::add(pool, expr::mul(pool, rate, flow), expr::unary(pool, Op::Tanh, p(pool, 0)));
}
ExprId root(expr::Pool& pool) {
  return expr::div(pool, expr::unary(pool, Op::Sqrt, p(pool, 0)), p(pool, 3));
}

std::vector<double> some_frame(const FormulaLeaves& leaves, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(0.5, 3);
  std::vector<double> frame(static_cast<std::size_t>(leaves.size()));
  for (double& v : frame) v = any(random);
  return frame;
}

void expect_same_bits(expr::Pool& pool, const std::vector<ExprId>& roots) {
  FormulaLeaves leaves;
  std::vector<std::int32_t> rest;
  ASSERT_FALSE(FormulaLoops(pool, roots, leaves, rest).empty());
  ASSERT_TRUE(rest.empty());
  Formulas loops(pool, roots, leaves);
  EXPECT_EQ(loops.tier(), FormulaTier::Loops);
  Formulas plain(pool, expr::inline_calls(pool, roots), leaves);
  std::vector<double> a(roots.size()), b(roots.size());
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    const std::vector<double> frame = some_frame(leaves, seed);
    ASSERT_TRUE(loops.evaluate(frame.data(), a.data()));
    ASSERT_TRUE(plain.evaluate(frame.data(), b.data()));
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << i;
    }
  }
}

TEST(FormulaLoops, SameBitsAsEachRowForItself) {
  Chain chain(reaction);
  expect_same_bits(chain.pool, chain.rows);
}

// Derivatives of one row have its arguments: they are computed together.
TEST(FormulaLoops, SameBitsOfTheDerivatives) {
  Chain chain(reaction);
  const expr::Jacobian jacobian = expr::jacobian(chain.pool, chain.rows, chain.leaves);
  ASSERT_EQ(jacobian.entry.size(), 3u * kCopies);
  expect_same_bits(chain.pool, jacobian.entry);
}

TEST(FormulaLoops, OnlyWhatIsAlikeIsTaken) {
  Chain chain(reaction);
  std::vector<ExprId> roots = chain.rows;
  roots.insert(roots.begin() + 5, expr::add(chain.pool, chain.at(0), chain.at(3)));
  roots.push_back(chain.at(7));
  FormulaLeaves leaves;
  std::vector<std::int32_t> rest;
  const FormulaLoops loops(chain.pool, roots, leaves, rest);
  EXPECT_EQ(rest, (std::vector<std::int32_t>{5, kCopies + 1}));
  Formulas all(chain.pool, roots, leaves);
  Formulas plain(chain.pool, expr::inline_calls(chain.pool, roots), leaves);
  const std::vector<double> frame = some_frame(leaves, 3);
  std::vector<double> a(roots.size()), b(roots.size());
  ASSERT_TRUE(all.evaluate(frame.data(), a.data()));
  ASSERT_TRUE(plain.evaluate(frame.data(), b.data()));
  EXPECT_EQ(a, b);
}

TEST(FormulaLoops, TheFirstFaultIsTold) {
  Chain chain(root);
  FormulaLeaves leaves;
  Formulas loops(chain.pool, chain.rows, leaves);
  std::vector<double> frame = some_frame(leaves, 1), out(chain.rows.size());
  ASSERT_TRUE(loops.evaluate(frame.data(), out.data()));
  for (const int broken : {200, 77}) {
    frame[static_cast<std::size_t>(leaves.find(chain.at(broken)))] = -4;
    EXPECT_FALSE(loops.evaluate(frame.data(), out.data()));
    EXPECT_EQ(loops.fault().root, broken);  // row i has x_i as its first argument
    EXPECT_EQ(loops.fault().fault, expr::Fault::SqrtOfNegative);
    EXPECT_EQ(loops.fault().argument, -4);
    EXPECT_TRUE(std::isnan(out[static_cast<std::size_t>(broken)]));
    EXPECT_TRUE(std::isfinite(out[3]));
  }
}

/// Rows x_i' - (if s_i then f(...) else g(...)), the s_i being discrete truths: of few copies in a
/// row it is the same one, so that copies that are done at once are in both alternatives.
struct Switched : Chain {
  std::vector<ExprId> switches, switched;

  Switched() : Chain(reaction) {
    const ExprId bare = expr::div(pool, expr::constant(pool, 1), p(pool, 0));
    const expr::FunctionId g = pool.add_function(1, bare);
    for (int i = 1; i <= kCopies; ++i) {
      switches.push_back(expr::discrete_bool(pool, {i / 3}));
      const expr::Operands row = pool.operands(rows[static_cast<std::size_t>(i - 1)]);
      const ExprId other = expr::call(pool, g, std::array{at(i)});
      switched.push_back(expr::sub(
          pool, row[0], expr::if_else(pool, expr::IfKind::Plain, switches.back(), row[1], other)));
    }
  }
};

TEST(FormulaLoops, CopiesComputeTheAlternativeThatTheyAreIn) {
  Switched chain;
  FormulaLeaves leaves;
  std::vector<std::int32_t> rest;
  ASSERT_FALSE(FormulaLoops(chain.pool, chain.switched, leaves, rest).empty());
  ASSERT_TRUE(rest.empty());
  Formulas loops(chain.pool, chain.switched, leaves);
  EXPECT_EQ(loops.tier(), FormulaTier::Loops);
  Formulas plain(chain.pool, expr::inline_calls(chain.pool, chain.switched), leaves);
  std::vector<double> a(chain.switched.size()), b(chain.switched.size());
  for (const unsigned one_in : {1u, 2u, 7u, 400u}) {
    std::vector<double> frame = some_frame(leaves, one_in);
    for (std::size_t i = 0; i < chain.switches.size(); ++i) {
      frame[static_cast<std::size_t>(leaves.find(chain.switches[i]))] = (i / 3) % one_in == 0;
    }
    ASSERT_TRUE(loops.evaluate(frame.data(), a.data()));
    ASSERT_TRUE(plain.evaluate(frame.data(), b.data()));
    EXPECT_EQ(a, b) << one_in;
  }
}

// 1/x is no fault where x is zero, but the other alternative counts.
TEST(FormulaLoops, FaultsOfOtherAlternativesDoNotCount) {
  Switched chain;
  FormulaLeaves leaves;
  Formulas loops(chain.pool, chain.switched, leaves);
  std::vector<double> frame = some_frame(leaves, 1), out(chain.switched.size());
  for (const ExprId s : chain.switches) frame[static_cast<std::size_t>(leaves.find(s))] = 0;
  frame[static_cast<std::size_t>(leaves.find(chain.at(200)))] = 0;
  EXPECT_FALSE(loops.evaluate(frame.data(), out.data()));
  EXPECT_EQ(loops.fault().root, 199);
  EXPECT_EQ(loops.fault().fault, expr::Fault::DivisionByZero);
  frame[static_cast<std::size_t>(leaves.find(chain.switches[199]))] = 1;
  EXPECT_TRUE(loops.evaluate(frame.data(), out.data()));
}

}  // namespace
}  // namespace chi::code
