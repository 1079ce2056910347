#include "code/make_value.h"

#include <gtest/gtest.h>

#include "code/distributions.h"
#include "code/print_value.h"
#include "code/value_testing.h"

namespace chi::code {
namespace {

using sema::Value;
using testing::World;

Value number(std::int64_t i) { return Value{i}; }
Value text(std::string s) { return Value{std::move(s)}; }
Value sequence(std::vector<Value> parts) { return Value{Value::Sequence(std::move(parts))}; }

std::string made(World& w, sema::TypeId id, const Value& value) {
  const RuntimeType& type = w.runtime.at(id);
  std::vector<Slot> slots(static_cast<std::size_t>(type.slots));
  EXPECT_EQ(make_value(w.heap, type, value, slots.data()), RunError::None);
  std::string printed;
  print_value(w.runtime, type, slots.data(), printed);
  release(w.heap, type, slots.data());
  return printed;
}

TEST(MakeValue, WritesEveryKindOfValue) {
  World w;
  EXPECT_EQ(made(w, w.nat(), number(3)), "3");
  EXPECT_EQ(made(w, w.real(), number(3)), "3.0");
  EXPECT_EQ(made(w, w.types.list(w.string()), sequence({text("a"), text("b")})), R"(["a", "b"])");
  EXPECT_EQ(made(w, w.types.array(w.types.list(w.real()), 2, {}),
                 sequence({sequence({number(1)}), sequence({})})),
            "[[1.0], []]");
  EXPECT_EQ(made(w, w.types.set(w.nat()), sequence({number(1), number(2)})), "{1, 2}");
  const Value map{Value::Mapping{{text("k"), sequence({number(1), text("v")})}}};
  EXPECT_EQ(made(w, w.types.dict(w.string(), w.tuple({w.nat(), w.string()})), map),
            R"({"k": <1, "v">})");
  const Value law{Value::Distribution{DistributionKind::Erlang, {2.0, std::int64_t{3}}}};
  EXPECT_EQ(made(w, w.types.dist(w.real()), law), "erlang(2.0, 3)");
  EXPECT_EQ(made(w, w.types.list(w.nat()), Value{}), "[]");
}

TEST(MakeValue, OwnsNothingWhenItFails) {
  const Value value = sequence({sequence({text("a"), text("b")}), sequence({text("c")})});
  for (std::int64_t limit = 0; limit < 600; limit += 64) {
    World w(limit);
    for (const bool set : {false, true}) {
      const sema::TypeId inner = set ? w.types.set(w.string()) : w.types.list(w.string());
      const RuntimeType& type = w.runtime.at(w.types.list(inner));
      Slot slots[2];
      if (make_value(w.heap, type, value, slots) == RunError::None) {
        release(w.heap, type, slots);
      }
      EXPECT_EQ(w.heap.live_objects(), 0) << limit;
    }
  }
  World w;
  const Value bad = sequence({Value{Value::Distribution{DistributionKind::Exponential, {-1.0}}}});
  Slot slots[2];
  EXPECT_EQ(make_value(w.heap, w.runtime.at(w.types.list(w.types.dist(w.real()))), bad, slots),
            RunError::BadDistribution);
}

}  // namespace
}  // namespace chi::code
