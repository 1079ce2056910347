#include "study_settings.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "run_settings.h"
#include "sema/suggest.h"

namespace chi::cli {
namespace {

constexpr int kMostJobs = 1024;

bool read_share(std::string_view text, double& value) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (percent) value /= 100;
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

template <class Ok>
void real(const std::optional<std::string>& text, std::string_view option, std::string_view what,
          Ok ok, double& value, Diagnostics& diagnostics) {
  if (!text) return;
  double read = 0;
  if (read_share(*text, read) && ok(read)) {
    value = read;
  } else {
    bad_option(diagnostics, fmt::format("`{} {}` is not {}", option, *text, what));
  }
}

void whole(const std::optional<std::string>& text, std::string_view option, std::int64_t most,
           std::int64_t& value, Diagnostics& diagnostics) {
  if (!text) return;
  std::int64_t read = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), read);
  if (error == std::errc() && end == text->data() + text->size() && read >= 1 && read <= most) {
    value = read;
    return;
  }
  bad_option(diagnostics,
             fmt::format("`{} {}` is not an integer from 1 to {}", option, *text, most));
}

/// What is varied within bounds, and to what end.
void read_search(const StudyOptions& call, experiment::Plan& plan, Diagnostics& diagnostics) {
  for (const std::string& vary : call.vary) {
    for (experiment::Axis& axis : experiment::read_bounds(vary, diagnostics))
      plan.vary.push_back(std::move(axis));
  }
  plan.data = call.data.value_or("");
  if (call.minimize && call.maximize)
    bad_option(diagnostics, "`--minimize` and `--maximize` both say what is looked for");
  plan.objective = call.minimize.value_or(call.maximize.value_or(""));
  plan.is_maximized = call.maximize.has_value();
  plan.constraints = call.subject_to;
  for (const std::string& of : call.of) plan.setting.measures.push_back(experiment::measure_of(of));
  plan.to = call.to;
  if (call.morris && call.sobol)
    bad_option(diagnostics, "`--morris` and `--sobol` are two methods: give one of them");
  if (plan.kind == experiment::Kind::Sensitivity)
    plan.method = call.morris ? "morris" : call.sobol ? "sobol" : "local";
}

/// The short forms: each option is a line of a plan.
void read_short_form(const StudyOptions& call, experiment::Plan& plan, Diagnostics& diagnostics) {
  RunCommandOptions single = call.run;
  single.parameters.clear();
  const std::optional<RunSettings> run = run_settings(single, diagnostics);
  if (run) {
    plan.setting.run = run->run;
    plan.setting.top = run->request.top;
    plan.seed = run->run.seed;
  }
  plan.model = call.run.file;
  plan.kind = *experiment::kind_named(call.kind);
  for (const std::string& parameter : call.run.parameters) {
    const std::size_t equals = parameter.find('=');
    if (equals == std::string::npos || equals == 0) {
      bad_option(diagnostics, fmt::format("`-p {}` is not NAME=VALUES", parameter));
      continue;
    }
    const std::string name = parameter.substr(0, equals), value = parameter.substr(equals + 1);
    const int before = diagnostics.error_count();
    if (auto axis = experiment::read_axis(name, value, diagnostics)) {
      plan.vary.push_back(std::move(*axis));
    } else if (diagnostics.error_count() == before) {
      plan.setting.fixed.emplace_back(name, value);
    }
  }
  for (const std::string& measure : call.measures)
    plan.setting.measures.push_back(experiment::measure_of(measure));
  constexpr std::int64_t kMostRuns = 1'000'000'000;
  whole(call.runs, "--runs", kMostRuns, plan.count, diagnostics);
  if (call.sampling) {
    constexpr std::string_view kNames[] = {"random", "latin", "sobol"};
    const auto* const found = std::find(std::begin(kNames), std::end(kNames), *call.sampling);
    if (found == std::end(kNames)) {
      const std::string meant = sema::nearest(*call.sampling, kNames);
      bad_option(diagnostics,
                 fmt::format("`--sampling {}` is none of random, latin, sobol", *call.sampling),
                 meant.empty() ? "" : fmt::format("did you mean `{}`?", meant));
    } else {
      plan.sampling = static_cast<experiment::Sampling>(found - std::begin(kNames));
    }
  }
  real(
      call.warmup, "--warmup", "a time: they are not negative", [](double v) { return v >= 0; },
      plan.setting.warmup, diagnostics);
  real(
      call.until_halfwidth, "--until-halfwidth", "a positive share, as in 0.01 or 1%",
      [](double v) { return v > 0; }, plan.half_width, diagnostics);
  real(
      call.confidence, "--confidence", "a probability between 0 and 1",
      [](double v) { return v > 0 && v < 1; }, plan.confidence, diagnostics);
  read_search(call, plan, diagnostics);
  if (plan.kind == experiment::Kind::Replicate && plan.count == 0 && plan.half_width == 0)
    bad_option(diagnostics, "how many replications is not said",
               "`--runs 100` or `--until-halfwidth 1%`");
}

}  // namespace

std::optional<StudySettings> study_settings(const StudyOptions& call, Diagnostics& diagnostics) {
  const int before = diagnostics.error_count();
  StudySettings settings;
  if (call.kind.empty()) {
    std::optional<experiment::Plan> plan = experiment::read_plan(call.run.file, diagnostics);
    if (!plan) return std::nullopt;
    settings.plan = std::move(*plan);
    // The model stands beside its plan.
    const std::filesystem::path folder = std::filesystem::path(call.run.file).parent_path();
    if (!call.print_plan && std::filesystem::path(settings.plan.model).is_relative())
      settings.plan.model = (folder / settings.plan.model).string();
  } else {
    read_short_form(call, settings.plan, diagnostics);
  }
  if (call.table) settings.plan.table = *call.table;
  if (call.store) settings.plan.store = *call.store;
  if (!settings.plan.table.empty() && !settings.plan.table.ends_with(".csv"))
    bad_option(diagnostics, fmt::format("`--out {}`: the table of a study is written as .csv",
                                        settings.plan.table));
  std::int64_t jobs = std::max(1U, std::thread::hardware_concurrency());
  whole(call.jobs, "-j", kMostJobs, jobs, diagnostics);
  settings.jobs = static_cast<int>(jobs);
  settings.plan.setting.run.heap_limit = memory_for_values() / jobs;
  check_written(settings.plan.model, {settings.plan.table, settings.plan.store}, diagnostics);
  if (diagnostics.error_count() > before) return std::nullopt;
  return settings;
}

}  // namespace chi::cli
