#include "code/machine.h"

#include <algorithm>

#include "base/check.h"
#include "code/make_value.h"

namespace chi::code {

Machine::Machine(const Program& program, std::int64_t heap_limit)
    : program_(program), heap_(heap_limit) {
  for (const Constant& constant : program.constants) {
    const RuntimeType& type = program.types[constant.runtime];
    constant_starts_.push_back(constants_.size());
    constants_.resize(constants_.size() + static_cast<std::size_t>(type.slots), Slot{.i = 0});
    const RunError error =
        make_value(heap_, type, constant.value, constants_.data() + constant_starts_.back());
    CHI_CHECK(error == RunError::None, "a constant was evaluated before and is in memory already");
  }
  constant_starts_.push_back(constants_.size());
}

std::int32_t Machine::constant_slots(std::int32_t index) const {
  const auto i = static_cast<std::size_t>(index);
  return static_cast<std::int32_t>(constant_starts_[i + 1] - constant_starts_[i]);
}

std::int64_t Machine::add_frame(const Routine& routine) {
  const std::int64_t base = size_;
  pending_.push_back({&routine, base});
  size_ += routine.frame_slots;
  return base;
}

std::int64_t Machine::add_slots(std::int64_t count) {
  const std::int64_t base = size_;
  size_ += count;
  return base;
}

void Machine::fix_frames(std::int64_t room) {
  memory_.reserve(static_cast<std::size_t>(size_ + room));
  memory_.assign(static_cast<std::size_t>(size_), Slot{.i = 0});
  for (const Pending& frame : pending_) {
    for (const auto& [reg, index] : frame.routine->constants) {
      std::copy_n(constant(index), constant_slots(index), memory_.data() + frame.base + reg);
    }
  }
  pending_ = {};
}

std::int64_t Machine::start_frame(const Routine& routine) {
  const auto size = static_cast<std::size_t>(routine.frame_slots);
  if (memory_.size() + size > memory_.capacity()) return -1;
  const auto base = static_cast<std::int64_t>(memory_.size());
  memory_.resize(memory_.size() + size, Slot{.i = 0});
  clear_frame(routine, base);
  return base;
}

void Machine::clear_frame(const Routine& routine, std::int64_t base) {
  Slot* const frame = memory_.data() + base;
  std::fill_n(frame, routine.variable_slots, Slot{.i = 0});
  for (const auto& [reg, index] : routine.constants)
    std::copy_n(constant(index), constant_slots(index), frame + reg);
}

}  // namespace chi::code
