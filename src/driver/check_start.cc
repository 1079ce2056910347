#include "driver/check_start.h"

#include <algorithm>

#include "driver/compile.h"
#include "driver/explain.h"
#include "driver/inspection.h"

namespace chi::driver {
namespace {

/// Statements at the start that do more are left to `chi run`.
constexpr std::int64_t kMostActions = 10'000;

/// Errors of the call, which was not made, and parts that run only with others.
bool is_of_call(const Diagnostic& d) {
  return severity_of(d.code) == Severity::Error && code_text(d.code).starts_with("E0");
}

}  // namespace

StartCheck check_start(const SourceFile& source, Diagnostics& diagnostics) {
  Diagnostics found;
  std::optional<Compiled> compiled = compile(source, {}, {}, found);
  const auto& all = found.all();
  const auto of_call = std::ranges::find_if(all, is_of_call);
  if (of_call != all.end()) return {.is_complete = false, .why_not = of_call->message};
  if (!compiled) {
    for (const Diagnostic& d : all) {
      if (severity_of(d.code) == Severity::Error) diagnostics.report(d);
    }
    return {.is_complete = true};
  }
  if (!sim::needs_physics(*compiled->model, *compiled->program)) return {.is_complete = true};
  sim::RunOptions options;
  options.end = 0;
  options.max_actions = options.max_answered = kMostActions;
  Inspection inspection(*compiled, options);
  const sim::Outcome& outcome = inspection.run();
  if (is_model_error(outcome)) diagnostics.report(explain(outcome, source));
  if (std::holds_alternative<sim::Livelock>(outcome.why))
    return {.is_complete = false, .why_not = "the statements at the start go on and on"};
  return {.is_complete = true};
}

}  // namespace chi::driver
