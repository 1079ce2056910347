#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "draw_plot.h"
#include "driver/read_source.h"
#include "options.h"
#include "report.h"
#include "results/read_trace.h"
#include "run_settings.h"

namespace chi::cli {
namespace {

constexpr std::uint64_t kLargestResult = std::uint64_t{8} << 30;

/// Leaves the variables that were asked for, in the order in which they were.
void choose(results::Trace& trace, const std::vector<std::string>& patterns) {
  results::Trace chosen;
  chosen.times = std::move(trace.times);
  std::vector<std::size_t> order, rank;
  for (std::size_t v = 0; v < trace.names.size(); ++v) {
    rank.push_back(results::first_match(patterns, trace.names[v]));
    if (patterns.empty() || rank[v] < patterns.size()) order.push_back(v);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank[a] < rank[b]; });
  for (const std::size_t v : order) {
    chosen.names.push_back(std::move(trace.names[v]));
    chosen.kinds.push_back(trace.kinds[v]);
    if (!trace.units.empty()) chosen.units.push_back(std::move(trace.units[v]));
    chosen.columns.push_back(std::move(trace.columns[v]));
  }
  trace = std::move(chosen);
}

void plot(const PlotOptions& options, Diagnostics& diagnostics) {
  const std::optional<results::ResultFormat> format = results::result_format(options.file);
  const std::optional<PlotKind> kind = plot_kind(options.out.value_or(""));
  if (!format) {
    bad_option(
        diagnostics,
        fmt::format("`{}` is no result file: they end in .csv, .mat or .json", options.file),
        options.file.ends_with(".chi") ? "`chi run FILE --plot` runs a model and plots it" : "");
  }
  if (!kind || (options.out && options.out->empty())) {
    bad_option(diagnostics, fmt::format("`--out {}`: plots are written as .svg or .html",
                                        options.out.value_or("")));
  }
  if (diagnostics.has_errors()) return;
  const std::optional<std::string> text =
      driver::read_file(options.file, kLargestResult, diagnostics);
  if (!text) return;
  std::string problem;
  std::optional<results::Trace> trace = results::read_trace(*text, *format, problem);
  if (!trace) {
    diagnostics.report({.code = DiagCode::CannotReadFile,
                        .message = fmt::format("cannot read `{}`: {}", options.file, problem)});
    return;
  }
  check_vars(options.vars, trace->names, fmt::format("`{}`", options.file), diagnostics);
  if (diagnostics.has_errors()) return;
  choose(*trace, options.vars);
  draw_plot(*trace, std::filesystem::path(options.file).filename().string(), *kind,
            options.out.value_or(""), options.common.color, {}, 0, diagnostics);
}

}  // namespace

int plot_command(const PlotOptions& options) {
  Diagnostics diagnostics;
  plot(options, diagnostics);
  print(diagnostics, nullptr, options.common);
  return exit_code(diagnostics);
}

}  // namespace chi::cli
