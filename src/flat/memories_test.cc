#include "flat/memories.h"

#include <gtest/gtest.h>

#include "flat/scalars.h"
#include "flat/test_model.h"

namespace chi::flat {
namespace {

using testing::flattened;
using testing::TestModel;

std::string memories(const TestModel& m) {
  std::string all;
  for (const Memory& memory : m.model->equations.memories) {
    if (memory.slot >= 0) all += scalar_name(*m.model, memory.slot) + " ";
  }
  return all;
}

TEST(Memories, WhatNothingLooksBackAtIsAnAbbreviation) {
  const TestModel m = flattened(R"(
    proc P() = |[ x: real, on: bool, n: nat | x' = if on then n else 2, on <- x > 1, n <- if on then 3 else 4 ]|)");
  ASSERT_TRUE(m.model) << m.codes();
  EXPECT_EQ(memories(m), "");
  EXPECT_EQ(m.model->equations.substitutions.size(), 2U);
}

TEST(Memories, OverStatesTheyStayValues) {
  const TestModel m = flattened(R"(
    proc P() = |[ x: real, on: bool | x' = if on then 1 else 2, on <- x > 1 or pre(on) and x > 0 ]|)");
  ASSERT_TRUE(m.model) << m.codes();
  EXPECT_EQ(memories(m), "on ");
  EXPECT_EQ(m.equations(), "x' = if on then 1 else 2");
}

TEST(Memories, OverUnknownsTheyStandBehindAGate) {
  const TestModel m = flattened(R"(
    proc P() = |[ x, y: real, on: bool | |y|, y = x, x' = if on then 1 else 2, on <- y > 1 or pre(on) and y > 0 ]|)");
  ASSERT_TRUE(m.model) << m.codes();
  EXPECT_EQ(memories(m), "on ");
  ASSERT_EQ(m.model->equations.memories.size(), 2U);
  const Memory& gate = m.model->equations.memories[1];
  EXPECT_EQ(gate.slot, -1);
  EXPECT_EQ(m.model->equations.pool.op(gate.value), expr::Op::Boolean);
}

TEST(Memories, AreSortedByNewValues) {
  const TestModel m = flattened(R"(
    proc P() = |[ n, k: nat, full: bool
      | n <- if rises(full) then pre(n) + k else pre(n), k <- if full then pre(k) + 1 else pre(k), full <- time > 1 ]|)");
  ASSERT_TRUE(m.model) << m.codes();
  EXPECT_EQ(memories(m), "full k n ");
}

TEST(Memories, WhatStatementsAssignIsRemembered) {
  const TestModel m = flattened(R"(
    proc P() = |[ a, b: bool | b <- rises(a) | delta 1.0; a := true ]|)");
  ASSERT_TRUE(m.model) << m.codes();
  EXPECT_EQ(memories(m), "b ");
  EXPECT_EQ(m.model->equations.memories.size(), 2U);  // and what a was
}

TEST(Memories, CyclesNeedAPre) {
  const TestModel m = flattened(R"(
    proc P(ref a, b: bool) = |[ | a <- not b ]|
    xper = |[ a, b: bool | P(a, b) || P(b, a) ]|)");
  EXPECT_EQ(m.codes(), "E3003");
  const TestModel twice = flattened(R"(
    proc P(ref a: bool) = |[ | a <- time > 1 ]|
    xper = |[ a: bool | P(a) || P(a) ]|)");
  EXPECT_EQ(twice.codes(), "E3002");
}

}  // namespace
}  // namespace chi::flat
