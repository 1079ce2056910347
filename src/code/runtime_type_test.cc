#include "code/runtime_type.h"

#include <gtest/gtest.h>

#include "code/value_testing.h"
#include "flat/layout.h"

namespace chi::code {
namespace {

using testing::World;

TEST(RuntimeTypes, LieAsTheLayoutSays) {
  World w;
  std::vector<sema::TypeId> types = w.interesting_types();
  types.push_back(w.types.dist(w.real()));
  types.push_back(w.types.array(w.tuple({w.types.dist(w.nat()), w.string()}), 3, {}));
  types.push_back(w.types.array(w.types.array(w.real(), 100, {}), 100, {}));
  types.push_back(w.types.array(w.nat(), 0, {}));
  types.push_back(w.types.basic(sema::BasicType::Void));
  for (const sema::TypeId id : types) {
    const RuntimeType& type = w.runtime.at(id);
    EXPECT_EQ(type.slots, flat::slot_count(w.types, id)) << w.types.text(id, w.symbols);
    std::int32_t slot = 0;  // the leaves cover the slots
    for (const Leaf& leaf : type.leaves) {
      EXPECT_EQ(leaf.offset, slot);
      slot += leaf.count * leaf.type->slots;
    }
    EXPECT_EQ(slot, type.slots);
    EXPECT_EQ(type.is_plain, type.managed.empty());
    EXPECT_EQ(&type, &w.runtime.at(id));
  }
}

TEST(RuntimeTypes, JoinsEqualNeighboursIntoOneLeaf) {
  World w;
  EXPECT_EQ(w.runtime.at(w.types.array(w.types.array(w.real(), 100, {}), 100, {})).leaves.size(),
            1u);
  const RuntimeType& mixed =
      w.runtime.at(w.types.array(w.tuple({w.nat(), w.nat(), w.real()}), 2, {}));
  ASSERT_EQ(mixed.leaves.size(), 4u);
  EXPECT_EQ(mixed.leaves[2].offset, 3);
  EXPECT_EQ(mixed.leaves[2].count, 2);
}

TEST(RuntimeTypes, FindsReferences) {
  World w;
  const RuntimeType& type =
      w.runtime.at(w.types.array(w.tuple({w.nat(), w.string(), w.types.list(w.nat())}), 2, {}));
  EXPECT_EQ(type.managed, (std::vector<std::int32_t>{1, 2, 5, 6}));
  EXPECT_EQ(type.depth, 1);
}

}  // namespace
}  // namespace chi::code
