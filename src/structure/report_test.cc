#include "structure/report.h"

#include <gtest/gtest.h>

#include "structure/model_testing.h"

namespace chi::structure {
namespace {

using testing::Model;

NameOf names(const Model& model) {
  return [&model](expr::VarId x) { return model.name(x); };
}

Explanation explain(Model& model) {
  const Analysis a = model.analyse();
  EXPECT_TRUE(a.singular);
  return a.singular ? explain_singular(model.pool, model.system, a, names(model)) : Explanation{};
}

TEST(ExplainSingular, OneEquationTooMany) {
  Model model("x", {"x = sin(u)", "x^2 = w"});
  const Explanation text = explain(model);
  EXPECT_EQ(text.message, "2 equations for 1 unknown: `x`");
  EXPECT_EQ(text.help,
            "remove one of these equations, or declare one of `u` or `w` unknown, as in `|u|`");
  ASSERT_EQ(text.equations.size(), 2u);
}

TEST(ExplainSingular, NoUnknown) {
  Model model("", {"x' = -x", "u = 1"});
  const Explanation text = explain(model);
  EXPECT_EQ(text.message, "the equation contains no unknown");
  EXPECT_EQ(text.help, "remove the equation, or declare `u` unknown: `|u|`");
  ASSERT_EQ(text.equations.size(), 1u);
  EXPECT_EQ(text.equations[0].row, 1);
}

TEST(ExplainSingular, NoEquation) {
  Model model("y", {"x' = -x"});
  const Explanation text = explain(model);
  EXPECT_EQ(text.message, "no active equation contains the unknown `y`");
  EXPECT_EQ(text.help, "add an equation for `y`, or do not declare it unknown");
}

TEST(ExplainSingular, TooFewEquations) {
  Model model("y", {"x' + sin(y) = 1"});
  const Explanation text = explain(model);
  EXPECT_EQ(text.message, "2 unknowns in 1 equation: `x` and `y`");
  EXPECT_EQ(text.help, "add an equation for one of `x` or `y`, or do not declare `y` unknown");
}

TEST(ExplainSingular, RedundantEquations) {
  Model model("x y", {"x + y = sin(u)", "2*x + 2*y = 2*sin(u)"});
  const Explanation text = explain(model);
  ASSERT_EQ(text.notes.size(), 1u);
  EXPECT_EQ(text.notes[0], "one equation follows from others, and so determines nothing");
  ASSERT_EQ(text.equations.size(), 2u);
  EXPECT_EQ(text.equations[1].text, "follows from other equations");
}

TEST(ExplainSingular, Contradictions) {
  Model model("x y", {"x + y = 1", "x + y = 2"});
  EXPECT_EQ(explain(model).message,
            "the equations contradict each other, whatever the values of `x` and `y`");
  Model same("x y", {"x + y = u", "x + y = w"});
  EXPECT_EQ(explain(same).message,
            "the equations say the same about `x` and `y`, so that values that are known would "
            "have to agree");
}

TEST(ExplainSingular, AsADiagnostic) {
  Model model("x", {"x = sin(u)", "x^2 = u"});
  const Explanation text = explain(model);
  const Diagnostic d = to_diagnostic(DiagCode::SingularEquations, text, [](std::int32_t row) {
    return Span{10 * row, 10 * row + 5};
  });
  EXPECT_EQ(d.message, text.message);
  ASSERT_EQ(d.labels.size(), 2u);
  EXPECT_EQ(d.labels[1].span, (Span{10, 15}));
  EXPECT_EQ(d.span, (Span{0, 5}));
}

// P1 §7.3: e and x cannot both be initialised.
TEST(ExplainInitial, DependentDifferentialVariables) {
  Model model("x v e u F", "u F",
              {"x' = v", "v' = F - u", "e = x - s", "u = 3*e + 0.7*e'", "F = sin(time)"});
  const Analysis a = model.analyse();
  const BlockOrder order = order_blocks(model.pool, a, known_values(a));
  const auto text = explain_initial(model.pool, a, order, names(model));
  ASSERT_TRUE(text);
  EXPECT_EQ(text->message,
            "`x` and `e` are both known at the start, but the equations make them depend on each "
            "other");
  EXPECT_EQ(text->help,
            "declare one of `x` or `e` unknown, as in `|x|`, or substitute a derivative: "
            "`e' <- x'`");
  ASSERT_EQ(text->equations.size(), 1u);
  EXPECT_EQ(text->equations[0].row, 2);
}

TEST(ExplainInitial, AValueThatIsDetermined) {
  Model model("y q", "q", {"y' = q", "y = sin(time)"});
  const Analysis a = model.analyse();
  const auto text =
      explain_initial(model.pool, a, order_blocks(model.pool, a, known_values(a)), names(model));
  ASSERT_TRUE(text);
  EXPECT_EQ(text->message, "`y` is known at the start, but the equations determine it");
}

TEST(ExplainInitial, TooManyDeclared) {
  Model model("x y vx vy T", "T x vx y vy",
              {"x' = vx", "y' = vy", "vx' = T*x", "vy' = T*y - 9.81", "x^2 + y^2 = 25"});
  const Analysis a = model.analyse();
  const auto text =
      explain_initial(model.pool, a, order_blocks(model.pool, a, known_values(a)), names(model));
  ASSERT_TRUE(text);
  EXPECT_EQ(text->message,
            "`x`, `y`, `vx` and `vy` are declared unknown, but the equations do not determine 2 of "
            "them at the start");
  EXPECT_EQ(text->help, "do not declare 2 of them unknown");
  EXPECT_EQ(text->notes[0], "the equations have 2 degrees of freedom");
}

TEST(DifferentialIndex, DoesNotCountAnAlgebraicVariableTwice) {
  // Index 1 by itself; the equation for z is differentiated once, like that for x0.
  Model model("x0 x1 z", "x0 z", {"x0' + x1' = 1", "x0 = sin(time)", "z = x1"});
  const Analysis a = model.analyse();
  EXPECT_EQ(a.structural_index, 2);
  EXPECT_EQ(differential_index(a), 1);
}

TEST(DifferentialIndex, OfTheUsualModels) {
  const auto index = [](Model model) { return differential_index(model.analyse()); };
  EXPECT_EQ(index(Model("", {"x' = -x"})), 0);
  EXPECT_EQ(index(Model("y", {"x' = -y", "y = sin(x)"})), 1);
  EXPECT_EQ(index(Model("x y", {"x' = y", "x = time"})), 2);
  EXPECT_EQ(index(Model("T x vx",
                        {"x' = vx", "y' = vy", "vx' = T*x", "vy' = T*y - 9.81", "x^2 + y^2 = 25"})),
            3);
  EXPECT_EQ(index(Model("", {})), 0);
}

TEST(BlockShapes, LinearNonlinearAndTorn) {
  Model model("x y z w", "x y z w", {"x + y = 1", "x - 0.3*y = u", "z + sin(w) = 2", "z*w = 1"});
  const Analysis a = model.analyse();
  const BlockOrder order = order_blocks(model.pool, a, {});
  ASSERT_EQ(order.blocks.size(), 2u);
  const std::vector<BlockShape> shapes = block_shapes(model.pool, order);
  for (std::size_t b = 0; b < 2; ++b) {
    const bool linear =
        model.text(order.unknowns[static_cast<std::size_t>(order.blocks[b].first)])[0] <= 'y' &&
        model.text(order.unknowns[static_cast<std::size_t>(order.blocks[b].first)])[0] >= 'x';
    EXPECT_EQ(shapes[b].linearity, linear ? expr::Linearity::Constant : expr::Linearity::Nonlinear);
    ASSERT_EQ(shapes[b].torn.size(), 1u);
    ASSERT_EQ(shapes[b].residuals.size(), 1u);
    if (!linear) {
      EXPECT_EQ(model.text(order.unknowns[static_cast<std::size_t>(shapes[b].torn[0])]), "w");
    }
  }
}

TEST(BlockShapes, SingleEquations) {
  Model model("x y", "x y", {"2*x = u", "y^3 + y = x"});
  const Analysis a = model.analyse();
  const BlockOrder order = order_blocks(model.pool, a, {});
  const std::vector<BlockShape> shapes = block_shapes(model.pool, order);
  ASSERT_EQ(shapes.size(), 2u);
  EXPECT_TRUE(shapes[0].torn.empty());
  EXPECT_EQ(shapes[1].torn.size(), 1u);
  EXPECT_EQ(shapes[1].linearity, expr::Linearity::Nonlinear);
}

}  // namespace
}  // namespace chi::structure
