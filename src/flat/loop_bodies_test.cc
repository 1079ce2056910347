#include "flat/loop_bodies.h"

#include <gtest/gtest.h>

#include "expr/substitute.h"
#include "flat/test_model.h"

namespace chi::flat {
namespace {

using testing::flattened;
using testing::TestModel;

/// The right sides of a loop with 60 copies in which x, y: real^60 are known, i runs from 1 to 58.
struct Copies {
  explicit Copies(const std::string& right)
      : model(flattened("const c: real = 2.0\nfunc f(a: real) -> real = a*a\n"
                        "proc P(n: nat, k: real^60) = |[ x, y: real^60, u: real, m: int, b: bool\n"
                        "| i: nat <- 1..58: x.i' = " +
                            right + " ]|\nsys S(k: real^60) = |[ P(60, k) ]|",
                        {.params = {{"k", table()}}})) {}

  static std::string table() {
    std::string text = "[";
    for (int i = 0; i < 60; ++i) text += (i == 0 ? "" : ", ") + std::to_string(i % 5) + ".0";
    return text + "]";
  }

  Equations& equations() { return model.model->equations; }
  expr::ExprId side(int i) { return equations().system.equations[EquationId{i - 1}].right; }
  bool is_call(int i) { return equations().pool.op(side(i)) == expr::Op::Call; }
  std::string written(int i) { return model.text(expr::inline_calls(equations().pool, side(i))); }

  TestModel model;
};

TEST(LoopBodies, CopiesCallOneFunction) {
  Copies c("n*(x.(i-1) - 2*x.i) + sin(x.(i+1))*y.(n-1-i) + c*u - time");
  ASSERT_TRUE(c.is_call(1));
  ASSERT_TRUE(c.is_call(58));
  const expr::Pool& pool = c.equations().pool;
  EXPECT_EQ(pool.called(c.side(1)), pool.called(c.side(58)));
  EXPECT_EQ(c.written(7), "60 * (P.x[6] - 2 * P.x[7]) + P.y[52] * sin(P.x[8]) + 2 * P.u - time");
}

TEST(LoopBodies, NumbersThatDifferAreArguments) {
  Copies c("i/n*x.i + k.i*y.i + cos(2*i)*u");
  ASSERT_TRUE(c.is_call(7));
  EXPECT_EQ(c.written(7), Copies("(7)/n*x.i + k.7*y.i + cos(2*7)*u").written(7));
}

// Zero takes a variable out of the equation, and what is subtracted from itself does, too.
TEST(LoopBodies, ACopyThatIsSimplerIsNoCopy) {
  Copies zero("(i - 9)*x.i + y.i");
  EXPECT_TRUE(zero.is_call(8));
  EXPECT_EQ(zero.model.text(zero.side(9)), "P.y[9]");
  Copies same("x.i - x.(60-i)");
  EXPECT_TRUE(same.is_call(29));
  EXPECT_EQ(same.model.text(same.side(30)), "0");
}

TEST(LoopBodies, WhatIsNotAlikeIsTranslatedForItself) {
  for (const char* const right : {"x.(i*i mod 60)", "x.i^i", "delay(x.i, 1.0)*2", "floor(x.i)*u",
                                  "x.i*x.m", "if floor(x.i) > 2 then x.i else 2*u"}) {
    Copies c(right);
    EXPECT_FALSE(c.is_call(7)) << right;
  }
}

TEST(LoopBodies, AlternativesArePartOfTheBody) {
  for (const char* const right :
       {"abs(x.i) + u", "max(x.i, k.i)*2", "if x.i > 0 then x.i else y.i",
        "if x.i > u and not b or time > 2 then 2*x.i else 3", "[ x.i > 0 -> x.i | x.i < 0 -> 2*u ]",
        "if i > 5 then 2*x.i else 3*x.i", "if i = 0 then 2*u else x.(i-1)"}) {
    Copies c(right);
    EXPECT_TRUE(c.is_call(7)) << right;
  }
}

// In the first copy x.(i-2) is not there, in the last one x.(i+2) is not.
TEST(LoopBodies, CopiesAtTheEndsMayDiffer) {
  Copies c("if i = 1 or i = 58 then 2*u else x.(i-2) - x.(i+2)");
  EXPECT_EQ(c.model.text(c.side(1)), "2 * P.u");
  EXPECT_EQ(c.model.text(c.side(58)), "2 * P.u");
  EXPECT_TRUE(c.is_call(2));
  EXPECT_TRUE(c.is_call(57));
}

TEST(LoopBodies, EquationsUnderGuardsAreLookedAt) {
  const TestModel m = flattened(
      "proc P = |[ x: real^60 | i: nat <- 0..59: [ x.i > 0 -> x.i' = -2*x.i | x.i <= 0 -> x.i' = "
      "3*x.i ] ]|");
  const Equations& e = m.model->equations;
  const auto right = [&](int k) { return e.system.equations[EquationId{k}].right; };
  ASSERT_EQ(e.pool.op(right(5)), expr::Op::Call);
  EXPECT_EQ(e.pool.called(right(5)), e.pool.called(right(7)));
  EXPECT_NE(e.pool.called(right(5)), e.pool.called(right(6)));
}

TEST(LoopBodies, ASideThatIsAVariableIsOne) {
  Copies c("y.(i+1)");
  EXPECT_EQ(c.model.text(c.side(7)), "P.y[8]");
}

TEST(LoopBodies, FunctionsOfTheModelAreSeenThrough) {
  Copies c("f(x.i) - f(x.(i-1))");
  ASSERT_TRUE(c.is_call(7));
  EXPECT_EQ(c.written(7), "P.x[7]^2 - P.x[6]^2");
}

TEST(LoopBodies, IndicesOutOfRangeAreReported) {
  const TestModel m =
      flattened("proc P = |[ x: real^60 | i: nat <- 0..59: x.i' = x.(i+1) - x.i ]|");
  EXPECT_EQ(m.codes(), "E4003");
}

TEST(LoopBodies, InnerLoopsCallTheSameFunction) {
  const TestModel m = flattened(
      "proc P = |[ x: real^60^3 | i: nat <- 0..2: j: nat <- 0..59: x.i.j' = 2*x.i.j + x.i.0*3 ]|");
  const Equations& e = m.model->equations;
  const auto right = [&](int k) { return e.system.equations[EquationId{k}].right; };
  ASSERT_EQ(e.pool.op(right(5)), expr::Op::Call);
  EXPECT_EQ(e.pool.called(right(5)), e.pool.called(right(125)));
}

}  // namespace
}  // namespace chi::flat
