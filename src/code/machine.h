#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/huge_pages.h"
#include "code/heap.h"
#include "code/ir.h"
#include "code/random.h"

namespace chi::code {

/// The memory of one run: frames of all blocks in one array of slots, the heap, the constants, and
/// the clock.
///
/// Frames lie one after the other and never move. A shared variable is known by its slot number.
class Machine {
 public:
  /// `heap_limit`: bytes that lists, sets, dictionaries and strings may take together.
  explicit Machine(const Program& program,
                   std::int64_t heap_limit = std::numeric_limits<std::int64_t>::max());

  const Program& program() const { return program_; }
  Heap& heap() { return heap_; }

  /// Room for a frame of the routine, all zero but for its constants. Returns its first slot. All
  /// frames are made before the first one is used.
  std::int64_t add_frame(const Routine& routine);
  std::int64_t add_slots(std::int64_t count);  ///< the same for slots of no routine
  /// Ends the making of frames: from here on `memory()` stays where it is. `room`: slots for frames
  /// to come.
  void fix_frames(std::int64_t room = 0);
  Slot* memory() { return memory_.data(); }
  const Slot* memory() const { return memory_.data(); }
  std::int64_t reserved_slots() const { return size_; }  ///< of the frames added so far

  double time = 0;
  SampleBlocks blocks;  ///< of all its random streams
  std::string output;   ///< what was printed and not yet taken away
  std::string told;     ///< `x = 3, b = true`: values of a claim that does not hold
  struct Printed {
    std::size_t end = 0;  ///< where in `output` the text of the statement ends
    Span span;
  };
  bool note_prints = false;     ///< whether to keep:
  std::vector<Printed> prints;  ///< the print statements that `output` comes from

  /// For the slots that hold shared variables, which come first: how many waiting processes want to
  /// know of a change of that slot. Changes of such slots are noted in `changed`.
  std::span<const std::int32_t> watchers;
  std::vector<std::int32_t> changed;

  /// Room for the frame of a process that is started during the run, behind all others, with its
  /// constants in it; -1 if there is no more. Requires that `fix_frames` was asked to keep room.
  std::int64_t start_frame(const Routine& routine);
  /// Puts it in order for the next process with the same code: zeros, and the constants.
  void clear_frame(const Routine& routine, std::int64_t base);
  /// The processes by number that were started, may be waited for, and have not ended.
  std::unordered_map<std::int64_t, std::int32_t> started;

  const Slot* constant(std::int32_t index) const {
    return constants_.data() + constant_starts_[static_cast<std::size_t>(index)];
  }
  std::int32_t constant_slots(std::int32_t index) const;

 private:
  const Program& program_;
  Heap heap_;
  std::vector<Slot> constants_;
  std::vector<std::size_t> constant_starts_;
  struct Pending {
    const Routine* routine = nullptr;
    std::int64_t base = 0;
  };
  std::vector<Pending> pending_;
  std::int64_t size_ = 0;
  std::vector<Slot, HugePages<Slot>> memory_;
};

}  // namespace chi::code
