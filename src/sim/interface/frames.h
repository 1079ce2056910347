#pragma once
#include <cstdint>
#include <vector>

#include "code/machine.h"
#include "flat/flat_model.h"

namespace chi::sim {

/// Where the blocks of a model lie in the machine's memory.
struct Frames {
  std::vector<std::int64_t> base;  ///< per block: its first slot
  std::int64_t shared_slots = 0;   ///< blocks whose variables others may see come first, up to here
  Table<flat::VariableId, std::int64_t> variable;  ///< first slot of each variable

  /// Variables by their slot in the flat model, to find the one that such a slot lies in.
  std::vector<flat::VariableId> by_flat_slot;
};

/// The slot in memory of a slot of the flat model's variables.
std::int64_t memory_slot(const flat::FlatModel& model, const Frames& frames,
                         std::int32_t flat_slot);

/// The key from which the streams of the processes that this instance starts are derived.
std::uint64_t start_key(const flat::Block& block, std::uint64_t seed);

/// Makes the frames of all blocks, binds their parameters and starts their random streams.
Frames make_frames(const flat::FlatModel& model, code::Machine& machine, std::uint64_t seed);

}  // namespace chi::sim
