#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/json_text.h"
#include "driver/compile.h"
#include "driver/explain.h"
#include "driver/read_source.h"
#include "options.h"
#include "progress.h"
#include "report.h"
#include "results/csv.h"
#include "results/event_log.h"
#include "results/recording.h"
#include "results/svg_plot.h"
#include "results/terminal_plot.h"
#include "sim/scheduler.h"

namespace chi::cli {
namespace {

std::atomic<bool> interrupted{false};

extern "C" void on_interrupt(int) { interrupted.store(true); }

using Clock = std::chrono::steady_clock;
double seconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

void bad_option(Diagnostics& diagnostics, std::string message, std::string help = "") {
  diagnostics.report(
      {.code = DiagCode::BadOption, .message = std::move(message), .help = std::move(help)});
}

/// Three quarters of the machine's memory: a model whose lists grow without end fails before the
/// machine does.
std::int64_t memory_for_values() {
  const std::int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && page > 0 ? pages / 4 * 3 * page : std::numeric_limits<std::int64_t>::max();
}

flat::Request request_of(const RunCommandOptions& options, Diagnostics& diagnostics) {
  flat::Request request{.top = options.top};
  for (const std::string& parameter : options.parameters) {
    const std::size_t equals = parameter.find('=');
    if (equals == std::string::npos || equals == 0) {
      bad_option(diagnostics, fmt::format("`-p {}` is not NAME=VALUE", parameter));
      continue;
    }
    request.params.emplace_back(parameter.substr(0, equals), parameter.substr(equals + 1));
  }
  return request;
}

void check_options(const RunCommandOptions& options, Diagnostics& diagnostics) {
  if (options.end && !(*options.end >= 0 && std::isfinite(*options.end))) {
    bad_option(
        diagnostics,
        fmt::format("`--end {}` is not a time: it is to be finite and not negative", *options.end));
  }
  if (options.step && !(*options.step > 0 && std::isfinite(*options.step))) {
    bad_option(diagnostics, fmt::format("`--step {}` is not a positive step", *options.step));
  }
  if (options.points && *options.points < 2) {
    bad_option(diagnostics,
               fmt::format("`--points {}` is too few: there are at least 2", *options.points));
  }
  if (options.plot && !options.plot->empty() && !options.plot->ends_with(".svg")) {
    bad_option(diagnostics, fmt::format("`--plot {}`: plots are written as .svg", *options.plot));
  }
  for (const std::string& out : options.out) {
    if (!out.ends_with(".csv") && !out.ends_with(".json")) {
      bad_option(
          diagnostics,
          fmt::format("`--out {}`: the name tells the format, and ends in .csv or .json", out));
    }
  }
}

class Run {
 public:
  explicit Run(const RunCommandOptions& options) : options_(options) {}

  int operator()() {
    check_options(options_, diagnostics_);
    const flat::Request request = request_of(options_, diagnostics_);
    if (diagnostics_.has_errors()) return report();
    source_ = driver::read_source(options_.file, diagnostics_);
    if (!source_) return report();
    const Clock::time_point start = Clock::now();
    compiled_ = driver::compile(*source_, request, {.random_choice = options_.choice == "random"},
                                diagnostics_);
    if (!compiled_) return report();
    compile_seconds_ = seconds(start, Clock::now());
    return simulate();
  }

 private:
  int report() {
    print(diagnostics_, source_ ? &*source_ : nullptr, options_.common);
    return exit_code(diagnostics_);
  }

  int simulate() {
    sim::RunOptions run{.seed = options_.seed,
                        .random_choice = options_.choice == "random",
                        .interrupted = &interrupted};
    if (options_.end) run.end = *options_.end;
    run.heap_limit = memory_for_values();
    const Clock::time_point start = Clock::now();
    sim::Scheduler scheduler(*compiled_->model, *compiled_->program, run);
    std::unique_ptr<results::Recording> recording;
    if (!options_.out.empty() || options_.plot) {
      const results::OutputGrid grid{options_.step.value_or(0), options_.points.value_or(501)};
      recording = std::make_unique<results::Recording>(
          *compiled_->model, scheduler.machine(), scheduler.frames(),
          results::RecordingOptions{.patterns = options_.vars, .grid = grid, .end = run.end});
      if (!options_.vars.empty() && recording->trace().names.empty()) {
        diagnostics_.report({.code = DiagCode::NothingRecorded,
                             .message = "`--vars` matches no variable of the model"});
        return report();
      }
      scheduler.recorder = recording.get();
    }
    if (!open_events()) return report();
    if (event_log_) scheduler.observer = event_log_.get();
    Progress progress(
        run.end, !options_.no_progress && !options_.common.quiet && isatty(STDERR_FILENO) != 0);
    scheduler.pulse = &progress;
    initialise_seconds_ = seconds(start, Clock::now());
    std::signal(SIGINT, on_interrupt);
    const Clock::time_point begin = Clock::now();
    const sim::Outcome outcome = scheduler.run();
    simulate_seconds_ = seconds(begin, Clock::now());
    progress.clear();
    return finish(outcome, recording.get(), scheduler.counts(), progress);
  }

  bool open_events() {
    if (options_.events.empty()) return true;
    events_.reset(std::fopen(options_.events.c_str(), "wb"));
    if (!events_) {
      diagnostics_.report(
          {.code = DiagCode::CannotWriteFile,
           .message = fmt::format("cannot write `{}`: {}", options_.events, std::strerror(errno))});
      return false;
    }
    event_log_ = std::make_unique<results::EventLog>(events_.get(), *source_);
    return true;
  }

  /// What was computed is kept, however the run ended.
  int finish(const sim::Outcome& outcome, const results::Recording* recording,
             const sim::RunCounts& counts, const Progress& progress) {
    if (options_.common.json && progress.in_line())
      std::fputc('\n', stdout);  // what follows is a line each
    std::fflush(stdout);
    for (const std::string& out : options_.out) {
      const bool csv = out.ends_with(".csv");
      driver::write_file(
          out, csv ? results::csv_text(recording->trace()) : results::json_text(recording->trace()),
          diagnostics_);
    }
    if (options_.plot) plot(recording->trace());
    if (event_log_ && (event_log_->failed() | (std::fclose(events_.release()) != 0))) {
      diagnostics_.report({.code = DiagCode::CannotWriteFile,
                           .message = fmt::format("cannot write all of `{}`", options_.events)});
    }
    if (progress.output_failed()) {
      diagnostics_.report({.code = DiagCode::CannotWriteFile,
                           .message = "cannot write the model's output to stdout"});
    }
    if (outcome.failed()) diagnostics_.report(driver::explain(outcome, *source_));
    print(diagnostics_, &*source_, options_.common);
    if (options_.common.json) print_summary(outcome, counts);
    if (options_.stats) print_stats(outcome, counts);
    if (std::holds_alternative<sim::Interrupted>(outcome.why)) {
      if (!options_.common.quiet) std::fprintf(stderr, "%s\n", driver::ending(outcome).c_str());
      return kInterrupted;
    }
    if (outcome.failed()) return kRunFailed;
    return exit_code(diagnostics_);
  }

  void plot(const results::Trace& trace) {
    if (!options_.plot->empty()) {
      driver::write_file(*options_.plot, results::svg_plot(trace, options_.file), diagnostics_);
      return;
    }
    winsize size{};
    const bool terminal =
        ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
    std::fputs(
        results::terminal_plot(trace, terminal ? size.ws_col : 80, terminal ? size.ws_row - 1 : 23)
            .c_str(),
        stdout);
  }

  void print_summary(const sim::Outcome& outcome, const sim::RunCounts& counts) const {
    std::printf(
        "%s\n",
        fmt::format("{{\"summary\":{{\"time\":{},\"ending\":{},\"failed\":{},\"time_events\":{},"
                    "\"communications\":"
                    "{},\"instants\":{},\"seconds\":{{\"compile\":{:.6f},\"initialise\":{:.6f},"
                    "\"simulate\":{:.6f}}}}}}}",
                    json_number(outcome.time),
                    json_quote(outcome.failed() ? std::string("failed") : driver::ending(outcome)),
                    outcome.failed(), counts.time_events, counts.communications, counts.instants,
                    compile_seconds_, initialise_seconds_, simulate_seconds_)
            .c_str());
  }

  void print_stats(const sim::Outcome& outcome, const sim::RunCounts& counts) const {
    std::fputs(
        fmt::format("{}\n"
                    "  time events       {:>12}\n"
                    "  communications    {:>12}\n"
                    "  resumptions       {:>12}\n"
                    "  instants          {:>12}\n"
                    "  compile           {:>12.3f} ms\n"
                    "  initialise        {:>12.3f} ms\n"
                    "  simulate          {:>12.3f} ms\n",
                    outcome.failed() ? std::string("the run failed") : driver::ending(outcome),
                    counts.time_events, counts.communications, counts.resumptions, counts.instants,
                    1e3 * compile_seconds_, 1e3 * initialise_seconds_, 1e3 * simulate_seconds_)
            .c_str(),
        stderr);
  }

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  const RunCommandOptions& options_;
  Diagnostics diagnostics_;
  std::optional<SourceFile> source_;
  std::optional<driver::Compiled> compiled_;
  std::unique_ptr<std::FILE, Close> events_;
  std::unique_ptr<results::EventLog> event_log_;
  double compile_seconds_ = 0, initialise_seconds_ = 0, simulate_seconds_ = 0;
};

}  // namespace

int run_command(const RunCommandOptions& options) { return Run(options)(); }

}  // namespace chi::cli
