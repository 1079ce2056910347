#include "results/read_trace.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "results/csv.h"
#include "results/mat.h"

namespace chi::results {
namespace {

Trace trace_of(std::vector<std::string> names, std::vector<double> times,
               std::vector<std::vector<double>> columns) {
  Trace trace;
  trace.kinds.assign(names.size(), Trace::Kind::Real);
  trace.names = std::move(names);
  trace.times = std::move(times);
  trace.columns = std::move(columns);
  return trace;
}

std::string written(const Trace& trace, ResultFormat format) {
  switch (format) {
    case ResultFormat::Csv: return csv_text(trace);
    case ResultFormat::Json: return json_text(trace);
    case ResultFormat::Mat: break;
  }
  return mat_text(trace);
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

void expect_same(const Trace& a, const Trace& b) {
  EXPECT_EQ(a.names, b.names);
  EXPECT_TRUE(same_bits(a.times, b.times));
  ASSERT_EQ(a.columns.size(), b.columns.size());
  for (std::size_t i = 0; i < a.columns.size(); ++i)
    EXPECT_TRUE(same_bits(a.columns[i], b.columns[i])) << a.names[i];
}

const Trace kEvents = trace_of({"x", "M[1].busy", "never", "y'"}, {0, 0.1, 0.1, 2.5},
                               {{1, 0.1, -0.0, 5e-324}, {0, 0, 1, 1}, {7, 7, 7, 7}, {-1, 2, 3, 4}});

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ReadTrace, GivesBackUnits) {
  Trace trace = kEvents;
  trace.units = {"m", "", "km/h", ""};
  for (const ResultFormat format : {ResultFormat::Csv, ResultFormat::Json, ResultFormat::Mat}) {
    std::string problem;
    const std::optional<Trace> read = read_trace(written(trace, format), format, problem);
    ASSERT_TRUE(read) << problem;
    expect_same(*read, trace);
    for (std::size_t v = 0; v < 4; ++v) EXPECT_EQ(read->unit(v), trace.unit(v));
  }
}

TEST(ReadTrace, GivesBackWhatWasWritten) {
  for (const ResultFormat format : {ResultFormat::Csv, ResultFormat::Json, ResultFormat::Mat}) {
    for (const Trace& trace : {kEvents, trace_of({}, {0, 1}, {}), trace_of({"x"}, {}, {{}}),
                               trace_of({"a,\"b\"\nc", "\xCF\x87"}, {3}, {{1.5}, {1e300}}),
                               trace_of({"x"}, {0, 1, 2}, {{-kInfinity, 0, kInfinity}})}) {
      std::string problem;
      const std::optional<Trace> read = read_trace(written(trace, format), format, problem);
      ASSERT_TRUE(read.has_value()) << problem;
      expect_same(*read, trace);
    }
  }
}

TEST(ReadTrace, InfinitiesAndNotANumberInCsvAndMat) {
  const double inf = std::numeric_limits<double>::infinity();
  const Trace trace = trace_of({"x"}, {0, 1, 2}, {{inf, -inf, std::nan("")}});
  for (const ResultFormat format : {ResultFormat::Csv, ResultFormat::Mat}) {
    std::string problem;
    const std::optional<Trace> read = read_trace(written(trace, format), format, problem);
    ASSERT_TRUE(read.has_value()) << problem;
    EXPECT_EQ(read->columns[0][0], inf);
    EXPECT_EQ(read->columns[0][1], -inf);
    EXPECT_TRUE(std::isnan(read->columns[0][2]));
  }
}

TEST(ReadTrace, CsvOfOthers) {
  std::string problem;
  const auto read = read_trace("\xEF\xBB\xBFtime,\"a \"\"b\"\"\"\r\n0, 1.0\r\n+1,-2e0\r\n\r\n",
                               ResultFormat::Csv, problem);
  ASSERT_TRUE(read.has_value()) << problem;
  expect_same(*read, trace_of({"a \"b\""}, {0, 1}, {{1, -2}}));
}

TEST(ReadTrace, SaysWhatIsWrong) {
  const auto problem_of = [](std::string_view text, ResultFormat format) {
    std::string problem;
    EXPECT_FALSE(read_trace(text, format, problem).has_value()) << text;
    return problem;
  };
  EXPECT_EQ(problem_of("", ResultFormat::Csv), "the first column is not `time`");
  EXPECT_EQ(problem_of("time,x\n0,1\n1,abc\n", ResultFormat::Csv), "line 3: `abc` is not a number");
  EXPECT_EQ(problem_of("time,x\n0\n", ResultFormat::Csv), "line 2 has 1 fields instead of 2");
  EXPECT_EQ(problem_of("time,x\n0,1,2\n", ResultFormat::Csv), "line 2 has more than 2 fields");
  EXPECT_EQ(problem_of("time\n1\n0\n", ResultFormat::Csv), "time goes back, from 1 to 0");
  EXPECT_EQ(problem_of("time\n1\ninf\n", ResultFormat::Csv), "time is inf in row 2");
  EXPECT_EQ(problem_of("time\nnan\n", ResultFormat::Csv), "time is nan in row 1");
  EXPECT_EQ(problem_of("{", ResultFormat::Json), "it is not JSON");
  for (const char* text :
       {"{}", "[]", "{\"time\":1,\"variables\":{}}", "{\"time\":[\"a\"],\"variables\":{}}",
        "{\"time\":[1],\"variables\":[]}"})
    EXPECT_EQ(problem_of(text, ResultFormat::Json),
              "it is not {\"time\": [numbers], \"variables\": {NAME: [numbers]}}");
  EXPECT_EQ(problem_of("{\"time\":[1],\"variables\":{\"x\":[]}}", ResultFormat::Json),
            "`x` has 0 values, and there are 1 times");
  EXPECT_EQ(problem_of("MATLAB 5.0 MAT-file, Platform", ResultFormat::Mat),
            "it is not a MATLAB level 4 file, little-endian");
  EXPECT_EQ(problem_of("", ResultFormat::Mat), "it is no trajectory: it has no matrix `Aclass`");
}

// Cut or changed anywhere, a file gives a trace or a reason, and nothing worse.
TEST(ReadTrace, SurvivesAnyDamage) {
  const std::string good[] = {csv_text(kEvents), json_text(kEvents), mat_text(kEvents)};
  std::mt19937_64 random(1);
  int readable = 0;
  for (int round = 0; round < 30'000; ++round) {
    const std::size_t which = random() % 3;
    std::string text = good[which];
    for (std::size_t n = random() % 4; n > 0; --n)
      text[random() % text.size()] = static_cast<char>(random());
    if (random() % 2 == 0) text.resize(random() % (text.size() + 1));
    std::string problem;
    const auto read = read_trace(text, static_cast<ResultFormat>(which), problem);
    if (!read) {
      ASSERT_NE(problem, "");
      continue;
    }
    ++readable;
    for (const auto& column : read->columns) ASSERT_EQ(column.size(), read->rows());
  }
  EXPECT_GT(readable, 1000);
}

// The bytes that other programs look for (OpenModelica's reader compares them).
TEST(Mat, LooksAsOthersExpect) {
  const std::string text = mat_text(kEvents);
  const auto int_at = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(text[at + i]);
    return value;
  };
  EXPECT_EQ(int_at(0), 51u);  // text
  EXPECT_EQ(int_at(4), 4u);
  EXPECT_EQ(int_at(8), 11u);
  EXPECT_EQ(int_at(16), 7u);
  EXPECT_EQ(text.substr(20, 7), std::string("Aclass\0", 7));
  EXPECT_EQ(text.substr(27, 44), "A1 bt. ir1 na  Tj  re  ac  nt  so   r   y   ");
  EXPECT_EQ(int_at(71), 51u);
  EXPECT_EQ(int_at(75), 9u) << "the longest name";
  EXPECT_EQ(int_at(79), 5u) << "names, with time";
  EXPECT_EQ(text.substr(91, 5), std::string("name\0", 5));
  EXPECT_EQ(text.substr(96, 10), std::string("time\0\0\0\0\0x", 10));
  EXPECT_EQ(result_format("a.b.mat"), ResultFormat::Mat);
  EXPECT_EQ(result_format("mat"), std::nullopt);
}

}  // namespace
}  // namespace chi::results
