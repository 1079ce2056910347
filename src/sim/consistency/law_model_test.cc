#include "sim/consistency/law_model.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "expr/build.h"
#include "expr/incidence.h"
#include "numerics/affine_verification.h"
#include "numerics/next_mode.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::Op;
using Fixed = LawProblem::Fixed;

/// x is differential, u, i and s are declared unknown.
class LawModelTest : public ::testing::Test {
 protected:
  expr::Pool pool;
  ExprId x = expr::variable(pool, {0}), u = expr::variable(pool, {1}),
         i = expr::variable(pool, {2}), s = expr::variable(pool, {3});
  ExprId dx = expr::variable(pool, {0}, 1);
  ExprId zero = expr::constant(pool, 0), one = expr::constant(pool, 1);
  flat::EquationSet set;
  code::FormulaLeaves leaves;
  Conditions conditions{pool, leaves, nullptr};
  std::vector<int> guards;
  std::vector<double> frame;

  ExprId relation(Op op, ExprId a, ExprId b) { return expr::binary(pool, op, a, b); }
  ExprId choose(ExprId c, ExprId then, ExprId otherwise) {
    return expr::if_else(pool, expr::IfKind::Evented, c, then, otherwise);
  }
  void unknown(ExprId v, flat::BranchId branch = {}) {
    set.unknowns.push_back({.variable = pool.variable(v), .branch = branch, .span = {}});
  }
  void equation(ExprId left, ExprId right, flat::BranchId branch = {}) {
    set.equations.add({.left = expr::sub(pool, left, right),
                       .right = zero,
                       .branch = branch,
                       .source = {},
                       .loop = {},
                       .span = {}});
  }
  /// Alternatives of one choice, by their guards.
  std::vector<flat::BranchId> choice(std::vector<ExprId> of) {
    const flat::ChoiceId c =
        set.choices.add({.parent = {},
                         .first = static_cast<std::int32_t>(set.branches.size()),
                         .count = static_cast<std::int32_t>(of.size()),
                         .must_open = of.size() > 1,
                         .span = {}});
    std::vector<flat::BranchId> result;
    for (const ExprId guard : of) {
      result.push_back(set.branches.add({.choice = c, .guard = guard, .span = {}}));
    }
    return result;
  }
  int border_of(ExprId difference) const {
    const auto borders = conditions.borders();
    const auto found = std::ranges::find(borders, difference, &Border::difference);
    return static_cast<int>(found - borders.begin());
  }
  /// The problem where all values are zero, but x.
  LawProblem posed(double at_x = 0, Side side = Side::Minus) {
    for (const flat::Branch& branch : set.branches) guards.push_back(conditions.add(branch.guard));
    std::vector<ExprId> rows;
    for (const flat::Equation& e : set.equations) rows.push_back(e.left);
    for (const ExprId c : expr::conditions(pool, rows).node) conditions.add(c);
    conditions.prepare();
    for (const ExprId leaf : {x, u, i, s, dx}) leaves.place(leaf);
    frame.assign(static_cast<std::size_t>(leaves.size()), 0.0);
    frame[static_cast<std::size_t>(leaves.place(x))] = at_x;
    const Sides sides(conditions.borders().size(), side);
    LawModel model({.pool = pool,
                    .set = set,
                    .conditions = conditions,
                    .guards = guards,
                    .leaves = leaves,
                    .first_free = 100});
    std::vector<Truth> truths;
    conditions.evaluate(frame.data(),
                        std::vector<Truth>(conditions.relations().size(), Truth::False), truths);
    LawProblem problem;
    EXPECT_TRUE(model.pose(frame, sides, problem));
    return problem;
  }
};

TEST_F(LawModelTest, IfsOnOneSurfaceAreOneContinuousLaw) {
  for (const ExprId v : {u, i, s}) unknown(v);
  const ExprId blocks = relation(Op::Less, s, zero);
  equation(u, choose(blocks, s, zero));
  equation(i, choose(blocks, zero, s));
  equation(dx, expr::sub(pool, one, u));
  equation(x, i);
  const LawProblem p = posed();
  ASSERT_EQ(p.problem.laws.size(), 1u);
  const numerics::Law& law = p.problem.laws[0];
  ASSERT_EQ(law.pieces.size(), 2u);  // no piece slides
  EXPECT_EQ(law.pieces[0].rows.size(), 2u);
  EXPECT_TRUE(p.is_continuous(0, 0, 0));
  EXPECT_TRUE(p.is_continuous(0, 1, 0));
  EXPECT_NE(p.fixed[0][0][0].side, p.fixed[0][1][0].side);
}

TEST_F(LawModelTest, RegionsAreCutDownToWhereTheirRowsHold) {
  unknown(u);
  unknown(i);
  const ExprId conducts =
      expr::disjunction(pool, relation(Op::Greater, u, zero), relation(Op::Greater, i, zero));
  const ExprId blocks =
      expr::conjunction(pool, relation(Op::LessEqual, u, zero), relation(Op::LessEqual, i, zero));
  const std::vector<flat::BranchId> alternatives = choice({conducts, blocks});
  equation(u, zero, alternatives[0]);
  equation(i, zero, alternatives[1]);
  equation(dx, expr::sub(pool, one, u));
  equation(x, i);
  const LawProblem p = posed();
  ASSERT_EQ(p.problem.laws.size(), 1u);
  ASSERT_EQ(p.problem.laws[0].pieces.size(), 2u);
  const auto has = [&](std::size_t piece, Fixed f) {
    return std::ranges::find(p.fixed[0][piece], f) != p.fixed[0][piece].end();
  };
  const int of_u = border_of(u), of_i = border_of(i);
  const std::size_t on = has(0, {of_u, Side::On}) ? 0 : 1, off = 1 - on;
  EXPECT_TRUE(has(on, {of_u, Side::On}) && has(on, {of_i, Side::Plus}));     // u = 0, i >= 0
  EXPECT_TRUE(has(off, {of_u, Side::Minus}) && has(off, {of_i, Side::On}));  // i = 0, u <= 0
  EXPECT_TRUE(p.is_continuous(0, static_cast<int>(on), of_i));
  EXPECT_TRUE(p.is_continuous(0, static_cast<int>(off), of_u));
}

TEST_F(LawModelTest, ARelaySlidesOnItsSurface) {
  equation(dx, choose(relation(Op::Greater, x, zero), expr::neg(pool, one), one));
  const LawProblem p = posed();
  ASSERT_EQ(p.problem.laws.size(), 1u);
  ASSERT_EQ(p.problem.laws[0].pieces.size(), 3u);
  EXPECT_EQ(p.fixed[0][2][0].side, Side::Slide);
  EXPECT_FALSE(p.is_continuous(0, 0, 0));
  EXPECT_EQ(p.sides_of({2}, Sides(1))[0].side(), Side::Slide);
}

TEST_F(LawModelTest, AVariableThatIsKnownInOnePieceKeepsItsValueThere) {
  const std::vector<flat::BranchId> alternatives =
      choice({relation(Op::Greater, x, one), relation(Op::LessEqual, x, one)});
  unknown(u, alternatives[0]);
  equation(u, x, alternatives[0]);
  equation(dx, one);
  const LawProblem p = posed();
  ASSERT_EQ(p.problem.laws.size(), 1u);
  for (const numerics::Piece& piece : p.problem.laws[0].pieces) {
    EXPECT_EQ(piece.rows.size(), 1u);
  }
  EXPECT_EQ(p.problem.variables(), 2);
}

TEST_F(LawModelTest, ABorderThatIsComparedWithEqualityHasAModeOfItsOwn) {
  const std::vector<flat::BranchId> alternatives = choice(
      {relation(Op::Greater, x, zero), relation(Op::Less, x, zero), relation(Op::Equal, x, zero)});
  equation(dx, expr::neg(pool, one), alternatives[0]);
  equation(dx, one, alternatives[1]);
  equation(dx, zero, alternatives[2]);
  const LawProblem p = posed();
  ASSERT_EQ(p.problem.laws.size(), 1u);
  ASSERT_EQ(p.problem.laws[0].pieces.size(), 3u);
  EXPECT_EQ(p.fixed[0][2][0].side, Side::On);
}

/// Pieces that differ in the number of their rows and unknowns cannot be compared.
TEST_F(LawModelTest, APartWhosePiecesDifferInRowsIsRefused) {
  const std::vector<flat::BranchId> alternatives = choice({relation(Op::Greater, x, one)});
  unknown(u);
  equation(u, x, alternatives[0]);
  equation(dx, one);
  LawProblem p;
  for (const flat::Branch& branch : set.branches) guards.push_back(conditions.add(branch.guard));
  conditions.prepare();
  LawModel model({.pool = pool,
                  .set = set,
                  .conditions = conditions,
                  .guards = guards,
                  .leaves = leaves,
                  .first_free = 100});
  std::vector<Truth> truths;
  frame.assign(static_cast<std::size_t>(leaves.size()) + 1, 0.0);
  conditions.evaluate(frame.data(), std::vector<Truth>(1, Truth::False), truths);
  EXPECT_FALSE(model.pose(frame, Sides(1), p));
}

TEST_F(LawModelTest, TheProblemHasTheNextMode) {  // a diode behind an inductor, 1 V across both
  for (const ExprId v : {u, i, s}) unknown(v);
  const ExprId blocks = relation(Op::Less, s, zero);
  equation(u, choose(blocks, s, zero));
  equation(i, choose(blocks, zero, s));
  equation(dx, expr::sub(pool, one, u));
  equation(x, i);
  const LawProblem p = posed();
  const auto verify = [&](const numerics::Mode& mode) -> numerics::Verdict {
    return numerics::verify_affine(p.problem, mode);
  };
  const numerics::NextMode next = numerics::next_mode(p.problem, p.start, verify);
  ASSERT_TRUE(std::holds_alternative<numerics::FoundMode>(next));
  EXPECT_EQ(p.sides_of(std::get<numerics::FoundMode>(next).mode, Sides(1))[0].side(), Side::Plus);
}

}  // namespace
}  // namespace chi::sim
