#include "code/heap.h"

#include <cstring>

#include <gtest/gtest.h>

#include "base/sanitized.h"
#include "code/distributions.h"
#include "code/value_testing.h"

namespace chi::code {
namespace {

using testing::Model;
using testing::Variable;
using testing::World;

TEST(Heap, GivesBlocksOfEverySizeThatDoNotOverlap) {
  Heap heap;
  std::vector<Object*> objects;
  for (std::size_t size = 0; size < 200'000; size += size / 3 + 1) {
    Object* o = heap.allocate(nullptr, size);
    ASSERT_NE(o, nullptr);
    ASSERT_GE(o->capacity, size);
    ASSERT_LE(o->capacity, size + size / 4 + 64);
    std::memset(o->text(), static_cast<int>(objects.size()), o->capacity);
    o->used = o->capacity;
    objects.push_back(o);
  }
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const char expected = static_cast<char>(i);
    for (std::uint32_t j = 0; j < objects[i]->used; ++j) ASSERT_EQ(objects[i]->text()[j], expected);
    heap.release(objects[i]);
  }
  EXPECT_EQ(heap.live_objects(), 0);
  EXPECT_EQ(heap.live_bytes(), 0);
}

TEST(Heap, KeepsToItsLimit) {
  Heap heap(1000);
  Object* o = heap.allocate(nullptr, 500);
  ASSERT_NE(o, nullptr);
  EXPECT_EQ(heap.allocate(nullptr, 500), nullptr);
  heap.release(o);
  o = heap.allocate(nullptr, 500);
  EXPECT_NE(o, nullptr);
  heap.release(o);
  EXPECT_EQ(heap.allocate(nullptr, std::size_t{1} << 62), nullptr);
  EXPECT_EQ(Heap().allocate(nullptr, std::size_t{kMaxLength} + 1), nullptr);
}

TEST(Heap, FreesWhatIsStillAliveWhenItGoes) {
  Heap heap;  // the leak checker of the sanitizer build is the judge
  EXPECT_NE(heap.allocate(nullptr, 10), nullptr);
  EXPECT_NE(heap.allocate(nullptr, 1'000'000), nullptr);
}

TEST(Heap, AsksTheSystemForNothingInTheSteadyState) {
  if (kSanitized) GTEST_SKIP() << "every block is the system's";
  Heap heap;
  const auto churn = [&] {
    for (std::size_t size = 1; size < 50'000; size += 1 + size / 2) {
      Object* a = heap.allocate(nullptr, size);
      Object* b = heap.allocate(nullptr, size);
      heap.release(a);
      heap.release(b);
    }
  };
  churn();
  const std::int64_t before = heap.system_allocations();
  for (int i = 0; i < 100; ++i) churn();
  EXPECT_EQ(heap.system_allocations(), before);
}

TEST(Heap, AssigningCountsReferences) {
  World w;
  for (const sema::TypeId id : w.interesting_types()) {
    const RuntimeType& type = w.runtime.at(id);
    for (int round = 0; round < 100; ++round) {
      const Model x = w.any(type);
      Variable a(w, type, x), b(w, type, w.any(type));
      assign(w.heap, type, a.slots(), b.slots());
      assign(w.heap, type, b.slots(), b.slots());
      EXPECT_EQ(b.read(), x);
      Variable c(w, type, w.any(type));
      assign_moved(w.heap, type, a.give_away(), c.slots());
      EXPECT_EQ(c.read(), x);
    }
  }
}

TEST(Heap, AssigningADistributionKeepsTheStreamOfItsPlace) {
  World w;
  const RuntimeType& type = w.runtime.at(w.tuple({w.nat(), w.types.dist(w.real())}));
  Slot a[7] = {}, b[7] = {};
  const Slot mean = real_slot(3.0);
  a[0].i = 5;
  ASSERT_EQ(distribution_make(DistributionKind::Exponential, &mean, a + 1), RunError::None);
  distribution_start(11, a + 1);
  distribution_start(22, b + 1);
  b[6].i = 4;
  assign(w.heap, type, a, b);
  EXPECT_EQ(b[0].i, 5);
  EXPECT_EQ(b[1].i, static_cast<std::int64_t>(DistributionKind::Exponential));
  EXPECT_EQ(b[2].r, 3.0);
  EXPECT_EQ(b[5].i, 22);
  EXPECT_EQ(b[6].i, 4);
  Slot c[7];
  copy(type, a, c);
  EXPECT_EQ(c[5].i, 11);
}

}  // namespace
}  // namespace chi::code
