#include "results/svg_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "results/axis.h"

namespace chi::results {
namespace {

constexpr double kWidth = 800, kHeight = 450, kLeft = 70, kRight = 20, kTop = 40, kBottom = 50;
// Distinguishable also by readers who do not see all colours alike (after Okabe and Ito).
constexpr std::array kColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                "#e69f00", "#56b4e9", "#000000"};
constexpr std::size_t kMaxCurves = 20;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      default: out += c;
    }
  }
  return out;
}

struct Frame {
  Axis x, y;
  double px(double t) const {
    return kLeft + (t - x.low) / (x.high - x.low) * (kWidth - kLeft - kRight);
  }
  double py(double v) const {
    return kHeight - kBottom - (v - y.low) / (y.high - y.low) * (kHeight - kTop - kBottom);
  }
};

void add_axes(std::string& out, const Frame& frame) {
  for (const double tick : frame.x.ticks) {
    out += fmt::format(
        "<line class='g' x1='{0:.1f}' y1='{1}' x2='{0:.1f}' y2='{2}'/>"
        "<text x='{0:.1f}' y='{3}' text-anchor='middle'>{4}</text>\n",
        frame.px(tick), kTop, kHeight - kBottom, kHeight - kBottom + 20, frame.x.label(tick));
  }
  for (const double tick : frame.y.ticks) {
    out += fmt::format(
        "<line class='g' x1='{0}' y1='{1:.1f}' x2='{2}' y2='{1:.1f}'/>"
        "<text x='{3}' y='{4:.1f}' text-anchor='end'>{5}</text>\n",
        kLeft, frame.py(tick), kWidth - kRight, kLeft - 8, frame.py(tick) + 4, frame.y.label(tick));
  }
  out += fmt::format("<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='#444'/>\n",
                     kLeft, kTop, kWidth - kLeft - kRight, kHeight - kTop - kBottom);
  out += fmt::format("<text x='{}' y='{}' text-anchor='middle'>time</text>\n",
                     (kLeft + kWidth - kRight) / 2, kHeight - 10);
}

void add_curve(std::string& out, const Trace& trace, std::size_t variable, const Frame& frame) {
  out += fmt::format("<polyline fill='none' stroke='{}' stroke-width='1.5' points='",
                     kColors[variable % kColors.size()]);
  double last_x = std::numeric_limits<double>::quiet_NaN(), last_y = last_x;
  for (std::size_t i = 0; i < trace.rows(); ++i) {
    const double value = trace.columns[variable][i];
    if (!std::isfinite(value)) continue;
    const double x = frame.px(trace.times[i]), y = frame.py(value);
    if (std::fabs(x - last_x) < 0.2 && std::fabs(y - last_y) < 0.2) continue;
    out += fmt::format("{:.2f},{:.2f} ", x, y);
    last_x = x, last_y = y;
  }
  out += "'/>\n";
}

}  // namespace

std::string svg_plot(const Trace& trace, const std::string& title) {
  const std::size_t curves = std::min(trace.names.size(), kMaxCurves);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t v = 0; v < curves; ++v) {
    const auto [least, greatest] = finite_range(trace.columns[v]);
    low = std::min(low, least);
    high = std::max(high, greatest);
  }
  if (curves == 0 || trace.rows() == 0) low = high = 0;
  const double start = trace.rows() == 0 ? 0 : trace.times.front();
  const double end = trace.rows() == 0 ? 1 : trace.times.back();
  const double margin = 0.04 * (high - low);
  const Frame frame{make_axis(start, end, 8), make_axis(low - margin, high + margin, 6)};
  std::string out = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' font-family='sans-serif' "
      "font-size='13'>\n"
      "<style>.g{{stroke:#ddd}}</style>\n<rect width='{0}' height='{1}' fill='white'/>\n"
      "<text x='{2}' y='22' font-size='15' font-weight='bold'>{3}</text>\n",
      kWidth, kHeight, kLeft, escaped(title));
  add_axes(out, frame);
  for (std::size_t v = 0; v < curves; ++v) add_curve(out, trace, v, frame);
  for (std::size_t v = 0; v < curves; ++v) {
    const double y = kTop + 18 + 18 * static_cast<double>(v);
    out += fmt::format(
        "<line x1='{0}' y1='{2}' x2='{1}' y2='{2}' stroke='{3}' stroke-width='2'/><text x='{4}' "
        "y='{5}'>{6}</text>\n",
        kLeft + 12, kLeft + 32, y - 4, kColors[v % kColors.size()], kLeft + 38, y,
        escaped(trace.names[v]));
  }
  return out + "</svg>\n";
}

}  // namespace chi::results
