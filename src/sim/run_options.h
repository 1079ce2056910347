#pragma once
#include <atomic>
#include <cstdint>
#include <limits>

namespace chi::sim {

struct RunOptions {
  double end = std::numeric_limits<double>::infinity();
  std::uint64_t seed = 0;
  bool random_choice = false;  ///< --choice random
  /// Actions at one instant after which the run is taken for a livelock: far more than any model
  /// needs, reached in seconds.
  std::int64_t max_actions = 100'000'000;
  std::int64_t heap_limit =
      std::numeric_limits<std::int64_t>::max();    ///< bytes for the model's lists and strings
  const std::atomic<bool>* interrupted = nullptr;  ///< set from a signal handler
};

}  // namespace chi::sim
