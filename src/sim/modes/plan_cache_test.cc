#include "sim/modes/plan_cache.h"

#include <set>

#include <gtest/gtest.h>

#include "sim/algebra/part_testing.h"

namespace chi::sim {
namespace {

using testing::TestPart;

/// x' = -k x.
ModeEquations decay(TestPart& p, double k) {
  ModeEquations mode;
  mode.system.rows.push_back(p.minus(p.x(0, 1), p.times(-k, p.x(0))));
  mode.equations = {0};
  return mode;
}

class PlanCacheTest : public ::testing::Test {
 protected:
  TestPart part_;
  SolverContext context_ = part_.context();
  PlanCache cache_{context_};

  Plan& plan(double k) { return cache_.plan_of(decay(part_, k), {}); }
};

TEST_F(PlanCacheTest, EqualEquationsHaveOnePlan) {
  Plan& one = plan(1);
  EXPECT_EQ(&plan(1), &one);
  EXPECT_NE(&plan(2), &one);
  EXPECT_EQ(cache_.rows(), 2);
}

TEST_F(PlanCacheTest, PlansAreFoundByTheirKey) {
  EXPECT_EQ(cache_.find({1, 0}), nullptr);
  cache_.keep({1, 0}, plan(1));
  cache_.keep({0, 0}, plan(2));
  EXPECT_EQ(cache_.find({1, 0}), &plan(1));
  cache_.keep({1, 0}, plan(2));
  EXPECT_EQ(cache_.find({1, 0}), &plan(2));
}

// Whoever keeps what a mode is called must not take another one for it, wherever that is in memory.
TEST_F(PlanCacheTest, IdsAreNeverUsedAgain) {
  std::set<std::int64_t> ids;
  for (int round = 0; round < 20; ++round) {
    Plan& present = plan(1000);
    for (int k = 0; k < 5; ++k) {
      Plan& made = plan(round * 10 + k);
      EXPECT_TRUE(ids.insert(made.id().number).second) << round << " " << k;
      EXPECT_NE(made.id(), PlanId{});
    }
    const PlanId kept = present.id();
    cache_.evict(present, present);
    EXPECT_EQ(plan(1000).id(), kept);
  }
}

TEST_F(PlanCacheTest, VariantsOfDifferentPlansHaveDifferentIds) {
  const StateVariant* const one = plan(1).structural_variant();
  const StateVariant* const other = plan(2).structural_variant();
  ASSERT_NE(one, nullptr);
  ASSERT_NE(other, nullptr);
  EXPECT_NE(one->id, other->id);
  EXPECT_NE(one->id, VariantId{});
  EXPECT_EQ(plan(1).structural_variant()->id, one->id);
}

TEST_F(PlanCacheTest, EvictionKeepsThePresentAndTheFirstPlan) {
  Plan &first = plan(1), &other = plan(2), &present = plan(3);
  cache_.keep({1}, first);
  cache_.keep({2}, other);
  const PlanId gone = other.id();
  cache_.evict(present, first);
  EXPECT_EQ(cache_.rows(), 2);
  EXPECT_EQ(cache_.find({1}), nullptr);  // keys may name modes that are gone
  EXPECT_EQ(&plan(1), &first);
  EXPECT_EQ(&plan(3), &present);
  EXPECT_NE(plan(2).id(), gone);
}

TEST_F(PlanCacheTest, StaleReferenceIsNotFollowed) {
  Plan& present = plan(1);
  const PlanRef ref(present, cache_.generation());
  EXPECT_EQ(&ref.get(cache_.generation()), &present);
  cache_.evict(present, present);
  EXPECT_DEATH(static_cast<void>(ref.get(cache_.generation())), "too long");
  EXPECT_DEATH(static_cast<void>(PlanRef().get(cache_.generation())), "too long");
}

TEST_F(PlanCacheTest, WhatIsKeptBesidePlansGoesWithThem) {
  OfPlans<std::vector<const Plan*>> beside;
  beside.at(cache_.generation()).push_back(&plan(1));
  beside.at(cache_.generation()).push_back(&plan(2));
  EXPECT_EQ(beside.at(cache_.generation()).size(), 2U);
  cache_.evict(plan(1), plan(1));
  EXPECT_TRUE(beside.at(cache_.generation()).empty());
}

TEST_F(PlanCacheTest, PlanOfValuesIsFoundWhereTheyAreTheSame) {
  Plan& plain = plan(1);
  EXPECT_FALSE(cache_.has_of_values());
  EXPECT_FALSE(cache_.was_asked(plain, {1, 2}));
  EXPECT_TRUE(cache_.was_asked(plain, {1, 2}));
  EXPECT_FALSE(cache_.was_asked(plain, {1, 3}));
  EXPECT_FALSE(cache_.was_asked(plain, {1, 2}));  // of the last time only
  const auto none = [](expr::ExprId) { return 0.0; };
  EXPECT_EQ(cache_.at_values(plain, none), nullptr);
  auto other = std::make_unique<Plan>(context_, decay(part_, 1), graph::Matching{});
  Plan& kept = cache_.keep_of_values(plain, {}, std::move(other));
  EXPECT_TRUE(cache_.has_of_values());
  EXPECT_EQ(cache_.at_values(plain, none), &kept);
  EXPECT_NE(kept.id(), plain.id());
}

}  // namespace
}  // namespace chi::sim
