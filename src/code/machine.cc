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

void Machine::fix_frames() {
  memory_.assign(static_cast<std::size_t>(size_), Slot{.i = 0});
  for (const Pending& frame : pending_) {
    for (const auto& [reg, index] : frame.routine->constants) {
      std::copy_n(constant(index), constant_slots(index), memory_.data() + frame.base + reg);
    }
  }
  pending_ = {};
}

}  // namespace chi::code
