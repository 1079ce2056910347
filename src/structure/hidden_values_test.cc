#include "structure/hidden_values.h"

#include <gtest/gtest.h>

#include "expr/incidence.h"
#include "structure/model_testing.h"

namespace chi::structure {
namespace {

using testing::Model;
using testing::NamedValues;

/// Draws what is unknown, and the known values that are not given.
class Draws : public Probe {
 public:
  Draws(Model& model, std::map<std::string, double> known) : model_(model), known_(known) {}

  std::vector<double> values(std::span<const expr::ExprId> roots, int draw,
                             bool draw_known) override {
    std::map<std::string, double> point;
    for (const expr::ExprId node : expr::variables(model_.pool, roots).node) {
      const std::string name = model_.text(model_.pool.variable(node));
      const auto known = known_.find(name);
      state_ = state_ * 6364136223846793005u + static_cast<unsigned>(draw) + 1442695040888963407u;
      const double random = 0.5 + static_cast<double>(state_ >> 40) * 0x1p-24;
      point[name] = known == known_.end() || draw_known ? random : known->second;
    }
    return NamedValues(model_, point).values(roots);
  }

 private:
  Model& model_;
  std::map<std::string, double> known_;
  std::uint64_t state_ = 1;
};

Analysis analyse_by_values(Model& model, std::map<std::string, double> known = {}) {
  Draws probe(model, std::move(known));
  return analyse(model.pool, model.system, {}, &probe);
}

TEST(HiddenByValues, RegularEquationsStayAsTheyAre) {
  Model model("x y vx vy T", "T x vx",
              {"x' = vx", "y' = vy", "vx' = T*x", "vy' = T*y - 9.81", "x^2 + y^2 = 25"});
  const Analysis with = analyse_by_values(model), without = model.analyse();
  EXPECT_FALSE(with.saw_values);
  EXPECT_EQ(with.c, without.c);
  EXPECT_EQ(with.derivatives, without.derivatives);
}

TEST(HiddenByValues, ACombinationWithVariablesForCoefficients) {
  Model model("u v x y", "u",
              {"x*u' + y*v' = sin(time)", "x^2*u' + x*y*v' = u", "x' = 1", "y' = 2"});
  EXPECT_FALSE(model.analyse().saw_values);
  EXPECT_EQ(model.analyse().degrees_of_freedom, 4);  // which is not so
  const Analysis a = analyse_by_values(model);
  ASSERT_FALSE(a.singular);
  EXPECT_TRUE(a.saw_values);
  EXPECT_TRUE(a.decided_by.empty());  // whatever the known values are
  EXPECT_EQ(a.degrees_of_freedom, 3);
  ASSERT_EQ(a.combinations.size(), 1u);
  EXPECT_TRUE(a.combinations[0].by_values);
  EXPECT_EQ(a.combinations[0].of.size(), 2u);
}

TEST(HiddenByValues, ACoefficientThatIsZero) {
  Model model("i u", "u", {"L*i' = u - i", "u = sin(time)"});
  const Analysis regular = analyse_by_values(model, {{"L", 0.5}});
  EXPECT_FALSE(regular.saw_values);
  EXPECT_EQ(regular.degrees_of_freedom, 1);
  const Analysis a = analyse_by_values(model, {{"L", 0}});
  ASSERT_FALSE(a.singular);
  ASSERT_EQ(a.decided_by.size(), 1u);
  EXPECT_EQ(model.text(a.decided_by[0]), "L");
  EXPECT_EQ(a.degrees_of_freedom, 0);
}

TEST(HiddenByValues, KnownValuesThatContradict) {
  Model model("", {"a*x' + y' = 1", "b*x' + 2*y' = 3"});
  EXPECT_FALSE(analyse_by_values(model, {{"a", 1}, {"b", 3}}).singular);
  const Analysis a = analyse_by_values(model, {{"a", 1}, {"b", 2}});
  ASSERT_TRUE(a.singular);
  EXPECT_EQ(a.singular->rows, (std::vector<std::int32_t>{0, 1}));
}

// The constraint stands in rows of different offsets: one must be differentiated to cancel.
TEST(HiddenByValues, ThroughADifferentiatedRow) {
  Model model("x y z", "", {"x*y' + z' = 1", "x' = y", "x*y + z = time + x^2/2 - x"});
  // (3)' is x' y + x y' + z' = 1 + x x' - x'; less (1): x' y = x x' - x', that is y = x - 1.
  const Analysis a = analyse_by_values(model);
  ASSERT_FALSE(a.singular);
  EXPECT_TRUE(a.saw_values);
  EXPECT_EQ(a.degrees_of_freedom, 1);
}

}  // namespace
}  // namespace chi::structure
