#include "structure/analyse.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "expr/build.h"
#include "expr/evaluate.h"
#include "expr/incidence.h"
#include "structure/model_testing.h"

namespace chi::structure {
namespace {

using testing::Model;
using testing::NamedValues;
using Ints = std::vector<int>;
using Rows = std::vector<std::int32_t>;

const std::vector<std::string_view> kPendulum = {"x' = vx", "y' = vy", "vx' = T*x",
                                                 "vy' = T*y - 9.81", "x^2 + y^2 = 25"};

TEST(Analyse, PendulumIsOfIndexThree) {
  Model model("x y vx vy T", "T x vx", kPendulum);
  const Analysis a = model.analyse();
  ASSERT_FALSE(a.singular);
  EXPECT_EQ(model.text(a.unknowns), "x y vx vy T");
  EXPECT_EQ(a.c, (Ints{1, 1, 0, 0, 2}));
  EXPECT_EQ(a.d, (Ints{2, 2, 1, 1, 0}));
  EXPECT_EQ(a.degrees_of_freedom, 2);
  EXPECT_EQ(a.structural_index, 3);
  EXPECT_EQ(a.derivatives[4].size(), 3u);
  EXPECT_EQ(model.text(a.derivatives[4][1]), "2 * (x' * x) + 2 * (y' * y)");
}

TEST(Analyse, VariablesThatAreNotUnknownStandStill) {
  Model model("z", {"x' = z*u", "x = u*time"});
  const Analysis a = model.analyse();
  ASSERT_FALSE(a.singular);
  EXPECT_EQ(model.text(a.unknowns), "x z");
  EXPECT_EQ(model.text(a.derivatives[1][1]), "x' - u");
  EXPECT_EQ(a.unknown_index(model.var("z")), 1);
  EXPECT_EQ(a.unknown_index(model.var("u")), -1);
}

TEST(ChooseStates, DeclaredVariablesDepend) {
  Model model("x y vx vy T", "T x vx", kPendulum);
  const Analysis a = model.analyse();
  const auto choice = choose_states(model.pool, a);
  ASSERT_TRUE(choice);
  EXPECT_EQ(model.text(choice->states), "y vy");
  EXPECT_EQ(model.text(choice->dummies), "x' x'' y'' vx'");
  EXPECT_FALSE(choice->was_free);
}

TEST(ChooseStates, WithoutADeclarationTheEngineChooses) {
  Model model("x y vx vy T", "T", kPendulum);
  const Analysis a = model.analyse();
  const auto choice = choose_states(model.pool, a);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->states.size(), 2u);
  EXPECT_TRUE(choice->was_free);
}

TEST(ChooseStates, TooManyDeclarationsLeaveItOpen) {
  Model model("x y vx vy T", "T x y vx vy", kPendulum);
  const Analysis a = model.analyse();
  const auto choice = choose_states(model.pool, a);
  ASSERT_TRUE(choice);
  EXPECT_TRUE(choice->was_free);
}

TEST(ChooseStates, AtAPointThePivotsDecide) {
  Model model("x y vx vy T", "T x vx", kPendulum);
  const Analysis a = model.analyse();
  NamedValues side(model, {{"x", 5}, {"y", 1e-5}}), bottom(model, {{"x", 1e-5}, {"y", -5}}),
      near(model, {{"x", 0.1}, {"y", -5}});
  EXPECT_EQ(model.text(choose_states(model.pool, a, &side)->states), "y vy");
  EXPECT_EQ(model.text(choose_states(model.pool, a, &bottom)->states), "x vx");
  EXPECT_EQ(model.text(choose_states(model.pool, a, &near)->states), "y vy");
  EXPECT_EQ(model.text(choose_states(model.pool, a, &near, false)->states), "x vx");
  NamedValues nowhere(model, {{"x", 0}, {"y", 0}});
  EXPECT_FALSE(choose_states(model.pool, a, &nowhere));
}

// Every row of a block mentions only what is given, what comes before, and what is in its block;
// and each row mentions the unknown it is matched to.
void expect_solvable_in_order(const Model& model, const Analysis& analysis, const BlockOrder& order,
                              std::span<const expr::VarRef> given) {
  std::set<expr::VarRef> known(given.begin(), given.end());
  known.insert(order.over_unknowns.begin(), order.over_unknowns.end());
  ASSERT_EQ(order.rows.size(), order.unknowns.size());
  int next = 0;
  for (const BlockOrder::Block& block : order.blocks) {
    EXPECT_EQ(block.first, next);
    next += block.count;
    for (int k = block.first; k < next; ++k) {
      EXPECT_TRUE(known.insert(order.unknowns[static_cast<std::size_t>(k)]).second);
    }
    for (int k = block.first; k < next; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const std::vector<expr::ExprId> row = {order.rows[at].expr};
      bool is_matched = false;
      for (const expr::ExprId node : expr::variables(model.pool, row).node) {
        const expr::VarRef x = model.pool.variable(node);
        if (analysis.unknown_index(x.var) < 0) continue;
        EXPECT_TRUE(known.contains(x)) << model.text(x) << " in " << model.text(row[0]);
        is_matched = is_matched || x == order.unknowns[at];
      }
      EXPECT_TRUE(is_matched);
    }
  }
  EXPECT_EQ(next, static_cast<int>(order.rows.size()));
}

TEST(OrderBlocks, OfThePendulum) {
  Model model("x y vx vy T", "T x vx", kPendulum);
  const Analysis a = model.analyse();
  const auto choice = choose_states(model.pool, a);
  const BlockOrder order = order_blocks(model.pool, a, choice->states);
  ASSERT_TRUE(order.is_square());
  EXPECT_EQ(order.rows.size(), 9u);
  expect_solvable_in_order(model, a, order, choice->states);
  // x from the constraint first; the forces and accelerations together.
  EXPECT_EQ(model.text(order.unknowns[0]), "x");
  std::vector<int> counts;
  for (const auto& block : order.blocks) counts.push_back(block.count);
  EXPECT_EQ(*std::max_element(counts.begin(), counts.end()), 5);
  EXPECT_EQ(order.blocks.size(), 5u);
}

TEST(OrderBlocks, OfTheInitialProblem) {
  Model model("x y vx vy T", "T x vx", kPendulum);
  const Analysis a = model.analyse();
  const auto known = known_values(a);
  EXPECT_EQ(model.text(known), "y vy");
  EXPECT_TRUE(order_blocks(model.pool, a, known).is_square());
  // Too much known: the constraints cannot all be kept.
  Model fixed("x y vx vy T", "T", kPendulum);
  const Analysis b = fixed.analyse();
  const BlockOrder order = order_blocks(fixed.pool, b, known_values(b));
  EXPECT_FALSE(order.is_square());
  ASSERT_EQ(order.over_rows.size(), 4u);
  EXPECT_TRUE(order.under_unknowns.empty());
}

// The sum of the first row, differentiated, and the third has an x'' that nobody wrote: x' is no
// known value.
TEST(OrderBlocks, CombinedRowsMakeNothingKnown) {
  Model model("x y z", "", {"x' = y + z - 2*x", "x' = -x", "y' + z' - x' = z - 2.5*x"});
  const Analysis a = model.analyse();
  EXPECT_EQ(model.text(known_values(a)), "x y z");
}

// A chain of pendulums hanging from each other, each written with velocities: five rows a link.
TEST(Analyse, ALongChainOfPendulums) {
  const int links = 2000;
  expr::Pool pool;
  System system;
  const auto v = [&](int i, int k, int order = 0) {
    return expr::variable(pool, {5 * i + k}, order);
  };
  const auto apart = [&](int i, int k) {
    return i == 0 ? v(0, k) : expr::sub(pool, v(i, k), v(i - 1, k));
  };
  for (int i = 0; i < links; ++i) {
    for (int k = 0; k < 2; ++k) {
      system.rows.push_back(expr::sub(pool, v(i, k, 1), v(i, k + 2)));
      expr::ExprId force = expr::mul(pool, v(i, 4), apart(i, k));
      if (i + 1 < links) {
        force = expr::sub(pool, force, expr::mul(pool, v(i + 1, 4), apart(i + 1, k)));
      }
      const expr::ExprId mass = expr::constant(pool, 1.3);
      system.rows.push_back(expr::add(pool, expr::mul(pool, mass, v(i, k + 2, 1)), force));
    }
    const expr::ExprId square = expr::add(pool, expr::int_power(pool, apart(i, 0), 2),
                                          expr::int_power(pool, apart(i, 1), 2));
    system.rows.push_back(expr::sub(pool, square, expr::constant(pool, 1)));
    for (const int k : {0, 2, 4}) system.declared.push_back({5 * i + k});
  }
  const Analysis a = analyse(pool, system);
  ASSERT_FALSE(a.singular);
  EXPECT_EQ(a.degrees_of_freedom, 2 * links);
  EXPECT_EQ(a.structural_index, 3);
  const auto choice = choose_states(pool, a);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->states, known_values(a));
  EXPECT_FALSE(choice->was_free);
  EXPECT_TRUE(order_blocks(pool, a, choice->states).is_square());

  // All links nearly straight down: the declared ones will not do, and the pivots say so.
  class Hanging : public PointValues {
   public:
    explicit Hanging(const expr::Pool& p) : pool_(p) {}
    std::vector<double> values(std::span<const expr::ExprId> roots) override {
      expr::Point point;
      point.variable = [](expr::VarRef x) {
        return x.var.index % 5 == 0   ? 1e-6 * (x.var.index % 7)
               : x.var.index % 5 == 1 ? -1.0 - x.var.index / 5
                                      : 0.0;
      };
      std::vector<double> numbers;
      for (const expr::Value& value : expr::evaluate(pool_, roots, point)) {
        numbers.push_back(value.value);
      }
      return numbers;
    }

   private:
    const expr::Pool& pool_;
  };
  Hanging hanging(pool);
  const auto down = choose_states(pool, a, &hanging);
  ASSERT_TRUE(down);
  ASSERT_EQ(down->states.size(), 2u * links);
  int across = 0;
  for (const expr::VarRef x : down->states) across += x.var.index % 5 == 0 ? 1 : 0;
  EXPECT_EQ(across, links);
  EXPECT_TRUE(order_blocks(pool, a, down->states).is_square());
}

// What Dulmage and Mendelsohn leave over is consistent with the blocks.
TEST(OrderBlocks, PartsThatAreNotSquare) {
  Model model("x y z a b c", "x y z a b c",
              {"x = sin(y)", "y = cos(x)", "z = x", "a + b*c = z", "b = sin(c)", "a*c = x"});
  const Analysis a = model.analyse();
  ASSERT_FALSE(a.singular);
  // With z given one row is too many for x, y; without any the rest is square.
  const std::vector<expr::VarRef> z = {{model.var("z"), 0}};
  const BlockOrder order = order_blocks(model.pool, a, z);
  EXPECT_EQ(order.over_rows.size(), 3u);
  EXPECT_EQ(order.over_unknowns.size(), 2u);
  EXPECT_EQ(order.rows.size(), 3u);
  std::vector<expr::VarRef> given = z;
  expect_solvable_in_order(model, a, order, given);
  EXPECT_TRUE(order.under_rows.empty());
}

}  // namespace
}  // namespace chi::structure
