#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "code/runtime_type.h"
#include "sim/processes/scheduler.h"

namespace chi::sim {

/// What is kept of a process in a model in which processes start others.
struct Scheduler::Life {
  std::uint64_t key = 0;    ///< of the streams of those that it starts; 0: not made yet
  std::int64_t starts = 0;  ///< how many it has started
  std::int64_t number = 0;  ///< started itself: the how many-th of the run; 0: of the model
  code::RoutineId body = {};
  bool has_handle = false;        ///< somebody may wait for its end
  mutable std::string name = {};  ///< made when it is asked for
};

/// What the processes of one body have in common that are started.
struct Scheduler::StartedBody {
  bool known = false;
  std::int32_t most_offers = 0;
  std::vector<std::int32_t> vacant = {};  ///< processes that have ended, and their frames
  /// Registers of variables and parameters that hold references.
  std::vector<std::pair<std::int32_t, const code::RuntimeType*>> owned = {};
  /// First register and number of channels that it may receive from.
  std::vector<std::pair<std::int32_t, std::int32_t>> receives = {};
};

}  // namespace chi::sim
