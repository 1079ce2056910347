#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/recording.h"
#include "sim/interface/outcome.h"
#include "sim/processes/scheduler.h"

namespace chi::conformance {

/// How a model of a test is run. As on the command line, with the same defaults.
struct RunRequest {
  std::string top = {};
  std::vector<std::pair<std::string, std::string>> params = {};
  double end = std::numeric_limits<double>::infinity();
  std::uint64_t seed = 0;
  bool random_choice = false;
  std::int64_t max_actions = 3'000'000;  ///< a livelock is found soon
  std::int64_t heap_limit = std::int64_t{8} << 30;
  std::int64_t kept_rows = sim::RunOptions{}.kept_rows;
  bool events = false;  ///< keep the event log
  bool record = false;  ///< keep a trace
  /// Interrupted, as by Ctrl-C, once the model has printed this; empty: never.
  std::string interrupt = {};
};

/// What a run left behind.
struct Ran {
  std::string output;  ///< what the model printed
  std::string report;  ///< the diagnostic of a failed run, or of a model that is wrong, as text
  std::string code;    ///< its code: "E6001"; empty if all went well
  double time = 0;     ///< when the run ended
  bool interrupted = false;
  std::string events;  ///< the event log
  results::Trace trace;
  sim::RunCounts counts;
  std::int64_t live_objects = 0;  ///< lists, sets, strings and dictionaries alive at the end
  std::int64_t live_bytes = 0;
  std::int64_t heap_allocations = 0;    ///< blocks that the model's values asked for
  std::int64_t system_allocations = 0;  ///< those that had to come from the system
  bool native = false;                  ///< compiled code ran it as well
};

/// Compiles and runs a model text. Never fails: what went wrong is in `report`. Where statements
/// can be compiled, it runs twice, interpreted and compiled, and both are expected to do the same.
Ran run_model(std::string_view text, const RunRequest& request = {});

/// The output of a model that is to run without failure; otherwise the report.
std::string output_of(std::string_view text, const RunRequest& request = {});

/// The output of a process without channels and parameters: `P() = |[ declarations | statements
/// ]|`, behind `definitions`.
std::string output_of_process(std::string_view declarations, std::string_view statements,
                              std::string_view definitions = "");

}  // namespace chi::conformance
