#pragma once
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "results/recording.h"
#include "sim/interface/outcome.h"
#include "sim/interface/run_options.h"
#include "source/source_file.h"

namespace chi::driver {

/// What to simulate and what to keep: `chi run` as a value.
struct SimulationRequest {
  std::string top = {};                                              ///< --top; empty: choose
  std::vector<std::pair<std::string, std::string>> parameters = {};  ///< -p
  sim::RunOptions run = {};                 ///< `run.end` is needed for equations
  std::vector<std::string> variables = {};  ///< --vars; none: all
  bool derivatives = false;
  results::OutputGrid grid = {};
};

struct Simulation {
  results::Trace trace;  ///< what was recorded, also of a run that failed
  sim::Outcome outcome;
  std::string output;  ///< what the model printed
  bool ran = false;    ///< false: the model is wrong, see the diagnostics
};

/// Text to results, in one call: for programs that have χ inside. Errors of the model and of the
/// run are in `diagnostics`.
Simulation simulate(const SourceFile& source, const SimulationRequest& request,
                    Diagnostics& diagnostics);

}  // namespace chi::driver
