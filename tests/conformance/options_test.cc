#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "command_line.h"
#include "results/csv.h"
#include "results/read_trace.h"

// The options of `chi run`, `chi plot`, `chi explain` and `chi completion`, and calls that are
// wrong (interface.md).
namespace chi::conformance {
namespace {

class Options : public testing::Test {
 protected:
  Options() {
    folder.write("m.chi",
                 "proc P() = |[ n: nat, b: bool, x: real := 0.1 | *[ n < 3 -> delta 0.5; n := n + "
                 "1; b := not b; x := x * 3 ]; terminate ]|\n");
  }
  /// What a wrong call says; it must exit with 2.
  std::string complaint(std::vector<std::string> arguments) const {
    const Called called = folder.chi(arguments);
    std::string call = "chi";
    for (const std::string& argument : arguments) call += " " + argument;
    EXPECT_EQ(called.code, 2) << call << "\n" << called.out;
    EXPECT_EQ(called.out, "") << call;
    return called.err;
  }
  void expect_complaint(const std::vector<std::string>& arguments, std::string_view text) const {
    const std::string said = complaint(arguments);
    EXPECT_NE(said.find(text), std::string::npos) << text << "\n" << said;
  }
  void expect_run_complaint(std::vector<std::string> options, std::string_view text) const {
    options.insert(options.begin(), {"run", "m.chi"});
    expect_complaint(options, text);
  }
  Folder folder;
};

TEST_F(Options, AllAtOnce) {
  const Called called = folder.chi({"run",       "m.chi",
                                    "--rtol",    "1e-8",
                                    "--atol",    "1e-12",
                                    "--solver",  "erk:rkf45",
                                    "--points",  "11",
                                    "--end",     "1",
                                    "--out",     "r.csv",
                                    "--out",     "r.mat",
                                    "--out",     "r.json",
                                    "--vars",    "n,x*",
                                    "--vars",    "b",
                                    "--seed",    "7",
                                    "--choice",  "random",
                                    "--sliding", "error",
                                    "--zeno",    "continue",
                                    "--jumps",   "error",
                                    "--events",  "e.jsonl",
                                    "--plot",    "p.html",
                                    "--stats",   "--derivatives",
                                    "--quiet",   "--root-finder",
                                    "itp",       "--root-detection",
                                    "sturm",     "--no-progress",
                                    "--color",   "never"});
  EXPECT_EQ(called.code, 0) << called.err;
  for (const char* name : {"r.csv", "r.mat", "r.json", "e.jsonl", "p.html"})
    EXPECT_TRUE(folder.has(name)) << name;
}

TEST_F(Options, ValuesBehindAnEqualSign) {
  EXPECT_EQ(folder.chi({"run", "--end=1", "--out=r.csv", "--", "m.chi"}).code, 0);
  EXPECT_TRUE(folder.has("r.csv"));
}

TEST_F(Options, SuggestsWhatWasMeant) {
  expect_complaint({"rnu", "m.chi"}, "did you mean `run`?");
  expect_complaint({"m.chi"}, "`chi run m.chi` runs it");
  expect_complaint({"walk"}, "`walk` is not a command of chi");
  expect_run_complaint({"--pionts", "5"}, "did you mean `--points`?");
  expect_run_complaint({"--solver", "idaa"}, "did you mean `ida`?");
  expect_run_complaint({"--root-finder", "bisect"}, "is none of toms748");
  expect_run_complaint({"--root-detection", "bernstien"}, "did you mean `bernstein`?");
}

TEST_F(Options, SaysWhatIsWrong) {
  expect_complaint({"run"}, "`chi run` needs a FILE");
  expect_complaint({"fmt"}, "`chi fmt` needs a FILE");
  expect_complaint({"explain"}, "`chi explain` needs a CODE");
  expect_run_complaint({"other.chi"}, "`other.chi` is one argument too many");
  expect_run_complaint({"--end"}, "`--end` needs a value: `--end T`");
  expect_run_complaint({"--end", "--stats"}, "`--end` needs a value");
  expect_run_complaint({"--end", "-1"}, "is not a time");
  expect_run_complaint({"--end", "1s"}, "`--end 1s` is not a number");
  expect_run_complaint({"--end", ""}, "is not a number");
  expect_run_complaint({"--end", "1", "--end", "2"}, "`--end` is given twice");
  expect_run_complaint({"--stats=yes"}, "`--stats` takes no value");
  expect_run_complaint({"--rtol", "0"}, "`--rtol 0` is not a tolerance");
  expect_run_complaint({"--rtol", "1"}, "is not a tolerance");
  expect_run_complaint({"--atol", "-1e-9"}, "is not a tolerance");
  expect_run_complaint({"--step", "0"}, "`--step 0` is not a positive step");
  expect_run_complaint({"--step", "1e-12", "--end", "1"}, "makes 1e+12 output points");
  expect_run_complaint({"--points", "1"}, "is not an integer from 2");
  expect_run_complaint({"--points", "1e3"}, "is not an integer");
  expect_run_complaint({"--points", "3", "--step", "1"}, "both say where the output points lie");
  expect_run_complaint({"--seed", "-1"}, "is not an integer from 0");
  expect_run_complaint({"--sliding", "never"}, "is none of allow, error");
  expect_run_complaint({"--zeno", "error"}, "is none of stop, continue");
  expect_run_complaint({"--jumps", "no"}, "is none of allow, error");
  expect_run_complaint({"--choice", "best"}, "is none of first, random");
  expect_run_complaint({"--color", "pink"}, "is none of auto, always, never");
  expect_run_complaint({"-p", "n"}, "`-p n` is not NAME=VALUE");
  expect_run_complaint({"-p", "n=1"}, "n");
  expect_run_complaint({"--out", "r.txt"}, "ends in .csv, .mat or .json");
  expect_run_complaint({"--plot", "p.png"}, "plots are written as .svg or .html");
  expect_run_complaint({"--out", "r.csv", "--vars", "nothing*"}, "matches no variable");
  expect_run_complaint({"--out", "no/such/folder/r.mat"}, "cannot write `no/such/folder/r.mat`");
  expect_run_complaint({"--plot", "no/such/folder/p.html"}, "cannot write");
  expect_run_complaint({"--events", "no/such/folder/e.jsonl"}, "mkdir -p no/such/folder");
}

// A pattern that matches nothing is a slip of the pen, also beside others that match something, and
// before the run: its results would be lost.
TEST_F(Options, EveryPatternMatchesSomething) {
  expect_run_complaint({"--vars", "nn"}, "did you mean `n`?");
  expect_run_complaint({"--vars", "n,other"}, "`--vars other` matches no variable of the model");
  expect_run_complaint({"--vars", "other"}, "it has n, b, x");
  folder.write("inside.chi", "proc P() = |[ n: nat | delta 1.0 ]|\nxper = |[ P() || P() ]|\n");
  expect_complaint({"run", "inside.chi", "--vars", "n"}, "did you mean `*.n`?");
  folder.write("shared.chi",
               "proc P(ref n: nat) = |[ | delta 1.0; n := n + 1 ]|\nxper = |[ n: nat | P(n) ]|\n");
  expect_complaint({"run", "shared.chi", "--vars", "P.n"}, "did you mean `n`?");
}

TEST_F(Options, PlacesOfResultsAreLookedAtBeforeTheRun) {
  folder.write("forever.chi", "proc P() = |[ n: nat | *[ delta 1.0; n := n + 1 ] ]|");
  folder.write("file", "");
  for (const char* option : {"--out", "--plot", "--events"}) {
    const std::string ending = option == std::string("--plot") ? ".svg" : ".csv";
    expect_complaint({"run", "forever.chi", option, "nowhere/r" + ending},
                     "the folder is not there; mkdir -p nowhere");
    expect_complaint({"run", "forever.chi", option, "file/r" + ending}, "`file` is not a folder");
  }
  ASSERT_EQ(std::system(("mkdir '" + folder.path("r.csv") + "'").c_str()), 0);
  expect_complaint({"run", "forever.chi", "--out", "r.csv"}, "a folder has this name");
}

// What is wrong with a call is a diagnostic like any other.
TEST_F(Options, WrongCallsAreMachineReadable) {
  const Called called = folder.chi({"run", "m.chi", "--json", "--pionts", "5"});
  EXPECT_EQ(called.code, 2);
  EXPECT_EQ(called.err, "");
  EXPECT_EQ(called.out.find("{\"code\":\"E0004\""), 0u) << called.out;
}

TEST_F(Options, AFileThatExistsIsReplaced) {
  folder.write("r.csv", "old");
  ASSERT_EQ(folder.chi({"run", "m.chi", "--out", "r.csv", "--vars", "n", "--end", "0"}).code, 0);
  EXPECT_EQ(folder.read("r.csv"), "time,n\n0,0\n");
}

TEST_F(Options, FormatsAgree) {
  ASSERT_EQ(
      folder.chi({"run", "m.chi", "--out", "r.csv", "--out", "r.mat", "--out", "r.json"}).code, 0);
  std::string problem;
  const auto csv = results::read_trace(folder.read("r.csv"), results::ResultFormat::Csv, problem);
  const auto mat = results::read_trace(folder.read("r.mat"), results::ResultFormat::Mat, problem);
  const auto json =
      results::read_trace(folder.read("r.json"), results::ResultFormat::Json, problem);
  ASSERT_TRUE(csv && mat && json) << problem;
  EXPECT_EQ(csv->names, (std::vector<std::string>{"n", "b", "x"}));
  EXPECT_EQ(mat->names, csv->names);
  EXPECT_EQ(mat->columns, csv->columns);
  EXPECT_EQ(mat->times, csv->times);
  EXPECT_EQ(json->names, csv->names);
  EXPECT_EQ(json->columns, csv->columns);
  EXPECT_EQ(results::csv_text(*csv), folder.read("r.csv"));
}

TEST_F(Options, PlotsInTheTerminal) {
  for (const std::vector<std::string>& call :
       {std::vector<std::string>{"run", "m.chi", "--plot"}, {"run", "--plot", "m.chi"}}) {
    const Called called = folder.chi(call);
    EXPECT_EQ(called.code, 0) << called.err;
    EXPECT_NE(called.out.find("time\n"), std::string::npos) << called.out;
    EXPECT_LE(lines(called.out).size(), 23u);
  }
}

TEST_F(Options, PlotOfEarlierResults) {
  ASSERT_EQ(folder
                .chi({"run", "m.chi", "--out", "r.csv", "--out", "r.mat", "--out", "r.json",
                      "--plot", "run.svg"})
                .code,
            0);
  const Called terminal = folder.chi({"plot", "r.csv", "--vars", "x"});
  EXPECT_EQ(terminal.code, 0) << terminal.err;
  EXPECT_EQ(folder.chi({"plot", "r.mat", "--vars", "x"}).out, terminal.out);
  EXPECT_EQ(folder.chi({"plot", "r.json", "--vars", "x"}).out, terminal.out);
  EXPECT_EQ(folder.chi({"plot", "r.mat", "--out", "p.svg"}).code, 0);
  EXPECT_EQ(folder.read("p.svg").find("<svg"), 0u);
  EXPECT_EQ(folder.chi({"plot", "r.json", "--out", "p.html"}).code, 0);
  EXPECT_EQ(folder.read("p.html").find("<!DOCTYPE html>"), 0u);
}

TEST_F(Options, PlotComplains) {
  folder.write("r.csv", "time,x\n0,1\n1,oops\n");
  folder.write("r.mat", "nonsense");
  expect_complaint({"plot", "missing.csv"}, "cannot read `missing.csv`: No such file");
  expect_complaint({"plot", "r.csv"}, "cannot read `r.csv`: line 3: `oops` is not a number");
  expect_complaint({"plot", "r.mat"}, "it is not a MATLAB level 4 file");
  expect_complaint({"plot", "m.chi"}, "`chi run FILE --plot` runs a model and plots it");
  folder.write("r.csv", "time,x\n0,1\n");
  expect_complaint({"plot", "r.csv", "--vars", "y"}, "matches no variable of `r.csv`");
  expect_complaint({"plot", "r.csv", "--out", "p.gif"}, "plots are written as .svg or .html");
}

// A reader that goes away ends the run, and what was computed is kept.
TEST_F(Options, PipeClosedEarly) {
  folder.write(
      "long.chi",
      "proc P() = |[ n, m: nat | *[ true -> !n, \"\\n\"; n := n + 1; m := 0; *[ m < 100000 -> "
      "m := m + 1 ]; delta 1.0 ] ]|");
  const std::string call = "cd '" + folder.path("") +
                           "' && { '" CHI_BINARY
                           "' run long.chi --out r.csv; echo $? > code; } 2> err | head -n 1 > out";
  ASSERT_EQ(std::system(call.c_str()), 0);
  EXPECT_EQ(folder.read("out"), "0\n");
  EXPECT_EQ(folder.read("code"), "130\n") << folder.read("err");
  EXPECT_EQ(folder.read("r.csv").find("time,n,m\n0,1,100000\n"), 0u);
}

TEST_F(Options, FullDisk) {
  for (const char* option : {"--out", "--plot"}) {
    folder.chi({"run", "m.chi"});
    const std::string link = option == std::string("--out") ? "full.csv" : "full.html";
    ASSERT_EQ(std::system(("ln -s /dev/full '" + folder.path(link) + "'").c_str()), 0);
    expect_run_complaint({option, link}, "cannot write `" + link + "`: No space left on device");
    expect_run_complaint({option, link}, "make room there, or keep less");
  }
}

TEST_F(Options, FullDiskBehindStdout) {
  for (const char* call : {"run m.chi --plot", "init m.chi", "analyze m.chi", "explain E0004"}) {
    const std::string full = "cd '" + folder.path("") + "' && { '" CHI_BINARY "' " + call +
                             " > /dev/full 2> err; echo $? > code; }";
    ASSERT_EQ(std::system(full.c_str()), 0);
    EXPECT_EQ(folder.read("code"), "2\n") << call;
    EXPECT_EQ(folder.read("err"), "error: cannot write to stdout: No space left on device\n")
        << call;
  }
}

TEST_F(Options, CompletionScripts) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Called called = folder.chi({"completion", shell});
    EXPECT_EQ(called.code, 0);
    for (const char* word : {"run", "explain", "root-detection", "bernstein", "derivatives"})
      EXPECT_NE(called.out.find(word), std::string::npos) << shell << " " << word;
    folder.write(shell, called.out);
  }
  EXPECT_EQ(std::system(("bash -n '" + folder.path("bash") + "'").c_str()), 0);
  expect_complaint({"completion", "tcsh"}, "it is bash, zsh or fish");
  // What bash offers behind `chi run --solver e` and `chi r`.
  const std::string ask = "cd '" + folder.path("") +
                          "' && bash -c '. ./bash; COMP_WORDS=(chi run --solver e); COMP_CWORD=3; "
                          "_chi; echo ${COMPREPLY[@]}; COMP_WORDS=(chi r); COMP_CWORD=1; _chi; "
                          "echo ${COMPREPLY[@]}' > offered";
  ASSERT_EQ(std::system(ask.c_str()), 0);
  EXPECT_EQ(folder.read("offered"), "erk erk:dopri5 erk:rkf45\nrun replicate\n");
}

TEST_F(Options, HelpBeginsWithExamples) {
  for (const char* command : {"run", "check", "fmt", "plot", "explain", "completion"}) {
    const Called called = folder.chi({command, "--help"});
    EXPECT_EQ(called.code, 0);
    EXPECT_LT(called.out.find("Examples:"), called.out.find("Usage:")) << command;
    for (const std::string& line : lines(called.out)) EXPECT_LE(line.size(), 80u) << line;
  }
  EXPECT_EQ(folder.chi({"--version"}).out.find("chi "), 0u);
  EXPECT_NE(folder.chi({"--help"}).out.find("Exit codes"), std::string::npos);
}

}  // namespace
}  // namespace chi::conformance
