#pragma once
#include <cstdint>
#include <vector>

namespace chi::sim {

/// A set of process numbers with the least at hand: bits in words, words in words. O(log64 n) each.
/// A set of one, which is what most events make, is that number and no bits.
class ReadySet {
 public:
  void resize(std::int32_t processes);
  void insert(std::int32_t process);
  void erase(std::int32_t process);
  bool contains(std::int32_t process) const;
  std::int32_t first() const { return only_ >= kNone ? only_ : first_bit(); }  ///< -1 if empty
  std::int32_t next_from(
      std::int32_t least) const;  ///< the least that is not below `least`; -1 if none
  /// How many there are in [low, high), and the one behind `skip` others that are not below `low`.
  /// O((high - low) / 64).
  std::int32_t count(std::int32_t low, std::int32_t high) const;
  std::int32_t nth_from(std::int32_t low,
                        std::int32_t skip) const;  ///< requires that there are so many

 private:
  std::int32_t first_bit() const;
  void set_bits(std::int32_t process);
  static constexpr std::int32_t kNone = -1, kBits = -2;
  std::int32_t only_ = kNone;  // the only member; kBits: the members are the bits
  std::vector<std::vector<std::uint64_t>>
      levels_;  // levels_[0] has a bit a process; each other a bit a word below
};

}  // namespace chi::sim
