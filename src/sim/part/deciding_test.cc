#include "sim/part/deciding.h"

#include <gtest/gtest.h>

#include "expr/build.h"

namespace chi::sim {
namespace {

using expr::ExprId;

// x' = 1, and choices that add what `fill` says.
struct Deciding : ::testing::Test {
  expr::Pool pool;
  flat::EquationSet set;
  ExprId x = expr::variable(pool, {0}), y = expr::variable(pool, {1}),
         dx = expr::variable(pool, {0}, 1), dy = expr::variable(pool, {1}, 1);
  ExprId one = expr::constant(pool, 1), a = expr::discrete_bool(pool, {0}),
         b = expr::discrete_bool(pool, {1});

  void SetUp() override { add(expr::sub(pool, dx, one), {}); }

  flat::BranchId choose(bool must_open) {
    const flat::BranchId first{set.branches.size()};
    flat::Choice choice;
    choice.first = first.index;
    choice.count = 2;
    choice.must_open = must_open;
    const flat::ChoiceId id = set.choices.add(choice);
    for (const ExprId guard : {a, b}) {
      flat::Branch branch;
      branch.choice = id;
      branch.guard = guard;
      set.branches.add(branch);
    }
    return first;
  }
  void add(ExprId row, flat::BranchId branch) {
    flat::Equation equation;
    equation.left = row;
    equation.branch = branch;
    set.equations.add(equation);
  }
  void declare(expr::VarId declared, flat::BranchId branch) {
    flat::Unknown unknown;
    unknown.variable = {declared, 0};
    unknown.branch = branch;
    set.unknowns.push_back(unknown);
  }
  std::vector<ExprId> found() { return deciding_conditions(pool, set); }
};

TEST_F(Deciding, EquationsAloneDecideNothing) {
  const flat::BranchId first = choose(true), second{first.index + 1};
  add(expr::sub(pool, x, y), first);
  add(y, second);
  EXPECT_TRUE(found().empty());
  declare({1}, first);
  declare({1}, second);
  EXPECT_TRUE(found().empty()) << "declared on both sides";
}

TEST_F(Deciding, DeclarationsOnOneSideDo) {
  const flat::BranchId first = choose(true);
  declare({0}, first);
  EXPECT_EQ(found(), (std::vector{a, b}));
  declare({0}, {});
  EXPECT_TRUE(found().empty()) << "declared anyway";
}

TEST_F(Deciding, DerivativesOnOneSideDo) {
  const flat::BranchId first = choose(true), second{first.index + 1};
  add(expr::sub(pool, dy, one), first);
  add(expr::sub(pool, y, one), second);
  EXPECT_EQ(found().size(), 2U);
  add(expr::sub(pool, dy, x), {});
  EXPECT_TRUE(found().empty()) << "there is one anyway";
}

TEST_F(Deciding, AChoiceThatMayBeClosed) {
  const flat::BranchId first = choose(false), second{first.index + 1};
  add(expr::sub(pool, dy, one), first);
  add(expr::sub(pool, dy, x), second);
  EXPECT_EQ(found().size(), 2U);
}

TEST_F(Deciding, ConditionsInEquations) {
  add(expr::if_else(pool, expr::IfKind::Evented, a, x, y), {});
  EXPECT_TRUE(found().empty());
  add(expr::if_else(pool, expr::IfKind::Evented, b, dy, y), {});
  EXPECT_EQ(found(), (std::vector{b}));
}

}  // namespace
}  // namespace chi::sim
