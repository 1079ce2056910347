#include "experiment/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "results/axis.h"
#include "results/markup.h"

namespace chi::experiment {
namespace {

constexpr double kWidth = 720, kPanel = 260, kLeft = 80, kRight = 20, kTop = 40, kBelow = 60;
// Colours that can be told apart with any kind of sight (M. Okabe and K. Ito, 2008).
constexpr std::array<std::string_view, 7> kColors{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#56b4e9", "#e69f00", "#000000"};

double scaled(const Panel& panel, double x) { return panel.is_logarithmic ? std::log10(x) : x; }

results::Axis axis_of(const Panel& panel, bool of_x) {
  std::vector<double> all;
  for (const Curve& curve : panel.curves) {
    for (const double v : of_x ? curve.x : curve.y) all.push_back(of_x ? scaled(panel, v) : v);
  }
  const auto [low, high] = results::finite_range(all);
  return results::make_axis(low, high, of_x ? 8 : 5);
}

std::string tick_text(const Panel& panel, const results::Axis& axis, double tick) {
  if (!panel.is_logarithmic) return axis.label(tick);
  return fmt::format("{:.3g}", std::pow(10, tick));
}

void line(std::string& svg, double x1, double y1, double x2, double y2, std::string_view color) {
  svg +=
      fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n",
                  x1, y1, x2, y2, color);
}

void text(std::string& svg, double x, double y, std::string_view anchor, std::string_view words) {
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     results::in_markup(words));
}

void draw(std::string& svg, const Panel& panel, double top) {
  const results::Axis x_axis = axis_of(panel, true), y_axis = axis_of(panel, false);
  const double width = kWidth - kLeft - kRight, height = kPanel - kBelow;
  const auto at_x = [&](double v) { return kLeft + width * x_axis.share(v); };
  const auto at_y = [&](double v) { return top + height * (1 - y_axis.share(v)); };
  for (const double tick : x_axis.ticks) {
    line(svg, at_x(tick), top, at_x(tick), top + height, "#ddd");
    text(svg, at_x(tick), top + height + 18, "middle", tick_text(panel, x_axis, tick));
  }
  for (const double tick : y_axis.ticks) {
    line(svg, kLeft, at_y(tick), kLeft + width, at_y(tick), "#ddd");
    text(svg, kLeft - 6, at_y(tick) + 4, "end", y_axis.label(tick));
  }
  if (panel.shows_zero) {
    if (x_axis.low < 0 && x_axis.high > 0) line(svg, at_x(0), top, at_x(0), top + height, "#888");
    if (y_axis.low < 0 && y_axis.high > 0)
      line(svg, kLeft, at_y(0), kLeft + width, at_y(0), "#888");
  }
  svg += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444\"/>\n", kLeft,
      top, width, height);
  text(svg, kLeft + width / 2, top + height + 38, "middle", panel.x_label);
  svg += fmt::format(
      "<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      top + height / 2, results::in_markup(panel.y_label));
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const Curve& curve = panel.curves[i];
    const std::string_view color = kColors[i % kColors.size()];
    std::string points;
    bool is_down = false;
    for (std::size_t k = 0; k < curve.x.size(); ++k) {
      const double x = scaled(panel, curve.x[k]), y = curve.y[k];
      if (!std::isfinite(x) || !std::isfinite(y)) {
        is_down = false;
      } else if (curve.as_points) {
        svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\" fill=\"{}\"/>\n", at_x(x),
                           at_y(y), color);
      } else {
        points += fmt::format("{}{:.1f} {:.1f}", is_down ? "L" : "M", at_x(x), at_y(y));
        is_down = true;
      }
    }
    if (!points.empty())
      svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n",
                         points, color);
    if (!curve.name.empty()) {
      const double y = top + 14 + 16 * static_cast<double>(i);
      line(svg, kLeft + width - 30, y - 4, kLeft + width - 10, y - 4, color);
      text(svg, kLeft + width - 36, y, "end", curve.name);
    }
  }
}

}  // namespace

std::string chart(const std::string& title, const std::vector<Panel>& panels) {
  const double height = kTop + kPanel * static_cast<double>(panels.size());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n",
      kWidth, height);
  text(svg, kWidth / 2, 22, "middle", title);
  for (std::size_t i = 0; i < panels.size(); ++i)
    draw(svg, panels[i], kTop + kPanel * static_cast<double>(i));
  return svg + "</svg>\n";
}

}  // namespace chi::experiment
