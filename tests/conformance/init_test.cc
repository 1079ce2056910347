#include <string>

#include <gtest/gtest.h>

#include "command_line.h"

// `chi init` (interface.md): consistent values up to the point where time would pass.
namespace chi::conformance {
namespace {

class Init : public testing::Test {
 protected:
  Folder folder;
};

TEST_F(Init, EveryVariableAndDerivative) {
  folder.write("m.chi",
               "proc P(k: real) =\n"
               "|[ x: real := 2.0, y: real, n: nat := 3, b: bool := true, z: real\n"
               " | |y|, x' = -k*x, y = x + 1, z <- 2*y\n"
               " | !\"hello\\n\"; n := n + 1; b := not b and b; x := x + 1.0; delta 1.0; x := 0.0\n"
               "]|\n");
  const Called text = folder.chi({"init", "m.chi", "-p", "k=2"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.out, "x  = 3.0\nx' = -6.0\ny  = 4.0\nn  = 4\nb  = false\nz  = 8.0\n");
  const Called json = folder.chi({"init", "m.chi", "-p", "k=2", "--json"});
  EXPECT_EQ(json.out,
            "{\"time\":0,\"values\":{\"x\":3,\"x'\":-6,\"y\":4,\"n\":4,\"b\":false,\"z\":8},"
            "\"iterations\":0}\n");
}

TEST_F(Init, DerivativesThatAreSubstitutedOrHidden) {
  folder.write("m.chi",
               "proc P() =\n"
               "|[ x: real := 1.0, e: real, w: real\n"
               " | |w|, x' = w, e' <- 2*x', w = 3 + 0*e\n"
               "]|\n");
  const Called called = folder.chi({"init", "m.chi"});
  EXPECT_EQ(called.code, 0) << called.err;
  EXPECT_NE(called.out.find("e' = 6.0\n"), std::string::npos) << called.out;
}

TEST_F(Init, WithoutEquations) {
  folder.write("m.chi", "proc P() = |[ n: nat := 1 | n := 2; delta 1.0; n := 3 ]|\n");
  EXPECT_EQ(folder.chi({"init", "m.chi"}).out, "n = 2\n");
}

TEST_F(Init, ExitCodes) {
  folder.write("singular.chi", "proc P() = |[ x: real, y: real | |y|, x' = y, y = 1, y = 2 ]|\n");
  folder.write("no_values.chi", "proc P() = |[ y: real := 1.0 | |y|, y^2 = -1 ]|\n");
  folder.write("wrong.chi", "proc P() = |[ x: real := true | x' = 1 ]|\n");
  EXPECT_EQ(folder.chi({"init", "singular.chi"}).code, 1);
  EXPECT_EQ(folder.chi({"init", "no_values.chi"}).code, 3);
  EXPECT_EQ(folder.chi({"init", "wrong.chi"}).code, 1);
  EXPECT_EQ(folder.chi({"init", "no_values.chi", "--out", "x.csv"}).code, 2);
  EXPECT_EQ(folder.chi({"init", "missing.chi"}).code, 2);
  EXPECT_EQ(folder.chi({"run", "singular.chi", "--end", "1"}).code, 1);
  EXPECT_EQ(folder.chi({"run", "no_values.chi", "--end", "1"}).code, 3);
}

}  // namespace
}  // namespace chi::conformance
