#include "flat/layout.h"

#include <gtest/gtest.h>

namespace chi::flat {
namespace {

using sema::BasicType;
using sema::TypeId;

class LayoutTest : public testing::Test {
 protected:
  TypeId real() { return types.basic(BasicType::Real); }
  TypeId array(TypeId element, std::int64_t length) { return types.array(element, length, {}); }
  std::string names(TypeId type) {
    std::string text;
    for (const ScalarPart& part : scalar_parts(types, type, symbols)) {
      text += (text.empty() ? "" : " ") + std::to_string(part.offset) + part.suffix;
    }
    return text;
  }
  sema::Types types;
  Interner symbols;
};

TEST_F(LayoutTest, ScalarsTakeOneSlot) {
  for (const BasicType kind :
       {BasicType::Bool, BasicType::Nat, BasicType::Int, BasicType::Real, BasicType::String}) {
    EXPECT_EQ(slot_count(types, types.basic(kind)), 1);
  }
  EXPECT_EQ(slot_count(types, types.basic(BasicType::Void)), 0);
}

TEST_F(LayoutTest, ArraysTuplesAndRecordsAreTheirElements) {
  const TypeId pair = types.tuple(std::vector{real(), types.list(real())});
  EXPECT_EQ(slot_count(types, pair), 1 + kSequenceSlots);
  EXPECT_EQ(slot_count(types, array(pair, 4)), 4 * (1 + kSequenceSlots));
  const TypeId record = types.record(std::vector<sema::Field>{
      {symbols.intern("a"), types.dist(real())}, {symbols.intern("b"), array(real(), 0)}});
  EXPECT_EQ(slot_count(types, record), kDistributionSlots);
  EXPECT_EQ(element_offset(types, record, 1), kDistributionSlots);
  EXPECT_EQ(element_offset(types, pair, 1), 1);
}

TEST_F(LayoutTest, NamesScalarsInSlotOrder) {
  const TypeId text = types.basic(BasicType::String);
  const TypeId record = types.record(std::vector<sema::Field>{
      {symbols.intern("v"), real()}, {symbols.intern("s"), text}, {symbols.intern("p"), real()}});
  EXPECT_EQ(names(real()), "0");
  EXPECT_EQ(names(array(array(real(), 2), 2)), "0[0][0] 1[0][1] 2[1][0] 3[1][1]");
  EXPECT_EQ(names(array(record, 2)), "0[0].v 2[0].p 3[1].v 5[1].p");
  EXPECT_EQ(names(types.tuple(std::vector{types.list(real()), real()})), "2.1");
}

// 2^60 slots in sixty lines of type definitions: the count must neither overflow nor take for ever.
TEST_F(LayoutTest, HugeTypesSaturate) {
  TypeId type = real();
  for (int i = 0; i < 60; ++i) type = types.tuple(std::vector{type, type});
  EXPECT_EQ(slot_count(types, type), kManySlots);
  EXPECT_EQ(slot_count(types, array(array(real(), 1LL << 40), 1LL << 40)), kManySlots);
}

}  // namespace
}  // namespace chi::flat
