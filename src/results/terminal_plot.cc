#include "results/terminal_plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "results/axis.h"
#include "results/panels.h"

namespace chi::results {
namespace {

constexpr int kLeft = 10;  // columns for the labels of the axis

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
    return static_cast<int>(
        std::lround((t - time.low) / (time.high - time.low) * (canvas.width() - 1)));
  };
  const auto y_of = [&](double v) {
    return static_cast<int>(
        std::lround((axis.high - v) / (axis.high - axis.low) * (canvas.height() - 1)));
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
  return static_cast<int>((t - time.low) / (time.high - time.low) * (width - 1) + 0.5);
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

std::string time_axis(const Axis& time, int width) {
  std::string labels(static_cast<std::size_t>(kLeft + 1 + width), ' ');
  int free_until =
      kLeft + 1 + width + 1;  // from the right: of two that would touch, the last stays
  for (auto tick = time.ticks.rbegin(); tick != time.ticks.rend(); ++tick) {
    const std::string label = time.label(*tick);
    const int at = kLeft + 1 + column_of(*tick, time, width) - static_cast<int>(label.size() / 2);
    const int begin = std::min(at, kLeft + 1 + width - static_cast<int>(label.size()));
    if (begin + static_cast<int>(label.size()) >= free_until) continue;
    labels.replace(static_cast<std::size_t>(begin), label.size(), label);
    free_until = begin;
  }
  while (!labels.empty() && labels.back() == ' ') labels.pop_back();
  return labels + "  time\n";
}

}  // namespace

std::string terminal_plot(const Trace& trace, int columns, int rows) {
  if (trace.rows() == 0 || trace.names.empty()) return "nothing to plot\n";
  const int most = std::max(1, (rows - 2) / 4);
  const std::vector<std::size_t> chosen = worth_seeing(trace, static_cast<std::size_t>(most));
  const int shown = static_cast<int>(chosen.size());
  const int panel = std::max(2, (rows - 2) / shown - 1);
  const int width = std::max(20, columns - kLeft - 9);
  const Axis time = make_axis(trace.times.front(), trace.times.back(), 6);
  std::string out;
  for (const std::size_t variable : chosen) {
    const auto [low, high] = finite_range(trace.columns[variable]);
    const Axis axis = make_axis(low, high, 4);
    Canvas canvas(width, panel);
    draw(trace, variable, time, axis, canvas);
    out += fmt::format("{:>{}} {}\n", "", kLeft, trace.names[variable]);
    for (int r = 0; r < panel; ++r) {
      const std::string label = r == 0           ? axis.end_label(axis.high)
                                : r == panel - 1 ? axis.end_label(axis.low)
                                                 : "";
      out += fmt::format("{:>{}} \u2502{}\n", label, kLeft - 1, canvas.row(r));
    }
  }
  out += fmt::format("{:>{}} \u2514{}\n", "", kLeft - 1, time_rule(trace, time, width));
  out += time_axis(time, width);
  const int left_out = static_cast<int>(trace.names.size()) - shown;
  if (left_out > 0)
    out += fmt::format("({} more variable{}; choose with --vars)\n", left_out,
                       left_out == 1 ? "" : "s");
  return out;
}

}  // namespace chi::results
