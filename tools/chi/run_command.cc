#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "base/doing.h"
#include "base/json_text.h"
#include "base/output_file.h"
#include "draw_plot.h"
#include "driver/analyse.h"
#include "driver/compile.h"
#include "driver/dump.h"
#include "driver/explain.h"
#include "driver/inspection.h"
#include "driver/observed.h"
#include "driver/read_model.h"
#include "driver/write_file.h"
#include "options.h"
#include "process.h"
#include "progress.h"
#include "report.h"
#include "results/csv.h"
#include "results/event_log.h"
#include "results/recording.h"
#include "results/write_trace.h"
#include "run_settings.h"
#include "sim/run/run.h"

namespace chi::cli {
namespace {

using Clock = std::chrono::steady_clock;
double seconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

class Run {
 public:
  explicit Run(const RunCommandOptions& options) : options_(options) {}

  int operator()() {
    std::optional<RunSettings> settings = run_settings(options_, diagnostics_);
    if (!settings) return report();
    settings_ = std::move(*settings);
    source_ = driver::read_model(
        options_.file, driver::import_folders(options_.common.include, diagnostics_), diagnostics_);
    if (!source_) return report();
    if (settings_.dump) return dump();
    const Clock::time_point start = Clock::now();
    compiled_ = driver::compile(*source_, settings_.request,
                                {.random_choice = settings_.run.random_choice}, diagnostics_);
    if (!compiled_) return report();
    compile_seconds_ = seconds(start, Clock::now());
    check_end();
    check_results();
    if (diagnostics_.has_errors()) return report();
    return simulate();
  }

 private:
  static constexpr std::size_t kEventsOfPlot = 20'000;

  int report() {
    print(diagnostics_, source_ ? &*source_ : nullptr, options_.common);
    return exit_code(diagnostics_);
  }

  void check_end() {
    if (options_.end || driver::ends_by_itself(*compiled_)) return;
    bad_option(diagnostics_, "`--end` is needed: the model has equations and no `terminate`",
               fmt::format("chi run {} --end 100", options_.file));
  }

  /// Prints what the stage made that is asked for, whatever errors there are in the text.
  int dump() {
    driver::Dump dump(*settings_.dump, settings_.dump_filter, *source_);
    compiled_ =
        driver::compile(*source_, settings_.request, {.random_choice = settings_.run.random_choice},
                        diagnostics_, &dump);
    if (compiled_ && !dump.is_complete()) {
      const bool all = dump.stage() == driver::Stage::Modes;
      if (all) check_end();
      if (diagnostics_.has_errors()) return report();
      if (!all) settings_.run.end = 0;
      settings_.run.heap_limit = memory_for_values();
      driver::Inspection inspection(*compiled_, settings_.run);
      inspection.run();
      const driver::ModelStructure structure = driver::analyse(inspection, *source_, all);
      dump.after(structure);
      if (structure.failure) diagnostics_.report(*structure.failure);
    }
    if (options_.common.json) {
      std::printf("{\"dump\":%s}\n", json_quote(dump.text()).c_str());
    } else {
      show(dump.text());
    }
    return report();
  }

  /// What can be known of the results before they are there: a long run is not to end with "cannot
  /// write".
  void check_results() {
    if (!settings_.vars.empty()) {
      check_vars(settings_.vars, results::recordable_names(*compiled_->model), "the model",
                 diagnostics_);
    }
    for (const std::string& out : settings_.out) driver::can_write_file(out, diagnostics_);
    if (!settings_.plot_file.empty()) driver::can_write_file(settings_.plot_file, diagnostics_);
    if (!settings_.events.empty()) driver::can_write_file(settings_.events, diagnostics_);
  }

  int simulate() {
    const Doing doing("preparing the run");
    sim::RunOptions& run = settings_.run;
    run.heap_limit = memory_for_values();
    const Clock::time_point start = Clock::now();
    sim::Run model(*compiled_->model, *compiled_->program, run);
    sim::Scheduler& scheduler = model.scheduler();
    std::unique_ptr<results::Recording> recording;
    if (settings_.keeps_results()) {
      recording = std::make_unique<results::Recording>(
          *compiled_->model, scheduler.machine(), scheduler.frames(),
          results::RecordingOptions{.patterns = settings_.vars,
                                    .derivatives = settings_.derivatives,
                                    .grid = settings_.grid,
                                    .end = run.end});
      scheduler.recorder = recording.get();
      if (!open_results(*recording)) return report();
    }
    if (!open_events()) return report();
    if (event_log_) scheduler.observer = event_log_.get();
    Progress progress(run.end,
                      !options_.no_progress && !options_.common.quiet && isatty(STDERR_FILENO) != 0,
                      Process::token());
    scheduler.pulse = &progress;
    // While only equations move, who records is asked at every step.
    ProgressOfMotion motion(progress, recording.get());
    if (progress.shows_bar() && model.engine() != nullptr) scheduler.recorder = &motion;
    initialise_seconds_ = seconds(start, Clock::now());
    const Clock::time_point begin = Clock::now();
    const sim::Outcome outcome = scheduler.run();
    simulate_seconds_ = seconds(begin, Clock::now());
    if (options_.stats || options_.common.json) {
      observed_ = driver::observed(*compiled_->model, *compiled_->program, scheduler.machine(),
                                   scheduler.frames(), outcome.time);
    }
    progress.clear();
    sim::RunCounts counts = scheduler.counts();
    if (model.engine() != nullptr) model.engine()->count(counts);
    return finish(outcome, recording.get(), counts, progress);
  }

  /// Rows of CSV go to their files as they come; all other results are made of the whole trace.
  bool open_results(results::Recording& recording) {
    bool keeps = settings_.plot != PlotKind::None;
    for (const std::string& out : settings_.out) {
      if (!out.ends_with(".csv")) {
        keeps = true;
        continue;
      }
      auto file = std::make_unique<OutputFile>(out);
      if (file->error() != 0) {
        driver::report_unwritable(out, file->error(), diagnostics_);
        return false;
      }
      // What is no regular file may be where the model's output goes: it comes behind that.
      keeps = keeps || !file->is_regular();
      if (file->is_regular()) streams_.emplace_back(out, std::move(file));
    }
    if (streams_.empty()) return true;
    for (const auto& [name, file] : streams_)
      results::write_csv_header(recording.trace(), to(*file));
    recording.stream(
        [this](const results::Trace& trace, std::size_t first, std::size_t last) {
          for (const auto& [name, file] : streams_)
            results::write_csv_rows(trace, first, last, to(*file));
        },
        keeps);
    return true;
  }

  static TextSink to(OutputFile& file) {
    return [&file](std::string_view text) { return file.write(text); };
  }

  void close_results(results::Recording& recording) {
    if (!streams_.empty()) recording.end_stream();
    for (const auto& [name, file] : streams_) {
      if (const int error = file->commit()) driver::report_unwritable(name, error, diagnostics_);
    }
  }

  bool is_streamed(const std::string& out) const {
    return std::any_of(streams_.begin(), streams_.end(),
                       [&](const auto& stream) { return stream.first == out; });
  }

  bool open_events() {
    if (!settings_.events.empty()) {
      events_.emplace(settings_.events, Naming::WithFirstContent);
      if (events_->error() != 0) {
        driver::report_unwritable(settings_.events, events_->error(), diagnostics_);
        return false;
      }
    }
    const bool keep = settings_.plot == PlotKind::Html;
    if (events_ || keep) {
      TextSink sink;
      if (events_) sink = [this](std::string_view line) { return events_->write(line); };
      event_log_ =
          std::make_unique<results::EventLog>(std::move(sink), *source_, keep ? kEventsOfPlot : 0);
    }
    return true;
  }

  void close_events() {
    const int problem = events_->commit();
    if (problem == 0) return;
    diagnostics_.report(
        {.code = DiagCode::CannotWriteFile,
         .message =
             fmt::format("cannot write all of `{}`: {}", settings_.events, std::strerror(problem)),
         .help = problem == ENOSPC ? "make room there, or end the run earlier" : ""});
  }

  /// Memory that runs out for one result costs no other one.
  template <class Write>
  void keep(Write write) {
    const Doing doing("writing the results");
    try {
      write();
    } catch (const std::bad_alloc&) {
      diagnostics_.report(driver::out_of_memory(Doing::now()));
    }
  }

  /// What was computed is kept, however the run ended.
  int finish(const sim::Outcome& outcome, results::Recording* recording,
             const sim::RunCounts& counts, const Progress& progress) {
    if (options_.common.json && progress.in_line())
      std::fputc('\n', stdout);  // what follows is a line each
    std::fflush(stdout);
    if (events_) keep([&] { close_events(); });
    if (!streams_.empty()) keep([&] { close_results(*recording); });
    for (const std::string& out : settings_.out) {
      if (is_streamed(out)) continue;
      keep([&] {
        driver::write_file(
            out, [&](const TextSink& sink) { results::write_trace(recording->trace(), out, sink); },
            diagnostics_);
      });
    }
    if (settings_.plot != PlotKind::None) keep([&] { plot(recording->trace()); });
    if (progress.output_failed() && !progress.nobody_reads()) {
      diagnostics_.report({.code = DiagCode::CannotWriteFile,
                           .message = "cannot write the model's output to stdout"});
    }
    for (const Diagnostic& warning : outcome.warnings) diagnostics_.report(warning);
    if (settings_.run.requirements == sim::Requirements::Warn) {
      for (const Diagnostic& broken : driver::violation_warnings(outcome))
        diagnostics_.report(broken);
    }
    if (outcome.failed()) diagnostics_.report(driver::explain(outcome, *source_));
    const auto* asked = std::get_if<sim::Interrupted>(&outcome.why);
    if (asked != nullptr && asked->cause == StopCause::TimeLimit) {
      diagnostics_.report(
          driver::time_limit(fmt::format("{}, at t = {}", Doing::now(), outcome.time)));
    }
    print(diagnostics_, &*source_, options_.common);
    if (options_.common.json) print_summary(outcome, counts);
    if (options_.stats) print_stats(outcome, counts);
    if (asked != nullptr) {
      if (asked->cause == StopCause::TimeLimit) return kRunFailed;
      if (!options_.common.quiet) {
        std::fprintf(stderr, "%s%s\n", driver::ending(outcome).c_str(),
                     progress.nobody_reads() ? ": nobody reads the output any more" : "");
      }
      return kInterrupted;
    }
    if (!outcome.failed() && !progress.has_printed()) tell_what_to_ask_for(outcome);
    if (outcome.failed()) return driver::is_model_error(outcome) ? kModelWrong : kRunFailed;
    return exit_code(diagnostics_);
  }

  /// A run that shows nothing would leave a newcomer at a loss.
  void tell_what_to_ask_for(const sim::Outcome& outcome) const {
    if (settings_.keeps_results() || !settings_.events.empty() || options_.stats ||
        options_.common.json || options_.common.quiet || isatty(STDERR_FILENO) == 0) {
      return;
    }
    std::fprintf(stderr, "%s; `--plot` draws the results, `--out FILE.csv` writes them\n",
                 driver::ending(outcome).c_str());
  }

  void plot(const results::Trace& trace) {
    const std::vector<results::LoggedEvent> none;
    const std::vector<results::LoggedEvent>& events = event_log_ ? event_log_->kept() : none;
    draw_plot(trace, std::filesystem::path(options_.file).filename().string(), settings_.plot,
              settings_.plot_file, options_.common.color, events,
              event_log_ ? event_log_->count() - events.size() : 0, diagnostics_);
  }

  void print_summary(const sim::Outcome& outcome, const sim::RunCounts& counts) const {
    std::string text = fmt::format(
        "{{\"summary\":{{\"time\":{},\"ending\":{},\"failed\":{},", json_number(outcome.time),
        json_quote(outcome.failed() ? std::string("failed") : driver::ending(outcome)),
        outcome.failed());
    for (const auto& [name, key, value] : counters(counts))
      text += fmt::format("\"{}\":{},", key, value);
    std::string strategies;
    for (const auto& [name, count] : strategies_used(counts))
      strategies += fmt::format("{}\"{}\":{}", strategies.empty() ? "" : ",", name, count);
    if (!strategies.empty()) text += fmt::format("\"found_by\":{{{}}},", strategies);
    if (!observed_.empty())
      text += fmt::format("\"statistics\":{},", driver::observed_json(observed_));
    if (counts.longest_step > 0) {
      text += fmt::format("\"longest_step_seconds\":{:.9f},", counts.longest_step);
    }
    text += fmt::format(
        "\"seconds\":{{\"compile\":{:.6f},\"initialise\":{:.6f},\"simulate\":{:.6f}}}}}}}",
        compile_seconds_, initialise_seconds_, simulate_seconds_);
    std::printf("%s\n", text.c_str());
  }

  void print_stats(const sim::Outcome& outcome, const sim::RunCounts& counts) const {
    std::string text =
        (outcome.failed() ? std::string("the run failed") : driver::ending(outcome)) + "\n";
    for (const auto& [name, key, value] : counters(counts))
      text += fmt::format("  {:<18}{:>12}\n", name, value);
    for (const auto& [name, count] : strategies_used(counts))
      text += fmt::format("    by {:<19}{:>6}\n", name, count);
    std::vector<std::pair<const char*, double>> times = {{"compile", compile_seconds_},
                                                         {"initialise", initialise_seconds_},
                                                         {"simulate", simulate_seconds_}};
    if (counts.longest_step > 0) times.emplace_back("longest step", counts.longest_step);
    for (const auto& [name, value] : times)
      text += fmt::format("  {:<18}{:>12.3f} ms\n", name, 1e3 * value);
    text += driver::observed_text(observed_);
    std::fputs(text.c_str(), stderr);
  }

  struct Counter {
    const char* name;
    const char* key;
    std::int64_t value;
  };
  /// Those of equations only if there are any.
  static std::vector<Counter> counters(const sim::RunCounts& counts) {
    std::vector<Counter> all = {{"time events", "time_events", counts.time_events},
                                {"communications", "communications", counts.communications},
                                {"resumptions", "resumptions", counts.resumptions},
                                {"instants", "instants", counts.instants}};
    if (counts.steps + counts.evaluations + counts.state_events + counts.modes +
            counts.searches.searches() >
        0) {
      all.insert(all.end(), {{"steps", "steps", counts.steps},
                             {"rejected steps", "rejected_steps", counts.rejected},
                             {"evaluations", "evaluations", counts.evaluations},
                             {"jacobians", "jacobians", counts.jacobians},
                             {"state events", "state_events", counts.state_events},
                             {"modes", "modes", counts.modes},
                             {"mode switches", "mode_switches", counts.mode_switches},
                             {"mode searches", "mode_searches", counts.searches.searches()},
                             {"modes tried", "modes_tried", counts.searches.tried}});
    }
    if (counts.rounds > 0) all.push_back({"rounds", "rounds", counts.rounds});
    return all;
  }

  /// How often each strategy found a consistent mode, of those that did.
  static std::vector<std::pair<std::string_view, std::int64_t>> strategies_used(
      const sim::RunCounts& counts) {
    std::vector<std::pair<std::string_view, std::int64_t>> used;
    for (std::size_t i = 0; i < sim::kStrategies; ++i) {
      if (counts.searches.found[i] == 0) continue;
      used.emplace_back(sim::name(static_cast<sim::Strategy>(i)), counts.searches.found[i]);
    }
    return used;
  }

  const RunCommandOptions& options_;
  RunSettings settings_;
  Diagnostics diagnostics_;
  std::optional<SourceFile> source_;
  std::optional<driver::Compiled> compiled_;
  std::optional<OutputFile> events_;
  std::vector<std::pair<std::string, std::unique_ptr<OutputFile>>> streams_;  // by name
  std::unique_ptr<results::EventLog> event_log_;
  std::vector<driver::Observed> observed_;
  double compile_seconds_ = 0, initialise_seconds_ = 0, simulate_seconds_ = 0;
};

}  // namespace

int run_command(const RunCommandOptions& options) { return Run(options)(); }

}  // namespace chi::cli
