#include "code/compare.h"

#include <limits>

#include <gtest/gtest.h>

#include "code/distributions.h"
#include "code/list.h"
#include "code/value_testing.h"

namespace chi::code {
namespace {

using testing::Model;
using testing::Variable;
using testing::World;

TEST(Compare, AgreesWithTheModel) {
  World w;
  for (const sema::TypeId id : w.interesting_types()) {
    const RuntimeType& type = w.runtime.at(id);
    for (int round = 0; round < 2000; ++round) {
      const Model x = w.any(type);
      const Model y = w.any(type);
      const Variable a(w, type, x), b(w, type, y);
      const int expected = x < y ? -1 : (y < x ? 1 : 0);
      const int result = compare(type, a.slots(), b.slots());
      EXPECT_EQ((result > 0) - (result < 0), expected);
      EXPECT_EQ(equal(type, a.slots(), b.slots()), expected == 0);
      EXPECT_TRUE(equal(type, a.slots(), Variable(a).slots()));
    }
  }
}

TEST(Compare, OrdersRealsWithNanBehindAll) {
  World w;
  const RuntimeType& real = w.runtime.at(w.real());
  const double inf = std::numeric_limits<double>::infinity();
  const Slot nan = real_slot(std::numeric_limits<double>::quiet_NaN());
  const Slot top = real_slot(inf);
  const Slot zero = real_slot(0.0);
  const Slot minus_zero = real_slot(-0.0);
  EXPECT_GT(compare(real, &nan, &top), 0);
  EXPECT_LT(compare(real, &top, &nan), 0);
  EXPECT_EQ(compare(real, &nan, &nan), 0);
  EXPECT_FALSE(equal(real, &nan, &nan));
  EXPECT_TRUE(equal(real, &zero, &minus_zero));
}

TEST(Compare, TakesDistributionsByTheirLaw) {
  World w;
  const RuntimeType& dist = w.runtime.at(w.types.dist(w.real()));
  Slot a[6], b[6];
  const Slot mean = real_slot(2.0);
  ASSERT_EQ(distribution_make(DistributionKind::Exponential, &mean, a), RunError::None);
  ASSERT_EQ(distribution_make(DistributionKind::Exponential, &mean, b), RunError::None);
  distribution_start(1, a);
  distribution_start(2, b);
  EXPECT_TRUE(equal(dist, a, b));
  ASSERT_EQ(distribution_make(DistributionKind::Poisson, &mean, b), RunError::None);
  EXPECT_FALSE(equal(dist, a, b));
}

// A chain of aliases can nest lists without limit; nothing here may take stack for it.
TEST(Compare, TakesNoStackForDeepNesting) {
  World w;
  constexpr int kDepth = 50'000;
  sema::TypeId id = w.types.list(w.nat());
  const RuntimeType* type = &w.runtime.at(id);
  Variable a(w, *type, Model{.parts = {Model{.i = 1}}});
  Variable b(w, *type, Model{.parts = {Model{.i = 2}}});
  Slot x[2], y[2];
  move(*type, a.give_away(), x);
  move(*type, b.give_away(), y);
  for (int i = 0; i < kDepth; ++i) {
    Slot inner[2];
    for (Slot* value : {x, y}) {
      move(*type, value, inner);
      clear(*type, value);
      ASSERT_EQ(list_append(w.heap, *type, value, inner), RunError::None);
    }
    id = w.types.list(id);
    type = &w.runtime.at(id);
  }
  EXPECT_LT(compare(*type, x, y), 0);
  EXPECT_TRUE(equal(*type, x, x));
  EXPECT_FALSE(equal(*type, x, y));
  release(w.heap, *type, x);
  release(w.heap, *type, y);
}

}  // namespace
}  // namespace chi::code
