#include "experiment/subject.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <new>

#include <fmt/format.h>

#include "base/cancel.h"
#include "driver/compile.h"
#include "driver/explain.h"
#include "experiment/meter.h"
#include "sim/interface/physics.h"
#include "sim/run/run.h"

namespace chi::experiment {
namespace {

/// Parameters that are numbers can be named in measures.
std::vector<NamedNumber> numbers_of(const Parameters& parameters) {
  std::vector<NamedNumber> numbers;
  for (const auto& [name, text] : parameters) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) numbers.push_back({name, value});
  }
  return numbers;
}

Parameters all_parameters(const Setting& setting, const Point& point) {
  Parameters all = setting.fixed;
  all.insert(all.end(), point.parameters.begin(), point.parameters.end());
  return all;
}

}  // namespace

std::optional<Subject> Subject::check(const SourceFile& source, Diagnostics& diagnostics) {
  driver::check(source, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  return Subject(source);
}

std::string in_one_line(const Diagnostic& diagnostic, const SourceFile& source) {
  std::string text(code_text(diagnostic.code));
  if (diagnostic.span) {
    const Position at = source.position(diagnostic.span->begin);
    text += fmt::format(" at {}:{}", at.line, at.column);
  }
  return text + ": " + diagnostic.message;
}

/// The model at one point, with its measures.
struct Worker::Ready {
  Parameters parameters;
  driver::Compiled compiled;
  Measures measures;
  /// Runs leave nothing behind in it. Equations do: the engine enters expressions.
  bool serves_again = false;
};

Worker::Worker(const Subject& subject, const Setting& setting)
    : subject_(subject), setting_(setting) {}
Worker::~Worker() = default;

bool Worker::prepare(const Point& point, Diagnostics& diagnostics) {
  Parameters parameters = all_parameters(setting_, point);
  if (ready_ && ready_->serves_again && ready_->parameters == parameters) return true;
  ready_.reset();
  std::optional<driver::Compiled> compiled =
      driver::compile(subject_.source(), {.top = setting_.top, .params = parameters},
                      {.random_choice = setting_.run.random_choice}, diagnostics);
  if (!compiled) return false;
  std::optional<Measures> measures =
      read_measures(setting_.measures, *compiled->model, numbers_of(parameters), diagnostics);
  if (!measures) return false;
  const bool serves_again = !sim::needs_physics(*compiled->model, *compiled->program);
  ready_ = std::make_unique<Ready>(
      Ready{std::move(parameters), std::move(*compiled), std::move(*measures), serves_again});
  return true;
}

bool Worker::try_out(const Point& point, Diagnostics& diagnostics) {
  if (!prepare(point, diagnostics)) return false;
  const Sampler sampler(setting_.samples, *ready_->compiled.model, diagnostics);
  if (diagnostics.has_errors()) return false;
  if (std::isfinite(setting_.run.end) || driver::ends_by_itself(ready_->compiled)) return true;
  diagnostics.report({.code = DiagCode::BadOption,
                      .message = "`--end` is needed: the model has equations and no `terminate`",
                      .help = "`end` in a plan"});
  return false;
}

RunResult Worker::run(const Point& point) {
  RunResult result;
  result.measures.assign(setting_.measures.size(), std::numeric_limits<double>::quiet_NaN());
  try {
    Diagnostics diagnostics;
    if (!prepare(point, diagnostics)) {
      result.is_model_wrong = true;
      result.problem = in_one_line(diagnostics.all().front(), subject_.source());
      return result;
    }
    sim::RunOptions options = setting_.run;
    options.seed = point.seed;
    sim::Run run(*ready_->compiled.model, *ready_->compiled.program, options);
    Meter meter(ready_->measures, *ready_->compiled.model, setting_.warmup);
    meter.attach(run.scheduler().machine(), run.scheduler().frames());
    run.scheduler().recorder = &meter;
    Diagnostics none;  // `try_out` reported names that there are not
    Sampler sampler(setting_.samples, *ready_->compiled.model, none);
    if (!setting_.samples.empty() && !none.has_errors()) {
      sampler.attach(run.scheduler().machine(), run.scheduler().frames(), &meter);
      run.scheduler().recorder = &sampler;
    }
    const sim::Outcome outcome = run.scheduler().run();
    if (const auto* asked = std::get_if<sim::Interrupted>(&outcome.why)) {
      result.stopped = asked->cause;
      return result;
    }
    if (outcome.failed()) {
      result.problem = in_one_line(driver::explain(outcome, subject_.source()), subject_.source());
    } else {
      result.measures = meter.values();
      result.measures.insert(result.measures.end(), sampler.values().begin(),
                             sampler.values().end());
    }
  } catch (const Cancelled& cancelled) {
    result.stopped = cancelled.cause;
  } catch (const std::bad_alloc&) {
    ready_.reset();
    result.problem = "E6023: out of memory";
  }
  return result;
}

}  // namespace chi::experiment
