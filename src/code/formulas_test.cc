#include "code/formulas.h"

#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "code/formulas_testing.h"

namespace chi::code {
namespace {

using expr::ExprId;
using expr::Fault;
using expr::Op;
using expr::Pool;

// Value bits and faults of every root, judged by the reference evaluator.
void expect_like_reference(const Pool& pool, std::span<const ExprId> roots, Formulas& formulas,
                           const FormulaLeaves& leaves, const expr::Point& point) {
  const std::vector<expr::Value> expected = expr::evaluate(pool, roots, point);
  const std::vector<double> frame = testing::frame_of(pool, leaves, point);
  std::vector<double> out(roots.size(), 17);
  const bool all = formulas.evaluate_each(frame.data(), out.data());
  int first = -1;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (expected[i].where) {
      ASSERT_TRUE(std::isnan(out[i])) << i;
      if (first < 0) first = static_cast<int>(i);
    } else if (std::isnan(expected[i].value)) {
      ASSERT_TRUE(std::isnan(out[i])) << i;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(out[i]),
                std::bit_cast<std::uint64_t>(expected[i].value))
          << i << ": " << out[i] << " for " << expected[i].value;
    }
  }
  ASSERT_EQ(all, first < 0);
  std::vector<double> again(roots.size(), 17);
  ASSERT_EQ(formulas.evaluate(frame.data(), again.data()), all);
  if (first < 0) return;
  ASSERT_TRUE(std::isnan(again[static_cast<std::size_t>(first)]));
  ASSERT_EQ(formulas.fault().root, first);
  ASSERT_EQ(formulas.fault().fault, expected[static_cast<std::size_t>(first)].fault);
  ASSERT_EQ(formulas.fault().where, expected[static_cast<std::size_t>(first)].where);
}

TEST(Formulas, AgreeWithReferenceOnRandomGraphs) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Pool pool;
    testing::RandomGraph graph(pool, seed);
    testing::GraphBoxes boxes(graph);
    graph.grow(5 + static_cast<int>(seed % 60));
    const std::vector<ExprId> roots = graph.roots(1 + static_cast<int>(seed % 17));
    FormulaLeaves leaves;
    Formulas formulas(pool, roots, leaves, &boxes);
    ASSERT_EQ(formulas.size(), static_cast<int>(roots.size()));
    for (int i = 0; i < 20; ++i) {
      expect_like_reference(pool, roots, formulas, leaves, graph.point());
      if (HasFatalFailure()) FAIL() << "seed " << seed;
    }
  }
}

// One root at a time meets fewer faults, so that values are compared more often.
TEST(Formulas, AgreeWithReferenceRootByRoot) {
  Pool pool;
  testing::RandomGraph graph(pool, 1);
  testing::GraphBoxes boxes(graph);
  graph.grow(600);
  FormulaLeaves leaves;
  for (const ExprId root : graph.roots(300)) {
    Formulas formulas(pool, std::array{root}, leaves, &boxes);
    for (int i = 0; i < 5; ++i) {
      expect_like_reference(pool, std::array{root}, formulas, leaves, graph.point());
      if (HasFatalFailure()) FAIL() << "node " << root.index;
    }
  }
}

// Two variables in a frame of their own.
class FormulasOfTwo : public ::testing::Test {
 protected:
  FormulasOfTwo() : x(variable(pool, {0})), y(variable(pool, {1})) {
    leaves.place(x);
    leaves.place(y);
  }
  ExprId make(Op op, ExprId a, ExprId b = {}, ExprId c = {}) {
    return pool.intern(op, a.index, b.index, c.index);
  }
  Formulas of(std::vector<ExprId> roots, Boxes* boxes = nullptr) {
    return Formulas(pool, roots, leaves, boxes);
  }
  Pool pool;
  FormulaLeaves leaves;
  ExprId x, y;
};

// Counts its calls and gives its argument.
class Counting : public Boxes {
 public:
  double call(expr::FunctionId, std::span<const double> arguments) override {
    ++calls;
    return arguments[0];
  }
  int calls = 0;
};

TEST_F(FormulasOfTwo, FaultNamesNodeArgumentAndRoot) {
  const ExprId quotient = make(Op::Div, x, y), root = make(Op::Sqrt, x);
  Formulas formulas = of({make(Op::Add, x, y), make(Op::Neg, quotient), root});
  std::array<double, 3> out{};
  EXPECT_TRUE(formulas.evaluate(std::array{4.0, 2.0}.data(), out.data()));
  EXPECT_EQ(out, (std::array{6.0, -2.0, 2.0}));
  EXPECT_FALSE(formulas.evaluate(std::array{4.0, 0.0}.data(), out.data()));
  EXPECT_EQ(formulas.fault().fault, Fault::DivisionByZero);
  EXPECT_EQ(formulas.fault().where, quotient);
  EXPECT_EQ(formulas.fault().argument, 4.0);
  EXPECT_EQ(formulas.fault().root, 1);
  EXPECT_FALSE(formulas.evaluate_each(std::array{4.0, 0.0}.data(), out.data()));
  EXPECT_EQ(out[0], 4.0);
  EXPECT_TRUE(std::isnan(out[1]));
  EXPECT_EQ(out[2], 2.0);
  EXPECT_FALSE(formulas.evaluate(std::array{-1.0, 2.0}.data(), out.data()));
  EXPECT_EQ(formulas.fault().where, root);
}

TEST_F(FormulasOfTwo, LeavesAndConstantsCanBeRoots) {
  Formulas formulas = of({y, constant(pool, 2.5), x, boolean(pool, true)});
  std::array<double, 4> out{};
  EXPECT_TRUE(formulas.evaluate(std::array{7.0, 8.0}.data(), out.data()));
  EXPECT_EQ(out, (std::array{8.0, 2.5, 7.0, 1.0}));
}

TEST_F(FormulasOfTwo, NoRootsNoWork) {
  Formulas formulas = of({});
  EXPECT_EQ(formulas.size(), 0);
  EXPECT_TRUE(formulas.evaluate(nullptr, nullptr));
}

// Infinity is a value; NaN that came in with the frame is nobody's fault.
TEST_F(FormulasOfTwo, InfinityIsNoFaultAndNanOfTheFrameIsKept) {
  Formulas formulas = of({make(Op::Add, x, y)});
  const double inf = std::numeric_limits<double>::infinity();
  double out = 0;
  EXPECT_TRUE(formulas.evaluate(std::array{inf, 1.0}.data(), &out));
  EXPECT_EQ(out, inf);
  EXPECT_FALSE(formulas.evaluate(std::array{inf, -inf}.data(), &out));
  EXPECT_EQ(formulas.fault().fault, Fault::NotANumber);
  EXPECT_TRUE(formulas.evaluate(std::array{std::nan(""), 1.0}.data(), &out));
  EXPECT_TRUE(std::isnan(out));
}

// A box that two `if`s share runs when one of them takes it, and then once.
TEST_F(FormulasOfTwo, SharedBranchesRunOnDemandAndOnce) {
  const expr::FunctionId f = pool.add_opaque(1, false);
  const ExprId shared = pool.intern_call(f, std::array{x}), zero = constant(pool, 0);
  const auto guarded = [&](double bound, double offset) {
    const ExprId condition = make(Op::Greater, y, constant(pool, bound));
    return make(Op::If, condition, make(Op::Add, shared, constant(pool, offset)), zero);
  };
  Counting boxes;
  Formulas formulas = of({guarded(1, 10), guarded(2, 20), guarded(3, 30)}, &boxes);
  std::array<double, 3> out{};
  const auto run = [&](double at_y) {
    boxes.calls = 0;
    EXPECT_TRUE(formulas.evaluate(std::array{5.0, at_y}.data(), out.data()));
    return boxes.calls;
  };
  EXPECT_EQ(run(0), 0);
  EXPECT_EQ(out, (std::array{0.0, 0.0, 0.0}));
  EXPECT_EQ(run(1.5), 1);
  EXPECT_EQ(out, (std::array{15.0, 0.0, 0.0}));
  EXPECT_EQ(run(9), 1);
  EXPECT_EQ(out, (std::array{15.0, 25.0, 35.0}));
  EXPECT_EQ(run(0), 0);
}

TEST_F(FormulasOfTwo, RightSideOfConnectiveOnlyWhenItCounts) {
  const expr::FunctionId f = pool.add_opaque(1, true);
  const ExprId right = pool.intern_call(f, std::array{x}), left = make(Op::Less, y, x);
  Counting boxes;
  Formulas both = of({make(Op::And, left, right)}, &boxes),
           either = of({make(Op::Or, left, right)}, &boxes);
  double out = 0;
  EXPECT_TRUE(both.evaluate(std::array{1.0, 2.0}.data(), &out));
  EXPECT_TRUE(either.evaluate(std::array{1.0, 0.0}.data(), &out));
  EXPECT_EQ(boxes.calls, 0);
  EXPECT_TRUE(both.evaluate(std::array{1.0, 0.0}.data(), &out));
  EXPECT_EQ(out, 1.0);
  EXPECT_EQ(boxes.calls, 1);
}

TEST_F(FormulasOfTwo, DelayIsALeaf) {
  const ExprId delay = pool.intern(Op::Delay, x.index, make(Op::Div, x, y).index);
  Formulas formulas = of({make(Op::Add, delay, x)});
  ASSERT_EQ(leaves.find(delay), 2);
  double out = 0;
  EXPECT_TRUE(formulas.evaluate(std::array{1.0, 0.0, 5.0}.data(), &out));
  EXPECT_EQ(out, 6.0);
}

// Neither the making nor the running of long chains takes the machine's stack.
TEST_F(FormulasOfTwo, DeepChains) {
  constexpr int kDeep = 100'000;
  ExprId sum = x, nested = x, shared = x, truth = make(Op::Less, x, y);
  for (int i = 0; i < kDeep; ++i) {
    const ExprId c = make(Op::Less, y, constant(pool, i)),
                 d = make(Op::Less, x, constant(pool, -i));
    sum = make(Op::Add, make(Op::Mul, sum, constant(pool, 0.5)), y);
    nested = make(Op::If, c, make(Op::Add, nested, y), make(Op::Sqrt, make(Op::Neg, x)));
    const ExprId left = make(Op::PlainIf, c, make(Op::Sin, shared), x);
    shared = make(Op::Add, left, make(Op::PlainIf, d, make(Op::Cos, shared), y));
    truth = make(i % 2 == 0 ? Op::And : Op::Or, make(Op::Not, truth), c);
  }
  Formulas formulas = of({sum, nested, shared, truth});
  expr::Point point;
  for (const double at : {-1.0, -0.5}) {
    point.variable = [at](expr::VarRef v) { return v.var.index == 0 ? at : -1.0; };
    expect_like_reference(pool, std::array{sum, nested, shared, truth}, formulas, leaves, point);
  }
}

}  // namespace
}  // namespace chi::code
