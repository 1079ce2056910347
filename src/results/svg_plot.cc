#include "results/svg_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "results/axis.h"
#include "results/markup.h"
#include "results/panels.h"
#include "results/thin.h"

namespace chi::results {
namespace {

constexpr double kWidth = 800, kLeast = 70, kRight = 20, kTitle = 34, kLine = 19, kBottom = 44;
// Distinguishable also by readers who do not see all colours alike (after Okabe and Ito).
constexpr std::array kColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                "#e69f00", "#56b4e9", "#000000"};
constexpr std::size_t kPanels = 6, kCurves = 10, kMostMarks = 100;

/// The place of a panel in the picture.
struct Frame {
  Axis x, y;
  double left = kLeast, top = 0, bottom = 0;
  double width() const { return kWidth - left - kRight; }
  double px(double t) const { return left + x.share(t) * width(); }
  double py(double v) const { return bottom - y.share(v) * (bottom - top); }
};

/// The axis of a panel, with some room above and below the curves.
Axis value_axis(const Trace& trace, const Panel& panel, double height) {
  const double margin = 0.05 * panel.high - 0.05 * panel.low;
  const bool whole =
      !panel.variables.empty() &&
      std::all_of(panel.variables.begin(), panel.variables.end(),
                  [&](std::size_t v) { return trace.kinds[v] != Trace::Kind::Real; });
  return (whole ? make_whole_axis : make_axis)(panel.low - margin, panel.high + margin,
                                               static_cast<int>(height / 50));
}

/// Characters are about so wide.
double width_of(std::size_t characters) { return 7.6 * static_cast<double>(characters); }

/// Of a name that is longer than the picture is wide, its begin and its end.
std::string shortened(const std::string& name, double room) {
  const std::size_t most = static_cast<std::size_t>(room / width_of(1));
  if (name.size() <= most) return name;
  const auto starts_character = [&](std::size_t i) {
    return (static_cast<unsigned char>(name[i]) & 0xC0) != 0x80;
  };
  std::size_t front = most / 3, back = name.size() - (most - most / 3 - 1);
  while (front > 0 && !starts_character(front)) --front;
  while (back < name.size() && !starts_character(back)) ++back;
  return name.substr(0, front) + "\u2026" + name.substr(back);
}

/// A name and its colour; names one after the other, as many a line as fit.
struct LegendEntry {
  std::size_t variable = 0, color = 0;
  double x = 0;
  int line = 0;
  bool dashed = false;  ///< where the colours come again
  const char* dash() const { return dashed ? " stroke-dasharray='7 3'" : ""; }
};

/// Panels begin with different colours, so that a single curve is not like that of its neighbour.
std::vector<LegendEntry> legend_of(const Trace& trace, const Panel& panel, std::size_t first,
                                   double left) {
  std::vector<LegendEntry> entries;
  double x = left;
  int line = 0;
  for (std::size_t i = 0; i < panel.variables.size(); ++i) {
    const std::size_t v = panel.variables[i];
    const double width = 44 + 7.2 * static_cast<double>(trace.label(v).size());
    if (x > left && x + width > kWidth - kRight) {
      x = left;
      ++line;
    }
    entries.push_back({v, (first + i) % kColors.size(), x, line, i >= kColors.size()});
    x += width;
  }
  return entries;
}

void add_axes(std::string& out, const Frame& frame, bool last) {
  for (const double tick : frame.x.ticks) {
    out += fmt::format("<line class='g' x1='{0:.1f}' y1='{1:.1f}' x2='{0:.1f}' y2='{2:.1f}'/>",
                       frame.px(tick), frame.top, frame.bottom);
    out += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text>\n",
                       frame.px(tick), frame.bottom + 17, frame.x.label(tick));
  }
  for (const double tick : frame.y.ticks) {
    out += fmt::format(
        "<line class='g' x1='{0}' y1='{1:.1f}' x2='{2}' y2='{1:.1f}'/>"
        "<text x='{3}' y='{4:.1f}' text-anchor='end'>{5}</text>\n",
        frame.left, frame.py(tick), kWidth - kRight, frame.left - 8, frame.py(tick) + 4,
        frame.y.label(tick));
  }
  out += fmt::format(
      "<rect x='{}' y='{:.1f}' width='{}' height='{:.1f}' fill='none' stroke='#444'/>\n",
      frame.left, frame.top, frame.width(), frame.bottom - frame.top);
  if (!last) return;
  out += fmt::format("<text x='{}' y='{:.1f}' text-anchor='middle'>time</text>\n",
                     (frame.left + kWidth - kRight) / 2, frame.bottom + 36);
}

/// The times that stand twice: lines if they are few, short marks at the axis if they are not.
void add_marks(std::string& out, const Trace& trace, const Frame& frame) {
  std::vector<double> marks;
  for (std::size_t i = 1; i < trace.rows(); ++i) {
    if (trace.times[i] != trace.times[i - 1]) continue;
    const double x = frame.px(trace.times[i]);
    if (marks.empty() || x - marks.back() >= 0.5) marks.push_back(x);
  }
  const double top = marks.size() > kMostMarks ? frame.bottom - 6 : frame.top;
  if (marks.empty()) return;
  out += fmt::format("<path class='{}' d='", marks.size() > kMostMarks ? "m" : "m d");
  for (const double x : marks) out += fmt::format("M{:.1f} {:.1f}V{:.1f}", x, top, frame.bottom);
  out += "'/>\n";
}

void add_curve(std::string& out, const Trace& trace, const LegendEntry& entry, const Frame& frame) {
  const std::vector<double>& values = trace.columns[entry.variable];
  const auto columns = static_cast<std::size_t>(2 * frame.width());
  bool open = false;
  const auto alone = [&](std::size_t i) {  // no line goes through it
    return (i == 0 || !std::isfinite(values[i - 1])) &&
           (i + 1 == values.size() || !std::isfinite(values[i + 1]));
  };
  for (const std::size_t i : thin(trace.times, values, frame.x.low, frame.x.high, columns)) {
    if (!std::isfinite(values[i])) {
      if (open) out += "'/>\n";
      open = false;
      continue;
    }
    if (alone(i)) {
      out += fmt::format("<circle cx='{:.2f}' cy='{:.2f}' r='2' fill='{}'/>\n",
                         frame.px(trace.times[i]), frame.py(values[i]), kColors[entry.color]);
      continue;
    }
    if (!open) {
      out += fmt::format("<polyline fill='none' stroke='{}'{} stroke-width='1.5' points='",
                         kColors[entry.color], entry.dash());
    }
    open = true;
    out += fmt::format("{:.2f},{:.2f} ", frame.px(trace.times[i]), frame.py(values[i]));
  }
  if (open) out += "'/>\n";
}

void add_legend(std::string& out, const Trace& trace, const LegendEntry& entry, double top) {
  const double y = top + kLine * entry.line;
  out += fmt::format(
      "<line x1='{0}' y1='{2}' x2='{1}' y2='{2}' stroke='{3}'{7} stroke-width='2.5'/><text x='{4}' "
      "y='{5}'>{6}</text>\n",
      entry.x, entry.x + 20, y - 4, kColors[entry.color], entry.x + 26, y,
      in_markup(
          shortened(visible_line(trace.label(entry.variable)), kWidth - kRight - entry.x - 26)),
      entry.dash());
}

}  // namespace

std::string svg_plot(const Trace& trace, const std::string& title) {
  std::vector<Panel> panels = make_panels(trace, kPanels, kCurves);
  if (panels.empty()) panels.emplace_back();
  const double height = panels.size() == 1 ? 380 : panels.size() == 2 ? 220 : 150;
  std::string body;
  double y = kTitle;
  std::size_t drawn = 0;
  const auto [start, end] = finite_range(trace.times);
  double left = kLeast;
  for (const Panel& panel : panels) {
    const Axis axis = value_axis(trace, panel, height);
    for (const double tick : axis.ticks)
      left = std::max(left, 16 + width_of(axis.label(tick).size()));
  }
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const Panel& panel = panels[p];
    const std::vector<LegendEntry> legend = legend_of(trace, panel, p, left);
    const double legend_top = y + kLine - 4;
    y += kLine * (legend.empty() ? 0 : legend.back().line + 1) + 6;
    const Frame frame{make_axis(start, end, 8), value_axis(trace, panel, height), left, y,
                      y + height};
    add_axes(body, frame, p + 1 == panels.size());
    add_marks(body, trace, frame);
    for (const LegendEntry& entry : legend) add_curve(body, trace, entry, frame);
    for (const LegendEntry& entry : legend) add_legend(body, trace, entry, legend_top);
    drawn += legend.size();
    y += height + (p + 1 == panels.size() ? kBottom : 26);
  }
  if (drawn < trace.names.size()) {
    body += fmt::format("<text x='{}' y='{:.1f}' fill='#666'>and {} more variables</text>\n", left,
                        y, trace.names.size() - drawn);
    y += kLine;
  }
  return fmt::format(
             "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' width='{0}' "
             "height='{1}' font-family='sans-serif' font-size='13'>\n"
             "<style>.g{{stroke:#ddd}}.m{{stroke:#c2410c;stroke-opacity:.45;fill:none}}"
             ".d{{stroke-dasharray:3 3}}</style>\n<rect width='{0}' height='{1}' fill='white'/>\n"
             "<text x='{2}' y='22' font-size='15' font-weight='bold'>{3}</text>\n",
             kWidth, std::ceil(y), left, in_markup(title)) +
         body + "</svg>\n";
}

}  // namespace chi::results
