#include "experiment/study.h"

#include <cmath>
#include <filesystem>
#include <numeric>

#include <gtest/gtest.h>

#include "experiment/table.h"

namespace chi::experiment {
namespace {

class Rows : public Spectator {
 public:
  bool row(std::int64_t run, const Point& point, const RunResult& result) override {
    text += table_row(run, point, result);
    return true;
  }
  std::string text;
};

struct Ran {
  StudyResult result;
  std::string table;
};

Ran study(const char* model, const Plan& plan, int jobs) {
  const SourceFile source("model.chi", model);
  Diagnostics diagnostics;
  const auto subject = Subject::check(source, diagnostics);
  EXPECT_TRUE(subject);
  EXPECT_TRUE(check_plan(*subject, plan, diagnostics))
      << (diagnostics.all().empty() ? "" : diagnostics.all().front().message);
  Rows rows;
  Ran ran{run_study(*subject, plan, jobs, rows), {}};
  ran.table = rows.text;
  return ran;
}

Axis axis(const char* name, const char* text) {
  Diagnostics diagnostics;
  return read_axis(name, text, diagnostics).value();
}

const char* const kDecay =
    "proc P(k: real, x0: real := 1.0) = |[ x: real := x0 | x' = -k*x | [ k > 2.5 -> delta 0.5; "
    "x := 1.0/(x - x) | not k > 2.5 -> skip ] ]|";

// x(1) = x0 exp(-k); where k > 2.5 the run fails, and is a row that says so.
TEST(Sweep, RunsTheGridAndKeepsFailedRuns) {
  Plan plan{.model = "model.chi", .vary = {axis("x0", "1.0,2.0"), axis("k", "0.0:3.0:1.0")}};
  plan.setting.run.end = 1;
  plan.setting.measures = {measure_of("x(end)"), measure_of("ratio = x(end)/x0")};
  const Ran ran = study(kDecay, plan, 1);
  EXPECT_EQ(ran.result.runs, 8);
  EXPECT_EQ(ran.result.failed, 2);
  EXPECT_NE(ran.table.find("\n3,1.0,3,0,,,E60"), std::string::npos) << ran.table;
  const Moments& second = ran.result.variants[5].measures[0];
  EXPECT_NEAR(second.mean(), 2 * std::exp(-1), 1e-5);
}

const char* const kQueue = R"(
proc Source(out: !real, l: real) = |[ d: -> real := exponential(1.0/l) | *[ true -> delta sample d; out!time ] ]|
proc Server(inp: ?real, m: real, ref w: real) =
|[ x: real, d: -> real := exponential(1.0/m), n: nat, sum: real
 | *[ true -> inp?x; n := n + 1; sum := sum + (time - x); w := sum/n; delta sample d ] ]|
proc Buffer(inp: ?real, out: !real) =
|[ xs: real*, x: real
 | *[ true; inp?x -> xs := xs ++ [x] | len(xs) > 0; out!hd(xs) -> xs := tl(xs) ] ]|
sys Queue(l: real := 0.5) =
|[ a, b: -real, w: real | Source(a, l) || Buffer(a, b) || Server(b, 1.0, w) ]|
)";

// The same bytes for any number of workers, with drawn parameters, random streams and failures.
TEST(Sweep, IsTheSameForAnyNumberOfWorkers) {
  Plan plan{.model = "model.chi", .kind = Kind::Replicate, .vary = {axis("l", "0.3,0.5")}};
  plan.count = 40;
  plan.setting.run.end = 200;
  plan.setting.measures = {measure_of("w(end)")};
  const Ran one = study(kQueue, plan, 1);
  for (const int jobs : {2, 3, 7}) EXPECT_EQ(study(kQueue, plan, jobs).table, one.table);
  EXPECT_EQ(one.result.variants.size(), 2U);
  EXPECT_EQ(one.result.comparisons.size(), 1U);
  EXPECT_GT(one.result.comparisons[0].difference.mean(), 0);  // more traffic, longer waiting
}

TEST(Replicate, StopsWhenTheIntervalIsNarrow) {
  const char* const die =
      "proc P() = |[ x: real, d: -> real := uniform(0.0, 1.0) | x := sample d ]|";
  Plan plan{.model = "model.chi", .kind = Kind::Replicate, .half_width = 0.05};
  plan.setting.measures = {measure_of("x(end)")};
  const Ran ran = study(die, plan, 2);
  EXPECT_TRUE(ran.result.is_narrow);
  const Moments& x = ran.result.variants[0].measures[0];
  EXPECT_EQ(x.count(), ran.result.runs);
  EXPECT_LE(x.half_width(0.95), 0.05 * x.mean());
  // The standard deviation is 0.2887: (1.96 · 0.2887 / 0.025)² is 512 runs.
  EXPECT_NEAR(static_cast<double>(x.count()), 512, 150);
}

// Student's intervals hold the true mean 0.5 in 95 % of the cases: 300 studies of 20 runs.
TEST(Replicate, IntervalsCoverTheMean) {
  int covered = 0;
  for (int study = 0; study < 300; ++study) {
    Moments moments;
    for (int run = 0; run < 20; ++run) {
      Plan plan{.random = {{.name = "u", .arguments = {0, 1}}}, .count = 20};
      plan.seed = static_cast<std::uint64_t>(study);
      moments.add(std::stod(Design(plan).point(run).parameters[0].second));
    }
    covered += std::abs(moments.mean() - 0.5) <= moments.half_width(0.95) ? 1 : 0;
  }
  EXPECT_NEAR(covered / 300.0, 0.95, 0.035);
}

TEST(Design, ReadsAxes) {
  Diagnostics diagnostics;
  EXPECT_EQ(axis("k", "0:1:0.1").values.size(), 11U);
  EXPECT_EQ(axis("k", "0:1:0.1").values[3], "0.3");
  EXPECT_EQ(axis("k", "0:1:0.3").values.size(), 4U);
  EXPECT_EQ(axis("k", "5:1:-2").values, (std::vector<std::string>{"5", "3", "1"}));
  EXPECT_EQ(axis("k", "[1, 2],[3]").values.size(), 2U);
  EXPECT_TRUE(axis("k", "0:10").is_range);
  EXPECT_FALSE(read_axis("k", "3.5", diagnostics));
  EXPECT_FALSE(read_axis("k", "[1, 2]", diagnostics));
  EXPECT_FALSE(diagnostics.has_errors());
  for (const char* bad : {"0:1:0", "0:1:-1", "a:b:c", "0:1:1e-30", "1:2:3:4"}) {
    Diagnostics reported;
    EXPECT_FALSE(read_axis("k", bad, reported)) << bad;
    EXPECT_TRUE(reported.has_errors()) << bad;
  }
}

// Each of n strata of each dimension holds one sample.
TEST(Design, LatinHypercubesFillEveryStratum) {
  Plan plan{.vary = {axis("a", "0:1"), axis("b", "2:4")}, .count = 50, .sampling = Sampling::Latin};
  const Design design(plan);
  std::vector<int> seen_a(50), seen_b(50);
  for (std::int64_t i = 0; i < design.size(); ++i) {
    const Point p = design.point(i);
    ++seen_a[static_cast<std::size_t>(std::stod(p.parameters[0].second) * 50)];
    ++seen_b[static_cast<std::size_t>((std::stod(p.parameters[1].second) - 2) * 25)];
  }
  EXPECT_EQ(seen_a, std::vector<int>(50, 1));
  EXPECT_EQ(seen_b, std::vector<int>(50, 1));
}

// ∫ 4 u v over the unit square is 1; Sobol's points come much nearer than 1/√n.
TEST(Design, SobolPointsAreEvenlySpread) {
  Plan plan{
      .vary = {axis("a", "0:1"), axis("b", "0:1")}, .count = 1024, .sampling = Sampling::Sobol};
  const Design design(plan);
  double sum = 0;
  for (std::int64_t i = 0; i < design.size(); ++i) {
    const Point p = design.point(i);
    sum += 4 * std::stod(p.parameters[0].second) * std::stod(p.parameters[1].second);
  }
  EXPECT_NEAR(sum / 1024, 1, 0.005);
}

TEST(Design, QuantilesAreThoseOfTheLaws) {
  EXPECT_NEAR(quantile({.name = "", .law = Drawn::Law::Normal, .arguments = {1, 4}}, 0.975),
              1 + 2 * 1.959963984540054, 1e-12);
  EXPECT_NEAR(quantile({.name = "", .law = Drawn::Law::Exponential, .arguments = {2}}, 0.5),
              2 * std::log(2), 1e-12);
  EXPECT_NEAR(quantile({.name = "", .law = Drawn::Law::Triangle, .arguments = {0, 1, 2}}, 0.5), 1,
              1e-12);
  EXPECT_NEAR(quantile({.name = "", .law = Drawn::Law::LogUniform, .arguments = {1, 100}}, 0.5), 10,
              1e-12);
  EXPECT_NEAR(student_quantile(0.975, 4), 2.7764451051977987, 1e-10);
}

class StopsAfter : public Rows {
 public:
  explicit StopsAfter(int most) : most_(most) {}
  bool row(std::int64_t run, const Point& point, const RunResult& result) override {
    Rows::row(run, point, result);
    return --most_ > 0;
  }

 private:
  int most_;
};

// A study that ends early goes on from its store, and what comes out is what would have without.
TEST(Store, GoesOnWhereAStudyEnded) {
  const std::string file = ::testing::TempDir() + "chi_store_test.sqlite";
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(file + suffix);
  Plan plan{.model = "model.chi", .vary = {axis("x0", "1.0,2.0"), axis("k", "0.0:3.0:0.5")}};
  plan.setting.run.end = 1;
  plan.setting.measures = {measure_of("x(end)")};
  const std::string whole = study(kDecay, plan, 1).table;
  const SourceFile source("model.chi", kDecay);
  Diagnostics diagnostics;
  const auto subject = Subject::check(source, diagnostics);
  ASSERT_TRUE(subject);
  for (const int most : {3, 9, 100}) {
    const auto store = Store::open(file, *subject, plan.setting, diagnostics);
    ASSERT_TRUE(store);
    StopsAfter rows(most);
    run_study(*subject, plan, 2, rows, store.get());
    EXPECT_EQ(store->close(), "");
    EXPECT_TRUE(whole.starts_with(rows.text));
    if (most == 100) {
      EXPECT_EQ(rows.text, whole);
    }
  }
  const auto store = Store::open(file, *subject, plan.setting, diagnostics);
  RunResult found;
  const Design design(plan);
  for (std::int64_t i = 0; i < design.size(); ++i) {
    EXPECT_TRUE(store->find(design.point(i), found)) << i;
  }
  Setting other = plan.setting;
  other.run.rtol = 1e-8;
  EXPECT_FALSE(Store::open(file, *subject, other, diagnostics)->find(design.point(0), found));
}

}  // namespace
}  // namespace chi::experiment
