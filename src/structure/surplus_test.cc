#include "structure/surplus.h"

#include <gtest/gtest.h>

#include "structure/model_testing.h"

namespace chi::structure {
namespace {

using testing::Model;

// A rod between floor and wall, held by a brake: one degree of freedom, and nothing known.
const std::vector<std::string_view> kHeldRod = {"w' = v",       "h' = u",        "v' = F*w",
                                                "u' = F*h + N", "w^2 + h^2 = 4", "u = 0"};

std::string kept(Model& model, int of_w, int of_h, int of_v) {
  const Analysis a = model.analyse();
  const BlockOrder order = order_blocks(model.pool, a, known_values(a));
  std::vector<int> rank;
  for (const expr::VarRef x : order.under_unknowns) {
    const std::string name = model.text(x);
    rank.push_back(name == "w" ? of_w : name == "h" ? of_h : name == "v" ? of_v : 0);
  }
  const std::vector<expr::VarRef> surplus = find_surplus(model.pool, order, rank);
  std::vector<expr::VarRef> given = known_values(a);
  given.insert(given.end(), surplus.begin(), surplus.end());
  std::sort(given.begin(), given.end());
  EXPECT_TRUE(order_blocks(model.pool, a, given).is_square());
  return model.text(surplus);
}

TEST(FindSurplus, TheHighestRankStays) {
  Model model("w h v u F N", "w h v u F N", kHeldRod);
  EXPECT_EQ(kept(model, 2, 1, 0), "w");
  EXPECT_EQ(kept(model, 1, 2, 0), "h");
  EXPECT_EQ(kept(model, 2, 2, 3), "v");  // as the pattern has it, which knows no numbers
}

// Without the brake there are two; where the height is known, only one is too many.
TEST(FindSurplus, AsManyAsThereAreTooMany) {
  std::vector<std::string_view> equations = kHeldRod;
  equations.back() = "N = 0";
  Model model("w h v u F N", "w h v u F N", equations);
  EXPECT_EQ(kept(model, 3, 1, 2), "w v");
  Model known("w h v u F N", "w v u F N", equations);
  EXPECT_EQ(kept(known, 3, 1, 2), "v");
}

}  // namespace
}  // namespace chi::structure
