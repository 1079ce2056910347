#include <cstdio>
#include <exception>
#include <map>
#include <new>

#include <CLI/CLI.hpp>

#include "options.h"

namespace {

using namespace chi::cli;

const std::map<std::string, Color> kColors{
    {"auto", Color::Auto}, {"always", Color::Always}, {"never", Color::Never}};

void add_common(CLI::App& command, Common& common) {
  command.add_flag("--json", common.json,
                   "Diagnostics and summary as JSON, a line each, on stdout");
  command.add_flag("--quiet", common.quiet, "Errors only");
  command.add_option("--color", common.color, "When to use colours")
      ->transform(CLI::CheckedTransformer(kColors, CLI::ignore_case))
      ->default_str("auto");
}

void add_run(CLI::App& command, RunCommandOptions& o) {
  command.add_option("FILE", o.file, "The model")->required();
  command.add_option("--top", o.top, "Which system or process runs")->type_name("NAME");
  command.add_option("-p", o.parameters, "A parameter of the part that runs")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.add_option("--end", o.end, "Stop at this model time")->type_name("T");
  auto* points = command.add_option("--points", o.points, "Number of output points (default 501)")
                     ->type_name("N");
  command.add_option("--step", o.step, "Distance of output points")
      ->type_name("H")
      ->excludes(points);
  command.add_option("--out", o.out, "Write the results to FILE.csv or FILE.json; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command.add_option("--vars", o.vars, "Which variables to record; `*` stands for any text")
      ->type_name("A,B*")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--events", o.events, "Write the event log, JSON lines")->type_name("FILE");
  command
      .add_option("--plot", o.plot,
                  "Plot the recorded variables: to FILE.svg, or without a file in the terminal")
      ->type_name("[FILE.svg]")
      ->expected(0, 1)
      ->default_str("");
  command.add_option("--seed", o.seed, "Seed of all random streams (default 0)")->type_name("S");
  command
      .add_option("--choice", o.choice, "Which of several possible actions happens (default first)")
      ->check(CLI::IsMember({"first", "random"}));
  command.add_flag("--stats", o.stats, "Print counters and times");
  command.add_flag("--no-progress", o.no_progress, "No progress bar");
}

int run(int argc, char** argv) {
  CLI::App app{"chi - modelling and simulation of hybrid systems"};
  app.set_version_flag("--version", "chi " CHI_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Examples:\n  chi check model.chi\n  chi run model.chi --end 100 --out results.csv\n  chi "
      "fmt model.chi");

  CheckOptions check;
  CLI::App* check_app = app.add_subcommand("check", "Parse and type-check only");
  check_app->add_option("FILE", check.file, "The model")->required();
  add_common(*check_app, check.common);

  FormatOptions format;
  CLI::App* format_app = app.add_subcommand("fmt", "Format in place");
  format_app->add_option("FILE", format.files, "The models")->required();
  format_app->add_flag("--check", format.check, "Change nothing; list the files that would change");
  add_common(*format_app, format.common);

  RunCommandOptions run_options;
  CLI::App* run_app = app.add_subcommand("run", "Simulate");
  add_run(*run_app, run_options);
  add_common(*run_app, run_options.common);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kSuccess : kCallWrong;
  }
  if (check_app->parsed()) return check_command(check);
  if (format_app->parsed()) return format_command(format);

  return run_command(run_options);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "internal error: %s\n", error.what());
    return 70;
  }
  return kRunFailed;
}
