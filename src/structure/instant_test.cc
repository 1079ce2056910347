#include "structure/instant.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "structure/model_testing.h"

// The IP of equations of which some hold at one instant only.
namespace chi::structure {
namespace {

using testing::Model;
using Groups = std::vector<std::vector<std::int32_t>>;

/// `held`: declared by the added rows.
InstantOrder ordered(Model& model, Groups passing, std::int32_t added = 0,
                     std::vector<expr::VarId> held = {}) {
  std::vector<expr::VarId> declared = model.system.declared;
  std::erase_if(declared, [&](expr::VarId v) { return std::ranges::count(held, v) != 0; });
  return order_instant(model.pool, {model.system, std::move(passing), added, std::move(declared)});
}

int times_differentiated(const InstantOrder& instant, std::int32_t row) {
  int highest = -1;
  for (const BlockOrder::Row& r : instant.order.rows) {
    if (r.row == row) highest = std::max(highest, r.order);
  }
  return highest;
}

// Two joined vessels, index 2: p' = r' is hidden.
const std::vector<std::string_view> kVessels = {"p' = 5 - q", "r' = q - r", "p = r"};

TEST(Instant, ASteadyStartHasTheHiddenConstraints) {
  auto rows = kVessels;
  rows.push_back("p' = 0");
  Model model("p r q", rows);
  const InstantOrder instant = ordered(model, {{3}});
  EXPECT_TRUE(instant.order.is_square());
  EXPECT_EQ(instant.order.unknowns.size(), 5u);
  EXPECT_EQ(times_differentiated(instant, 2), 1);
  EXPECT_EQ(times_differentiated(instant, 3), 0);
}

TEST(Instant, WhatMayPassIsTriedInAnotherOrder) {
  Model model("p r q", {"p' = 0", "p' = 5 - q", "r' = q - r", "p = r"});
  const InstantOrder instant = ordered(model, {{0}, {3}});
  EXPECT_TRUE(instant.order.is_square());
  EXPECT_EQ(times_differentiated(instant, 3), 1);
}

TEST(Instant, AddedRowsAreNotDifferentiated) {
  auto rows = kVessels;
  rows.push_back("p = 2 + time");
  Model model("p r q", rows);
  const InstantOrder instant = ordered(model, {}, 1);
  EXPECT_TRUE(instant.order.is_square());
  EXPECT_EQ(times_differentiated(instant, 2), 1);
  EXPECT_EQ(times_differentiated(instant, 3), 0);
}

// A length that is known but at this instant: the velocities obey x u + y v = 0, not u = 0.
TEST(Instant, HeldVariablesHaveNoDerivative) {
  Model model("x u T L",
              {"x' = u", "y' = v", "u' = -T*x", "v' = -T*y - 9.81", "x^2 + y^2 = L^2", "x = 1"});
  const InstantOrder instant = ordered(model, {}, 1, {model.var("L")});
  EXPECT_TRUE(instant.order.is_square());
  EXPECT_EQ(times_differentiated(instant, 4), 2);
  EXPECT_EQ(times_differentiated(instant, 5), 0);
}

TEST(Instant, HigherDerivativesThanTheMotionNeeds) {
  Model model("V Q", {"V' = 2 - Q", "Q = sqrt(V)", "Q' = 0.25"});
  const InstantOrder instant = ordered(model, {}, 1);
  EXPECT_TRUE(instant.order.is_square());
  EXPECT_EQ(times_differentiated(instant, 1), 1);
}

TEST(Instant, WhatFollowsFromHiddenConstraintsIsLeftOut) {
  auto rows = kVessels;
  rows.insert(rows.end(), {"p' = 0", "r' = 0"});
  Model model("p r q", rows);
  EXPECT_TRUE(ordered(model, {{3, 4}}).order.is_square());
}

// p' = 5 - q said once more does not determine p.
TEST(Instant, WhatIsSaidTwiceDeterminesNothing) {
  auto rows = kVessels;
  rows.push_back("2*p' = 10 - 2*q");
  Model model("p r q", rows);
  const InstantOrder instant = ordered(model, {}, 1);
  EXPECT_TRUE(instant.order.over_rows.empty());
  EXPECT_FALSE(instant.order.is_square());
}

TEST(Instant, NothingTakesThePlaceOfRedundantRows) {
  Model model("i j x", {"i + j = 0", "2*i + 2*j = 0", "x' = i - x", "j = x", "x' = 0"});
  EXPECT_TRUE(ordered(model, {{4}}).order.is_square());
}

TEST(Instant, TooManyAndTooFew) {
  auto rows = kVessels;
  rows.push_back("p = 4");
  Model known("r q", rows);
  EXPECT_FALSE(ordered(known, {}, 1).order.over_rows.empty());
  Model open("p r q", kVessels);
  EXPECT_FALSE(ordered(open, {}).order.under_unknowns.empty());
}

}  // namespace
}  // namespace chi::structure
