#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/axis.h"
#include "results/html_plot.h"
#include "results/panels.h"
#include "results/svg_plot.h"
#include "results/terminal_plot.h"
#include "results/thin.h"

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

TEST(Axis, LabelsAreShortAndTellTicksApart) {
  const auto labels = [](double low, double high) {
    std::string all;
    const Axis axis = make_axis(low, high, 4);
    for (const double tick : axis.ticks) all += axis.label(tick) + " ";
    return all;
  };
  EXPECT_EQ(labels(0, 1), "0 0.2 0.4 0.6 0.8 1.0 ");
  EXPECT_EQ(labels(-0.3, 0.1), "-0.3 -0.2 -0.1 0 0.1 ");
  EXPECT_EQ(labels(0, 4e-9), "0 1e-9 2e-9 3e-9 4e-9 ");
  EXPECT_EQ(labels(1e6, 1.4e6), "1e6 1.1e6 1.2e6 1.3e6 1.4e6 ");
  EXPECT_EQ(labels(1, 1.0000004), "1 1.0000001 1.0000002 1.0000003 1.0000004 ");
  EXPECT_EQ(labels(0, 0), "-1.0 -0.5 0 0.5 1.0 ");
}

// What rounding errors left of a zero is a zero.
TEST(Axis, EndLabelsHaveNoNoise) {
  EXPECT_EQ(make_axis(-3e-14, 5, 4).end_label(-3e-14), "0");
  EXPECT_EQ(make_axis(0, 0.30000000000000004, 4).end_label(0.30000000000000004), "0.3");
  EXPECT_EQ(make_axis(0, 1e-9, 4).end_label(1e-9), "1e-9");
  EXPECT_EQ(make_axis(-1, 12345678, 4).end_label(12345678), "1.23e7");
}

// Ends of a narrow range are told apart, and those of the widest have numbers.
TEST(Axis, NarrowestAndWidest) {
  const Axis narrow = make_axis(5.0000000001, 5.0000000003, 4);
  EXPECT_EQ(narrow.end_label(narrow.low), "5.0000000001");
  EXPECT_EQ(narrow.end_label(narrow.high), "5.0000000003");
  const Axis wide = make_axis(-1e308, 1e308, 4);
  EXPECT_EQ(wide.end_label(wide.high), "1e308");
  EXPECT_EQ(wide.share(0), 0.5);
  EXPECT_EQ(wide.share(wide.high), 1);
  EXPECT_GE(wide.ticks.size(), 3u);
  const double tiny = std::numeric_limits<double>::denorm_min();
  for (const Axis& axis : {make_axis(0, tiny, 4), make_axis(-1.7e308, -1.7e308, 4)}) {
    EXPECT_GT(axis.high, axis.low);
    EXPECT_LT(axis.ticks.size(), 20u);
    EXPECT_EQ(axis.share(axis.high), 1);
  }
  // What cannot be divided into steps is seen as nothing, and has labels all the same.
  for (const Axis& axis : {make_axis(0, tiny, 4), make_axis(-3 * tiny, 1e-300, 4),
                           make_axis(tiny, tiny, 4), make_axis(-1e-295, 1e-295, 4)}) {
    EXPECT_NEAR(axis.share(0), 0.5, 1e-9);
    ASSERT_GE(axis.ticks.size(), 3u);
    EXPECT_EQ(axis.label(0), "0");
    EXPECT_NE(axis.label(axis.ticks.front()), axis.label(axis.ticks.back()));
    EXPECT_NE(axis.end_label(axis.low), axis.end_label(axis.high));
  }
  EXPECT_EQ(make_axis(1e-295, 2e-295, 4).label(0), "0");
  EXPECT_EQ(make_axis(1e-280, 2e-280, 4).end_label(2e-280), "2e-280");
  EXPECT_EQ(make_axis(-14.007, 11.2057, 4).end_label(11.2057), "11.2") << "rounded, not moved";
}

TEST(Axis, WholeNumbersHaveNoFractions) {
  EXPECT_EQ(make_whole_axis(0, 1, 4).ticks, (std::vector<double>{0, 1}));
  EXPECT_EQ(make_whole_axis(0, 2, 5).ticks, (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(make_whole_axis(0, 100, 5).ticks.size(), 6u);
}

TEST(Thin, KeepsEveryPeak) {
  std::vector<double> times, values;
  for (int i = 0; i < 100'000; ++i) {
    times.push_back(i);
    values.push_back(std::sin(i * 1e-3) + (i == 44'444 ? 50 : i == 44'445 ? -50 : 0));
  }
  const std::vector<std::size_t> kept = thin(times, values, 0, 99'999, 500);
  EXPECT_LE(kept.size(), 2000u);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  EXPECT_EQ(kept.front(), 0u);
  EXPECT_EQ(kept.back(), 99'999u);
  EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), 44'444u));
  EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), 44'445u));
}

TEST(Thin, KeepsFewPointsAllAndGaps) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> times = {0, 1, 1, 2, 3}, values = {5, nan, 4, nan, 1};
  EXPECT_EQ(thin(times, values, 0, 3, 100), (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(thin(times, values, 0, 3, 1).size(), 5u);
  EXPECT_TRUE(thin({}, {}, 0, 1, 10).empty());
}

TEST(Panels, PutTogetherWhatIsOfOneSize) {
  Trace trace = trace_of({"x", "y", "big", "b", "still", "c"}, {0, 1},
                         {{0, 1}, {-1, 0.5}, {0, 1e6}, {0, 1}, {0.7, 0.7}, {1, 0}});
  trace.kinds[3] = trace.kinds[5] = Trace::Kind::Boolean;
  const std::vector<Panel> panels = make_panels(trace, 6, 8);
  ASSERT_EQ(panels.size(), 3u);
  EXPECT_EQ(panels[0].variables, (std::vector<std::size_t>{0, 1, 4}));
  EXPECT_EQ(panels[0].low, -1);
  EXPECT_EQ(panels[0].high, 1);
  EXPECT_EQ(panels[1].variables, (std::vector<std::size_t>{2}));
  EXPECT_EQ(panels[2].variables, (std::vector<std::size_t>{3, 5}));
  EXPECT_EQ(make_panels(trace, 1, 2).size(), 1u);
  EXPECT_TRUE(make_panels({}, 6, 8).empty());
}

// A zero that rounding moved is a zero beside values of size, and a small value alone is itself.
TEST(Panels, RoundingIsNotDrawn) {
  const Trace both = trace_of({"x", "rest"}, {0, 1}, {{0, 1}, {0, 2.8e-17}});
  EXPECT_EQ(drawn_ranges(both)[1], std::make_pair(0.0, 0.0));
  const Trace charge = trace_of({"q"}, {0, 1}, {{0, 1.6e-19}});
  EXPECT_EQ(drawn_ranges(charge)[0], std::make_pair(0.0, 1.6e-19));
}

// Of a large array some elements, in one panel; what stands still has none where anything moves.
TEST(Panels, ArraysStayTogether) {
  std::vector<std::string> names = {"still"};
  std::vector<std::vector<double>> columns = {{70, 70}};
  for (int k = 0; k < 100; ++k) {
    names.push_back("T[" + std::to_string(k) + "]");
    columns.push_back({0, 1.0 + k / 100.0});
  }
  names.push_back("v");
  columns.push_back({0, 1});
  const Trace trace = trace_of(names, {0, 1}, columns);
  const std::vector<Panel> panels = make_panels(trace, 6, 8);
  ASSERT_EQ(panels.size(), 2u);
  EXPECT_EQ(panels[0].variables, (std::vector<std::size_t>{1, 15, 29, 43, 57, 71, 85, 100}));
  EXPECT_EQ(panels[1].variables, (std::vector<std::size_t>{101}));
  EXPECT_EQ(worth_seeing(trace, 3), (std::vector<std::size_t>{0, 1, 101}));
  EXPECT_EQ(worth_seeing(trace, 5), (std::vector<std::size_t>{0, 1, 50, 100, 101}));
  EXPECT_EQ(worth_seeing(trace, 200).size(), 102u);
  EXPECT_EQ(make_panels(trace_of({"a", "b"}, {0, 1}, {{1, 1}, {9, 9}}), 6, 8).size(), 2u);
}

const Trace kEvents = trace_of({"x", "a<b>&\"c\""}, {0, 1, 1, 2}, {{0, 1, 5, 6}, {1, 1, 1, 1}});

TEST(SvgPlot, IsSvgWithAllCurves) {
  const std::string svg = svg_plot(kEvents, "<title> & more");
  EXPECT_EQ(svg.find("<svg"), 0u);
  EXPECT_NE(svg.find("&lt;title&gt; &amp; more"), std::string::npos);
  EXPECT_NE(svg.find("a&lt;b&gt;&amp;"), std::string::npos);
  std::size_t curves = 0;
  for (std::size_t at = svg.find("<polyline"); at != std::string::npos;
       at = svg.find("<polyline", at + 1))
    ++curves;
  EXPECT_EQ(curves, 2u);
  EXPECT_NE(svg.find("class='m d'"), std::string::npos) << "the event is marked";
  for (const Trace& trace : {Trace{}, trace_of({"x"}, {}, {{}}), trace_of({"x"}, {3}, {{NAN}})})
    EXPECT_NE(svg_plot(trace, "").find("</svg>"), std::string::npos);
}

// More curves than colours: they can still be told apart.
TEST(SvgPlot, DashesWhereColoursComeAgain) {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
  for (int k = 0; k < 9; ++k) {
    names.push_back("x[" + std::to_string(k) + "]");
    columns.push_back({0.1 * k, 1 + 0.1 * k});
  }
  const std::string svg = svg_plot(trace_of(names, {0, 1}, columns), "");
  std::size_t dashed = 0;
  for (std::size_t at = svg.find("stroke-dasharray='"); at != std::string::npos;
       at = svg.find("stroke-dasharray='", at + 1))
    ++dashed;
  EXPECT_EQ(dashed, 4u) << "two curves and their legends";
}

TEST(SvgPlot, GrowsWithThePictureAndNotWithTheRun) {
  std::vector<double> times, values;
  for (int i = 0; i < 200'000; ++i) {
    times.push_back(i);
    values.push_back(std::sin(i * 1e-4));
  }
  EXPECT_LT(svg_plot(trace_of({"x"}, times, {values}), "").size(), 150'000u);
}

TEST(TerminalPlot, FitsAndMarksEvents) {
  const std::string plot = terminal_plot(kEvents, 80, 23);
  EXPECT_LE(std::count(plot.begin(), plot.end(), '\n'), 23);
  EXPECT_NE(plot.find("\u25B4"), std::string::npos);
  EXPECT_EQ(terminal_plot({}, 80, 23), "nothing to plot\n");
  EXPECT_NE(terminal_plot(kEvents, 80, 8).find("(1 more variable; choose with --vars)"),
            std::string::npos);
}

TEST(TerminalPlot, FitsAndIsReadableWhateverTheValues) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string long_name = "plant." + std::string(200, 'x') + "[12].end";
  const Trace trace = trace_of({"gap", long_name, "wide", "narrow", "none"}, {0, 1e-9, 2e-9},
                               {{1, nan, 2},
                                {1, 2, 3},
                                {-1e308, 1e308, 0},
                                {5.0000000001, 5.0000000002, 5.0000000003},
                                {nan, nan, nan}});
  const std::string plot = terminal_plot(trace, 80, 23);
  for (std::size_t begin = 0; begin < plot.size();) {
    const std::size_t end = plot.find('\n', begin);
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    EXPECT_LE(std::count_if(plot.begin() + static_cast<std::ptrdiff_t>(begin),
                            plot.begin() + static_cast<std::ptrdiff_t>(end), begins),
              80)
        << plot.substr(begin, end - begin);
    begin = end + 1;
  }
  for (const char* text : {"plant.xx", "\u2026", "xx[12].end\n", " 1e308", " -1e308",
                           "5.0000000001 ", "5.0000000003 ", "none  (no finite value)"})
    EXPECT_NE(plot.find(text), std::string::npos) << text << "\n" << plot;
  EXPECT_EQ(plot.find("nan"), std::string::npos);
  EXPECT_EQ(plot.find('\033'), std::string::npos);
  EXPECT_NE(terminal_plot(trace, 80, 23, true).find("\033[36m"), std::string::npos);
}

// Between the ends of a high panel there are numbers, too.
TEST(TerminalPlot, LabelsBetweenTheEnds) {
  const std::string plot = terminal_plot(trace_of({"x"}, {0, 1}, {{-1, 1}}), 80, 23);
  EXPECT_NE(plot.find("        0 \u2502"), std::string::npos) << plot;
}

TEST(TerminalPlot, OnePointIsAList) {
  EXPECT_EQ(terminal_plot(trace_of({"x", "y"}, {2, 2}, {{1, 3}, {0.5, 0.5}}), 80, 23),
            "at t = 2, the only point in time:\n  x = 3\n  y = 0.5\n");
}

TEST(SvgPlot, LonelyPointsAndLongLabels) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string svg = svg_plot(
      trace_of({std::string(300, 'n'), "narrow"}, {0, 1, 2}, {{3, nan, 1}, {5e9, 5e9 + 1, 5e9}}),
      "t");
  EXPECT_NE(svg.find("<circle"), std::string::npos);
  EXPECT_NE(svg.find("\u2026"), std::string::npos);
  EXPECT_EQ(svg.find(std::string(120, 'n')), std::string::npos);
  EXPECT_EQ(svg_plot(trace_of({"x"}, {0, 1}, {{-1e308, 1e308}}), "").find("nan"),
            std::string::npos);
}

/// The data in a page.
nlohmann::json data_of(const std::string& page) {
  const std::string_view mark = "id=\"data\">";
  const std::size_t begin = page.find(mark) + mark.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(HtmlPlot, HoldsTheData) {
  const std::vector<LoggedEvent> events = {{1, "state", "x </script> 1", "m.chi:1:2", ""},
                                           {1, "mode", "low", "m.chi:3:1", "Tank"}};
  const std::string page = html_plot(kEvents, "a <b> title", events, 7);
  EXPECT_NE(page.find("<title>a &lt;b&gt; title</title>"), std::string::npos);
  const nlohmann::json data = data_of(page);
  EXPECT_EQ(data["times"], "AAAAAAAAAAAAAAAAAADwPwAAAAAAAPA/AAAAAAAAAEA=");
  EXPECT_EQ(data["variables"][0]["n"], "x");
  EXPECT_EQ(data["variables"][1]["n"], "a<b>&\"c\"");
  EXPECT_EQ(data["variables"][1]["c"], 1.0);
  EXPECT_EQ(data["panels"].dump(), "[[0,1]]");
  EXPECT_EQ(data["events"][0][2], "x </script> 1");
  EXPECT_EQ(data["events"][1][4], "Tank");
  EXPECT_EQ(data["left_out"], 7);
}

// One file: nothing is loaded from anywhere, and no placeholder is left.
TEST(HtmlPlot, NeedsNothingElse) {
  const std::string page = html_plot(kEvents, "t");
  for (const std::string_view part :
       {"http:", "https:", "src=", "href=", "@import", "url(", "@DATA@", "@SCRIPT@", "fetch("})
    EXPECT_EQ(page.find(part), std::string::npos) << part;
  EXPECT_NE(page.find("requestAnimationFrame"), std::string::npos);
  EXPECT_NE(page.find("--accent"), std::string::npos);
}

TEST(HtmlPlot, OfAlmostNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(data_of(html_plot({}, ""))["variables"].size(), 0u);
  EXPECT_TRUE(data_of(html_plot(trace_of({"x"}, {0}, {{nan}}), ""))["variables"][0]["c"].is_null());
}

}  // namespace
}  // namespace chi::results
