#include "draw_plot.h"

#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

#include "driver/write_file.h"
#include "report.h"
#include "results/html_plot.h"
#include "results/svg_plot.h"
#include "results/terminal_plot.h"

namespace chi::cli {

void draw_plot(const results::Trace& trace, const std::string& title, PlotKind kind,
               const std::string& file, Color color, std::span<const results::LoggedEvent> events,
               std::size_t events_left_out, Diagnostics& diagnostics) {
  switch (kind) {
    case PlotKind::None: return;
    case PlotKind::Svg:
      driver::write_file(file, results::svg_plot(trace, title), diagnostics);
      return;
    case PlotKind::Html:
      driver::write_file(file, results::html_plot(trace, title, events, events_left_out),
                         diagnostics);
      return;
    case PlotKind::Terminal: break;
  }
  winsize size{};
  const bool terminal =
      ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
  std::fputs(
      results::terminal_plot(trace, terminal ? size.ws_col : 80, terminal ? size.ws_row - 1 : 23,
                             use_color(color, STDOUT_FILENO))
          .c_str(),
      stdout);
}

}  // namespace chi::cli
