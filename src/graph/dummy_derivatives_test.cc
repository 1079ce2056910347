#include "graph/dummy_derivatives.h"

#include <numeric>

#include <gtest/gtest.h>

#include "graph/instances.h"

namespace chi::graph {
namespace {

using testing::Random;
using testing::to_ints;

std::vector<int> select(const Signature& sigma, const std::vector<Preference>& preferences = {}) {
  const Offsets offsets = *find_offsets(sigma);
  Table<VarId, Preference> table;
  for (const Preference preference : preferences) table.add(preference);
  StructuralChooser chooser(sigma, offsets, table);
  const std::optional<DummyDerivatives> dummies = select_dummies(sigma, offsets, chooser);
  EXPECT_TRUE(dummies);
  return to_ints(dummies->count);
}

constexpr Preference kAny = Preference::None;
constexpr Preference kDependent = Preference::Dependent;
constexpr Preference kIndependent = Preference::Independent;

// P2, dummy derivative method: one of the two pressures is downgraded to an algebraic variable.
TEST(SelectDummies, DowngradesOnePressure) {
  const Signature& sigma = testing::paper_model("P2 hydraulic, R1 = 0").sigma;
  const std::vector<int> free = select(sigma);
  EXPECT_EQ(free[0] + free[1], 1);
  EXPECT_EQ(select(sigma, {kAny, kDependent, kAny, kAny, kAny}), (std::vector{0, 1, 0, 0, 0}));
  EXPECT_EQ(select(sigma, {kDependent, kAny, kAny, kAny, kAny}), (std::vector{1, 0, 0, 0, 0}));
  EXPECT_EQ(select(sigma, {kIndependent, kAny, kAny, kAny, kAny}), (std::vector{0, 1, 0, 0, 0}));
}

// P0 §6.1: e' <- x' or x' <- e', as the modeller likes.
TEST(SelectDummies, LetsTheModellerOfThePidControllerChoose) {
  const Signature& sigma = testing::paper_model("PID").sigma;
  EXPECT_EQ(select(sigma, {kAny, kAny, kAny, kDependent, kAny}), (std::vector{0, 0, 0, 1, 0}));
  EXPECT_EQ(select(sigma, {kDependent, kAny, kAny, kAny, kAny}), (std::vector{1, 0, 0, 0, 0}));
}

// P1 §7.4 declares |T, x, vx|: y and vy are initialised. y'' is a dummy all the same (it is vy'),
// and so are x', x'' and vx'.
TEST(SelectDummies, KeepsTheStatesOfThePendulum) {
  const Signature& sigma = testing::paper_model("pendulum").sigma;
  EXPECT_EQ(select(sigma, {kDependent, kAny, kDependent, kAny, kDependent}),
            (std::vector{2, 1, 1, 0, 0}));
  EXPECT_EQ(select(sigma, {kAny, kDependent, kAny, kDependent, kAny}),
            (std::vector{1, 2, 0, 1, 0}));
}

// Without wishes, the states are variables the modeller wrote: a position and its velocity, not x
// and a second x' beside w.
TEST(SelectDummies, PrefersWrittenVariablesAsStates) {
  const std::vector<int> count = select(testing::paper_model("pendulum").sigma);
  EXPECT_EQ(std::accumulate(count.begin(), count.end(), 0), 4);
  EXPECT_GE(count[0], 1);
  EXPECT_GE(count[1], 1);
}

TEST(SelectDummies, ChoosesAsManyAsDifferentiationsOnPaperModels) {
  for (const testing::PaperModel& model : testing::paper_models()) {
    SCOPED_TRACE(model.name);
    const std::vector<int> count = select(model.sigma);
    EXPECT_EQ(std::accumulate(count.begin(), count.end(), 0),
              std::accumulate(model.c.begin(), model.c.end(), 0));
    int states = 0;
    for (std::size_t j = 0; j < count.size(); ++j) states += model.d[j] - count[j];
    EXPECT_EQ(states, model.degrees_of_freedom);
  }
}

// On each level the chosen columns can be matched to the level's equations, they were chosen on the
// level before, and no dummy is of order 0. On level 0 no choice has more dependent variables.
TEST(SelectDummies, IsValidOnRandomDaes) {
  Random random(1993);
  for (int round = 0; round < 1500; ++round) {
    SCOPED_TRACE(round);
    const int n = 1 + random.below(9);
    const Signature sigma = testing::random_signature(random, n, 2 + random.below(5), 2);
    const Offsets offsets = *find_offsets(sigma);
    std::vector<Preference> preferences;
    std::uint32_t dependent = 0;
    for (int v = 0; v < n; ++v) {
      preferences.push_back(random.once_in(3) ? kDependent : kAny);
      if (preferences.back() == kDependent) dependent |= std::uint32_t{1} << v;
    }
    const std::vector<int> count = select(sigma, preferences);
    const Bipartite jacobian = jacobian_pattern(sigma, offsets);
    for (int level = 0;; ++level) {
      std::uint32_t eqs = 0;
      std::uint32_t vars = 0;
      int rows = 0;
      for (int i = 0; i < n; ++i) {
        if (offsets.c[{i}] > level) {
          eqs |= std::uint32_t{1} << i;
          ++rows;
        }
        if (count[static_cast<std::size_t>(i)] > level) {
          vars |= std::uint32_t{1} << i;
          EXPECT_GE(offsets.d[{i}] - level, 1);
        }
      }
      if (rows == 0) {
        EXPECT_EQ(vars, 0u);
        break;
      }
      EXPECT_EQ(std::popcount(vars), rows);
      EXPECT_EQ(testing::brute_matching_size(jacobian, eqs, vars), rows);
      if (level == 0) {
        EXPECT_EQ(std::popcount(vars & dependent),
                  testing::brute_matching_size(jacobian, eqs, dependent));
      }
    }
  }
}

// A numerical chooser may find less than full rank; then there is no selection.
TEST(SelectDummies, ReportsAChooserThatFindsTooFew) {
  struct Refusing : DummyChooser {
    std::vector<VarId> choose(const DummyProblem&) override { return {}; }
  };
  const Signature& sigma = testing::paper_model("PID").sigma;
  Refusing chooser;
  EXPECT_FALSE(select_dummies(sigma, *find_offsets(sigma), chooser));
}

// What a chooser is shown: ids of the whole model, problems of independent parts apart.
TEST(SelectDummies, ShowsTheChooserOneProblemPerPart) {
  struct Recording : DummyChooser {
    explicit Recording(StructuralChooser& inner) : inner_(inner) {}
    std::vector<VarId> choose(const DummyProblem& problem) override {
      shown.push_back({problem.level, problem.jacobian.outer_eq[{0}].index,
                       problem.jacobian.pattern.num_vars()});
      return inner_.choose(problem);
    }
    std::vector<std::vector<int>> shown;
    StructuralChooser& inner_;
  };
  const Signature sigma =  // two pendulums of second order
      testing::signature("x y T u v S", {"x'' T x", "y'' T y", "x y", "u'' S u", "v'' S v", "u v"});
  const Offsets offsets = *find_offsets(sigma);
  StructuralChooser structural(sigma, offsets, {});
  Recording chooser(structural);
  ASSERT_TRUE(select_dummies(sigma, offsets, chooser));
  EXPECT_EQ(chooser.shown,
            (std::vector<std::vector<int>>{{0, 2, 2}, {0, 5, 2}, {1, 2, 1}, {1, 5, 1}}));
}

}  // namespace
}  // namespace chi::graph
