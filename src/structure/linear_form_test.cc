#include "structure/linear_form.h"

#include <random>

#include <gtest/gtest.h>

#include "expr/build.h"
#include "expr/evaluate.h"
#include "structure/model_testing.h"

namespace chi::structure {
namespace {

using testing::Model;

std::string text_of(Model& model, std::string_view expression) {
  const LinearForm form = linear_form(model.pool, model.parse(expression));
  return model.text(build(model.pool, form));
}

TEST(LinearForm, TakesSumsApart) {
  Model model("x y z", "", {});
  EXPECT_EQ(text_of(model, "x' + y - x'"), "y");
  EXPECT_EQ(text_of(model, "2*(x - 3*y) - (2*x - y)"), "-5 * y");
  EXPECT_EQ(text_of(model, "x/3 + y/2 + 1"), "2 * x + (3 * y + 6)");
  EXPECT_EQ(text_of(model, "sin(x) + y - sin(x)"), "y");
  EXPECT_EQ(text_of(model, "0.1*x - 0.1*x"), "0");
  EXPECT_EQ(text_of(model, "x*y + 2*(x*y)"), "3 * (y * x)");
}

TEST(LinearForm, KnowsItsFactor) {
  Model model("x y", "", {});
  EXPECT_EQ(linear_form(model.pool, model.parse("x/3 + y/2")).factor, 6);
  EXPECT_FALSE(linear_form(model.pool, model.parse("x/3 + y/2")).cancelled);
  EXPECT_TRUE(linear_form(model.pool, model.parse("x + y - x")).cancelled);
}

TEST(LinearForm, LeavesLargeNumbersAlone) {
  Model model("x y", "", {});
  const LinearForm form = linear_form(
      model.pool, model.parse("x/999983 + x/999979 + x/999961 + x/999959 + y/999953 + y/999931"));
  EXPECT_FALSE(form.is_exact);
  ASSERT_EQ(form.terms.size(), 1u);
}

TEST(LinearForm, IsTheExpressionTimesTheFactor) {
  std::mt19937_64 random(5);
  expr::Pool pool;
  expr::Point point;
  point.time = 3;
  point.variable = [](expr::VarRef x) { return 1.0 + x.var.index * 7 + x.order * 0.5; };
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<expr::ExprId> known = {expr::time(pool), expr::constant(pool, 2.5)};
    for (int i = 0; i < 4; ++i) known.push_back(expr::variable(pool, {i}, i % 2));
    for (int step = 0; step < 12; ++step) {
      const expr::ExprId a = known[random() % known.size()], b = known[random() % known.size()];
      const expr::ExprId c = expr::constant(pool, double(random() % 5) - 2);
      switch (random() % 5) {
        case 0: known.push_back(expr::add(pool, a, b)); break;
        case 1: known.push_back(expr::sub(pool, a, b)); break;
        case 2: known.push_back(expr::mul(pool, c, a)); break;
        case 3:
          known.push_back(expr::div(pool, a, expr::constant(pool, double(1 + random() % 4))));
          break;
        case 4: known.push_back(expr::unary(pool, expr::Op::Cos, a)); break;
      }
    }
    const LinearForm form = linear_form(pool, known.back());
    ASSERT_TRUE(form.is_exact);
    const double expected =
        expr::evaluate(pool, known.back(), point).value * static_cast<double>(form.factor);
    const double found = expr::evaluate(pool, build(pool, form), point).value;
    EXPECT_NEAR(found, expected, 1e-9 * (1 + std::abs(expected)));
    for (std::size_t k = 1; k < form.terms.size(); ++k) {
      EXPECT_LT(form.terms[k - 1].node, form.terms[k].node);
    }
  }
}

}  // namespace
}  // namespace chi::structure
