#include <filesystem>

#include <fmt/format.h>

#include "driver/analyse.h"
#include "driver/read_model.h"
#include "driver/structure_json.h"
#include "driver/structure_page.h"
#include "driver/structure_text.h"
#include "driver/write_file.h"
#include "options.h"
#include "report.h"
#include "run_settings.h"

namespace chi::cli {

int analyze_command(const AnalyzeOptions& options) {
  Diagnostics diagnostics;
  std::optional<SourceFile> source;
  const auto report = [&](int code) {
    print(diagnostics, source ? &*source : nullptr, options.run.common);
    return code;
  };
  std::optional<RunSettings> settings = run_settings(options.run, diagnostics);
  check_written(options.run.file, {options.html.value_or("")}, diagnostics);
  const std::string mode = options.mode.value_or(options.run.end ? "all" : "initial");
  const bool all = mode == "all";
  if (mode != "all" && mode != "initial") {
    bad_option(diagnostics, fmt::format("`--mode {}` is none of initial, all", mode));
  } else if (all && !options.run.end) {
    bad_option(diagnostics, "`--mode all` needs `--end`: the modes are those that a run meets",
               fmt::format("chi analyze {} --mode all --end 100", options.run.file));
  }
  if (diagnostics.has_errors()) return report(kCallWrong);
  source = driver::read_model(options.run.file,
                              driver::import_folders(options.run.common.include, diagnostics),
                              diagnostics);
  if (!source) return report(exit_code(diagnostics));
  std::optional<driver::Compiled> compiled = driver::compile(
      *source, settings->request, {.random_choice = settings->run.random_choice}, diagnostics);
  if (!compiled) return report(exit_code(diagnostics));
  if (!all) settings->run.end = 0;
  driver::Inspection inspection(*compiled, settings->run);
  inspection.run();
  const driver::ModelStructure structure = driver::analyse(inspection, *source, all);
  if (options.html) {
    const std::string title = std::filesystem::path(options.run.file).filename().string();
    driver::write_file(*options.html, driver::structure_page(structure, title), diagnostics);
  }
  for (const driver::ModeStructure& part : structure.parts) {
    if (part.singular && !part.is_static) diagnostics.report(part.singular->why);
  }
  if (structure.failure) diagnostics.report(*structure.failure);
  report(kSuccess);
  show(options.run.common.json ? driver::structure_json(structure)
                               : driver::structure_text(structure));
  if (structure.is_singular()) return kModelWrong;
  return exit_code(diagnostics);
}

}  // namespace chi::cli
