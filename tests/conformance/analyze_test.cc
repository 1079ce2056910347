#include <string>

#include <gtest/gtest.h>

#include "command_line.h"

// `chi analyze` (interface.md). The numbers of the papers' examples are in tests/models.
namespace chi::conformance {
namespace {

class Analyze : public testing::Test {
 protected:
  Analyze() {
    folder.write("pendulum.chi",
                 "proc Pendulum() =\n"
                 "|[ x, y, vx, vy: real, T: real\n"
                 " | |T, x, vx|\n"
                 " , x' = vx, y' = vy, vx' = T*x, vy' = T*y - 9.81\n"
                 " , x^2 + y^2 = 25\n"
                 "]|\n");
    folder.write("modes.chi",
                 "proc P() =\n"
                 "|[ x: real := 0.0, y: real\n"
                 " | |y|, x' = 1, [ x < 1 -> y = 2*x | x >= 1 -> y^3 + y = x ]\n"
                 "]|\n");
    folder.write("singular.chi",
                 "proc P() = |[ x, y, z: real, u: real := 1.0\n"
                 "| |y, z|, x' = y + z\n"
                 ", y = sin(u)\n"
                 ", y = cos(u)\n"
                 "]|\n");
  }
  static void expect_has(const std::string& text, std::string_view part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
  }
  Folder folder;
};

TEST_F(Analyze, TextOfAPendulum) {
  const Called called = folder.chi({"analyze", "pendulum.chi"});
  EXPECT_EQ(called.code, 0) << called.err;
  expect_has(called.out, "5 equations: index 3, 2 degrees of freedom\n");
  expect_has(called.out, "  5  5:4   x^2 + y^2 = 25");
  expect_has(called.out, "differentiated twice");
  expect_has(called.out, "  known at first        y, vy\n");
  expect_has(called.out, "  states                y, vy\n");
  expect_has(called.out, "x from (5): nonlinear, iterating on x\n");
}

TEST_F(Analyze, JsonOfAPendulum) {
  const Called called = folder.chi({"analyze", "pendulum.chi", "--json"});
  EXPECT_EQ(called.code, 0);
  expect_has(called.out, "\"index\":3,\"structural_index\":3,\"dof\":2,");
  expect_has(called.out, "\"states\":[\"y\",\"vy\"]");
  expect_has(called.out,
             "{\"equation\":\"x^2 + y^2 = 25\",\"where\":\"pendulum.chi:5:4\",\"times\":2}");
  expect_has(called.out, "\"knowns_ip\":[\"y\",\"vy\"]");
  expect_has(called.out,
             "\"unknowns_ip\":[\"x\",\"x'\",\"y'\",\"vx\",\"vx'\",\"vy'\",\"T\"],"
             "\"unknowns_ivp\":[\"x\",\"y\",\"vx\",\"vy\",\"T\"]");
  expect_has(called.out, "\"singular\":null");
  EXPECT_EQ(lines(called.out).size(), 1u);
}

TEST_F(Analyze, PartsAreCombined) {
  folder.write("two.chi",
               "proc A() = |[ x: real | x' = -x ]|\n"
               "proc B() = |[ x, y: real | |x, y|, x' = y, x = sin(time) ]|\n"
               "sys S() = |[ A() || B() ]|\n");
  const Called json = folder.chi({"analyze", "two.chi", "--json"});
  expect_has(json.out, "{\"index\":2,\"structural_index\":2,\"dof\":1,");
  expect_has(json.out, "\"states\":[\"A.x\"]");
  expect_has(json.out, "\"parts\":[{\"part\":0,\"time\":0,\"mode\":\"\",\"index\":0,");
  expect_has(json.out, "{\"part\":1,\"time\":0,\"mode\":\"\",\"index\":2,");
  expect_has(folder.chi({"analyze", "two.chi"}).out,
             "3 equations in 2 parts that share no unknown: index 2, 1 degree of freedom\n");
}

TEST_F(Analyze, SingularModelsGetTheirReport) {
  const Called text = folder.chi({"analyze", "singular.chi"});
  EXPECT_EQ(text.code, 1);
  expect_has(text.err, "error[E6101]");
  expect_has(text.out, "3 equations: singular\n");
  expect_has(text.out, "equations (2), (3)\n");
  const Called json = folder.chi({"analyze", "singular.chi", "--json"});
  EXPECT_EQ(json.code, 1);
  const std::string report = lines(json.out).back();
  expect_has(report, "\"index\":null");
  expect_has(report, "\"singular\":{\"kind\":\"over\",\"equations\":[{\"equation\":\"y = sin(u)\"");
  expect_has(report, "\"unknowns\":[\"y\"]");
}

TEST_F(Analyze, ModesThatARunMeets) {
  const Called called = folder.chi({"analyze", "modes.chi", "--mode", "all", "--end", "2"});
  EXPECT_EQ(called.code, 0) << called.err;
  expect_has(called.out, "  mode                  x - 1 < 0\n");
  expect_has(called.out, "another mode, from t = 1");
  expect_has(called.out, "  mode                  x - 1 > 0\n");
  expect_has(called.out, "y from (2): nonlinear, iterating on y\n");
  const Called first = folder.chi({"analyze", "modes.chi"});
  EXPECT_EQ(first.out.find("another mode"), std::string::npos);
}

TEST_F(Analyze, Picture) {
  const Called called = folder.chi({"analyze", "pendulum.chi", "--html", "p.html", "--quiet"});
  EXPECT_EQ(called.code, 0) << called.err;
  const std::string page = folder.read("p.html");
  expect_has(page, "<title>pendulum.chi</title>");
  expect_has(page, "x^2 + y^2 = 25");
  EXPECT_EQ(page.find("@DATA@"), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos) << "the page needs nothing from elsewhere";
}

TEST_F(Analyze, LargePicturesAreThinned) {
  folder.write("row.chi",
               "proc P() = |[ x: real^4000 | i: nat <- 0..3999: x.i' = -x.i + time ]|\n");
  EXPECT_EQ(folder.chi({"analyze", "row.chi", "--html", "p.html"}).code, 0);
  folder.write("chain.chi",
               "proc P() = |[ x: real^4001 | x.0' = 1, i: nat <- 1..4000: x.i' = x.(i - 1) - x.i "
               "]|\n");
  EXPECT_EQ(folder.chi({"analyze", "chain.chi", "--html", "p.html"}).code, 0);
  const std::string page = folder.read("p.html");
  expect_has(page, "\"bin\":3,");
  EXPECT_LT(page.size(), 1'000'000u);
}

TEST_F(Analyze, WithoutEquations) {
  folder.write("m.chi", "proc P() = |[ n: nat | n := 1 ]|\n");
  const Called called = folder.chi({"analyze", "m.chi"});
  EXPECT_EQ(called.code, 0);
  EXPECT_EQ(called.out, "the model has no equations\n");
}

TEST_F(Analyze, WrongCalls) {
  EXPECT_EQ(folder.chi({"analyze", "modes.chi", "--mode", "all"}).code, 2);
  EXPECT_EQ(folder.chi({"analyze", "modes.chi", "--mode", "some"}).code, 2);
  EXPECT_EQ(folder.chi({"analyze", "missing.chi"}).code, 2);
  EXPECT_EQ(folder.chi({"analyze"}).code, 2);
}

}  // namespace
}  // namespace chi::conformance
