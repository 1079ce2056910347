#include "expr/linearity.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "expr/build.h"
#include "expr/incidence.h"
#include "expr/print.h"
#include "expr/random_expression.h"
#include "expr/substitute.h"

namespace chi::expr {
namespace {

struct Linear : ::testing::Test {
  Pool pool;
  ExprId x = variable(pool, {0}), y = variable(pool, {1}), k = variable(pool, {2}),
         n = discrete_real(pool, {0});
  ExprId two = constant(pool, 2);
  Linearity in_xy(ExprId e) { return linearity(pool, std::array{e}, std::array{x, y})[0]; }
};

TEST_F(Linear, Kinds) {
  EXPECT_EQ(in_xy(unary(pool, Op::Sin, k)), Linearity::Free);
  EXPECT_EQ(in_xy(add(pool, mul(pool, two, x), div(pool, y, two))), Linearity::Constant);
  EXPECT_EQ(in_xy(sub(pool, mul(pool, k, x), y)), Linearity::Varying);
  EXPECT_EQ(in_xy(mul(pool, n, x)), Linearity::Varying);
  EXPECT_EQ(in_xy(mul(pool, x, y)), Linearity::Nonlinear);
  EXPECT_EQ(in_xy(div(pool, k, x)), Linearity::Nonlinear);
  EXPECT_EQ(in_xy(int_power(pool, x, 2)), Linearity::Nonlinear);
  EXPECT_EQ(in_xy(unary(pool, Op::Abs, x)), Linearity::Nonlinear);
  EXPECT_EQ(in_xy(mul(pool, constant(pool, 0), x)), Linearity::Free);
}

TEST_F(Linear, CallsAreWhatTheirBodiesAre) {
  const ExprId p = param_real(pool, 0), q = param_real(pool, 1), r = param_real(pool, 2);
  const FunctionId f = pool.add_function(3, add(pool, mul(pool, p, q), unary(pool, Op::Sin, r)));
  EXPECT_EQ(in_xy(call(pool, f, std::array{x, two, k})), Linearity::Constant);
  EXPECT_EQ(in_xy(call(pool, f, std::array{x, k, k})), Linearity::Varying);
  EXPECT_EQ(in_xy(call(pool, f, std::array{x, y, k})), Linearity::Nonlinear);
  EXPECT_EQ(in_xy(call(pool, f, std::array{k, k, x})), Linearity::Nonlinear);
  EXPECT_EQ(in_xy(call(pool, f, std::array{k, k, n})), Linearity::Free);
  const std::array row{call(pool, f, std::array{x, k, n})};
  const LinearForms forms = linear_forms(pool, row, std::array{x, y});
  ASSERT_EQ(forms.a.entry.size(), 1u);
  EXPECT_EQ(inline_calls(pool, forms.a.entry[0]), k);
  EXPECT_EQ(inline_calls(pool, forms.b[0]), unary(pool, Op::Sin, n));
  EXPECT_EQ(rest_of(pool, f, 0), rest_of(pool, f, 0));
  EXPECT_FALSE(rest_of(pool, f, 2));
}

TEST_F(Linear, IfIsAffineUnlessItsConditionKnows) {
  const ExprId open = discrete_bool(pool, {1}), x_low = binary(pool, Op::Less, x, k);
  EXPECT_EQ(in_xy(if_else(pool, IfKind::Evented, open, x, y)), Linearity::Varying);
  EXPECT_EQ(in_xy(if_else(pool, IfKind::Evented, x_low, y, k)), Linearity::Nonlinear);
  EXPECT_EQ(in_xy(if_else(pool, IfKind::Evented, open, k, two)), Linearity::Free);
}

// The switch of P3 §9.8: 0 = if open then i else u.
TEST_F(Linear, SwitchEquation) {
  const ExprId open = discrete_bool(pool, {1});
  const LinearForms f =
      linear_forms(pool, std::array{if_else(pool, IfKind::Evented, open, x, y)}, std::array{x, y});
  ASSERT_EQ(f.a.entry.size(), 2u);
  EXPECT_EQ(to_text(pool, f.a.entry[0]), "if d1 then 1 else 0");
  EXPECT_EQ(to_text(pool, f.a.entry[1]), "if d1 then 0 else 1");
  EXPECT_TRUE(is_zero(pool, f.b[0]));
}

// The remainder is not the expression at x = 0: a coefficient without a value would spoil it.
TEST_F(Linear, RemainderDropsCoefficients) {
  const ExprId e = add(pool, mul(pool, unary(pool, Op::Ln, k), x), y);
  const LinearForms f = linear_forms(pool, std::array{e, mul(pool, x, x)}, std::array{x});
  EXPECT_EQ(f.b[0], y);
  EXPECT_EQ(f.a.row_start, (std::vector{0, 1, 1}));
  EXPECT_EQ(f.kind[1], Linearity::Nonlinear);
  EXPECT_FALSE(f.b[1]);
}

TEST_F(Linear, GuardsOnTime) {
  const ExprId due = sub(pool, mul(pool, two, time(pool)), add(pool, k, n));
  const auto line = affine_in_time(pool, due, std::array{x, y});
  ASSERT_TRUE(line);
  EXPECT_EQ(line->rate, two);
  EXPECT_EQ(line->offset, neg(pool, add(pool, k, n)));
  EXPECT_FALSE(affine_in_time(pool, due, std::array{k}));
  EXPECT_FALSE(affine_in_time(pool, unary(pool, Op::Sin, time(pool)), {}));
  EXPECT_FALSE(affine_in_time(pool, delay(pool, n, two), {}));
  const auto still = affine_in_time(pool, n, {});
  ASSERT_TRUE(still);
  EXPECT_TRUE(is_zero(pool, still->rate));
}

std::string text(const Pool& pool, const std::optional<IntegerForm>& form) {
  if (!form) return "none";
  std::string s;
  for (const auto& [leaf, c] : form->terms)
    s += std::to_string(c) + "*" + to_text(pool, leaf) + " ";
  return s + std::to_string(form->constant);
}

TEST_F(Linear, IntegerForms) {
  const auto form = [&](ExprId e) { return text(pool, integer_form(pool, e)); };
  EXPECT_EQ(form(sub(pool, x, y)), "1*x0 -1*x1 0");
  EXPECT_EQ(form(neg(pool, add(pool, x, y))), "1*x0 1*x1 0");
  EXPECT_EQ(form(add(pool, div(pool, x, constant(pool, 3)), div(pool, y, two))), "2*x0 3*x1 0");
  EXPECT_EQ(form(sub(pool, mul(pool, constant(pool, 0.5), x), constant(pool, 1.5))), "1*x0 -3");
  EXPECT_EQ(form(sub(pool, add(pool, mul(pool, two, x), y), mul(pool, two, x))), "1*x1 0");
  EXPECT_EQ(form(mul(pool, two, sub(pool, x, add(pool, y, constant(pool, 4))))), "1*x0 -1*x1 -4");
  EXPECT_EQ(form(sub(pool, x, x)), "0");
  EXPECT_EQ(form(mul(pool, constant(pool, 0.1), x)), "none");
  EXPECT_EQ(form(mul(pool, x, y)), "none");
  EXPECT_EQ(form(div(pool, x, constant(pool, 0))), "none");
  EXPECT_EQ(form(mul(pool, k, constant(pool, 1e7))), "none");
  EXPECT_EQ(form(unary(pool, Op::Sin, x)), "none");
}

TEST_F(Linear, IntegerFormsStopBeforeOverflow) {
  ExprId e = x;
  for (int i = 0; i < 40; ++i)
    e = add(pool, mul(pool, constant(pool, 999999), e), constant(pool, 1));
  EXPECT_FALSE(integer_form(pool, e));
  const ExprId million = constant(pool, 1e6), large = mul(pool, million, mul(pool, million, x));
  EXPECT_TRUE(integer_form(pool, add(pool, mul(pool, constant(pool, 9e3), large), y)));
  EXPECT_FALSE(integer_form(pool, add(pool, mul(pool, constant(pool, 9.1e3), large), y)));
  for (int i = 0; i < 40; ++i) e = div(pool, e, constant(pool, 999983));
  EXPECT_FALSE(integer_form(pool, e));
}

TEST(LinearProperty, FormsReproduceTheValue) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Pool pool;
    testing::RandomExpressions random(pool, seed, {.calls = false});
    const std::array roots{random.affine(12), random.affine(6)};
    const std::array unknowns{variable(pool, {0}), variable(pool, {2})};
    const LinearForms f = linear_forms(pool, roots, unknowns);
    const Occurrences in_a = variables(pool, f.a.entry), in_b = variables(pool, f.b);
    for (const ExprId v : in_a.node)
      ASSERT_TRUE(v != unknowns[0] && v != unknowns[1]) << "seed " << seed;
    for (const ExprId v : in_b.node)
      ASSERT_TRUE(v != unknowns[0] && v != unknowns[1]) << "seed " << seed;
    for (std::size_t r = 0; r < 2; ++r) {
      ASSERT_NE(f.kind[r], Linearity::Nonlinear) << "seed " << seed;
      const Point point = random.point();
      double total = evaluate(pool, f.b[r], point).value, size = std::fabs(total);
      for (auto i = static_cast<std::size_t>(f.a.row_start[r]);
           i < static_cast<std::size_t>(f.a.row_start[r + 1]); ++i) {
        const double term =
            evaluate(pool, f.a.entry[i], point).value *
            evaluate(pool, unknowns[static_cast<std::size_t>(f.a.column[i])], point).value;
        total += term;
        size += std::fabs(term);
      }
      const Value expected = evaluate(pool, roots[r], point);
      if (expected.where || !std::isfinite(expected.value) || size > 1e8) continue;
      ASSERT_NEAR(expected.value, total, 1e-8 * (1 + size)) << "seed " << seed;
      ++compared;
    }
  }
  EXPECT_GT(compared, 2500);
}

// Random sums of fractions c/6, with terms that cancel, against coefficients kept aside.
TEST(LinearProperty, IntegerFormsAreExact) {
  std::mt19937_64 rng(5);
  for (int round = 0; round < 2000; ++round) {
    Pool pool;
    std::map<ExprId, std::int64_t> expected;
    ExprId e = constant(pool, 0);
    for (int i = 0; i < 8; ++i) {
      const auto c = static_cast<std::int64_t>(rng() % 13) - 6;
      const ExprId leaf = variable(pool, {static_cast<int>(rng() % 4)});
      const ExprId term = mul(pool, constant(pool, static_cast<double>(c)), leaf);
      const bool minus = rng() % 2 == 0;
      e = binary(pool, minus ? Op::Sub : Op::Add, e, div(pool, term, constant(pool, 6)));
      expected[leaf] += minus ? -c : c;
    }
    std::erase_if(expected, [](const auto& item) { return item.second == 0; });
    const auto form = integer_form(pool, e);
    ASSERT_TRUE(form);
    ASSERT_EQ(form->terms.size(), expected.size());
    for (const auto& [leaf, c] : form->terms) {  // the same up to a common factor
      ASSERT_NE(c, 0);
      ASSERT_EQ(expected.at(leaf) * form->terms[0].coefficient,
                expected.at(form->terms[0].leaf) * c);
    }
    ASSERT_TRUE(form->terms.empty() || form->terms[0].coefficient > 0);
  }
}

}  // namespace
}  // namespace chi::expr
