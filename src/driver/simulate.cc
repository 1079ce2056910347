#include "driver/simulate.h"

#include "driver/compile.h"
#include "driver/explain.h"
#include "sim/run/run.h"

namespace chi::driver {
namespace {

class Output : public sim::Scheduler::Pulse {
 public:
  explicit Output(std::string& text) : text_(text) {}
  void pulse(double, const sim::RunCounts&) override {}
  void print(std::string_view text) override { text_ += text; }

 private:
  std::string& text_;
};

}  // namespace

Simulation simulate(const SourceFile& source, const SimulationRequest& request,
                    Diagnostics& diagnostics) {
  Simulation result;
  const flat::Request part{.top = request.top, .params = request.parameters};
  const std::optional<Compiled> compiled =
      compile(source, part, {.random_choice = request.run.random_choice}, diagnostics);
  if (!compiled) return result;
  sim::Run run(*compiled->model, *compiled->program, request.run);
  sim::Scheduler& scheduler = run.scheduler();
  results::Recording recording(*compiled->model, scheduler.machine(), scheduler.frames(),
                               {.patterns = request.variables,
                                .derivatives = request.derivatives,
                                .grid = request.grid,
                                .end = request.run.end});
  scheduler.recorder = &recording;
  Output output(result.output);
  scheduler.pulse = &output;
  result.outcome = scheduler.run();
  result.trace = recording.trace();
  result.ran = true;
  for (const Diagnostic& warning : result.outcome.warnings) diagnostics.report(warning);
  if (request.run.requirements == sim::Requirements::Warn) {
    for (const Diagnostic& broken : violation_warnings(result.outcome)) diagnostics.report(broken);
  }
  if (result.outcome.failed()) diagnostics.report(explain(result.outcome, source));
  return result;
}

}  // namespace chi::driver
