#include "code/list.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "code/text_value.h"
#include "code/value_testing.h"

namespace chi::code {
namespace {

using testing::Model;
using testing::Variable;
using testing::World;
using Models = std::vector<Model>;

RunError model_less(void* context, const Slot* a, const Slot* b, bool* less) {
  const auto& [world, type] = *static_cast<std::pair<World*, const RuntimeType*>*>(context);
  *less = world->read(*type, a) < world->read(*type, b);
  return RunError::None;
}

/// Random operations on a few list variables that share buffers, each beside its model.
class Play {
 public:
  Play(World& world, sema::TypeId element)
      : w_(world),
        element_(world.runtime.at(element)),
        list_(world.runtime.at(world.types.list(element))),
        less_context_(&world, &element_) {
    for (int i = 0; i < 5; ++i) {
      lists_.emplace_back(w_, list_, Model{});
      models_.emplace_back();
    }
  }

  void step() {
    const std::size_t target = pick();
    Slot* list = lists_[target].slots();
    Models& model = models_[target];
    // Sometimes the variable first becomes a copy of another one: xs := f(ys, ...).
    if (w_.below(3) == 0) {
      const std::size_t source = pick();
      assign(w_.heap, list_, lists_[source].slots(), list);
      model = Models(models_[source]);
    }
    const std::size_t other = pick();
    if (w_.below(2) == 0) {
      grow(list, model, lists_[other].slots(), Models(models_[other]));
    } else {
      shrink(list, model, lists_[other].slots(), Models(models_[other]));
    }
    if (w_.below(4) == 0) rearrange(list, model);
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      ASSERT_EQ(lists_[i].read().parts, models_[i]) << "variable " << i;
    }
  }

 private:
  std::size_t pick() { return static_cast<std::size_t>(w_.below(5)); }

  void grow(Slot* list, Models& model, const Slot* other, const Models& other_model) {
    const Model x = w_.any(element_);
    Variable value(w_, element_, x);
    switch (w_.below(5)) {
      case 0:
        ASSERT_EQ(list_prepend(w_.heap, element_, list, value.give_away()), RunError::None);
        model.insert(model.begin(), x);
        break;
      case 1:
        if (model.size() + other_model.size() > 60) break;
        ASSERT_EQ(list_concat(w_.heap, element_, list, other), RunError::None);
        model.insert(model.end(), other_model.begin(), other_model.end());
        break;
      default:
        ASSERT_EQ(list_append(w_.heap, element_, list, value.give_away()), RunError::None);
        model.push_back(x);
    }
  }

  void shrink(Slot* list, Models& model, const Slot* other, const Models& other_model) {
    const std::int64_t n = w_.below(4);
    switch (w_.below(6)) {
      case 0: drop_one(list, model, true); break;
      case 1: drop_one(list, model, false); break;
      case 2: pop(list, model); break;
      case 3:
        list_take(w_.heap, element_, list, std::ssize(model) - n > 0 ? std::ssize(model) - n : 0);
        model.resize(model.size() -
                     std::min<std::size_t>(model.size(), static_cast<std::size_t>(n)));
        break;
      case 4:
        list_drop(w_.heap, element_, list, n);
        model.erase(model.begin(), model.begin() + std::min(n, std::ssize(model)));
        break;
      default:
        ASSERT_EQ(list_subtract(w_.heap, element_, list, other), RunError::None);
        for (const Model& m : other_model) {
          const auto found = std::find(model.begin(), model.end(), m);
          if (found != model.end()) model.erase(found);
        }
    }
  }

  void drop_one(Slot* list, Models& model, bool front) {
    const RunError error =
        front ? list_tl(w_.heap, element_, list) : list_tr(w_.heap, element_, list);
    ASSERT_EQ(error, model.empty() ? RunError::EmptyList : RunError::None);
    if (!model.empty()) model.erase(front ? model.begin() : model.end() - 1);
  }

  void pop(Slot* list, Models& model) {
    std::vector<Slot> value(static_cast<std::size_t>(element_.slots));
    const RunError error = list_pop(w_.heap, element_, list, value.data());
    ASSERT_EQ(error, model.empty() ? RunError::EmptyList : RunError::None);
    if (model.empty()) return;
    EXPECT_EQ(w_.read(element_, value.data()), model.front());
    model.erase(model.begin());
    release(w_.heap, element_, value.data());
  }

  void rearrange(Slot* list, Models& model) {
    const Model x = w_.any(element_);
    Variable value(w_, element_, x);
    const LessThan less{model_less, &less_context_};
    switch (w_.below(4)) {
      case 0:
        ASSERT_EQ(list_reverse(w_.heap, element_, list), RunError::None);
        std::reverse(model.begin(), model.end());
        break;
      case 1:
        ASSERT_EQ(list_sort(w_.heap, element_, list, less), RunError::None);
        std::stable_sort(model.begin(), model.end());
        break;
      case 2:
        if (!std::is_sorted(model.begin(), model.end())) break;
        ASSERT_EQ(list_insert(w_.heap, element_, list, value.give_away(), less), RunError::None);
        model.insert(std::upper_bound(model.begin(), model.end(), x), x);
        break;
      default: {
        const std::int64_t i = w_.below(8);
        const bool inside = i < std::ssize(model);
        Slot* slots = inside ? value.give_away() : value.slots();
        ASSERT_EQ(list_set(w_.heap, element_, list, i, slots),
                  inside ? RunError::None : RunError::IndexOutOfRange);
        if (inside) model[static_cast<std::size_t>(i)] = x;
      }
    }
    EXPECT_EQ(list_contains(element_, list, Variable(w_, element_, x).slots()),
              std::find(model.begin(), model.end(), x) != model.end());
  }

  World& w_;
  const RuntimeType& element_;
  const RuntimeType& list_;
  std::pair<World*, const RuntimeType*> less_context_;
  std::vector<Variable> lists_;
  std::vector<Models> models_;
};

TEST(List, BehavesLikeAVectorWithValueSemantics) {
  World w;
  for (const sema::TypeId element : w.interesting_types()) {
    for (int game = 0; game < 8; ++game) {
      Play play(w, element);
      for (int i = 0; i < 400 && !::testing::Test::HasFatalFailure(); ++i) play.step();
    }
    EXPECT_EQ(w.heap.live_objects(), 0);
  }
}

/// A queue of `length` elements through which many more pass allocates nothing.
void expect_steady_queue(World& w, sema::TypeId element_id, int length) {
  const RuntimeType& element = w.runtime.at(element_id);
  Variable queue(w, w.runtime.at(w.types.list(element_id)), Model{});
  std::vector<Slot> value(static_cast<std::size_t>(element.slots));
  const auto push = [&] {
    clear(element, value.data());
    ASSERT_EQ(list_append(w.heap, element, queue.slots(), value.data()), RunError::None);
  };
  const auto pass = [&](int count) {
    for (int i = 0; i < count; ++i) {
      push();
      ASSERT_EQ(list_hd(element, queue.slots(), value.data()), RunError::None);
      release(w.heap, element, value.data());
      ASSERT_EQ(list_tl(w.heap, element, queue.slots()), RunError::None);
    }
  };
  for (int i = 0; i < length; ++i) push();
  pass(10 * length + 100);
  const std::int64_t before = w.heap.allocations();
  pass(50'000);
  EXPECT_EQ(w.heap.allocations(), before) << length;
}

TEST(List, BoundedQueueDoesNotAllocate) {
  World w;
  for (const int length : {0, 1, 7, 100, 1000}) {
    expect_steady_queue(w, w.nat(), length);
    expect_steady_queue(w, w.tuple({w.nat(), w.real(), w.nat()}), length);
    expect_steady_queue(w, w.tuple({w.nat(), w.string()}), length);
  }
}

// A million lots: memory stays proportional and the number of moves to larger buffers logarithmic,
// also when the list has a second owner now and then.
TEST(List, MillionAppendsAreLinear) {
  World w;
  const RuntimeType& nat = w.runtime.at(w.nat());
  const RuntimeType& list = w.runtime.at(w.types.list(w.nat()));
  Variable xs(w, list, Model{});
  Variable other(w, list, Model{});
  for (std::int64_t i = 0; i < 1'000'000; ++i) {
    Slot value = int_slot(i);
    ASSERT_EQ(list_append(w.heap, nat, xs.slots(), &value), RunError::None);
    if (i % 1000 == 0) assign(w.heap, list, xs.slots(), other.slots());
  }
  EXPECT_LE(w.heap.allocations(), 25);
  EXPECT_LE(w.heap.peak_bytes(), 40'000'000);
  for (std::int64_t i = 0; i < 1'000'000; ++i) {
    Slot value;
    ASSERT_EQ(list_pop(w.heap, nat, xs.slots(), &value), RunError::None);
    ASSERT_EQ(value.i, i);
  }
  EXPECT_EQ(list_length(other.slots()), 999'001);
}

TEST(List, TlReleasesTheElementAtOnceWhenUnique) {
  World w;
  const RuntimeType& string = w.runtime.at(w.string());
  Variable xs(w, w.runtime.at(w.types.list(w.string())),
              Model{.parts = {Model{.s = "a"}, Model{.s = "b"}}});
  EXPECT_EQ(w.heap.live_objects(), 3);
  ASSERT_EQ(list_tl(w.heap, string, xs.slots()), RunError::None);
  EXPECT_EQ(w.heap.live_objects(), 2);
}

struct Counting {
  int calls = 0;
  int fail_at = -1;
};
RunError by_first(void* context, const Slot* a, const Slot* b, bool* less) {
  auto& c = *static_cast<Counting*>(context);
  *less = a[0].i < b[0].i;
  return c.calls++ == c.fail_at ? RunError::DivisionByZero : RunError::None;
}

TEST(List, SortIsStableAndLinearOnSortedInput) {
  World w;
  const sema::TypeId pair = w.tuple({w.nat(), w.nat()});
  const RuntimeType& element = w.runtime.at(pair);
  Model model;
  for (std::int64_t i = 0; i < 1000; ++i) {
    model.parts.push_back({.parts = {Model{.i = w.below(10)}, Model{.i = i}}});
  }
  Variable xs(w, w.runtime.at(w.types.list(pair)), model);
  Counting counting;
  ASSERT_EQ(list_sort(w.heap, element, xs.slots(), {by_first, &counting}), RunError::None);
  std::sort(model.parts.begin(), model.parts.end());  // by key, then by place: what stable means
  EXPECT_EQ(xs.read(), model);
  EXPECT_LE(counting.calls, 10'000 + 1000);
  counting.calls = 0;
  ASSERT_EQ(list_sort(w.heap, element, xs.slots(), {by_first, &counting}), RunError::None);
  EXPECT_EQ(counting.calls, 999);
}

TEST(List, FailureOfTheOrderLeavesTheListAlone) {
  World w;
  const sema::TypeId list = w.types.list(w.string());
  const RuntimeType& element = w.runtime.at(w.string());
  const Model model{.parts = {Model{.s = "c"}, Model{.s = "b"}, Model{.s = "a"}}};
  Variable xs(w, w.runtime.at(list), model);
  Variable x(w, element, Model{.s = "d"});
  for (int fail_at = 0; fail_at < 2; ++fail_at) {
    Counting counting{0, fail_at};
    const LessThan less{by_first, &counting};
    EXPECT_EQ(list_sort(w.heap, element, xs.slots(), less), RunError::DivisionByZero);
    counting.calls = 0;
    EXPECT_EQ(list_insert(w.heap, element, xs.slots(), x.slots(), less), RunError::DivisionByZero);
    EXPECT_EQ(xs.read(), model);
  }
}

TEST(List, SubtractsManyElementsByFirstOccurrence) {
  World w;
  const RuntimeType& nat = w.runtime.at(w.nat());
  const RuntimeType& list = w.runtime.at(w.types.list(w.nat()));
  Model a, b;
  for (int i = 0; i < 3000; ++i) a.parts.push_back({.i = w.below(500)});
  for (int i = 0; i < 2000; ++i) b.parts.push_back({.i = w.below(700)});
  Variable xs(w, list, a), ys(w, list, b);
  ASSERT_EQ(list_subtract(w.heap, nat, xs.slots(), ys.slots()), RunError::None);
  for (const Model& m : b.parts) {
    const auto found = std::find(a.parts.begin(), a.parts.end(), m);
    if (found != a.parts.end()) a.parts.erase(found);
  }
  EXPECT_EQ(xs.read(), a);
}

TEST(List, RangesAndSums) {
  World w;
  const RuntimeType& nat = w.runtime.at(w.nat());
  const auto range = [&](std::int64_t a, std::int64_t b, std::int64_t step) {
    Slot list[2];
    EXPECT_EQ(list_range(w.heap, nat, a, b, step, list), RunError::None);
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < list_length(list); ++i) values.push_back(list_at(nat, list, i)->i);
    w.heap.release(list[0].o);
    return values;
  };
  using Ints = std::vector<std::int64_t>;
  EXPECT_EQ(range(0, 3, 1), (Ints{0, 1, 2}));
  EXPECT_EQ(range(0, 5, 2), (Ints{0, 2, 4}));
  EXPECT_EQ(range(5, 0, -2), (Ints{5, 3, 1}));
  EXPECT_EQ(range(3, 3, 1), Ints{});
  EXPECT_EQ(range(3, 0, 1), Ints{});
  EXPECT_EQ(range(INT64_MIN, INT64_MAX, INT64_MAX), (Ints{INT64_MIN, -1, INT64_MAX - 1}));
  Slot list[2];
  EXPECT_EQ(list_range(w.heap, nat, 0, 3, 0, list), RunError::ZeroStep);
  EXPECT_EQ(list_range(w.heap, nat, INT64_MIN, INT64_MAX, 1, list), RunError::OutOfMemory);

  const RuntimeType& real = w.runtime.at(w.real());
  Variable xs(w, w.runtime.at(w.types.list(w.nat())), Model{.parts = {{.i = 4}, {.i = 5}}});
  Variable rs(w, w.runtime.at(w.types.list(w.real())), Model{.parts = {{.r = 0.5}, {.r = 2}}});
  Variable big(w, w.runtime.at(w.types.list(w.nat())),
               Model{.parts = {{.i = INT64_MAX}, {.i = 1}}});
  Slot sum;
  EXPECT_EQ(list_sum(nat, xs.slots(), &sum), RunError::None);
  EXPECT_EQ(sum.i, 9);
  EXPECT_EQ(list_sum(real, rs.slots(), &sum), RunError::None);
  EXPECT_EQ(sum.r, 2.5);
  EXPECT_EQ(list_sum(nat, big.slots(), &sum), RunError::Overflow);
}

TEST(List, StopsAtTheMemoryLimitAndStaysValid) {
  World w(100'000);
  const RuntimeType& string = w.runtime.at(w.string());
  Variable xs(w, w.runtime.at(w.types.list(w.string())), Model{});
  std::int64_t appended = 0;
  while (true) {
    Variable value(w, string, Model{});
    if (text_make(w.heap, "lot", value.slots()) != RunError::None) break;
    if (list_append(w.heap, string, xs.slots(), value.slots()) != RunError::None) break;
    value.give_away();
    ++appended;
  }
  EXPECT_GT(appended, 100);
  EXPECT_EQ(list_length(xs.slots()), appended);
  EXPECT_LE(w.heap.peak_bytes(), 100'000);
}

}  // namespace
}  // namespace chi::code
