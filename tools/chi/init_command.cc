#include "driver/explain.h"
#include "driver/initial_values.h"
#include "driver/read_model.h"
#include "options.h"
#include "report.h"
#include "run_settings.h"

namespace chi::cli {

int init_command(const RunCommandOptions& options) {
  Diagnostics diagnostics;
  std::optional<SourceFile> source;
  const auto report = [&](int code) {
    print(diagnostics, source ? &*source : nullptr, options.common);
    return code;
  };
  std::optional<RunSettings> settings = run_settings(options, diagnostics);
  if (!settings) return report(kCallWrong);
  source = driver::read_model(
      options.file, driver::import_folders(options.common.include, diagnostics), diagnostics);
  if (!source) return report(exit_code(diagnostics));
  std::optional<driver::Compiled> compiled = driver::compile(
      *source, settings->request, {.random_choice = settings->run.random_choice}, diagnostics);
  if (!compiled) return report(exit_code(diagnostics));
  settings->run.end = 0;
  driver::Inspection inspection(*compiled, settings->run);
  const sim::Outcome& outcome = inspection.run();
  if (outcome.failed()) {
    diagnostics.report(driver::explain(outcome, *source));
    return report(driver::is_model_error(outcome) ? kModelWrong : kRunFailed);
  }
  report(kSuccess);
  const driver::InitialValues values = driver::initial_values(inspection);
  show(options.common.json ? driver::to_json(values) : driver::to_text(values));
  return exit_code(diagnostics);
}

}  // namespace chi::cli
