#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace chi::sim {

/// A set of process numbers with the least at hand: bits in words, words in words. O(log64 n) each.
///
/// One member is kept beside the bits. Most processes are made ready by the one that runs and go on
/// right behind it, while others may wait for their turn: such a process never becomes a bit.
class ReadySet {
 public:
  void resize(std::int32_t processes);
  void insert(std::int32_t process) {  ///< requires that it is not in
    if (near_ == kNone) {
      near_ = process;
      return;
    }
    set_bits(std::max(near_, process));
    near_ = std::min(near_, process);
  }
  void grow(std::int32_t processes);  ///< room for more; who is in stays
  void erase(std::int32_t process);   ///< requires that it is in
  bool contains(std::int32_t process) const;
  std::int32_t first() const {  ///< -1 if empty
    const std::int32_t least = std::min(near_, first_bit_);
    return least == kNone ? -1 : least;
  }
  std::int32_t take_first() {  ///< and takes it out; -1 if empty
    const std::int32_t least = first();
    if (least == near_) {
      near_ = kNone;
    } else if (least >= 0) {
      clear_bits(least);
    }
    return least;
  }
  /// How many there are in [low, high), and the one behind `skip` others that are not below `low`.
  /// O((high - low) / 64).
  std::int32_t count(std::int32_t low, std::int32_t high);
  std::int32_t nth_from(std::int32_t low,
                        std::int32_t skip);  ///< requires that there are so many

 private:
  void set_bits(std::int32_t process);
  void clear_bits(std::int32_t process);
  void all_to_bits();
  static constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::max();
  std::int32_t near_ = kNone;       // a member that is not among the bits
  std::int32_t first_bit_ = kNone;  // the least of the bits
  std::vector<std::vector<std::uint64_t>>
      levels_;  // levels_[0] has a bit a process; each other a bit a word below
};

}  // namespace chi::sim
