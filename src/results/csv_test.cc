#include "results/csv.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

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

TEST(Csv, NamesUnits) {
  Trace trace = trace_of({"p", "n", "T[1].v"}, {0}, {{2}, {3}, {4}});
  trace.units = {"bar", "", "km/h"};
  EXPECT_EQ(csv_text(trace), "time,p [bar],n,T[1].v [km/h]\n0,2,3,4\n");
  EXPECT_EQ(json_text(trace),
            "{\"time\":[0],\"variables\":{\"p\":[2],\"n\":[3],\"T[1].v\":[4]},"
            "\"units\":{\"p\":\"bar\",\"T[1].v\":\"km/h\"}}\n");
}

TEST(Csv, HeaderAndRows) {
  EXPECT_EQ(csv_text(trace_of({"x", "M[1].b"}, {0, 0.5}, {{1, 0.1}, {0, 1}})),
            "time,x,M[1].b\n0,1,0\n0.5,0.1,1\n");
  EXPECT_EQ(csv_text(trace_of({}, {0, 2}, {})), "time\n0\n2\n");
  EXPECT_EQ(csv_text({}), "time\n");
}

TEST(Csv, QuotesNamesThatNeedIt) {
  EXPECT_EQ(
      csv_text(trace_of({"a,b", "say \"x\"", "two\nlines", "plain[0].1"}, {}, {{}, {}, {}, {}})),
      "time,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",plain[0].1\n");
}

// Every finite number reads back as itself, bit for bit.
TEST(Csv, NumbersReadBackExactly) {
  std::mt19937_64 random(1);
  std::vector<double> values = {
      0.0, -0.0, 0.1, 1e-320, 5e-324, 1.7976931348623157e308, 1.0 / 3, 9007199254740993.0, -2.5};
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t bits = random();
    double value = 0;
    static_assert(sizeof value == sizeof bits);
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value)) values.push_back(value);
  }
  std::istringstream text(csv_text(trace_of({"x"}, values, {values})));
  std::string line;
  std::getline(text, line);
  for (const double value : values) {
    std::getline(text, line);
    const std::size_t comma = line.find(',');
    const double time = std::strtod(line.substr(0, comma).c_str(), nullptr);
    const double read = std::strtod(line.substr(comma + 1).c_str(), nullptr);
    ASSERT_EQ(std::memcmp(&time, &value, sizeof value), 0) << line;
    ASSERT_EQ(std::memcmp(&read, &value, sizeof value), 0) << line;
  }
}

TEST(Json, HasNoNumbersThatJsonHasNot) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(json_text(trace_of({"x\"", "y"}, {0, 1}, {{inf, 1.5}, {-inf, std::nan("")}})),
            "{\"time\":[0,1],\"variables\":{\"x\\\"\":[\"Infinity\",1.5],"
            "\"y\":[\"-Infinity\",null]}}\n");
}

TEST(Vars, Patterns) {
  EXPECT_TRUE(matches({}, "anything"));
  EXPECT_TRUE(matches({"x"}, "x"));
  EXPECT_FALSE(matches({"x"}, "xy"));
  EXPECT_FALSE(matches({"x"}, ""));
  EXPECT_TRUE(matches({"a", "b*"}, "bus"));
  EXPECT_TRUE(matches({"*"}, ""));
  EXPECT_TRUE(matches({"M[?].*"}, "M[3].x.y"));
  EXPECT_FALSE(matches({"M[?].*"}, "M[10].x"));
  EXPECT_TRUE(matches({"*a*a*"}, "banana"));
  EXPECT_TRUE(matches({"*ana"}, "banana"));
  EXPECT_FALSE(matches({"*anas"}, "banana"));
  EXPECT_TRUE(matches({"**x"}, "x"));
  // Many stars on a long name: no exponential search.
  std::string pattern;
  for (int i = 0; i < 40; ++i) pattern += "a*";
  EXPECT_FALSE(matches({pattern + "b"}, std::string(2000, 'a')));
}

/// The definition of a pattern, by all ways to split.
bool slow(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*')
    return slow(pattern.substr(1), name) || (!name.empty() && slow(pattern, name.substr(1)));
  return !name.empty() && (pattern[0] == '?' || pattern[0] == name[0]) &&
         slow(pattern.substr(1), name.substr(1));
}

TEST(Vars, PatternsAgreeWithTheirDefinition) {
  std::mt19937_64 random(1);
  const auto draw = [&](std::string_view letters, std::size_t most) {
    std::string text;
    for (std::size_t n = random() % (most + 1); n > 0; --n)
      text += letters[random() % letters.size()];
    return text;
  };
  for (int i = 0; i < 20'000; ++i) {
    const std::string pattern = draw("ab*?", 7), name = draw("ab", 8);
    ASSERT_EQ(matches({pattern}, name), slow(pattern, name)) << pattern << " on " << name;
  }
}

}  // namespace
}  // namespace chi::results
