#include "run_model.h"

#include <bit>
#include <utility>

#include <gtest/gtest.h>

#include "base/cancel.h"
#include "diag/render.h"
#include "driver/compile.h"
#include "driver/explain.h"
#include "results/event_log.h"
#include "sim/run/run.h"

namespace chi::conformance {
namespace {

class Collector : public sim::Scheduler::Pulse {
 public:
  explicit Collector(std::string_view stop_at) : stop_at_(stop_at) {}
  void pulse(double, const sim::RunCounts&) override {}
  void print(std::string_view text) override {
    output += text;
    if (!stop_at_.empty() && output.find(stop_at_) != std::string::npos)
      token.request(StopCause::Interrupt);
  }
  std::string output;
  CancelToken token;

 private:
  std::string_view stop_at_;
};

void note(const Diagnostic& diagnostic, const SourceFile& source, Ran& ran) {
  if (severity_of(diagnostic.code) != Severity::Error) return;
  if (ran.code.empty()) ran.code = code_text(diagnostic.code);
  ran.report += render_text(diagnostic, source, false);
}

/// An event log in memory.
class Log {
 public:
  explicit Log(const SourceFile& source)
      : log_([this](std::string_view line) { return text_ += line, true; }, source) {}
  sim::Observer* observer() { return &log_; }
  std::string close() { return std::move(text_); }

 private:
  std::string text_;
  results::EventLog log_;
};

/// Recorded values without regard to what they mean: a NaN equals itself.
std::vector<std::uint64_t> bits(const results::Trace& trace) {
  std::vector<std::uint64_t> all;
  const auto add = [&](const std::vector<double>& values) {
    for (const double value : values) all.push_back(std::bit_cast<std::uint64_t>(value));
  };
  add(trace.times);
  for (const std::vector<double>& column : trace.columns) add(column);
  return all;
}

/// Runs a model text with one of the executors.
Ran run_with(sim::Executor executor, std::string_view text, const RunRequest& request) {
  Ran ran;
  const SourceFile source("model.chi", std::string(text));
  Diagnostics diagnostics;
  const auto compiled = driver::compile(source, {request.top, request.params},
                                        {.random_choice = request.random_choice}, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.sorted()) note(diagnostic, source, ran);
  if (!compiled) return ran;
  Collector collector(request.interrupt);
  const sim::RunOptions options{.end = request.end,
                                .seed = request.seed,
                                .random_choice = request.random_choice,
                                .max_actions = request.max_actions,
                                .heap_limit = request.heap_limit,
                                .executor = executor,
                                .kept_rows = request.kept_rows};
  const CancelScope scope(collector.token);
  sim::Run run(*compiled->model, *compiled->program, options);
  sim::Scheduler& scheduler = run.scheduler();
  scheduler.pulse = &collector;
  Log log(source);
  if (request.events) scheduler.observer = log.observer();
  results::Recording recording(*compiled->model, scheduler.machine(), scheduler.frames(),
                               {.end = request.end});
  if (request.record) scheduler.recorder = &recording;
  const sim::Outcome outcome = scheduler.run();
  ran.native = scheduler.is_native();
  if (outcome.failed()) note(driver::explain(outcome, source), source, ran);
  ran.output = collector.output;
  ran.time = outcome.time;
  ran.interrupted = std::holds_alternative<sim::Interrupted>(outcome.why);
  ran.events = log.close();
  ran.trace = recording.trace();
  ran.counts = scheduler.counts();
  code::Heap& heap = scheduler.machine().heap();
  ran.live_objects = heap.live_objects();
  ran.live_bytes = heap.live_bytes();
  ran.heap_allocations = heap.allocations();
  ran.system_allocations = heap.system_allocations();
  return ran;
}

}  // namespace

Ran run_model(std::string_view text, const RunRequest& request) {
  Ran ran = run_with(sim::Executor::Interpreter, text, request);
  const Ran native = run_with(sim::Executor::Native, text, request);
  if (!native.native) return ran;
  EXPECT_EQ(native.output, ran.output) << text;
  EXPECT_EQ(native.report, ran.report) << text;
  EXPECT_EQ(native.events, ran.events) << text;
  EXPECT_EQ(native.time, ran.time) << text;
  EXPECT_EQ(native.interrupted, ran.interrupted) << text;
  EXPECT_EQ(native.counts.resumptions, ran.counts.resumptions) << text;
  EXPECT_EQ(native.counts.communications, ran.counts.communications) << text;
  EXPECT_EQ(native.counts.time_events, ran.counts.time_events) << text;
  EXPECT_EQ(native.live_objects, ran.live_objects) << text;
  EXPECT_EQ(native.live_bytes, ran.live_bytes) << text;
  EXPECT_EQ(native.heap_allocations, ran.heap_allocations) << text;
  EXPECT_EQ(bits(native.trace), bits(ran.trace)) << text;
  ran.native = true;
  return ran;
}

std::string output_of(std::string_view text, const RunRequest& request) {
  const Ran ran = run_model(text, request);
  return ran.report.empty() ? ran.output : ran.report;
}

std::string output_of_process(std::string_view declarations, std::string_view statements,
                              std::string_view definitions) {
  std::string text(definitions);
  text += "\nproc P() = |[ ";
  text += declarations;
  text += "\n| ";
  text += statements;
  text += "\n]|\n";
  return output_of(text);
}

}  // namespace chi::conformance
