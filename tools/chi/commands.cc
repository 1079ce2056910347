#include "commands.h"

#include <algorithm>
#include <cstdio>
#include <new>
#include <string_view>

#include <fmt/format.h>

#include "call_limits.h"
#include "completion.h"
#include "driver/dump.h"
#include "option_rows.h"
#include "report.h"
#include "run_settings.h"
#include "study_commands.h"

namespace chi::cli {

std::string_view version_text();  // made at every build (cmake/Version.cmake)

Option flag(std::string name, std::string help, bool& value, std::string group) {
  return {.name = std::move(name),
          .help = std::move(help),
          .group = std::move(group),
          .take = [&value](const std::string&) { value = true; }};
}

Option text(std::string name, std::string value, std::string help,
            std::optional<std::string>& target, std::string group) {
  return {.name = std::move(name),
          .value = std::move(value),
          .help = std::move(help),
          .group = std::move(group),
          .take = [&target](std::string word) { target = std::move(word); }};
}

Option one_of(std::string name, std::vector<std::string> values, std::string help,
              std::optional<std::string>& target, std::string group) {
  Option option = text(std::move(name), "", std::move(help), target, std::move(group));
  option.value = values.size() < 4 ? fmt::format("{}", fmt::join(values, "|")) : "METHOD";
  option.values = std::move(values);
  return option;
}

void add_list(std::vector<std::string>& target, const std::string& words) {
  for (std::size_t begin = 0; begin <= words.size();) {
    const std::size_t end = std::min(words.find(',', begin), words.size());
    if (end > begin) target.push_back(words.substr(begin, end - begin));
    begin = end + 1;
  }
}

namespace {

void add_common(std::vector<Option>& options, Common& common) {
  options.push_back(
      flag("--json", "Diagnostics and summary as JSON, a line each, on stdout", common.json));
  options.push_back(flag("--quiet", "Errors only", common.quiet));
  options.push_back(text("--max-time", "S",
                         "End like an interrupt after S seconds of wall clock, with exit code 3",
                         common.max_time, "Options"));
  options.push_back(text("--max-memory", "SIZE",
                         "Fail rather than take more memory than this: in MB, or with K, M or G",
                         common.max_memory, "Options"));
  options.push_back({.name = "--color",
                     .value = "auto|always|never",
                     .help = "When to use colours (default auto)",
                     .values = {"auto", "always", "never"},
                     .take = [&common](const std::string& word) {
                       common.color = word == "always"  ? Color::Always
                                      : word == "never" ? Color::Never
                                      : word == "auto"  ? Color::Auto
                                                        : Color::Unknown;
                       common.color_text = word;
                     }});
}

}  // namespace

void add_include(std::vector<Option>& options, Common& common) {
  options.push_back(
      {.name = "--include",
       .value = "DIR",
       .help = "A folder to look in for imported files, before those of CHI_PATH; repeatable",
       .group = "Options",
       .repeats = true,
       .take = [&common](std::string word) { common.include.push_back(std::move(word)); }});
}

void add_model(std::vector<Option>& options, RunCommandOptions& o) {
  constexpr const char* kGroup = "The experiment";
  options.push_back({.name = "--top",
                     .value = "NAME",
                     .help = "Which system or process runs; needed if there are several",
                     .group = kGroup,
                     .take = [&o](std::string word) { o.top = std::move(word); }});
  options.push_back({.name = "-p",
                     .value = "NAME=VALUE",
                     .help = "A parameter of the part that runs, or by path of an instance in it, "
                             "as in `Motor.J=0.2`; repeatable",
                     .group = kGroup,
                     .repeats = true,
                     .take = [&o](std::string word) { o.parameters.push_back(std::move(word)); }});
  options.push_back(text("--end", "T",
                         "Stop at this model time; needed if the model has equations and no "
                         "`terminate`",
                         o.end, kGroup));
  options.push_back(text("--seed", "S", "Seed of all random streams (default 0)", o.seed, kGroup));
  options.push_back(one_of("--choice", {"first", "random"},
                           "Which of several possible actions happens (default first)", o.choice,
                           kGroup));
}

void add_numerics(std::vector<Option>& options, RunCommandOptions& o) {
  constexpr const char* kGroup = "Numerical methods";
  options.push_back(text("--rtol", "R", "Relative tolerance (default 1e-6)", o.rtol, kGroup));
  options.push_back(text("--atol", "A", "Absolute tolerance (default 1e-9)", o.atol, kGroup));
  options.push_back(text("--max-step", "T",
                         "Longest step of integration, for what is over in a moment, such as a "
                         "pulse of a function of time (default none)",
                         o.max_step, kGroup));
  options.push_back(
      one_of("--solver",
             {"auto", "ida", "bdf", "cvode", "erk", "erk:dopri5", "erk:rkf45", "irk", "timestep"},
             "Integrator: auto (default), ida, bdf, cvode, erk, erk:dopri5, erk:rkf45, irk; or "
             "timestep: steps of a fixed size, events are not located",
             o.solver, kGroup));
  options.push_back(
      text("--step-size", "H", "Step of --solver timestep, in model time", o.step_size, kGroup));
  options.push_back(text("--theta", "THETA",
                         "Of --solver timestep: 1 implicit Euler (default), 0.5 trapezoidal rule",
                         o.theta, kGroup));
  options.push_back(one_of("--root-finder",
                           {"toms748", "itp", "regula-falsi", "golden-section", "bisection",
                            "cubic-hermite", "inverse-hermite", "polynomial"},
                           "How the time of an event is closed in on: toms748 (default), itp, "
                           "regula-falsi, golden-section, bisection, cubic-hermite, "
                           "inverse-hermite, polynomial",
                           o.root_finder, kGroup));
  options.push_back(one_of("--root-detection", {"signs", "derivative", "bernstein", "sturm"},
                           "How events inside a step are noticed: bernstein (default), signs, "
                           "derivative, sturm",
                           o.root_detection, kGroup));
  options.push_back(one_of("--sliding", {"allow", "error"},
                           "Sliding along a switching surface (default allow)", o.sliding, kGroup));
  options.push_back(one_of(
      "--zeno", {"stop", "continue"},
      "When events accumulate (default stop, but for contacts with restitution)", o.zeno, kGroup));
  options.push_back(one_of("--jumps", {"allow", "error"},
                           "Jumps that the constraints of a new mode ask for (default allow)",
                           o.jumps, kGroup));
  options.push_back(one_of("--initial", {"error", "nearest"},
                           "When equations leave values open at the start (default error)",
                           o.initial, kGroup));
  options.push_back(one_of("--requirements", {"stop", "warn"},
                           "When a requirement of the model does not hold (default stop)",
                           o.requirements, kGroup));
  options.push_back(one_of(
      "--start", {"keep", "jump"},
      "When no mode keeps the values set at the start (default keep: an error)", o.start, kGroup));
}

namespace {

bool may_be_plot_file(const std::string& word) {
  if (word.starts_with('-')) return false;
  for (const char* other : {".chi", ".csv", ".mat", ".json"}) {
    if (word.ends_with(other)) return false;
  }
  return true;
}

/// What is kept of a run.
void add_output(std::vector<Option>& options, RunCommandOptions& o) {
  constexpr const char* kGroup = "Results";
  options.push_back({.name = "--out",
                     .value = "FILE",
                     .help = "Write the results to FILE.csv, FILE.mat or FILE.json; repeatable",
                     .group = kGroup,
                     .repeats = true,
                     .take = [&o](std::string word) { o.out.push_back(std::move(word)); }});
  options.push_back({.name = "--plot",
                     .value = "FILE",
                     .help = "Plot the recorded variables: to FILE.svg or FILE.html, or without a "
                             "file in the terminal",
                     .group = kGroup,
                     .value_may_miss = true,
                     .take = [&o](std::string word) { o.plot = std::move(word); },
                     .accepts = may_be_plot_file});
  options.push_back({.name = "--vars",
                     .value = "A,B*",
                     .help =
                         "Which variables to record (default all); `*` stands for any text, `?` "
                         "for a character",
                     .group = kGroup,
                     .repeats = true,
                     .take = [&o](const std::string& word) { add_list(o.vars, word); }});
  options.push_back(
      flag("--derivatives", "Record x' of the recorded variables too", o.derivatives, kGroup));
  options.push_back(
      text("--points", "N", "Number of output points (default 501)", o.points, kGroup));
  options.push_back(text("--step", "H", "Distance of output points, instead", o.step, kGroup));
  options.push_back(text("--events", "FILE", "Write the event log, JSON lines", o.events, kGroup));
  Option dump = text("--dump", "STAGE[:FILTER]",
                     "Print what a stage of the compiler made, instead of running: tokens, ast, "
                     "typed, flat, ir, plan (of the equations at the start) or modes (that a run "
                     "to --end meets); of all things only those named FILTER",
                     o.dump, kGroup);
  for (const std::string_view stage : driver::stage_names()) dump.values.emplace_back(stage);
  options.push_back(std::move(dump));
  options.push_back(
      flag("--stats", "Print counters, times and what was observed", o.stats, kGroup));
  options.push_back(flag("--no-progress", "No progress bar", o.no_progress));
}

Command run_of(Calls& calls) {
  Command command{.name = "run",
                  .summary = "Simulate a model",
                  .argument = "FILE",
                  .examples = {"chi run tank.chi --end 100 --plot",
                               "chi run tank.chi --end 100 --out tank.csv --vars 'V,Q*'",
                               "chi run line.chi -p n=1000 -p t=2.5 --seed 7 --stats",
                               "chi run ball.chi --end 3 --plot ball.html --events ball.jsonl",
                               "chi run tank.chi --dump=typed"}};
  add_model(command.options, calls.run);
  add_output(command.options, calls.run);
  add_numerics(command.options, calls.run);
  add_include(command.options, calls.common);
  command.run = [&calls] {
    calls.run.common = calls.common;
    calls.run.file = calls.arguments.front();
    return run_command(calls.run);
  };
  return command;
}

/// The options of `run` that matter at the start.
void add_start(std::vector<Option>& options, RunCommandOptions& o) {
  std::vector<Option> all;
  add_model(all, o);
  add_numerics(all, o);
  for (const char* name : {"--top", "-p", "--seed", "--choice", "--rtol", "--atol"}) {
    options.push_back(*std::find_if(all.begin(), all.end(),
                                    [&](const Option& option) { return option.name == name; }));
  }
}

Command init_of(Calls& calls) {
  Command command{.name = "init",
                  .summary = "Print consistent initial values",
                  .argument = "FILE",
                  .examples = {"chi init tank.chi", "chi init tank.chi -p V0=2.5 --json"}};
  add_start(command.options, calls.run);
  add_include(command.options, calls.common);
  command.run = [&calls] {
    calls.run.common = calls.common;
    calls.run.file = calls.arguments.front();
    return init_command(calls.run);
  };
  return command;
}

Command analyze_of(Calls& calls) {
  Command command{.name = "analyze",
                  .summary = "Report the structure of the equations",
                  .argument = "FILE",
                  .examples = {"chi analyze pendulum.chi", "chi analyze pendulum.chi --json",
                               "chi analyze rectifier.chi --mode all --end 0.1 --html modes.html"}};
  constexpr const char* kGroup = "The report";
  command.options.push_back(
      one_of("--mode", {"initial", "all"},
             "The modes at the start (default), or all that a run to --end meets",
             calls.analyze.mode, kGroup));
  command.options.push_back(text("--end", "T", "Until when modes are collected; implies --mode all",
                                 calls.analyze.run.end, kGroup));
  command.options.push_back(text("--html", "FILE",
                                 "Draw the equations against their unknowns, in block triangular "
                                 "form",
                                 calls.analyze.html, kGroup));
  add_start(command.options, calls.analyze.run);
  add_include(command.options, calls.common);
  command.run = [&calls] {
    calls.analyze.run.common = calls.common;
    calls.analyze.run.file = calls.arguments.front();
    return analyze_command(calls.analyze);
  };
  return command;
}

Command check_of(Calls& calls) {
  Command command{.name = "check",
                  .summary = "Parse and type-check only; of a folder, all files below it",
                  .argument = "FILE",
                  .examples = {"chi check tank.chi", "chi check models"}};
  add_include(command.options, calls.common);
  command.run = [&calls] {
    return check_command({.common = calls.common, .file = calls.arguments.front()});
  };
  return command;
}

Command deps_of(Calls& calls) {
  Command command{.name = "deps",
                  .summary = "List the files of a model",
                  .argument = "FILE",
                  .examples = {"chi deps plant.chi"}};
  add_include(command.options, calls.common);
  command.run = [&calls] {
    return deps_command({.common = calls.common, .file = calls.arguments.front()});
  };
  return command;
}

Command format_of(Calls& calls) {
  Command command{.name = "fmt",
                  .summary = "Format in place",
                  .argument = "FILE...",
                  .examples = {"chi fmt tank.chi", "chi fmt --check *.chi"}};
  command.options.push_back(
      flag("--check", "Change nothing; list the files that would change", calls.format.check));
  command.run = [&calls] {
    calls.format.common = calls.common;
    calls.format.files = calls.arguments;
    return format_command(calls.format);
  };
  return command;
}

Command plot_of(Calls& calls) {
  Command command{
      .name = "plot",
      .summary = "Plot results of an earlier run",
      .argument = "RESULT",
      .examples = {"chi plot tank.csv", "chi plot tank.mat --vars 'V*' --out tank.html"}};
  command.options.push_back(
      {.name = "--vars",
       .value = "A,B*",
       .help = "Which variables (default all); `*` stands for any text, `?` for a character",
       .repeats = true,
       .take = [&calls](const std::string& word) { add_list(calls.plot.vars, word); }});
  command.options.push_back(text("--out", "FILE",
                                 "Draw to FILE.svg or FILE.html instead of in the terminal",
                                 calls.plot.out, "Options"));
  command.run = [&calls] {
    calls.plot.common = calls.common;
    calls.plot.file = calls.arguments.front();
    return plot_command(calls.plot);
  };
  return command;
}

Command explain_of(Calls& calls) {
  return {.name = "explain",
          .summary = "Tell more about a diagnostic",
          .argument = "CODE",
          .examples = {"chi explain E2014"},
          .run = [&calls] {
            return explain_command({.common = calls.common, .code = calls.arguments.front()});
          }};
}

Command doc_of(Calls& calls) {
  return {.name = "doc",
          .summary = "Describe the library, a folder of it, or a component",
          .argument = "[NAME]",
          .examples = {"chi doc", "chi doc electrical", "chi doc Resistor",
                       "chi doc rotational.Clutch"},
          .run = [&calls] {
            return doc_command({.common = calls.common,
                                .name = calls.arguments.empty() ? "" : calls.arguments.front()});
          }};
}

Command completion_of(Calls& calls) {
  return {.name = "completion",
          .summary = "A completion script for bash, zsh or fish",
          .argument = "SHELL",
          .examples = {"eval \"$(chi completion bash)\"", "chi completion fish | source"},
          .run = [&calls] {
            Calls none;
            const auto script = completion_script(all_commands(none), calls.arguments.front());
            if (script) {
              std::fputs(script->c_str(), stdout);
              return kSuccess;
            }
            Diagnostics diagnostics;
            bad_option(diagnostics, fmt::format("there is no completion for `{}`: it is bash, zsh "
                                                "or fish",
                                                calls.arguments.front()));
            print(diagnostics, nullptr, calls.common);
            return kCallWrong;
          }};
}

/// Runs the command, and says what became of it if it was ended from outside.
int run_to_its_end(const Command& command, const Common& common) {
  try {
    return command.run();
  } catch (const Cancelled& cancelled) {
    return report_cancelled(cancelled.cause, common);
  } catch (const std::bad_alloc&) {
    return report_out_of_memory(common);
  }
}

bool has(const std::vector<std::string>& words, std::string_view word) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::find(words.begin(), end, word) != end;
}

}  // namespace

std::vector<Command> all_commands(Calls& calls) {
  std::vector<Command> commands;
  commands.push_back(run_of(calls));
  commands.push_back(init_of(calls));
  commands.push_back(analyze_of(calls));
  commands.push_back(check_of(calls));
  commands.push_back(deps_of(calls));
  commands.push_back(format_of(calls));
  commands.push_back(plot_of(calls));
  add_study_commands(commands, calls);
  commands.push_back(explain_of(calls));
  commands.push_back(doc_of(calls));
  commands.push_back(completion_of(calls));
  for (Command& command : commands) {
    add_common(command.options, calls.common);
    command.arguments = &calls.arguments;
  }
  return commands;
}

int run_call(const std::vector<std::string>& words) {
  Calls calls;
  const std::vector<Command> commands = all_commands(calls);
  calls.common.json = has(words, "--json");  // also for what is wrong with the other words
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    std::fputs(help_text(commands).c_str(), words.empty() ? stderr : stdout);
    return words.empty() ? kCallWrong : kSuccess;
  }
  if (words[0] == "--version") {
    std::fwrite(version_text().data(), 1, version_text().size(), stdout);
    return kSuccess;
  }
  Diagnostics diagnostics;
  const auto command = std::find_if(commands.begin(), commands.end(),
                                    [&](const Command& c) { return c.name == words[0]; });
  if (command == commands.end()) {
    unknown_command(words[0], commands, diagnostics);
  } else {
    const std::vector<std::string> rest(words.begin() + 1, words.end());
    if (has(rest, "--help") || has(rest, "-h")) {
      std::fputs(help_text(*command).c_str(), stdout);
      return kSuccess;
    }
    read_words(*command, rest, diagnostics);
    if (calls.common.color == Color::Unknown) {
      bad_option(diagnostics, fmt::format("`--color {}` is none of auto, always, never",
                                          calls.common.color_text));
      calls.common.color = Color::Auto;
    }
  }
  if (!diagnostics.has_errors()) set_limits(calls.common, diagnostics);
  if (!diagnostics.has_errors()) return run_to_its_end(*command, calls.common);
  print(diagnostics, nullptr, calls.common);
  return kCallWrong;
}

}  // namespace chi::cli
