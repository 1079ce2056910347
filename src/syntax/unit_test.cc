#include <gtest/gtest.h>

#include "syntax/format.h"
#include "syntax/testing.h"

namespace chi::syntax {
namespace {

using testing::body;
using testing::dumped;
using testing::errors_of;
using testing::expr;

TEST(Units, StandAfterNumbersAndReal) {
  EXPECT_EQ(expr("2.0 [bar]"), "(quantity 2.0 \"bar\")");
  EXPECT_EQ(expr("2[km/h]"), "(quantity 2.0 \"km/h\")");
  EXPECT_EQ(expr("2.5 [ m/s2 ] * x"), "(* (quantity 2.5 \"m/s2\") x)");
  EXPECT_EQ(expr("3 [m]^2"), "(^ (quantity 3.0 \"m\") 2)");
  EXPECT_EQ(dumped("type t = real [m]^3, u = (real [°C])*"),
            "(type t (array (real \"m\") 3))\n(type u (list (real \"°C\")))");
}

TEST(Units, AreConvertedWhereTheyStand) {
  const testing::Parsed p = testing::parse_text("const a = 36 [km/h], b = -5.0 [degC], c = -2 [m]");
  ASSERT_FALSE(p.diagnostics.has_errors());
  ASSERT_EQ(p.ast.quantities.size(), 4u);
  const auto value = [&](std::size_t k) {
    return std::get<RealLiteral>(p.ast.exprs[p.ast.quantities[k].literal].node).value;
  };
  EXPECT_EQ(value(0), 10.0);
  EXPECT_EQ(value(2), 268.15) << "the sign belongs to a number in degrees";
  EXPECT_EQ(value(3), 2.0);
  EXPECT_EQ(p.ast.units.size(), 3u);
}

TEST(Units, AreKeptOnce) {
  const testing::Parsed p = testing::parse_text("const a = 1 [bar] + 2 [ bar] + 3 [bar ]");
  EXPECT_EQ(p.ast.units.size(), 1u);
  EXPECT_EQ(p.ast.units.front().text, "bar");
}

TEST(Units, LeaveListsIndicesAndChoicesAlone) {
  EXPECT_EQ(expr("x[1]"), "(index x 1)");
  EXPECT_EQ(expr("t.0[i]"), "(index (. t 0) i)");
  EXPECT_EQ(expr("[m]"), "(list m)");
  EXPECT_EQ(expr("[b -> 1.0 | not b -> 2.0]"), "(guarded (-> b 1.0) (-> (not b) 2.0))");
  EXPECT_EQ(expr("[b -> 1.0 [] not b -> 2.0]"), expr("[b -> 1.0 | not b -> 2.0]"));
  EXPECT_EQ(body("x := 1.0; [ b -> skip ]").find("quantity"), std::string::npos);
  EXPECT_EQ(dumped("func f(x: real) -> real = x"), dumped("func f(x: real) -> real\n= x"));
}

TEST(Units, ThatAreNoneAreReported) {
  EXPECT_EQ(errors_of("const a = 1 [furlog]"), "1:14 E1040 `furlog` is not a unit\n");
  EXPECT_EQ(errors_of("const a = 1 [m//s]"), "1:16 E1040 `m//s` cannot be read as a unit\n");
  EXPECT_EQ(errors_of("const a = 1 [degC/s]"),
            "1:14 E1040 `degC` counts from a zero of its own and is no factor of a unit\n");
  EXPECT_EQ(errors_of("type t = real [n]"), "1:16 E1040 `n` is not a unit\n");
  EXPECT_EQ(errors_of("const a = 1.7e308 [km]"),
            "1:11 E1006 a number beyond the range of `real`\n");
}

TEST(Units, AreFormattedAsTheyStand) {
  const SourceFile source("test.chi", "type t=real[m]^3\nconst p=2[bar],q= -1.0[m/s]*3\n");
  Diagnostics diagnostics;
  EXPECT_EQ(format(source, diagnostics),
            "type t = real [m]^3\nconst p = 2 [bar], q = -1.0 [m/s] * 3\n");
}

}  // namespace
}  // namespace chi::syntax
