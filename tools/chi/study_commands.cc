#include "study_commands.h"

#include <utility>

#include "option_rows.h"

namespace chi::cli {
namespace {

constexpr const char* kGroup = "The study";

Option measure_row(StudyOptions& o) {
  return {.name = "--measure",
          .value = "EXPR",
          .help =
              "What is measured of each run: `x(end)`, `max(x)`, `mean(q) - 1`, `first(x > 2)`; "
              "repeatable",
          .group = kGroup,
          .repeats = true,
          .take = [&o](std::string word) { o.measures.push_back(std::move(word)); }};
}

/// What every command that makes many runs has.
void add_execution(std::vector<Option>& options, StudyOptions& o) {
  options.push_back(text("--out", "FILE.csv", "Write the table of runs", o.table, "Results"));
  options.push_back(
      text("-j", "N", "Runs made side by side (default: one a processor)", o.jobs, "Options"));
  options.push_back(flag("--print-plan", "Print the plan of the study as TOML, and make no run",
                         o.print_plan, "Results"));
  options.push_back(
      flag("--strict", "Exit with 3 if a run failed; else that is a row of the table", o.strict));
  options.push_back(flag("--no-progress", "No progress bar", o.run.no_progress));
}

/// The options of a model, where parameters may have several values.
void add_varied_model(std::vector<Option>& options, StudyOptions& o) {
  add_model(options, o.run);
  for (Option& option : options) {
    if (option.name != "-p") continue;
    option.value = "NAME=VALUES";
    option.help =
        "A parameter: one value, a list `1,2,5`, a range `0:10:0.5` (from, to, step), or bounds "
        "`0:10` to draw from, with --runs; repeatable";
  }
  add_numerics(options, o.run);
}

Option store_row(StudyOptions& o) {
  return text("--store", "FILE", "Keep the runs in FILE, and make none that it has already",
              o.store, "Results");
}

Command study_form(Calls& calls, std::string name, std::string summary,
                   std::vector<std::string> examples) {
  Command command{.name = name,
                  .summary = std::move(summary),
                  .argument = "FILE",
                  .examples = std::move(examples)};
  add_varied_model(command.options, calls.study);
  command.options.push_back(measure_row(calls.study));
  command.options.push_back(store_row(calls.study));
  command.options.push_back(
      text("--runs", "N", "Runs for each combination of values", calls.study.runs, kGroup));
  command.options.push_back(one_of("--sampling", {"random", "latin", "sobol"},
                                   "How values are drawn from bounds (default random)",
                                   calls.study.sampling, kGroup));
  command.options.push_back(text("--warmup", "T", "Measure from this model time on (default 0)",
                                 calls.study.warmup, kGroup));
  add_execution(command.options, calls.study);
  add_include(command.options, calls.common);
  command.run = [&calls, kind = std::move(name)] {
    calls.study.run.common = calls.common;
    calls.study.run.file = calls.arguments.front();
    calls.study.kind = kind;
    return study_command(calls.study);
  };
  return command;
}

Command replicate_of(Calls& calls) {
  Command command = study_form(
      calls, "replicate", "Run a model with random numbers many times",
      {"chi replicate queue.chi --runs 1000 --end 500 --measure 'mean(w)'",
       "chi replicate queue.chi --end 500 --measure 'mean(w)' --until-halfwidth 1% --warmup 50",
       "chi replicate line.chi -p n=1,2,3 --runs 100 --end 100 --measure 'made(end)' --out "
       "runs.csv"});
  command.options.push_back(text("--until-halfwidth", "H",
                                 "Go on until half of every interval is at most this share of its "
                                 "mean: 0.01 or 1%",
                                 calls.study.until_halfwidth, kGroup));
  command.options.push_back(
      text("--confidence", "P", "Of the intervals (default 0.95)", calls.study.confidence, kGroup));
  return command;
}

Command plan_of(Calls& calls) {
  Command command{.name = "study",
                  .summary = "Make the runs that a plan asks for",
                  .argument = "FILE",
                  .examples = {"chi study boost.toml", "chi study boost.toml -j 8 --out boost.csv",
                               "chi study boost.toml --print-plan"}};
  add_execution(command.options, calls.study);
  command.options.push_back(store_row(calls.study));
  add_include(command.options, calls.common);
  command.run = [&calls] {
    calls.study.run.common = calls.common;
    calls.study.run.file = calls.arguments.front();
    calls.study.kind.clear();
    return study_command(calls.study);
  };
  return command;
}

/// What searches and fits have in common.
Command search_form(Calls& calls, std::string name, std::string summary,
                    std::vector<std::string> examples) {
  Command command{.name = name,
                  .summary = std::move(summary),
                  .argument = "FILE",
                  .examples = std::move(examples)};
  add_model(command.options, calls.study.run);
  add_numerics(command.options, calls.study.run);
  command.options.push_back(
      {.name = "--vary",
       .value = "A=0:10,B=1:2",
       .help = "Parameters and their bounds, `:log` behind those of a "
               "logarithmic scale; repeatable",
       .group = kGroup,
       .repeats = true,
       .take = [&calls](std::string word) { calls.study.vary.push_back(std::move(word)); }});
  add_execution(command.options, calls.study);
  add_include(command.options, calls.common);
  command.run = [&calls, kind = std::move(name)] {
    calls.study.run.common = calls.common;
    calls.study.run.file = calls.arguments.front();
    calls.study.kind = kind;
    return study_command(calls.study);
  };
  return command;
}

Command fit_of(Calls& calls) {
  Command command =
      search_form(calls, "fit", "Find the parameters for which the model is nearest to data",
                  {"chi fit pendulum.chi --data measured.csv --vary k=0:10,c=0:1",
                   "chi fit diode.chi --data diode.csv --vary Is=1e-15:1e-9:log --out fitted.csv"});
  command.options.push_back(text("--data", "FILE",
                                 "Measured values: `time` and columns with names of variables, as "
                                 ".csv, .mat or .json",
                                 calls.study.data, kGroup));
  return command;
}

Command optimize_of(Calls& calls) {
  Command command = search_form(
      calls, "optimize", "Find the parameters for which a measure is least, or most",
      {"chi optimize loop.chi --vary k=0:10,Ti=0.1:10:log --minimize 'settle(y, 2%)' --end 20 "
       "--subject-to 'max(y) < 1.1'"});
  StudyOptions& o = calls.study;
  command.options.push_back(text("--minimize", "EXPR", "A measure", o.minimize, kGroup));
  command.options.push_back(text("--maximize", "EXPR", "A measure, instead", o.maximize, kGroup));
  command.options.push_back(
      {.name = "--subject-to",
       .value = "RELATION",
       .help = "What must hold, as in `max(F) < 10`; repeatable",
       .group = kGroup,
       .repeats = true,
       .take = [&o](std::string word) { o.subject_to.push_back(std::move(word)); }});
  command.options.push_back(text("--runs", "N",
                                 "Runs at each point, with the same random numbers; their mean "
                                 "counts (default 1)",
                                 o.runs, kGroup));
  return command;
}

Command sensitivity_of(Calls& calls) {
  Command command = search_form(calls, "sensitivity", "Tell how measures depend on parameters",
                                {"chi sensitivity ball.chi -p e=0.8 --of 'y(end)' --to e --end 1",
                                 "chi sensitivity tank.chi --of 'max(V)' --vary k=1:2,A=0.5:1.5 "
                                 "--sobol --runs 256 --end 10"});
  StudyOptions& o = calls.study;
  command.options.push_back({.name = "--of",
                             .value = "EXPR",
                             .help = "A measure; repeatable",
                             .group = kGroup,
                             .repeats = true,
                             .take = [&o](std::string word) { o.of.push_back(std::move(word)); }});
  command.options.push_back({.name = "--to",
                             .value = "A,B",
                             .help = "Derivatives by these parameters, at the values of -p",
                             .group = kGroup,
                             .repeats = true,
                             .take = [&o](const std::string& word) { add_list(o.to, word); }});
  command.options.push_back(
      flag("--morris", "Elementary effects within the bounds of --vary", o.morris, kGroup));
  command.options.push_back(
      flag("--sobol", "Shares of the variance within the bounds of --vary", o.sobol, kGroup));
  command.options.push_back(text("--runs", "N",
                                 "Trajectories of --morris (default 20), samples of --sobol "
                                 "(default 256)",
                                 o.runs, kGroup));
  return command;
}

Command linearize_of(Calls& calls) {
  Command command{.name = "linearize",
                  .summary = "The equations near a point of a run, as x' = A x + B u",
                  .argument = "FILE",
                  .examples = {"chi linearize cart.chi --inputs F --outputs x,phi",
                               "chi linearize loop.chi --at 5 --inputs u --outputs y --bode "
                               "bode.svg --root-locus locus.svg",
                               "chi linearize boost.chi -p duty=0.4 --at 0.1 --json"}};
  LinearizeOptions& o = calls.linearize;
  add_model(command.options, o.run);
  for (Option& option : command.options) {
    if (option.name != "--end") continue;
    option.name = "--at";
    option.help = "The model time of the point (default 0: the consistent start)";
  }
  const auto list = [&](std::string name, std::string help, std::vector<std::string>& target) {
    command.options.push_back(
        {.name = std::move(name),
         .value = "A,B",
         .help = std::move(help),
         .group = "The linear model",
         .repeats = true,
         .take = [&target](const std::string& word) { add_list(target, word); }});
  };
  list("--inputs", "Variables that the equations do not determine: u", o.inputs);
  list("--outputs", "Real variables: y", o.outputs);
  command.options.push_back(text("--bode", "FILE.svg", "Draw gain and phase over the frequency",
                                 o.bode, "The linear model"));
  command.options.push_back(text("--nyquist", "FILE.svg", "Draw the frequency response as a curve",
                                 o.nyquist, "The linear model"));
  command.options.push_back(text("--step-response", "FILE.svg", "Draw y after a step of u by 1",
                                 o.step_response, "The linear model"));
  command.options.push_back(text("--root-locus", "FILE.svg",
                                 "Draw the poles of the loop closed by u = -k y, for all k > 0",
                                 o.root_locus, "The linear model"));
  add_numerics(command.options, o.run);
  add_include(command.options, calls.common);
  command.run = [&calls] {
    calls.linearize.run.common = calls.common;
    calls.linearize.run.file = calls.arguments.front();
    return linearize_command(calls.linearize);
  };
  return command;
}

}  // namespace

void add_study_commands(std::vector<Command>& commands, Calls& calls) {
  commands.push_back(
      study_form(calls, "sweep", "Run a model over values of its parameters",
                 {"chi sweep tank.chi -p k=0:10:0.5 -p T=1,2,5 --end 10 --measure 'max(V)'",
                  "chi sweep boost.chi -p L=1e-4:1e-3 --runs 100 --sampling latin --end 0.1 "
                  "--measure 'ripple = max(u) - min(u)' --out runs.csv"}));
  commands.push_back(replicate_of(calls));
  commands.push_back(fit_of(calls));
  commands.push_back(optimize_of(calls));
  commands.push_back(sensitivity_of(calls));
  commands.push_back(plan_of(calls));
  commands.push_back(linearize_of(calls));
}

}  // namespace chi::cli
