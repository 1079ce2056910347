#include "command_line.h"

#include <string>

#include <gtest/gtest.h>

// `chi run` as users and scripts call it (interface.md).
namespace chi::conformance {
namespace {

constexpr std::string_view kLine = R"(
proc G(a: !nat, n: nat) = |[ i: nat | *[ i < n -> a!i; i := i + 1 ] ]|
proc M(a: ?nat, b: !nat, t: real) = |[ x: nat, busy: bool | *[ true -> a?x; busy := true; delta t; busy := false; b!x ] ]|
proc E(b: ?nat, n: nat) = |[ x: nat, k: nat, p: real # nat, v: (nat^2)^2 | *[ k < n -> b?x; k := k + 1; p := <time, k>; v.1.0 := k ]; !"done\n"; terminate ]|
sys S(n: nat, t: real) = |[ a, b: -nat | G(a, n) || M(a, b, t) || E(b, n) ]|
xper X() = |[ S(2, 1.5) ]|
)";

class CommandLine : public testing::Test {
 protected:
  CommandLine() { folder.write("m.chi", kLine); }
  Folder folder;
};

TEST_F(CommandLine, RunsTheExperiment) {
  const Called called = folder.chi({"run", "m.chi"});
  EXPECT_EQ(called.code, 0) << called.err;
  EXPECT_EQ(called.out, "done\n");
  EXPECT_EQ(called.err, "");
}

TEST_F(CommandLine, RunsWhatTopNames) {
  EXPECT_EQ(folder.chi({"run", "m.chi", "--top", "S", "-p", "n=3", "-p", "t=2"}).code, 0);
  EXPECT_EQ(folder.chi({"run", "m.chi", "--top", "S", "-p", "n=3"}).code, 2)
      << "a parameter is missing";
  EXPECT_EQ(folder.chi({"run", "m.chi", "--top", "S", "-p", "n=3", "-p", "t=2", "-p", "u=1"}).code,
            2);
  EXPECT_EQ(folder.chi({"run", "m.chi", "--top", "S", "-p", "n=three", "-p", "t=2"}).code, 2);
  EXPECT_EQ(folder.chi({"run", "m.chi", "--top", "S", "-p", "n"}).code, 2);
  EXPECT_EQ(folder.chi({"run", "m.chi", "--top", "Nobody"}).code, 2);
}

TEST_F(CommandLine, WrongCallsExitWithTwo) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {},
           {"walk"},
           {"run"},
           {"run", "m.chi", "--nonsense"},
           {"run", "missing.chi"},
           {"run", "."},
           {"run", "m.chi", "--end", "soon"},
           {"run", "m.chi", "--end", "-1"},
           {"run", "m.chi", "--end", "inf"},
           {"run", "m.chi", "--end", "nan"},
           {"run", "m.chi", "--step", "0"},
           {"run", "m.chi", "--points", "1"},
           {"run", "m.chi", "--points", "5", "--step", "1"},
           {"run", "m.chi", "--seed", "x"},
           {"run", "m.chi", "--choice", "best"},
           {"run", "m.chi", "--color", "pink"},
           {"run", "m.chi", "--out", "results.txt"},
           {"run", "m.chi", "--out", "no/such/folder/r.csv"},
           {"run", "m.chi", "--events", "no/such/folder/e.jsonl"},
           {"run", "m.chi", "--out", "r.csv", "--vars", "nothing*"},
           {"run", "m.chi", "m.chi"},
       }) {
    const Called called = folder.chi(arguments);
    std::string call = "chi";
    for (const std::string& argument : arguments) call += " " + argument;
    EXPECT_EQ(called.code, 2) << call << "\n" << called.err << called.out;
    EXPECT_NE(called.err + called.out, "") << call;
  }
}

TEST_F(CommandLine, OtherExitCodes) {
  folder.write("wrong.chi", "proc P() = |[ x: nat := true | !x ]|");
  folder.write("fails.chi", "proc P() = |[ n: nat | !1; delta 1.0; !2; n := n - 1 ]|");
  EXPECT_EQ(folder.chi({"run", "wrong.chi"}).code, 1);
  EXPECT_EQ(folder.chi({"check", "wrong.chi"}).code, 1);
  const Called failed = folder.chi({"run", "fails.chi", "--out", "r.csv"});
  EXPECT_EQ(failed.code, 3);
  EXPECT_EQ(failed.out, "12");
  EXPECT_NE(failed.err.find("error[E6016]"), std::string::npos);
  EXPECT_EQ(folder.read("r.csv"), "time,n\n0,0\n1,0\n1,0\n") << "what was computed is kept";
  EXPECT_EQ(folder.chi({"--version"}).code, 0);
  EXPECT_EQ(folder.chi({"--help"}).code, 0);
  EXPECT_EQ(folder.chi({"run", "--help"}).code, 0);
}

TEST_F(CommandLine, Csv) {
  ASSERT_EQ(folder.chi({"run", "m.chi", "--out", "r.csv"}).code, 0);
  EXPECT_EQ(folder.read("r.csv"),
            "time,S.G.i,S.M.x,S.M.busy,S.E.x,S.E.k,S.E.p.0,S.E.p.1,S.E.v[0][0],S.E.v[0][1],S.E.v[1]"
            "[0],S.E.v[1][1]\n"
            "0,1,0,1,0,0,0,0,0,0,0,0\n"
            "1.5,1,0,1,0,0,0,0,0,0,0,0\n"
            "1.5,2,1,1,0,1,1.5,1,0,0,1,0\n"
            "3,2,1,1,0,1,1.5,1,0,0,1,0\n"
            "3,2,1,0,1,2,3,2,0,0,2,0\n");
}

TEST_F(CommandLine, CsvOfChosenVariablesOnAGrid) {
  ASSERT_EQ(
      folder.chi({"run", "m.chi", "--out", "r.csv", "--vars", "S.E.k,*.busy", "--step", "0.5"})
          .code,
      0);
  EXPECT_EQ(folder.read("r.csv"),
            "time,S.E.k,S.M.busy\n0,0,1\n0.5,0,1\n1,0,1\n1.5,0,1\n1.5,1,1\n2,1,1\n2.5,1,1\n3,1,"
            "1\n3,2,0\n")
      << "in the order asked for";
  ASSERT_EQ(
      folder
          .chi({"run", "m.chi", "--out", "p.csv", "--vars", "S.E.k", "--points", "3", "--end", "2"})
          .code,
      0);
  EXPECT_EQ(folder.read("p.csv"), "time,S.E.k\n0,0\n1,0\n1.5,0\n1.5,1\n2,1\n");
  ASSERT_EQ(folder.chi({"run", "m.chi", "--out", "e.csv", "--vars", "S.E.k", "--end", "1.5"}).code,
            0);
  const std::vector<std::string> rows = lines(folder.read("e.csv"));
  ASSERT_EQ(rows.size(), 503u) << "501 points, an event at the last one";
  EXPECT_EQ(rows[501], "1.5,0");
  EXPECT_EQ(rows[502], "1.5,1");
}

TEST_F(CommandLine, JsonResults) {
  ASSERT_EQ(
      folder.chi({"run", "m.chi", "--out", "r.json", "--out", "r.csv", "--vars", "S.E.?"}).code, 0);
  EXPECT_EQ(
      folder.read("r.json"),
      "{\"time\":[0,1.5,1.5,3,3],\"variables\":{\"S.E.x\":[0,0,0,0,1],\"S.E.k\":[0,0,1,1,2]}}\n");
  EXPECT_TRUE(folder.has("r.csv"));
}

TEST_F(CommandLine, EventLog) {
  folder.write(
      "e.chi",
      "proc S(a: !nat*) = |[ | delta 0.1; !\"go\", \" \\\"\", 1, \"\\n\"; !2;\n a![1, 2] ]|\n"
      "proc R(a: ?nat*) = |[ x: nat* | [ true; a?x -> !\"got\"\n | true; delta 1.0 -> skip ]; [ "
      "true; delta 1.5 -> !x ] ]|\n"
      "sys T() = |[ a: -(nat*) | S(a) || R(a) ]|\n");
  ASSERT_EQ(folder.chi({"run", "e.chi", "--events", "e.jsonl"}).code, 0);
  EXPECT_EQ(folder.read("e.jsonl"),
            "{\"time\":0.1,\"kind\":\"time\",\"what\":\"delta "
            "0.1\",\"where\":\"e.chi:1:25\",\"process\":\"S\"}\n"
            "{\"time\":0.1,\"kind\":\"print\",\"what\":\"go "
            "\\\"1\\n\",\"where\":\"e.chi:1:36\",\"process\":\"S\"}\n"
            "{\"time\":0.1,\"kind\":\"print\",\"what\":\"2\",\"where\":\"e.chi:1:59\",\"process\":"
            "\"S\"}\n"
            "{\"time\":0.1,\"kind\":\"communication\",\"what\":\"a\",\"where\":\"e.chi:2:2\","
            "\"sender\":\"S\",\"receiver\":\"R\",\"value\":\"[1, 2]\"}\n"
            "{\"time\":0.1,\"kind\":\"select\",\"what\":\"a?x\",\"where\":\"e.chi:3:41\","
            "\"process\":\"R\"}\n"
            "{\"time\":0.1,\"kind\":\"print\",\"what\":\"got\",\"where\":\"e.chi:3:48\","
            "\"process\":\"R\"}\n"
            "{\"time\":1.6,\"kind\":\"time\",\"what\":\"[ true; delta 1.5 -> !x "
            "]\",\"where\":\"e.chi:4:31\",\"process\":\"R\"}\n"
            "{\"time\":1.6,\"kind\":\"select\",\"what\":\"delta "
            "1.5\",\"where\":\"e.chi:4:39\",\"process\":\"R\"}\n"
            "{\"time\":1.6,\"kind\":\"print\",\"what\":\"[1, "
            "2]\",\"where\":\"e.chi:4:52\",\"process\":\"R\"}\n");
}

TEST_F(CommandLine, SameSeedSameFiles) {
  folder.write("r.chi",
               "proc P() = |[ u: -> real := normal(5.0, 1.0), x: real | *[ x < 100 -> x := x + "
               "abs(sample u); delta x ] ]|");
  for (const char* name : {"1", "2", "3"}) {
    const std::string base = name;
    ASSERT_EQ(folder
                  .chi({"run", "r.chi", "--seed", base == "3" ? "9" : "8", "--out", base + ".csv",
                        "--events", base + ".jsonl"})
                  .code,
              0);
  }
  EXPECT_EQ(folder.read("1.csv"), folder.read("2.csv"));
  EXPECT_EQ(folder.read("1.jsonl"), folder.read("2.jsonl"));
  EXPECT_NE(folder.read("1.csv"), folder.read("3.csv"));
}

TEST_F(CommandLine, MachineReadable) {
  folder.write("fails.chi", "proc P() = |[ n: nat | !\"no newline\"; n := n - 1 ]|");
  const Called called = folder.chi({"run", "fails.chi", "--json"});
  EXPECT_EQ(called.code, 3);
  const std::vector<std::string> out = lines(called.out);
  ASSERT_EQ(out.size(), 3u) << called.out;
  EXPECT_EQ(out[0], "no newline");
  EXPECT_EQ(out[1].find("{\"code\":\"E6016\""), 0u) << out[1];
  EXPECT_EQ(out[2].find("{\"summary\":{\"time\":0,\"ending\":\"failed\",\"failed\":true"), 0u)
      << out[2];
}

TEST_F(CommandLine, Statistics) {
  const Called called = folder.chi({"run", "m.chi", "--stats"});
  EXPECT_EQ(called.code, 0);
  for (const std::string_view part :
       {"terminated by the model at t = 3.0", "time events                  2",
        "communications               4"}) {
    EXPECT_NE(called.err.find(part), std::string::npos) << part << "\n" << called.err;
  }
}

// Each model computes a while for every unit of time, so that however late the signal comes it
// meets a run that goes on: none is taken for a livelock, and none fills the disk meanwhile. What
// the signal meets, a loop, a function or a recursion, is left to chance here, and to no chance in
// interrupt_test.cc.
TEST_F(CommandLine, InterruptKeepsTheResults) {
  const std::vector<std::pair<std::string, std::string>> bodies = {
      {"m := 0; *[ m < 1000000 -> m := m + 1 ]", ""},
      {"m := f(1000000)",
       "func f(n: nat) -> nat = |[ i: nat | *[ i < n -> i := i + 1 ]; ret i ]|\n"},
      {"m := f(25)", "func f(n: nat) -> nat = if n < 2 then n else f(n - 1) + f(n - 2)\n"}};
  for (const auto& [body, definitions] : bodies) {
    folder.write("long.chi", definitions +
                                 "proc P() = |[ n, m: nat := 7 | delta 1.0; !\"here\\n\"; *[ true "
                                 "-> delta 1.0; n := n + 1; " +
                                 body + " ] ]|");
    const Called called = folder.chi(
        {"run", "long.chi", "--out", "r.csv", "--vars", "n", "--events", "e.jsonl"}, "here");
    EXPECT_EQ(called.code, 130) << body << "\n" << called.err;
    EXPECT_EQ(called.out, "here\n");
    EXPECT_NE(called.err.find("interrupted at t = "), std::string::npos) << called.err;
    EXPECT_EQ(folder.read("r.csv").find("time,n\n0,7\n1,7\n"), 0u)
        << folder.read("r.csv").substr(0, 100);
    EXPECT_EQ(folder.read("e.jsonl").find("{\"time\":1,\"kind\":\"time\""), 0u);
  }
}

TEST_F(CommandLine, FullDisk) {
  EXPECT_EQ(folder.chi({"run", "m.chi", "--events", "/dev/full"}).code, 2);
  folder.write("print.chi", "proc P() = |[ i: nat | *[ i < 100000 -> !i, \"\\n\"; i := i + 1 ] ]|");
  EXPECT_EQ(folder.chi({"run", "print.chi", "--quiet"}).code, 0);
}

}  // namespace
}  // namespace chi::conformance
