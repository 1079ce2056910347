#include "results/terminal_plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/visible_text.h"
#include "results/axis.h"
#include "results/panels.h"

namespace chi::results {
namespace {

constexpr int kLeft = 10;  // columns for the labels of the axis, or more
constexpr int kRight = 9;  // for what the last label and the word behind it need
constexpr const char* kColors[] = {"36", "33", "32", "35", "34"};  // one after the other

/// Dots, two by four a character (Braille patterns from U+2800).
class Canvas {
 public:
  Canvas(int columns, int rows)
      : columns_(columns), rows_(rows), cells_(static_cast<std::size_t>(columns * rows), 0) {}
  int width() const { return 2 * columns_; }
  int height() const { return 4 * rows_; }

  void dot(int x, int y) {
    if (x < 0 || y < 0 || x >= width() || y >= height()) return;
    static constexpr unsigned char kBits[4][2] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    cells_[static_cast<std::size_t>((y / 4) * columns_ + x / 2)] |= kBits[y % 4][x % 2];
  }

  void line(int x0, int y0, int x1, int y1) {
    const int steps = std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1});
    for (int i = 0; i <= steps; ++i) {
      dot(x0 + static_cast<int>(std::lround(static_cast<double>(x1 - x0) * i / steps)),
          y0 + static_cast<int>(std::lround(static_cast<double>(y1 - y0) * i / steps)));
    }
  }

  std::string row(int r) const {
    std::string text;
    for (int c = 0; c < columns_; ++c) {
      const unsigned cell = cells_[static_cast<std::size_t>(r * columns_ + c)];
      if (cell == 0) {
        text += ' ';
        continue;
      }
      const unsigned code = 0x2800 + cell;
      text += static_cast<char>(0xE0 | (code >> 12));
      text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
      text += static_cast<char>(0x80 | (code & 0x3F));
    }
    return text;
  }

 private:
  int columns_, rows_;
  std::vector<unsigned char> cells_;
};

void draw(const Trace& trace, std::size_t variable, const Axis& time, const Axis& axis,
          Canvas& canvas) {
  const auto x_of = [&](double t) {
    return static_cast<int>(std::lround(time.share(t) * (canvas.width() - 1)));
  };
  const auto y_of = [&](double v) {
    return static_cast<int>(std::lround((1 - axis.share(v)) * (canvas.height() - 1)));
  };
  const std::vector<double>& values = trace.columns[variable];
  bool connected = false;
  int last_x = 0, last_y = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      connected = false;
      continue;
    }
    const int x = x_of(trace.times[i]);
    const int y = y_of(values[i]);
    if (connected) {
      canvas.line(last_x, last_y, x, y);
    } else {
      canvas.dot(x, y);
    }
    connected = true;
    last_x = x, last_y = y;
  }
}

int column_of(double t, const Axis& time, int width) {
  return static_cast<int>(time.share(t) * (width - 1) + 0.5);
}

/// The axis itself, with a tick under each label and a mark at each event, the times that stand
/// twice, unless there are so many that they would be all of it.
std::string time_rule(const Trace& trace, const Axis& time, int width) {
  std::vector<const char*> cells(static_cast<std::size_t>(width), "\u2500");
  const auto mark = [&](double t, const char* with) {
    const int at = column_of(t, time, width);
    if (at >= 0 && at < width) cells[static_cast<std::size_t>(at)] = with;
  };
  std::vector<double> events;
  for (std::size_t i = 1; i < trace.rows(); ++i) {
    if (trace.times[i] == trace.times[i - 1]) events.push_back(trace.times[i]);
  }
  for (const double tick : time.ticks) mark(tick, "\u2534");
  if (events.size() <= static_cast<std::size_t>(width)) {
    for (const double event : events) mark(event, "\u25B4");
  }
  std::string rule;
  for (const char* cell : cells) rule += cell;
  return rule;
}

std::string time_axis(const Axis& time, int left, int width) {
  std::string labels(static_cast<std::size_t>(left + 1 + width), ' ');
  int free_until = left + 1 + width + 1;  // from the right: of two that would touch, the last stays
  for (auto tick = time.ticks.rbegin(); tick != time.ticks.rend(); ++tick) {
    const std::string label = time.label(*tick);
    const int at = left + 1 + column_of(*tick, time, width) - static_cast<int>(label.size() / 2);
    const int begin = std::min(at, left + 1 + width - static_cast<int>(label.size()));
    if (begin + static_cast<int>(label.size()) >= free_until) continue;
    labels.replace(static_cast<std::size_t>(begin), label.size(), label);
    free_until = begin;
  }
  while (!labels.empty() && labels.back() == ' ') labels.pop_back();
  return labels + "  time\n";
}

/// A name as people may see it, at most `width` characters: of a long one its begin and its end.
std::string shortened(std::string_view name, int width) {
  const std::string text = visible_line(name);
  std::vector<std::size_t> starts;  // of characters, in UTF-8
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) starts.push_back(i);
  }
  if (starts.size() <= static_cast<std::size_t>(width)) return text;
  const std::size_t front = static_cast<std::size_t>(width) / 3;
  const std::size_t back = static_cast<std::size_t>(width) - front - 1;
  return text.substr(0, starts[front]) + "\u2026" + text.substr(starts[starts.size() - back]);
}

std::string painted(const std::string& text, const char* color) {
  return color == nullptr || text.find_first_not_of(' ') == std::string::npos
             ? text
             : fmt::format("\033[{}m{}\033[0m", color, text);
}

/// What there is at one point in time.
std::string list_values(const Trace& trace, int columns, int rows) {
  std::string out = fmt::format("at t = {}, the only point in time:\n", trace.times.back());
  const std::size_t most = static_cast<std::size_t>(std::max(2, rows - 2));
  const std::size_t shown = std::min(trace.names.size(), most);
  for (std::size_t v = 0; v < shown; ++v)
    out += fmt::format("  {} = {}\n", shortened(trace.label(v), std::max(20, columns - 30)),
                       trace.columns[v].back());
  if (shown < trace.names.size())
    out += fmt::format("({} more; choose with --vars)\n", trace.names.size() - shown);
  return out;
}

/// A variable and its axis.
struct Curve {
  std::size_t variable = 0;
  Axis axis;
  bool finite = false;  ///< whether there is anything to draw
};

std::vector<Curve> curves_of(const Trace& trace, const std::vector<std::size_t>& chosen) {
  const std::vector<std::pair<double, double>> ranges = drawn_ranges(trace);
  std::vector<Curve> curves;
  for (const std::size_t v : chosen) {
    const auto [low, high] = ranges[v];
    const std::vector<double>& values = trace.columns[v];
    const bool finite =
        std::any_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
    const bool whole = trace.kinds[v] != Trace::Kind::Real;
    curves.push_back({v, whole ? make_whole_axis(low, high, 4) : make_axis(low, high, 4), finite});
  }
  return curves;
}

/// What stands beside each row of a panel: the ends of the range, and ticks well between them.
std::vector<std::string> axis_labels(const Axis& axis, int rows) {
  std::vector<std::string> labels(static_cast<std::size_t>(rows));
  labels.front() = axis.end_label(axis.high);
  labels.back() = axis.end_label(axis.low);
  int free_from = 2;
  for (auto tick = axis.ticks.rbegin(); tick != axis.ticks.rend(); ++tick) {
    const int row = static_cast<int>(std::lround((1 - axis.share(*tick)) * (rows - 1)));
    if (row < free_from || row > rows - 3) continue;
    labels[static_cast<std::size_t>(row)] = axis.end_label(*tick);
    free_from = row + 2;
  }
  return labels;
}

}  // namespace

std::string terminal_plot(const Trace& trace, int columns, int rows, bool color) {
  if (trace.rows() == 0 || trace.names.empty()) return "nothing to plot\n";
  if (trace.times.front() == trace.times.back()) return list_values(trace, columns, rows);
  const int most = std::max(1, (rows - 2) / 4);
  const std::vector<Curve> curves =
      curves_of(trace, worth_seeing(trace, static_cast<std::size_t>(most)));
  const int shown = static_cast<int>(curves.size());
  const int panel = std::max(2, (rows - 2) / shown - 1);
  int left = kLeft;
  for (const Curve& curve : curves) {
    for (const std::string& label : axis_labels(curve.axis, panel))
      left = std::max(left, static_cast<int>(label.size()) + 1);
  }
  const int width = std::max(20, columns - left - kRight);
  const Axis time = make_axis(trace.times.front(), trace.times.back(), 6);
  std::string out;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const Curve& curve = curves[c];
    const char* paint = color ? kColors[c % std::size(kColors)] : nullptr;
    Canvas canvas(width, panel);
    draw(trace, curve.variable, time, curve.axis, canvas);
    const std::string note = curve.finite ? "" : "  (no finite value)";
    out += fmt::format(
        "{:>{}} {}{}\n", "", left,
        painted(shortened(trace.label(curve.variable), width - static_cast<int>(note.size())),
                paint),
        note);
    const std::vector<std::string> labels =
        curve.finite ? axis_labels(curve.axis, panel)
                     : std::vector<std::string>(static_cast<std::size_t>(panel));
    for (int r = 0; r < panel; ++r)
      out += fmt::format("{:>{}} \u2502{}\n", labels[static_cast<std::size_t>(r)], left - 1,
                         painted(canvas.row(r), paint));
  }
  out += fmt::format("{:>{}} \u2514{}\n", "", left - 1, time_rule(trace, time, width));
  out += time_axis(time, left, width);
  const int left_out = static_cast<int>(trace.names.size()) - shown;
  if (left_out > 0)
    out += fmt::format("({} more variable{}; choose with --vars)\n", left_out,
                       left_out == 1 ? "" : "s");
  return out;
}

}  // namespace chi::results
