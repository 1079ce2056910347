#include "flat/activity.h"

#include <set>

#include <gtest/gtest.h>

#include "expr/incidence.h"
#include "flat/scalars.h"
#include "flat/test_model.h"

namespace chi::flat {
namespace {

using testing::flattened;
using testing::TestModel;

// The unknowns of the initial-value problem and of consistent initialization, as P1 §4 defines
// them.
struct Unknowns {
  std::set<std::string> ip, ivp;
};

Unknowns unknowns_of(const TestModel& m, const Activity& activity) {
  const Equations& e = m.model->equations;
  Unknowns result;
  std::vector<expr::ExprId> roots;
  for (const Equation& q : e.system.equations) {
    if (!activity.is_active(q.branch)) continue;
    roots.push_back(q.left);
    roots.push_back(q.right);
  }
  for (const expr::ExprId v : expr::variables(e.pool, roots).node) {
    const expr::VarRef ref = e.pool.variable(v);
    if (ref.order == 0) continue;
    result.ip.insert(scalar_name(*m.model, ref.var.index) + "'");
    result.ivp.insert(scalar_name(*m.model, ref.var.index));
  }
  for (const Unknown& u : e.system.unknowns) {
    if (!activity.is_active(u.branch) || u.variable.order > 0) continue;
    result.ip.insert(scalar_name(*m.model, u.variable.var.index));
    result.ivp.insert(scalar_name(*m.model, u.variable.var.index));
  }
  return result;
}

using Names = std::set<std::string>;

// van Beek, Bos and Rooda 2003, §6: "When boolean variable b is true ...".
TEST(Activity, UnknownsOfProcessP) {
  const TestModel m = flattened(R"(
    proc P =
    |[ V: real:= 0.0, x: real:= 0.0, Q: real, b: bool:= true
     | |Q|, V' = 2 - Q, Q = sqrt(V), [ b -> x' = 1 - x ], [ not b -> |x|, x = 2 ]
    ]|)");
  const EquationSet& set = m.model->equations.system;
  const auto in_mode = [&](bool b) {
    return unknowns_of(m, find_activity(set, [&](BranchId id) { return (id.index == 0) == b; }));
  };
  EXPECT_EQ(in_mode(true).ip, (Names{"V'", "x'", "Q"}));
  EXPECT_EQ(in_mode(true).ivp, (Names{"V", "x", "Q"}));
  EXPECT_EQ(in_mode(false).ip, (Names{"V'", "Q", "x"}));
  EXPECT_EQ(in_mode(false).ivp, (Names{"V", "Q", "x"}));
}

TEST(Activity, FirstOpenBranchOfNestedChoices) {
  const TestModel m = flattened(R"(
    proc P = |[ x: real, a, b, c: bool
     | [ a -> x' = 1.0 | b -> [ a -> x' = 2.0 | c -> x' = 3.0 ] | c -> x' = 4.0 ]
    ]|)");
  const EquationSet& set = m.model->equations.system;
  ASSERT_EQ(set.branches.size(), 5);
  const auto active = [&](std::set<std::string> truths) {
    std::string text;
    const Activity activity = find_activity(
        set, [&](BranchId id) { return truths.contains(m.text(set.branches[id].guard)); });
    for (const Equation& e : set.equations) {
      if (activity.is_active(e.branch)) text += m.text(e.right) + " ";
    }
    return text + (activity.nowhere.empty() ? "" : "none");
  };
  EXPECT_EQ(active({"a", "b", "c"}), "1 ");
  EXPECT_EQ(active({"b", "c"}), "3 ");
  EXPECT_EQ(active({"c"}), "4 ");
  EXPECT_EQ(active({"b"}), "none");
  EXPECT_EQ(active({}), "none");
}

TEST(Activity, AsksOnlyForGuardsThatMatter) {
  const TestModel m = flattened(R"(
    proc P = |[ x: real, a, b: bool | [ a -> x' = 1.0 | b -> [ b -> x' = 2.0 ] ] ]|)");
  int asked = 0;
  find_activity(m.model->equations.system, [&](BranchId) { return ++asked > 0; });
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace chi::flat
