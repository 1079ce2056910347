#include "sema/types.h"

#include <array>

#include <gtest/gtest.h>

namespace chi::sema {
namespace {

struct TypesTest : ::testing::Test {
  Types types;
  Interner symbols;
  TypeId nat = types.basic(BasicType::Nat);
  TypeId integer = types.basic(BasicType::Int);
  TypeId real = types.basic(BasicType::Real);
  TypeId boolean = types.basic(BasicType::Bool);

  TypeId tuple(std::vector<TypeId> elements) { return types.tuple(elements); }
  TypeId func(std::vector<TypeId> parameters, TypeId result) {
    return types.func(parameters, result);
  }
  std::string text(TypeId id) { return types.text(id, symbols); }
};

TEST_F(TypesTest, EqualTypesHaveEqualIds) {
  EXPECT_EQ(types.list(nat), types.list(nat));
  EXPECT_NE(types.list(nat), types.set(nat));
  EXPECT_EQ(tuple({nat, real}), tuple({nat, real}));
  EXPECT_NE(tuple({nat, real}), tuple({real, nat}));
  EXPECT_EQ(types.array(real, 3, syntax::ExprId{7}), types.array(real, 3, {}));
  EXPECT_NE(types.array(real, -1, syntax::ExprId{7}), types.array(real, -1, syntax::ExprId{8}));
  const std::array<Field, 1> a{Field{symbols.intern("a"), real}};
  const std::array<Field, 1> b{Field{symbols.intern("b"), real}};
  EXPECT_EQ(types.record(a), types.record(a));
  EXPECT_NE(types.record(a), types.record(b));
  EXPECT_NE(types.channel(Direction::Send, nat), types.channel(Direction::Receive, nat));
}

TEST_F(TypesTest, TextReadsLikeTheManual) {
  EXPECT_EQ(text(types.list(types.array(real, 3, {}))), "real^3*");
  EXPECT_EQ(text(types.list(tuple({nat, types.list(real)}))), "(nat # real*)*");
  EXPECT_EQ(text(func({real}, real)), "real -> real");
  EXPECT_EQ(text(func({nat, tuple({nat, real})}, boolean)), "(nat, nat # real) -> bool");
  EXPECT_EQ(text(types.array(types.channel(Direction::Both, nat), -1, {})), "(-nat)^?");
  EXPECT_EQ(text(types.dist(real)), "-> real");
  EXPECT_EQ(text(types.dict(nat, types.set(boolean))), "dict(nat, set(bool))");
}

TEST_F(TypesTest, TextOfAnExponentialTypeIsShort) {
  TypeId type = real;
  for (int i = 0; i < 100; ++i) type = tuple({type, type});
  EXPECT_LT(text(type).size(), 400u);
}

TEST_F(TypesTest, NumbersWiden) {
  EXPECT_TRUE(fits(types, nat, real));
  EXPECT_TRUE(fits(types, integer, nat)) << "checked during the run";
  EXPECT_FALSE(fits(types, real, integer));
  EXPECT_FALSE(fits(types, nat, boolean));
  EXPECT_FALSE(fits(types, types.list(nat), types.list(real))) << "not deep";
  EXPECT_TRUE(fits(types, types.unknown(), boolean));
  EXPECT_TRUE(fits(types, types.list(types.unknown()), types.list(nat)));
}

TEST_F(TypesTest, LengthsKnownLaterAgreeWithAll) {
  const TypeId open = types.array(real, -1, syntax::ExprId{1});
  const TypeId three = types.array(real, 3, {});
  EXPECT_TRUE(fits(types, open, three));
  EXPECT_TRUE(same_type(types, types.array(open, 2, {}), types.array(three, 2, {})));
  EXPECT_FALSE(fits(types, three, types.array(real, 4, {})));
}

TEST_F(TypesTest, ChannelGivesEitherEnd) {
  const TypeId both = types.channel(Direction::Both, nat);
  const TypeId send = types.channel(Direction::Send, nat);
  EXPECT_TRUE(fits(types, both, send));
  EXPECT_FALSE(fits(types, send, both));
  EXPECT_FALSE(fits(types, send, types.channel(Direction::Receive, nat)));
  EXPECT_TRUE(fits(types, types.array(both, 2, {}), types.array(send, 2, {}))) << "bundles";
  EXPECT_FALSE(same_type(types, both, send));
}

TEST_F(TypesTest, JoinIsTheWider) {
  EXPECT_EQ(join(types, nat, real), real);
  EXPECT_EQ(join(types, integer, nat), integer);
  EXPECT_EQ(join(types, boolean, nat), std::nullopt);
  EXPECT_EQ(join(types, types.unknown(), nat), nat);
}

TEST_F(TypesTest, RealBasedTypesMayBeUnknowns) {
  EXPECT_TRUE(types.is_real_based(types.array(tuple({real, real}), 3, {})));
  EXPECT_FALSE(types.is_real_based(tuple({real, nat})));
  EXPECT_FALSE(types.is_real_based(types.list(real)));
}

TEST_F(TypesTest, DataHasNoChannelsInIt) {
  EXPECT_TRUE(types.is_data(types.dict(nat, types.list(real))));
  EXPECT_FALSE(types.is_data(types.list(types.channel(Direction::Send, nat))));
  EXPECT_FALSE(types.is_data(types.basic(BasicType::Void)));
  EXPECT_EQ(types.channel_of(types.array(types.channel(Direction::Send, nat), 2, {})),
            types.channel(Direction::Send, nat));
  EXPECT_FALSE(types.channel_of(real));
}

// Comparing pairs of an exponential type would never end without a limit on the steps.
TEST_F(TypesTest, ComparesExponentialTypes) {
  TypeId a = types.array(real, -1, syntax::ExprId{1});
  TypeId b = types.array(real, -1, syntax::ExprId{2});
  for (int i = 0; i < 100; ++i) {
    a = tuple({a, a});
    b = tuple({b, b});
  }
  EXPECT_TRUE(fits(types, a, b));
}

}  // namespace
}  // namespace chi::sema
