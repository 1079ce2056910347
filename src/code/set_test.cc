#include "code/set.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include "code/ordered.h"
#include "code/value_testing.h"

namespace chi::code {
namespace {

using testing::Model;
using testing::Variable;
using testing::World;
using Models = std::set<Model>;

Models elements(const Model& set) { return {set.parts.begin(), set.parts.end()}; }

/// Random operations on a few sets that share leaves, each beside its model. `range` is the number
/// of different elements: large enough for several leaves when it is.
class Play {
 public:
  Play(World& world, sema::TypeId element, std::int64_t range)
      : w_(world),
        element_(world.runtime.at(element)),
        set_(world.runtime.at(world.types.set(element))),
        range_(range) {
    for (int i = 0; i < 4; ++i) {
      sets_.emplace_back(w_, set_, Model{});
      models_.emplace_back();
    }
  }

  void step() {
    const std::size_t target = pick();
    Slot* set = sets_[target].slots();
    Models& model = models_[target];
    if (w_.below(4) == 0) {
      const std::size_t source = pick();
      assign(w_.heap, set_, sets_[source].slots(), set);
      model = Models(models_[source]);
    }
    change(set, model);
    if (w_.below(8) == 0) combine(set, model);
    const Model x = any();
    EXPECT_EQ(set_contains(set_, set, Variable(w_, element_, x).slots()), model.contains(x));
    EXPECT_EQ(set_size(set), std::ssize(model));
  }

  void expect_equal() {
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      const Model read = sets_[i].read();
      ASSERT_TRUE(
          std::equal(read.parts.begin(), read.parts.end(), models_[i].begin(), models_[i].end()))
          << "variable " << i;
    }
  }

 private:
  std::size_t pick() { return static_cast<std::size_t>(w_.below(4)); }
  Model any() {
    return element_.kind == TypeKind::Nat ? Model{.i = w_.below(range_)} : w_.any(element_);
  }

  /// A run of neighbours comes or goes, so that leaves fill, split, empty and join.
  void change(Slot* set, Models& model) {
    const bool insert = w_.below(2) == 0;
    Model x = any();
    for (std::int64_t n = w_.below(range_ / 8 + 2); n >= 0; --n, ++x.i) {
      Variable value(w_, element_, x);
      if (insert) {
        ASSERT_EQ(set_insert(w_.heap, set_, set, value.give_away()), RunError::None);
        model.insert(x);
      } else {
        ASSERT_EQ(set_erase(w_.heap, set_, set, value.slots()), RunError::None);
        model.erase(x);
      }
      if (element_.kind != TypeKind::Nat) return;
    }
  }

  void combine(Slot* set, Models& model) {
    const std::size_t j = pick();
    const Slot* other = sets_[j].slots();
    const Models b(models_[j]);
    Models result;
    switch (w_.below(3)) {
      case 0:
        ASSERT_EQ(set_union(w_.heap, set_, set, other), RunError::None);
        std::set_union(model.begin(), model.end(), b.begin(), b.end(),
                       std::inserter(result, result.end()));
        break;
      case 1:
        ASSERT_EQ(set_difference(w_.heap, set_, set, other), RunError::None);
        std::set_difference(model.begin(), model.end(), b.begin(), b.end(),
                            std::inserter(result, result.end()));
        break;
      default:
        ASSERT_EQ(set_intersection(w_.heap, set_, set, other), RunError::None);
        std::set_intersection(model.begin(), model.end(), b.begin(), b.end(),
                              std::inserter(result, result.end()));
    }
    model = result;
  }

  World& w_;
  const RuntimeType& element_;
  const RuntimeType& set_;
  std::int64_t range_;
  std::vector<Variable> sets_;
  std::vector<Models> models_;
};

TEST(Set, BehavesLikeAnOrderedSetWithValueSemantics) {
  World w;
  for (const sema::TypeId element : w.interesting_types()) {
    Play play(w, element, 12);
    for (int i = 0; i < 600; ++i) {
      play.step();
      play.expect_equal();
      ASSERT_FALSE(HasFatalFailure());
    }
  }
  EXPECT_EQ(w.heap.live_objects(), 0);
}

TEST(Set, BehavesLikeAnOrderedSetWhenLarge) {
  World w;
  for (const std::int64_t range : {500, 5000}) {
    Play play(w, w.nat(), range);
    for (int i = 0; i < 400; ++i) {
      play.step();
      if (i % 20 == 0) play.expect_equal();
      ASSERT_FALSE(HasFatalFailure());
    }
    play.expect_equal();
  }
}

TEST(Set, MakesPicksAndLists) {
  World w;
  const RuntimeType& string = w.runtime.at(w.string());
  const RuntimeType& set = w.runtime.at(w.types.set(w.string()));
  std::vector<Slot> values(4);
  const char* texts[] = {"b", "c", "b", "a"};
  for (std::size_t i = 0; i < 4; ++i) w.store(string, Model{.s = texts[i]}, &values[i]);
  Slot s[2], list[2], first;
  ASSERT_EQ(set_make(w.heap, set, values.data(), 4, s), RunError::None);
  EXPECT_EQ(set_size(s), 3);
  ASSERT_EQ(set_pick(set, s, &first), RunError::None);
  EXPECT_EQ(w.read(string, &first).s, "a");
  ASSERT_EQ(set_to_list(w.heap, set, s, list), RunError::None);
  const Model sorted{.parts = {Model{.s = "a"}, Model{.s = "b"}, Model{.s = "c"}}};
  const RuntimeType& list_type = w.runtime.at(w.types.list(w.string()));
  EXPECT_EQ(w.read(list_type, list), sorted);
  release(w.heap, set, s);
  release(w.heap, list_type, list);
  release(w.heap, string, &first);
  clear(set, s);
  EXPECT_EQ(set_pick(set, s, &first), RunError::EmptySet);
}

// Entries in random order: each insertion touches one leaf, so the number of blocks grows with the
// number of entries over those that fit in half a leaf, and none is larger than the top.
TEST(Set, HundredThousandRandomInsertionsTouchSmallBlocksOnly) {
  World w;
  const RuntimeType& set = w.runtime.at(w.types.set(w.nat()));
  Variable s(w, set, Model{});
  for (int i = 0; i < 100'000; ++i) {
    Slot value = int_slot(static_cast<std::int64_t>(w.random() >> 1));
    ASSERT_EQ(set_insert(w.heap, set, s.slots(), &value), RunError::None);
  }
  EXPECT_EQ(set_size(s.slots()), 100'000);
  EXPECT_LE(w.heap.live_bytes(), 100'000 * 8 * 2 + 64 * 1024);
  EXPECT_LE(w.heap.allocations(), 5'000);
  // One more element in a set with two owners copies the way to it, not the set.
  const Variable other(s);
  const std::int64_t before = w.heap.live_bytes();
  Slot value = int_slot(-1);
  ASSERT_EQ(set_insert(w.heap, set, s.slots(), &value), RunError::None);
  EXPECT_LE(w.heap.live_bytes() - before, 20'000);
  EXPECT_EQ(set_size(other.slots()), 100'000);
}

TEST(Set, OrderedInputFillsItsLeavesAndErasedOnesJoin) {
  World w;
  const RuntimeType& set = w.runtime.at(w.types.set(w.nat()));
  Variable s(w, set, Model{});
  constexpr std::int64_t kCount = 100'000;
  for (std::int64_t i = 0; i < kCount; ++i) {
    Slot value = int_slot(i);
    ASSERT_EQ(set_insert(w.heap, set, s.slots(), &value), RunError::None);
  }
  EXPECT_LE(w.heap.live_bytes(), kCount * 8 * 11 / 10);
  for (std::int64_t i = 0; i < kCount; ++i) {
    const Slot value = int_slot(i);
    if (i % 100 == 0) continue;
    ASSERT_EQ(set_erase(w.heap, set, s.slots(), &value), RunError::None);
  }
  EXPECT_EQ(set_size(s.slots()), kCount / 100);
  EXPECT_LE(w.heap.live_bytes(), kCount / 100 * 8 * 10);
}

TEST(Set, RunsOutOfMemoryWithoutHarm) {
  World w(20'000);
  const RuntimeType& set = w.runtime.at(w.types.set(w.nat()));
  Variable s(w, set, Model{});
  std::int64_t n = 0;
  for (;; ++n) {
    Slot value = int_slot(n * 7919 % 10'007);
    if (set_insert(w.heap, set, s.slots(), &value) != RunError::None) break;
  }
  EXPECT_GT(n, 500);
  EXPECT_EQ(std::ssize(elements(s.read())), n);
}

}  // namespace
}  // namespace chi::code
