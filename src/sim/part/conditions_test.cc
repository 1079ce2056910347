#include "sim/part/conditions.h"

#include <array>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "expr/build.h"
#include "sim/part/border_uses.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::Op;

class ConditionsTest : public ::testing::Test {
 protected:
  expr::Pool pool;
  ExprId x = expr::variable(pool, expr::VarId{0});
  ExprId y = expr::variable(pool, expr::VarId{1});
  ExprId flag() { return expr::discrete_bool(pool, expr::DiscreteId{0}); }
  ExprId relation(Op op, ExprId a, ExprId b) { return expr::binary(pool, op, a, b); }

  Truth truth(int condition, std::vector<Truth> relations) {
    conditions.prepare();
    frame.resize(static_cast<std::size_t>(leaves.size()), 0.0);
    std::vector<Truth> out;
    conditions.evaluate(frame.data(), relations, out);
    return out[static_cast<std::size_t>(condition)];
  }

  code::FormulaLeaves leaves;
  Conditions conditions{pool, leaves, nullptr};
  std::vector<double> frame;
};

TEST_F(ConditionsTest, RelationsOfTheSameTwoThingsShareABorder) {
  conditions.add(relation(Op::Less, x, y));
  conditions.add(relation(Op::GreaterEqual, x, y));
  conditions.add(relation(Op::Less, y, x));
  ASSERT_EQ(conditions.borders().size(), 1u);
  EXPECT_EQ(conditions.relations()[0].orientation, 1);
  EXPECT_EQ(conditions.relations()[2].orientation, -1);
}

// Otherwise a motion that slides on one of them would stand on one side of the other.
TEST_F(ConditionsTest, RelationsThatChangeOnOneSurfaceShareABorder) {
  const ExprId limit = expr::constant(pool, 1.05), twice = expr::constant(pool, 2);
  conditions.add(relation(Op::Less, x, limit));
  conditions.add(relation(Op::Greater, expr::mul(pool, twice, limit), expr::mul(pool, twice, x)));
  conditions.add(relation(Op::LessEqual, expr::mul(pool, twice, x), expr::add(pool, x, limit)));
  ASSERT_EQ(conditions.borders().size(), 1u);
  EXPECT_EQ(conditions.relations()[1].orientation, -1);
  EXPECT_EQ(conditions.relations()[2].orientation, 1);
}

TEST_F(ConditionsTest, AConditionIsKnownAgain) {
  const int first = conditions.add(relation(Op::Less, x, y));
  EXPECT_EQ(conditions.add(relation(Op::Less, x, y)), first);
  EXPECT_EQ(conditions.find(relation(Op::Less, y, x)), -1);
}

TEST_F(ConditionsTest, CombinesTruthsOfRelations) {
  const ExprId a = relation(Op::Less, x, expr::constant(pool, 1));
  const ExprId b = relation(Op::Greater, y, expr::constant(pool, 2));
  const int both = conditions.add(expr::conjunction(pool, a, b));
  const int some = conditions.add(expr::disjunction(pool, a, expr::negation(pool, b)));
  EXPECT_EQ(truth(both, {Truth::True, Truth::True}), Truth::True);
  EXPECT_EQ(truth(both, {Truth::True, Truth::False}), Truth::False);
  EXPECT_EQ(truth(some, {Truth::False, Truth::True}), Truth::False);
  EXPECT_EQ(truth(some, {Truth::False, Truth::False}), Truth::True);
}

// What the left side decides does not need the right one, which may be outside its domain.
TEST_F(ConditionsTest, AnUndefinedRelationCountsOnlyWhereItIsComeTo) {
  const ExprId a = relation(Op::Less, x, expr::constant(pool, 1));
  const ExprId b = relation(Op::Greater, y, expr::constant(pool, 2));
  const int both = conditions.add(expr::conjunction(pool, a, b));
  EXPECT_EQ(truth(both, {Truth::False, Truth::Undefined}), Truth::False);
  EXPECT_EQ(truth(both, {Truth::True, Truth::Undefined}), Truth::Undefined);
  EXPECT_EQ(truth(both, {Truth::Undefined, Truth::False}), Truth::Undefined);
}

TEST_F(ConditionsTest, DiscreteValuesComeFromTheFrame) {
  const int c = conditions.add(expr::conjunction(pool, flag(), relation(Op::Less, x, y)));
  conditions.prepare();
  frame.resize(static_cast<std::size_t>(leaves.size()), 0.0);
  EXPECT_EQ(truth(c, {Truth::True}), Truth::False);
  frame[static_cast<std::size_t>(leaves.find(flag()))] = 1;
  EXPECT_EQ(truth(c, {Truth::True}), Truth::True);
}

// x < 1 and y > 2: what is false holds it alone, what is true only together with the other.
TEST_F(ConditionsTest, ABorderThatDecidesNothingNeedNotBeFollowed) {
  const ExprId a = relation(Op::Less, x, expr::constant(pool, 1));
  const ExprId b = relation(Op::Greater, y, expr::constant(pool, 2));
  const int both = conditions.add(expr::conjunction(pool, a, b));
  const int some = conditions.add(expr::negation(
      pool, expr::conjunction(pool, expr::negation(pool, a), expr::negation(pool, b))));
  const auto deciding = [&](int condition, Truth first, Truth second, std::vector<char> cheap,
                            std::vector<char> open = {0, 0}) {
    truth(condition, {first, second});
    std::vector<char> marked(2, 0);
    conditions.mark_deciding(std::array{condition}, cheap, open, marked);
    return std::pair{marked[0] != 0, marked[1] != 0};
  };
  using Pair = std::pair<bool, bool>;
  EXPECT_EQ(deciding(both, Truth::True, Truth::True, {1, 1}), Pair(true, true));
  EXPECT_EQ(deciding(both, Truth::False, Truth::True, {1, 1}), Pair(true, false));
  EXPECT_EQ(deciding(both, Truth::True, Truth::False, {1, 1}), Pair(false, true));
  EXPECT_EQ(deciding(both, Truth::False, Truth::False, {1, 1}), Pair(true, false));
  EXPECT_EQ(deciding(both, Truth::False, Truth::False, {0, 1}), Pair(false, true))
      << "the cheap one";
  EXPECT_EQ(deciding(both, Truth::Undefined, Truth::False, {1, 1}), Pair(true, true));
  EXPECT_EQ(deciding(some, Truth::True, Truth::False, {1, 1}), Pair(true, false));
  EXPECT_EQ(deciding(some, Truth::False, Truth::True, {1, 1}), Pair(false, true));
  EXPECT_EQ(deciding(some, Truth::False, Truth::False, {1, 1}), Pair(true, true));
  EXPECT_EQ(deciding(both, Truth::False, Truth::True, {1, 1}, {1, 0}), Pair(true, true))
      << "on both sides of the first border";
  EXPECT_EQ(deciding(both, Truth::False, Truth::False, {1, 1}, {1, 0}), Pair(false, true));
}

// sqrt(x) < 1 and y > 2 has no value where x is negative, even if y is not above 2.
TEST_F(ConditionsTest, ABorderThatMayLoseItsValueIsFollowed) {
  const ExprId root = expr::unary(pool, Op::Sqrt, x);
  const ExprId a = relation(Op::Less, root, expr::constant(pool, 1));
  const ExprId b = relation(Op::Greater, y, expr::constant(pool, 2));
  const int both = conditions.add(expr::conjunction(pool, a, b));
  EXPECT_EQ(truth(both, {Truth::True, Truth::False}), Truth::False);
  std::vector<char> marked(2, 0);
  conditions.mark_deciding(std::array{both}, std::vector<char>{1, 1}, std::vector<char>{0, 0},
                           marked);
  EXPECT_EQ(marked, (std::vector<char>{1, 1}));
}

TEST_F(ConditionsTest, OneConditionAloneIsWhatItIsAmongAll) {
  const ExprId zero = expr::constant(pool, 0);
  const ExprId a = relation(Op::Greater, x, zero), b = relation(Op::Less, y, zero);
  const std::array asked{conditions.add(expr::conjunction(pool, a, flag())),
                         conditions.add(expr::disjunction(pool, expr::negation(pool, a), b)),
                         conditions.add(b)};
  conditions.prepare();
  frame.resize(static_cast<std::size_t>(leaves.size()), 0.0);
  const std::array all{Truth::False, Truth::True, Truth::Undefined};
  for (const double on : {0.0, 1.0}) {
    frame[static_cast<std::size_t>(leaves.place(flag()))] = on;
    for (const Truth first : all) {
      for (const Truth second : all) {
        std::vector<Truth> among;
        conditions.evaluate(frame.data(), std::array{first, second}, among);
        for (const int c : asked) {
          const Truth alone = conditions.truth_of(
              c, [&](const Relation& r) { return r.node == a ? first : second; });
          EXPECT_EQ(alone, among[static_cast<std::size_t>(c)]) << c;
        }
      }
    }
  }
}

TEST_F(ConditionsTest, BordersKnowWhatTheyDecide) {
  const ExprId zero = expr::constant(pool, 0);
  const ExprId a = relation(Op::Greater, x, zero), b = relation(Op::Less, y, zero);
  const int guard = conditions.add(a), both = conditions.add(expr::conjunction(pool, a, b));
  const int other = conditions.add(b);
  const std::vector<std::vector<int>> of_equations{{}, {both}, {other, both}};
  const BorderUses uses(conditions, std::array{guard, both, other}, std::array{guard},
                        of_equations);
  const auto list = [](std::span<const int> some) { return std::vector(some.begin(), some.end()); };
  EXPECT_TRUE(uses.decides_guard(0));
  EXPECT_FALSE(uses.decides_guard(1));
  EXPECT_EQ(list(uses.equations(0)), (std::vector{1, 2}));
  EXPECT_EQ(list(uses.equations(1)), (std::vector{1, 2}));
  EXPECT_EQ(list(uses.conditions(0)), (std::vector{guard, both}));
  EXPECT_EQ(list(uses.conditions(1)), (std::vector{both, other}));
  EXPECT_TRUE(uses.equations(2).empty()) << "a border of a statement";
}

TEST(RelationHolds, ByTheSignOfTheDifference) {
  EXPECT_TRUE(relation_holds(Op::Less, -1));
  EXPECT_FALSE(relation_holds(Op::Less, 0));
  EXPECT_TRUE(relation_holds(Op::LessEqual, 0));
  EXPECT_FALSE(relation_holds(Op::Greater, 0));
  EXPECT_TRUE(relation_holds(Op::GreaterEqual, 0));
  EXPECT_TRUE(relation_holds(Op::Equal, 0));
  EXPECT_TRUE(relation_holds(Op::NotEqual, 1));
}

}  // namespace
}  // namespace chi::sim
