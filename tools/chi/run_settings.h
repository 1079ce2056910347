#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "driver/dump.h"
#include "flat/flatten.h"
#include "options.h"
#include "results/output_grid.h"
#include "sim/interface/run_options.h"

namespace chi::cli {

/// What a plot is drawn on.
enum class PlotKind { None, Terminal, Svg, Html };

/// A call of `chi run`, checked: what it asks of the compiler, the engine and the results.
struct RunSettings {
  flat::Request request;
  sim::RunOptions run;
  results::OutputGrid grid;
  std::vector<std::string> vars;
  bool derivatives = false;
  std::vector<std::string> out;  ///< end in .csv, .json or .mat
  std::string events;            ///< empty: none
  std::optional<driver::Stage> dump;
  std::string dump_filter;
  PlotKind plot = PlotKind::None;
  std::string plot_file;
  bool keeps_results() const { return !out.empty() || plot != PlotKind::None; }
};

/// Checks the call, all of it. Empty exactly when it reported something.
std::optional<RunSettings> run_settings(const RunCommandOptions& call, Diagnostics& diagnostics);

/// What a model's lists and strings may take: three quarters of the machine's memory, so that a
/// model whose lists grow without end fails before the machine does.
std::int64_t memory_for_values();

/// The kind by the name's ending; none for a name with another one.
std::optional<PlotKind> plot_kind(const std::string& file);

/// Reports the patterns of `--vars` that match none of `names`, which are those of `whose`.
void check_vars(const std::vector<std::string>& patterns, const std::vector<std::string>& names,
                std::string_view whose, Diagnostics& diagnostics);

/// Reports files to be written that are the model itself, or the same one twice: text would be
/// lost. Empty names are none.
void check_written(const std::string& model, const std::vector<std::string>& written,
                   Diagnostics& diagnostics);

/// Reports a call that is wrong.
void bad_option(Diagnostics& diagnostics, std::string message, std::string help = "");

}  // namespace chi::cli
