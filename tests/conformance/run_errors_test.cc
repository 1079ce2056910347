#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "command_line.h"
#include "diag/diagnostic.h"
#include "run_model.h"

// Every kind of error that a running process can make: where it is, in which instance, at what
// time, with exit code 3, and with output and results up to there. Interpreted and compiled.
namespace chi::conformance {
namespace {

struct Case {
  std::string_view code;
  std::string_view declarations;  ///< further variables of the process
  std::string_view statement;     ///< that fails
  std::string_view definitions = "";
  /// The place of the error; none: in the statement.
  std::string_view line = "model.chi:5:";
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"E6001", "", "nabla x > 5"},
      {"E6001", "", "b?x"},
      {"E6001", "", "[ x > 4; b?x -> skip | x > 6; delta 1.0 -> skip ]"},
      {"E6001", "", "delta inf"},
      {"E6002", "", "*[ x > 0 -> x := 6 - x; x := 6 - x ]"},
      {"E6002", "", "*[ true -> delta 0.0 ]"},
      {"E6002", "", "x := f(x)",
       "func f(n: nat) -> nat = |[ i: nat | *[ n > 0 -> i := 1 - i ]; ret i ]|", "model.chi:1:"},
      {"E6003", "", "a!1"},
      {"E6010", "xs: nat*", "x := xs[x]"},
      {"E6010", "xs: nat* := [1, 2]", "x := xs[x]"},
      {"E6010", "xs: nat* := [1, 2]", "xs[x] := 7"},
      {"E6010", "v: nat^3", "x := v.(x)"},
      {"E6010", "v: nat^3", "v[x] := 7"},
      {"E6010", "v: (nat # bool)^3", "v[x].0 := 7"},
      {"E6010", "i: int := -1, v: nat^3", "x := v[i]"},
      {"E6010", "", "c.(x)!7"},
      {"E6010", "", "[ true; c.(x)!7 -> skip ]"},
      {"E6011", "xs: nat*", "x := hd(xs)"},
      {"E6011", "xs: nat*", "xs := tl(xs)"},
      {"E6011", "xs: nat*", "x := hr(xs)"},
      {"E6011", "xs: nat*", "xs := tr(xs)"},
      {"E6011", "xs: nat*", "d!hd(xs)"},
      {"E6011", "xs: nat*", "[ true; d!hd(xs) -> skip ]"},
      {"E6012", "s: set(nat)", "x := pick(s)"},
      {"E6013", "m: dict(nat, nat)", "x := m[x]"},
      {"E6014", "i: int := 9223372036854775807", "i := i + 1"},
      {"E6014", "i: int := 9223372036854775807", "i := i * 2"},
      {"E6014", "i: int := 10", "i := i ^ 19"},
      {"E6014", "r: real := 1e19, i: int", "i := round(r)"},
      {"E6015", "n: nat", "x := x div n"},
      {"E6015", "n: nat", "x := x mod n"},
      {"E6015", "r: real", "r := x / r"},
      {"E6015", "n: nat", "delta x / n"},
      {"E6015", "n: nat", "d!x div n"},
      {"E6015", "n: nat", "*[ x div n > 0 -> x := x - 1 ]"},
      {"E6015", "n: nat", "[ x div n > 0; b?x -> skip ]"},
      {"E6015", "n: nat", "x := f(n)", "func f(n: nat) -> nat = 7 div n", "model.chi:1:"},
      {"E6016", "", "x := x - 6"},
      {"E6016", "i: int := -1, xs: nat* := [1]", "xs := take(xs, i)"},
      {"E6017", "r: real := -1", "r := sqrt(r)"},
      {"E6017", "r: real := -1", "r := ln(r)"},
      {"E6017", "r: real := 2", "r := asin(r)"},
      {"E6017", "r: real := inf", "delta r - r"},
      {"E6018", "i: int, xs: int*", "xs := range(1, 5, i)"},
      {"E6019", "r: real, e: -> real", "e := exponential(r)"},
      {"E6020", "", "[ x > 5 -> skip | x < 5 -> skip ]"},
      {"E6020", "", "[ x > 5; b?x -> skip | x < 5; delta 1.0 -> skip ]"},
      {"E6020", "", "x := [ x > 5 -> 1 | x < 5 -> 2 ]"},
      {"E6022", "", "x := f(x)", "func f(n: nat) -> nat = f(n + 1) + 1", "model.chi:1:"},
      {"E6023", "xs: nat*", "xs := range(10^12)"},
      {"E6041", "", "assert x < 5, \"too far\""},
      {"E6042", "r: real := 5", "r := f(r)", "const f = interpolate([0.0, 1.0], [0.0, 1.0])",
       "model.chi:1:"},
  };
  return all;
}

/// The process prints, changes its variable and fails at t = 1.5, as part of a system in a system.
std::string model_of(const Case& c) {
  std::string text(c.definitions);
  text += "\nproc Bad(a: !nat, b: ?nat, c: (!nat)^2, d: !nat) =\n|[ x: nat := 1";
  if (!c.declarations.empty()) text += ", " + std::string(c.declarations);
  text += "\n | delta 1.0; x := 5; !\"before\\n\"; delta 0.5;\n";
  text += c.statement;
  text += R"(
]|
proc Finishes(a: ?nat) = |[ | ]|
proc Waits(b: !nat, c0, c1: ?nat, d: ?nat) = |[ x: nat | d?x; c0?x; c1?x; b!x ]|
sys Cell() =
|[ a, b, d: -nat, c: (-nat)^2
 | Bad(a, b, c, d) || Finishes(a) || Waits(b, c.0, c.1, d)
]|
sys S() = |[ cell: Cell() ]|
)";
  return text;
}

void expect_in(const std::string& report, std::string_view part, const std::string& model) {
  EXPECT_NE(report.find(part), std::string::npos) << part << "\n" << report << "\n" << model;
}

/// What a report of any error has.
void expect_told(const Case& c, const std::string& report, const std::string& model) {
  expect_in(report, "error[" + std::string(c.code) + "]", model);
  expect_in(report, c.line, model);
  expect_in(report, "`cell.Bad`", model);
  expect_in(report, "t = 1.5", model);
}

TEST(RunError, SaysWhereWhoAndWhenAndKeepsTheResults) {
  for (const Case& c : cases()) {
    const std::string model = model_of(c);
    const Ran ran = run_model(model, {.max_actions = 200'000, .record = true});
    EXPECT_EQ(ran.code, c.code) << model << ran.report;
    expect_told(c, ran.report, model);
    EXPECT_EQ(ran.output, "before\n") << model;
    EXPECT_EQ(ran.time, 1.5) << model;
    const auto& names = ran.trace.names;
    const auto x = std::find(names.begin(), names.end(), "cell.Bad.x");
    ASSERT_NE(x, names.end()) << model;
    const auto& values = ran.trace.columns[static_cast<std::size_t>(x - names.begin())];
    EXPECT_EQ(ran.trace.times.back(), 1.5) << model;
    EXPECT_EQ(values.front(), 1.0) << model;
    EXPECT_EQ(values.back(), 5.0) << model;
  }
}

// A code that joins the registry needs a case above.
TEST(RunError, EveryCodeOfProcessesIsTested) {
  std::vector<std::string_view> codes = {
#define CHI_DIAG(name, code, severity) code,
#include "diag/codes_run.def"
#undef CHI_DIAG
  };
  std::erase_if(codes, [](std::string_view code) { return code >= "E6100"; });  // of equations
  EXPECT_GE(codes.size(), 17U);
  std::erase(codes, "E6021");  // below
  std::erase(codes, "E6024");  // of the call: tests/robustness/stopping.py
  for (const std::string_view code : codes) {
    EXPECT_TRUE(std::any_of(cases().begin(), cases().end(), [&](const Case& c) {
      return c.code == code;
    })) << code;
  }
}

// That a function ends without `ret` is found before the run, whatever guards there are.
TEST(RunError, NoFunctionEndsWithoutAValue) {
  for (const std::string_view body :
       {"skip", "[ n > 5 -> ret 1 | true -> skip ]", "*[ n > 5 -> ret 1 ]",
        "*[ n < 9 -> ret 1 | n >= 9 -> ret 2 ]", "*[ n > 1 -> skip ]; [ n > 5 -> skip ]"}) {
    EXPECT_EQ(run_model("func f(n: nat) -> nat = |[ " + std::string(body) +
                        " ]|\nproc P() = |[ | !f(5) ]|")
                  .code,
              "E2051")
        << body;
  }
}

// The same as users call it; one case a code. (An endless loop takes its 10^8 actions there.)
TEST(RunError, EndsTheCommandWithThree) {
  const Folder folder;
  std::string_view last = "E6002";
  for (const Case& c : cases()) {
    if (c.code == last || c.code == "E6002") continue;
    last = c.code;
    folder.write("model.chi", model_of(c));
    const Called called = folder.chi({"run", "model.chi", "--out", "r.csv", "--events", "e.jsonl"});
    EXPECT_EQ(called.code, 3) << called.err;
    EXPECT_EQ(called.out, "before\n");
    expect_told(c, called.err, model_of(c));
    const std::vector<std::string> rows = lines(folder.read("r.csv"));
    ASSERT_GE(rows.size(), 3U);
    EXPECT_EQ(rows.back().substr(0, 4), "1.5,") << rows.back();
    EXPECT_NE(folder.read("e.jsonl").find("before"), std::string::npos);
  }
}

}  // namespace
}  // namespace chi::conformance
