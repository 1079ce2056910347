#include <gtest/gtest.h>

#include "structure/analyse.h"
#include "structure/model_testing.h"
#include "structure/report.h"

// The models of the papers as equations, with what the papers, or a hand calculation, say of them.
namespace chi::structure {
namespace {

using testing::Model;
using Ints = std::vector<int>;

struct Paper {
  std::string_view name;
  std::string_view order;
  std::string_view declared;
  std::vector<std::string_view> equations;
  Ints c, d;
  int degrees_of_freedom = 0;
  int index = 0;
  std::string_view states;  ///< with these declarations
};

const std::vector<Paper>& papers() {
  static const std::vector<Paper> models = {
      // P0 (11): a PID controller on a mass; "index 2".
      {"PID",
       "x v i e u",
       "e u",
       {"x' = v", "v' = u/1.7", "e = #S - x", "i' = e", "u = 2.5*e + 0.3*e' + 0.1*i"},
       {0, 0, 1, 0, 0},
       {1, 1, 1, 1, 0},
       3,
       2,
       "x v i"},
      // P0 (18): two capacitors in parallel; "an index 2 system".
      {"capacitors",
       "v1 v2 i1 i2",
       "v2 i1 i2",
       {"1.1*v1' = i1", "1.3*v2' = i2", "i1 + i2 = 0", "v1 = v2"},
       {0, 0, 0, 1},
       {1, 1, 0, 0},
       1,
       2,
       "v1"},
      // P1 (10) and (11).
      {"P1 (10)", "x y", "x y", {"x' = y", "x = time"}, {0, 1}, {1, 0}, 0, 2, ""},
      {"P1 (11)", "x0 x1", "x0", {"x0' + x1' = 1", "x0 = sin(time)"}, {0, 1}, {1, 1}, 1, 1, "x1"},
      // P1 §7.3: "the system is an index 2 system".
      {"PD",
       "x v e u F",
       "e u F",
       {"x' = v", "1.9*v' = F - u", "e = x - #S", "u = 3*e + 0.7*e'", "F = sin(time)"},
       {0, 0, 1, 0, 0},
       {1, 1, 1, 0, 0},
       2,
       2,
       "x v"},
      {"P2 first",
       "x1 x2 y",
       "y x2",
       {"x1' = 1 - y", "x2' = -x2 + y", "0 = x1 - x2"},
       {0, 0, 1},
       {1, 1, 0},
       1,
       2,
       "x1"},
      // P2 examples 1 and 2: "an index 1 DAE", and of higher index without the first resistance.
      {"P2 hydraulic",
       "p1 p2 q0 q1 q2",
       "q0 q1 q2",
       {"1.1*p1' = q0 - q1", "1.3*p2' = q1 - q2", "q0 = sin(time)", "p1 - p2 = 0.7*q1",
        "p2 = 0.9*q2"},
       {0, 0, 0, 0, 0},
       {1, 1, 0, 0, 0},
       2,
       1,
       "p1 p2"},
      {"P2 hydraulic, R1 = 0",
       "p1 p2 q0 q1 q2",
       "p2 q0 q1 q2",
       {"1.1*p1' = q0 - q1", "1.3*p2' = q1 - q2", "q0 = sin(time)", "p1 - p2 = 0", "p2 = 0.9*q2"},
       {0, 0, 0, 1, 0},
       {1, 1, 0, 0, 0},
       1,
       2,
       "p1"},
      // P2 example 3: "the original system is therefore index 3", reduced to second order.
      {"P2 masses",
       "x1 x2 x3 x4 F0 F1",
       "x2 x4 F0 F1",
       {"x1' = x3", "x2' = x4", "x3' = (F0 - F1)/1.1", "x4' = F1/1.3", "F0 = sin(time)",
        "x2 = x1 + 1"},
       {1, 1, 0, 0, 0, 2},
       {2, 2, 1, 1, 0, 0},
       2,
       3,
       "x1 x3"},
      // P2 example 4: with kinetics index 1; at equilibrium index 2, reduced to second order.
      {"P2 reactor, kinetics",
       "a b c r",
       "r",
       {"a' = 1.1 - a/(a + b + c)*0.9 - r", "b' = 1.2 - b/(a + b + c)*0.9 - r",
        "c' = r - c/(a + b + c)*0.9", "r = a*b - 0.3*c"},
       {0, 0, 0, 0},
       {1, 1, 1, 0},
       3,
       1,
       "a b c"},
      {"P2 reactor, equilibrium",
       "a b c r",
       "c r",
       {"a' = 1.1 - a/(a + b + c)*0.9 - r", "b' = 1.2 - b/(a + b + c)*0.9 - r",
        "c' = r - c/(a + b + c)*0.9", "0 = a*b - 0.3*c"},
       {0, 0, 0, 1},
       {1, 1, 1, 0},
       2,
       2,
       "a b"},
      // P2 example 5: "a second-order, index-1 DAE"; ideal: index 2, "purely algebraic".
      {"P2 level control",
       "y qi qo x e",
       "qi qo e",
       {"y' = (qi - qo)/1.7", "qo = 0.8*sqrt(y)", "x' = e", "e = #S - y", "qi = 2.1*e + 0.4*x"},
       {0, 0, 0, 0, 0},
       {1, 0, 0, 1, 0},
       2,
       1,
       "y x"},
      {"P2 ideal level control",
       "y qi qo",
       "y qi qo",
       {"y' = (qi - qo)/1.7", "qo = 0.8*sqrt(y)", "y = #S"},
       {0, 0, 1},
       {1, 0, 0},
       0,
       2,
       ""},
      // P4 example 1; example 2, before and after the switch: index 1 and 0.
      {"P4 ex. 1", "x1 x2", "x1 x2", {"x1 = sin(time)", "x2 = x1'"}, {1, 0}, {1, 0}, 0, 2, ""},
      {"P4 ex. 2, x", "x", "x", {"1 = x"}, {0}, {0}, 0, 1, ""},
      {"P4 ex. 2, x'", "x", "", {"1 = x'"}, {0}, {1}, 1, 0, "x"},
      // P4 example 3, in velocities, during the impact.
      {"P4 ex. 3",
       "v1 v2 v3 F1 F2",
       "v2 v3 F1 F2",
       {"v1 = v2", "v2 = v3", "1.1*v1' = -F1", "1.2*v2' = F1 - F2", "1.3*v3' = F2"},
       {1, 1, 0, 0, 0},
       {1, 1, 1, 0, 0},
       1,
       2,
       "v1"},
      // P4 example 5: first and second derivative of the constraint are added.
      {"P4 ex. 5",
       "x1 x2",
       "x2",
       {"1.1*x1'' + 1.2*x2'' = 1", "x1 = x2"},
       {0, 2},
       {2, 2},
       2,
       2,
       "x1 x1'"},
  };
  return models;
}

TEST(Papers, OffsetsStatesAndBlocks) {
  for (const Paper& paper : papers()) {
    SCOPED_TRACE(paper.name);
    Model model(paper.order, paper.declared, paper.equations);
    const Analysis a = model.analyse();
    ASSERT_FALSE(a.singular);
    EXPECT_EQ(a.c, paper.c);
    EXPECT_EQ(a.d, paper.d);
    EXPECT_EQ(a.degrees_of_freedom, paper.degrees_of_freedom);
    EXPECT_EQ(a.structural_index, paper.index);
    EXPECT_EQ(differential_index(a), paper.index);
    EXPECT_TRUE(a.redundant.empty());
    EXPECT_TRUE(a.combinations.empty());
    const auto choice = choose_states(model.pool, a);
    ASSERT_TRUE(choice);
    EXPECT_EQ(model.text(choice->states), paper.states);
    EXPECT_FALSE(choice->was_free);
    EXPECT_TRUE(order_blocks(model.pool, a, choice->states).is_square());
    EXPECT_TRUE(order_blocks(model.pool, a, known_values(a)).is_square());
    testing::NamedValues somewhere(model, {{"y", 0.4}, {"a", 0.5}});
    const auto numerical = choose_states(model.pool, a, &somewhere);
    ASSERT_TRUE(numerical);
    EXPECT_EQ(model.text(numerical->states), paper.states);
  }
}

TEST(Papers, WithoutDeclarationsTheEngineSaysThatItChose) {
  for (const Paper& paper : papers()) {
    SCOPED_TRACE(paper.name);
    Model model(paper.order, paper.declared, paper.equations);
    // Only what never occurs differentiated is declared.
    std::vector<expr::VarId> algebraic;
    const Analysis before = model.analyse();
    const std::vector<int> written = written_orders(before);
    for (const expr::VarId x : model.system.declared) {
      if (written[static_cast<std::size_t>(before.unknown_index(x))] == 0) algebraic.push_back(x);
    }
    model.system.declared = algebraic;
    const Analysis a = model.analyse();
    ASSERT_FALSE(a.singular);
    EXPECT_EQ(a.c, paper.c);
    const auto choice = choose_states(model.pool, a);
    ASSERT_TRUE(choice);
    EXPECT_EQ(static_cast<int>(choice->states.size()), paper.degrees_of_freedom);
    EXPECT_TRUE(order_blocks(model.pool, a, choice->states).is_square());
    const BlockOrder order = order_blocks(model.pool, a, known_values(a));
    EXPECT_EQ(order.is_square(), order.over_rows.empty());
  }
}

}  // namespace
}  // namespace chi::structure
