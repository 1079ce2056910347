#pragma once
#include <vector>

#include "command.h"
#include "options.h"

namespace chi::cli {

/// What the words of a call are read into; one command of them is used.
struct Calls {
  CheckOptions check;
  FormatOptions format;
  RunCommandOptions run;
  AnalyzeOptions analyze;
  StudyOptions study;
  LinearizeOptions linearize;
  PlotOptions plot;
  ExplainOptions explain;
  std::vector<std::string> arguments;
  Common common;
};

/// All commands of `chi`, with their options bound to `calls`, which outlives them.
std::vector<Command> all_commands(Calls& calls);

/// Parses the call and does what it says; returns the exit code.
int run_call(const std::vector<std::string>& words);

}  // namespace chi::cli
