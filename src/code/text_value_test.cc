#include "code/text_value.h"

#include <gtest/gtest.h>

#include "code/value_testing.h"

namespace chi::code {
namespace {

using testing::Model;
using testing::Variable;
using testing::World;

TEST(TextValue, BehavesLikeAStringWithValueSemantics) {
  World w;
  const RuntimeType& type = w.runtime.at(w.string());
  std::vector<Variable> texts;
  std::vector<std::string> models(4);
  for (int i = 0; i < 4; ++i) texts.emplace_back(w, type, Model{});
  for (int round = 0; round < 5000; ++round) {
    const auto a = static_cast<std::size_t>(w.below(4));
    const auto b = static_cast<std::size_t>(w.below(4));
    if (w.below(3) == 0 || models[a].size() > 200) {
      assign(w.heap, type, texts[b].slots(), texts[a].slots());
      models[a] = std::string(models[b]);
      if (models[a].size() > 200) {
        Variable fresh(w, type, Model{.s = "q"});
        assign(w.heap, type, fresh.slots(), texts[a].slots());
        models[a] = "q";
      }
    } else {
      const std::string added = w.below(2) == 0 ? std::string("é") : std::string(models[b]);
      const bool own = added == models[b];
      ASSERT_EQ(text_append(w.heap, texts[a].slots(), own ? text_view(texts[b].slots()) : added),
                RunError::None);
      models[a] += added;
    }
    for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(text_view(texts[i].slots()), models[i]);
    const int order = text_compare(texts[a].slots(), texts[b].slots());
    ASSERT_EQ(order < 0, models[a] < models[b]);
    ASSERT_EQ(order == 0, models[a] == models[b]);
  }
}

TEST(TextValue, CountsCharacters) {
  World w;
  const Variable text(w, w.runtime.at(w.string()), Model{.s = "aχ∇é"});
  EXPECT_EQ(text_length(text.slots()), 4);
}

TEST(TextValue, AppendsInPlace) {
  World w;
  Variable text(w, w.runtime.at(w.string()), Model{.s = "a"});
  for (int i = 0; i < 100'000; ++i)
    ASSERT_EQ(text_append(w.heap, text.slots(), "b"), RunError::None);
  EXPECT_LE(w.heap.allocations(), 20);
}

TEST(TextValue, StopsAtTheMemoryLimit) {
  World w(1000);
  Variable text(w, w.runtime.at(w.string()), Model{.s = "a"});
  RunError error = RunError::None;
  while (error == RunError::None) error = text_append(w.heap, text.slots(), "0123456789");
  EXPECT_EQ(error, RunError::OutOfMemory);
  EXPECT_EQ(text_view(text.slots()).substr(0, 3), "a01");
}

}  // namespace
}  // namespace chi::code
