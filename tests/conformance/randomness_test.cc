#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "run_model.h"

// Random streams and the policy for choices (language.md §3 and §5).
namespace chi::conformance {
namespace {

constexpr std::string_view kProcess = R"(
proc P(n: nat) = |[ u: -> real := exponential(1.0), i: nat | *[ i < 3 -> delta sample u; !n, ":", time, " "; i := i + 1 ] ]|
proc Q() = |[ u, v: -> real := exponential(1.0), i: nat | *[ i < 5 -> delta sample u + sample v + sample uniform(0.0, 1.0); i := i + 1 ] ]|
)";

std::string lines_of(const std::string& output, char process) {
  std::string text;
  for (std::size_t i = 0; i + 1 < output.size(); ++i) {
    if (output[i] != process || output[i + 1] != ':') continue;
    text += output.substr(i, output.find(' ', i) - i + 1);
  }
  return text;
}

TEST(Streams, DoNotDependOnTheRestOfTheModel) {
  const auto with = [](std::string_view instances) {
    return output_of(std::string(kProcess) + "sys S() = |[ " + std::string(instances) + " ]|");
  };
  const std::string alone = with("P(1)");
  ASSERT_EQ(alone.size(), lines_of(alone, '1').size());
  EXPECT_EQ(lines_of(with("P(1) || Q()"), '1'), alone);
  EXPECT_EQ(lines_of(with("Q() || P(1)"), '1'), alone);
  EXPECT_EQ(lines_of(with("Q() || P(1) || other: Q()"), '1'), alone);
  EXPECT_EQ(lines_of(with("P(1) || P(2)"), '1'), alone) << "a second instance of the same process";
  EXPECT_EQ(lines_of(with("P(1)@3 || P(2)"), '1'), alone);
  EXPECT_NE(lines_of(with("P(1) || P(1)"), '1').substr(0, 6), "");
}

TEST(Streams, AreIndependentOfEachOther) {
  // Variables, elements of arrays, parameters, and distributions without a name.
  const std::string output = output_of(R"(
proc P(w: -> real, ws: (-> real)^2) = |[ us: (-> real)^2 := [exponential(1.0), exponential(1.0)], v: -> real := exponential(1.0), i: nat := 1
| us.i := exponential(1.0)
; !sample us.0, " ", sample us.i, " ", sample v, " ", sample w, " ", sample ws.0, " ", sample ws.i, " ", sample exponential(1.0), " ", sample exponential(1.0), " "
]|
sys S() = |[ P(exponential(1.0), [exponential(1.0), exponential(1.0)]) || P(exponential(1.0), [exponential(1.0), exponential(1.0)]) ]|
)");
  std::set<std::string> seen;
  std::size_t begin = 0;
  for (std::size_t end = output.find(' '); end != std::string::npos;
       end = output.find(' ', begin)) {
    EXPECT_TRUE(seen.insert(output.substr(begin, end - begin)).second) << output;
    begin = end + 1;
  }
  EXPECT_EQ(seen.size(), 16u) << output;
}

TEST(Streams, GoOnWhenTheLawChanges) {
  EXPECT_EQ(
      output_of_process("u, v: -> real", "u := uniform(0.0, 1.0); v := u; !sample u = sample v"),
      "false");
  // The same stream, twice the mean: twice the sample.
  EXPECT_EQ(output_of("proc P(m: real) = |[ u: -> real, x: real | u := exponential(m); x := sample "
                      "u; u := exponential(2 * m); !x / m, \" \", sample u / (2 * m) ]|\n"
                      "sys S() = |[ P(1.0) ]|"),
            output_of("proc P(m: real) = |[ u: -> real, x: real | u := exponential(m); x := sample "
                      "u; u := exponential(m); !x / m, \" \", sample u / m ]|\n"
                      "sys S() = |[ P(1.0) ]|"));
}

TEST(Streams, OfEveryDistributionInStatements) {
  EXPECT_EQ(
      output_of_process("c: -> nat := constant(4), b: -> bool := bernoulli(1.0), n: -> nat := "
                        "binomial(3, 1.0), g: -> nat := geometric(1.0), "
                        "p: -> nat := poisson(0.0), i: -> int := uniform(5, 6), e: -> real := "
                        "erlang(1.0, 2), m: -> real := gamma(2.0, 1.0), "
                        "o: -> real := normal(3.0, 0.0), l: -> real := lognormal(1.0, 1.0), t: -> "
                        "real := beta(1.0, 1.0), "
                        "r: -> real := triangle(1.0, 2.0, 3.0), w: -> real := weibull(1.0, 1.0)",
                        "!sample c, sample b, sample n, sample p, sample i, sample e > 0, sample m "
                        "> 0, sample o, sample l > 0, sample t < 1, "
                        "sample r >= 1 and sample r <= 3, sample w > 0; !sample g in {0, 1}"),
      "4true305truetrue3.0truetruetruetruetrue");
}

constexpr std::string_view kBusy = R"(
proc G(a: !nat) = |[ u: -> real := exponential(1.0), i: nat | *[ true -> a!i; i := i + 1; delta sample u ] ]|
proc B(a: ?nat, b, c: !nat) = |[ xs: nat*, x: nat
| *[ true; a?x -> xs := xs ++ [x] | len(xs) > 0; b!hd(xs) -> xs := tl(xs) | len(xs) > 0; c!hd(xs) -> xs := tl(xs) ] ]|
proc M(b: ?nat) = |[ u: -> real := gamma(2.0, 0.8), x: nat | *[ true -> b?x; delta sample u; !x, "@", time, "\n" ] ]|
sys S() = |[ a, b, c: -nat | G(a) || B(a, b, c) || M(b) || M(c) ]|
)";

TEST(Seeds, SameSeedGivesTheSameLogBitForBit) {
  for (const bool random : {false, true}) {
    const RunRequest request{
        .end = 200, .seed = 7, .random_choice = random, .events = true, .record = true};
    const Ran one = run_model(kBusy, request);
    const Ran two = run_model(kBusy, request);
    EXPECT_GT(one.events.size(), 10000u);
    EXPECT_EQ(one.events, two.events);
    EXPECT_EQ(one.output, two.output);
    EXPECT_EQ(one.trace.times, two.trace.times);
    EXPECT_EQ(one.trace.columns, two.trace.columns);
    RunRequest other = request;
    other.seed = 8;
    EXPECT_NE(run_model(kBusy, other).output, one.output);
  }
}

/// How often each output came over 200 seeds of `--choice random`.
std::map<std::string, int> outcomes(std::string_view model) {
  std::map<std::string, int> counts;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    ++counts[output_of(model, {.seed = seed, .random_choice = true})];
  return counts;
}

void expect_all_often(const std::map<std::string, int>& counts, std::size_t ways) {
  EXPECT_EQ(counts.size(), ways);
  for (const auto& [output, count] : counts)
    EXPECT_GT(count, 200 / static_cast<int>(ways) / 2) << output;
}

TEST(Choices, OpenAlternatives) {
  expect_all_often(
      outcomes("proc P() = |[ | [ true -> !1 | true -> !2 | false -> !3 | true -> !4 ] ]|"), 3);
  expect_all_often(outcomes("proc P() = |[ | [ i: nat <- 0..3: i /= 2 -> !i ] ]|"), 3);
  EXPECT_EQ(output_of("proc P() = |[ | [ true -> !1 | true -> !2 ] ]|"), "1") << "--choice first";
}

TEST(Choices, WhichEvent) {
  expect_all_often(outcomes(R"(
proc S(a: !nat, n: nat) = |[ | a!n ]|
proc R(a, b: ?nat) = |[ x: nat | delta 1.0; [ true; a?x -> !x; b?x | true; b?x -> !x; a?x | true; delta 0.0 -> !3; a?x; b?x ] ]|
sys T() = |[ a, b: -nat | S(a, 1) || S(b, 2) || R(a, b) ]|
)"),
                   3);
}

// Two alternatives for one channel are two ways, whoever comes first.
TEST(Choices, TwoAlternativesOnOneChannel) {
  expect_all_often(outcomes(R"(
proc S(a: !nat) = |[ | delta 1.0; a!5 ]|
proc R(a: ?nat) = |[ x, y: nat | [ true; a?x -> !"x", x | true; a?y -> !"y", y ] ]|
sys T() = |[ a: -nat | S(a) || R(a) ]|
)"),
                   2);
}

TEST(Choices, WhichProcess) {
  expect_all_often(
      outcomes("proc P(n: nat) = |[ | delta 1.0; !n ]|\nsys S() = |[ P(1) || P(2) || P(3) ]|"), 6);
  // The first and the last of many that have nothing to do.
  expect_all_often(outcomes("proc P(n: nat) = |[ | delta 1.0; !n ]|\nproc Q() = |[ ]|\nsys S() = "
                            "|[ P(1) || i: nat <- 0..99: Q() || P(2) ]|"),
                   2);
}

TEST(Choices, NeverAgainstPriorities) {
  const auto counts = outcomes(
      "proc P(n: nat) = |[ | delta 1.0; !n ]|\nsys S() = |[ P(1)@1 || P(2) || P(3)@1 || P(4) ]|");
  expect_all_often(counts, 4);
  for (const auto& [output, count] : counts)
    EXPECT_TRUE(output.starts_with("24") || output.starts_with("42")) << output;
}

}  // namespace
}  // namespace chi::conformance
