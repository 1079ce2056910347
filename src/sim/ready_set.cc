#include "sim/ready_set.h"

#include <bit>

namespace chi::sim {
namespace {

std::size_t word(std::int64_t i) { return static_cast<std::size_t>(i >> 6); }
std::uint64_t bit(std::int64_t i) { return std::uint64_t{1} << (i & 63); }

}  // namespace

void ReadySet::resize(std::int32_t processes) {
  levels_.clear();
  only_ = kNone;
  std::size_t size = static_cast<std::size_t>(processes);
  do {
    size = (size + 63) / 64;
    levels_.emplace_back(size, 0);
  } while (size > 1);
  if (levels_.back().empty()) levels_.back().push_back(0);
}

void ReadySet::insert(std::int32_t process) {
  if (only_ == kNone) {
    only_ = process;
    return;
  }
  if (only_ != kBits) set_bits(only_);
  only_ = kBits;
  set_bits(process);
}

void ReadySet::set_bits(std::int32_t process) {
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
  if (only_ != kBits) {
    if (only_ == process) only_ = kNone;
    return;
  }
  std::int64_t i = process;
  for (auto& level : levels_) {
    std::uint64_t& w = level[word(i)];
    w &= ~bit(i);
    if (w != 0) return;
    i >>= 6;
  }
  only_ = kNone;  // the last bit is gone
}

bool ReadySet::contains(std::int32_t process) const {
  return only_ != kBits ? only_ == process : (levels_[0][word(process)] & bit(process)) != 0;
}

std::int32_t ReadySet::first_bit() const {
  std::int64_t i = 0;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    const std::uint64_t w = (*level)[static_cast<std::size_t>(i)];
    if (w == 0) return -1;  // only the top level's word can be empty
    i = (i << 6) + std::countr_zero(w);
  }
  return static_cast<std::int32_t>(i);
}

std::int32_t ReadySet::next_from(std::int32_t least) const {
  if (only_ != kBits) return only_ >= least ? only_ : -1;
  // Up to the first level where a bit at or behind our place is set, then down along the first
  // bits.
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

std::int32_t ReadySet::count(std::int32_t low, std::int32_t high) const {
  if (low >= high) return 0;
  if (only_ != kBits) return only_ >= low && only_ < high ? 1 : 0;
  const std::vector<std::uint64_t>& words = levels_[0];
  const std::uint64_t from = ~(bit(low) - 1);
  const std::uint64_t to = ~std::uint64_t{0} >> (63 - ((high - 1) & 63));
  if (word(low) == word(high - 1)) return std::popcount(words[word(low)] & from & to);
  std::int32_t sum =
      std::popcount(words[word(low)] & from) + std::popcount(words[word(high - 1)] & to);
  for (std::size_t w = word(low) + 1; w < word(high - 1); ++w) sum += std::popcount(words[w]);
  return sum;
}

std::int32_t ReadySet::nth_from(std::int32_t low, std::int32_t skip) const {
  if (only_ != kBits) return only_;
  std::size_t w = word(low);
  std::uint64_t rest = levels_[0][w] & ~(bit(low) - 1);
  while (std::popcount(rest) <= skip) {
    skip -= std::popcount(rest);
    rest = levels_[0][++w];
  }
  for (; skip > 0; --skip) rest &= rest - 1;
  return static_cast<std::int32_t>(w << 6) + std::countr_zero(rest);
}

}  // namespace chi::sim
