#include "sim/ready_set.h"

#include <bit>

namespace chi::sim {
namespace {

std::size_t word(std::int64_t i) { return static_cast<std::size_t>(i >> 6); }
std::uint64_t bit(std::int64_t i) { return std::uint64_t{1} << (i & 63); }

}  // namespace

void ReadySet::resize(std::int32_t processes) {
  levels_.clear();
  std::size_t size = static_cast<std::size_t>(processes);
  do {
    size = (size + 63) / 64;
    levels_.emplace_back(size, 0);
  } while (size > 1);
}

void ReadySet::insert(std::int32_t process) {
  std::int64_t i = process;
  for (auto& level : levels_) {
    std::uint64_t& w = level[word(i)];
    const bool was_empty = w == 0;
    w |= bit(i);
    if (!was_empty) return;
    i >>= 6;
  }
}

void ReadySet::erase(std::int32_t process) {
  std::int64_t i = process;
  for (auto& level : levels_) {
    std::uint64_t& w = level[word(i)];
    w &= ~bit(i);
    if (w != 0) return;
    i >>= 6;
  }
}

bool ReadySet::contains(std::int32_t process) const { return (levels_[0][word(process)] & bit(process)) != 0; }

std::int32_t ReadySet::first() const {
  std::int64_t i = 0;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    if (level->empty()) return -1;
    const std::uint64_t w = (*level)[static_cast<std::size_t>(i)];
    if (w == 0) return -1;  // only the top level's word can be empty
    i = (i << 6) + std::countr_zero(w);
  }
  return static_cast<std::int32_t>(i);
}

std::int32_t ReadySet::next_from(std::int32_t least) const {
  // Up to the first level where a bit at or behind our place is set, then down along the first bits.
  std::int64_t i = least;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    if (word(i) < levels_[level].size()) {
      const std::uint64_t rest = levels_[level][word(i)] & ~(bit(i) - 1);
      if (rest != 0) {
        i = (static_cast<std::int64_t>(word(i)) << 6) + std::countr_zero(rest);
        for (std::size_t down = level; down-- > 0;) {
          i = (i << 6) + std::countr_zero(levels_[down][static_cast<std::size_t>(i)]);
        }
        return static_cast<std::int32_t>(i);
      }
    }
    i = (i >> 6) + 1;
  }
  return -1;
}

}  // namespace chi::sim
