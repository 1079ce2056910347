#pragma once
#include <cstdint>

#include "sim/interface/search_counts.h"

namespace chi::sim {

/// What a run counted, for `--stats`.
struct RunCounts {
  // Of processes.
  std::int64_t time_events = 0;  ///< processes woken by the calendar
  std::int64_t communications = 0;
  std::int64_t resumptions = 0;  ///< times a process was run until it waited
  std::int64_t instants = 0;     ///< different times at which something happened

  // Of equations; all zero if there are none.
  std::int64_t steps = 0;        ///< accepted steps of integrators
  std::int64_t rejected = 0;     ///< and those that were tried in vain
  std::int64_t evaluations = 0;  ///< of right sides or residuals
  std::int64_t jacobians = 0;
  std::int64_t state_events = 0;  ///< borders of guards and conditions that were reached
  std::int64_t modes = 0;         ///< different ones that were met
  std::int64_t mode_switches = 0;
  double longest_step = 0;     ///< of time stepping, in seconds of the clock; 0: none
  std::int64_t rounds = 0;  ///< in which memories took new values
  SearchCounts searches = {};  ///< for consistent modes
};

}  // namespace chi::sim
