#include "sim/processes/ready_set.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace chi::sim {
namespace {

std::size_t word(std::int64_t i) { return static_cast<std::size_t>(i >> 6); }
std::uint64_t bit(std::int64_t i) { return std::uint64_t{1} << (i & 63); }

}  // namespace

void ReadySet::resize(std::int32_t processes) {
  levels_.clear();
  near_ = first_bit_ = kNone;
  std::size_t size = static_cast<std::size_t>(processes);
  do {
    size = (size + 63) / 64;
    levels_.emplace_back(size, 0);
  } while (size > 1);
  if (levels_.back().empty()) levels_.back().push_back(0);
}

void ReadySet::grow(std::int32_t processes) {
  auto size = static_cast<std::size_t>(processes);
  for (std::size_t k = 0; k == 0 || size > 1; ++k) {
    size = (size + 63) / 64;
    if (k < levels_.size()) {
      levels_[k].resize(std::max(size, levels_[k].size()), 0);
      continue;
    }
    std::vector<std::uint64_t> level(size, 0);
    const std::vector<std::uint64_t>& below = levels_.back();
    for (std::size_t w = 0; w < below.size(); ++w) {
      const auto i = static_cast<std::int64_t>(w);
      if (below[w] != 0) level[word(i)] |= bit(i);
    }
    levels_.push_back(std::move(level));
  }
}

void ReadySet::set_bits(std::int32_t process) {
  first_bit_ = std::min(first_bit_, process);
  std::int64_t i = process;
  for (auto& level : levels_) {
    std::uint64_t& w = level[word(i)];
    const bool was_empty = w == 0;
    w |= bit(i);
    if (!was_empty) return;
    i >>= 6;
  }
}

void ReadySet::clear_bits(std::int32_t process) {
  std::int64_t i = process;
  for (auto& level : levels_) {
    std::uint64_t& w = level[word(i)];
    w &= ~bit(i);
    if (w != 0) break;
    i >>= 6;
  }
  if (process != first_bit_) return;
  i = 0;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    const std::uint64_t w = (*level)[static_cast<std::size_t>(i)];
    if (w == 0) {  // only the top level's word can be empty
      first_bit_ = kNone;
      return;
    }
    i = (i << 6) + std::countr_zero(w);
  }
  first_bit_ = static_cast<std::int32_t>(i);
}

void ReadySet::erase(std::int32_t process) {
  if (near_ == process) {
    near_ = kNone;
  } else {
    clear_bits(process);
  }
}

bool ReadySet::contains(std::int32_t process) const {
  return near_ == process || (levels_[0][word(process)] & bit(process)) != 0;
}

void ReadySet::all_to_bits() {
  if (near_ != kNone) set_bits(near_);
  near_ = kNone;
}

std::int32_t ReadySet::count(std::int32_t low, std::int32_t high) {
  if (low >= high) return 0;
  all_to_bits();
  const std::vector<std::uint64_t>& words = levels_[0];
  const std::uint64_t from = ~(bit(low) - 1);
  const std::uint64_t to = ~std::uint64_t{0} >> (63 - ((high - 1) & 63));
  if (word(low) == word(high - 1)) return std::popcount(words[word(low)] & from & to);
  std::int32_t sum =
      std::popcount(words[word(low)] & from) + std::popcount(words[word(high - 1)] & to);
  for (std::size_t w = word(low) + 1; w < word(high - 1); ++w) sum += std::popcount(words[w]);
  return sum;
}

std::int32_t ReadySet::nth_from(std::int32_t low, std::int32_t skip) {
  all_to_bits();
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
