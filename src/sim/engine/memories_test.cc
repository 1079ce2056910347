#include "sim/engine/memories.h"

#include <gtest/gtest.h>

#include "expr/build.h"

namespace chi::sim {
namespace {

using expr::DiscreteId;

/// Two memories with what they look back at, by hand: a <- x > 0 or pre(a) and u, n <- if a and not
/// pre(a) then pre(n) + 1 else pre(n).
struct Model {
  Model() : model{} {
    flat::Equations& e = model.equations;
    expr::Pool& pool = e.pool;
    const auto add = [&](bool boolean) {
      return e.discrete.add({.source = flat::DiscreteMemory{}, .boolean = boolean});
    };
    u = add(true);
    const DiscreteId a = add(true), next_a = add(true), n = add(false), next_n = add(false);
    const auto truth = [&](DiscreteId id) { return expr::discrete_bool(pool, id); };
    relation = expr::binary(pool, expr::Op::Greater, expr::variable(pool, {0}, 0),
                            expr::constant(pool, 0));
    e.memories.push_back(
        {.now = a,
         .next = next_a,
         .value = expr::disjunction(pool, relation, expr::conjunction(pool, truth(a), truth(u))),
         .boolean = true,
         .span = {}});
    const auto rises = expr::conjunction(pool, truth(next_a), expr::negation(pool, truth(a)));
    const auto count = expr::discrete_real(pool, n);
    e.memories.push_back(
        {.now = n,
         .next = next_n,
         .value = expr::if_else(pool, expr::IfKind::Evented, rises,
                                expr::add(pool, count, expr::constant(pool, 1)), count),
         .span = {}});
  }
  std::vector<Memories::Change> round(Memories& memories) {
    expr::Point point;
    point.discrete = [&](DiscreteId id) {
      if (id == u) return held ? 1.0 : 0.0;
      return values[id == model.equations.memories[0].now ? 0 : 1];
    };
    std::vector<Memories::Change> changes;
    EXPECT_TRUE(memories.compute(
        point, [&](int m) { return values[static_cast<std::size_t>(m)]; }, changes));
    for (const Memories::Change& c : changes) values[static_cast<std::size_t>(c.memory)] = c.after;
    return changes;
  }

  flat::FlatModel model;
  DiscreteId u;
  expr::ExprId relation;
  bool held = true;
  double values[2] = {0, 0};
};

TEST(Memories, NewValuesAreSeenByThoseBehindThem) {
  Model m;
  Memories memories(m.model);
  ASSERT_EQ(memories.relations().size(), 1U);
  EXPECT_EQ(memories.relations()[0].node, m.relation);
  memories.see(0, Truth::False);
  EXPECT_TRUE(m.round(memories).empty());
  memories.see(0, Truth::True);
  auto changes = m.round(memories);
  ASSERT_EQ(changes.size(), 2U);  // a, and n, which sees that it rises
  EXPECT_EQ(m.values[1], 1);
  EXPECT_TRUE(memories.made(changes).empty());
  EXPECT_TRUE(memories.has_work());  // both read what they were
  EXPECT_TRUE(m.round(memories).empty());
  EXPECT_FALSE(memories.has_work());
}

TEST(Memories, WhatDidNotChangeIsNotComputed) {
  Model m;
  Memories memories(m.model);
  memories.see(0, Truth::True);
  memories.made(m.round(memories));
  m.round(memories);
  memories.see(0, Truth::True);
  EXPECT_FALSE(memories.has_work());
  memories.touch(m.u);
  EXPECT_TRUE(memories.has_work());
  EXPECT_TRUE(m.round(memories).empty());
  memories.see(0, Truth::False);  // held
  EXPECT_TRUE(m.round(memories).empty());
  m.held = false;
  memories.touch(m.u);
  EXPECT_EQ(m.round(memories).size(), 1U);
}

TEST(Memories, TheSameValuesAgainAreACycle) {
  Model m;
  Memories memories(m.model);
  EXPECT_TRUE(memories.made({{0, 0, 1}}).empty());
  EXPECT_TRUE(memories.made({{1, 0, 1}}).empty());
  const auto cycle = memories.made({{0, 1, 0}, {1, 1, 0}});
  ASSERT_EQ(cycle.size(), 3U);
  EXPECT_EQ(cycle[0][0].memory, 0);
  memories.disturb();
  EXPECT_TRUE(memories.made({{0, 0, 1}}).empty());
  EXPECT_EQ(memories.made({{0, 1, 0}}).size(), 2U);
}

TEST(Memories, AValueThatIsMissingIsAFailure) {
  Model m;
  Memories memories(m.model);
  expr::Point point;
  point.discrete = [](DiscreteId) { return 0.0; };
  std::vector<Memories::Change> changes;
  EXPECT_FALSE(memories.compute(
      point, [](int) { return 0.0; }, changes));  // the relation was not seen
  EXPECT_EQ(memories.failed().memory, 0);
}

}  // namespace
}  // namespace chi::sim
