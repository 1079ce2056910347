#pragma once
#include <cstdint>
#include <vector>

namespace chi::sim {

/// A set of process numbers with the least at hand: bits in words, words in words. O(log64 n) each.
class ReadySet {
 public:
  void resize(std::int32_t processes);
  void insert(std::int32_t process);
  void erase(std::int32_t process);
  bool contains(std::int32_t process) const;
  std::int32_t first() const;                        ///< -1 if empty
  std::int32_t next_from(std::int32_t least) const;  ///< the least that is not below `least`; -1 if none

 private:
  std::vector<std::vector<std::uint64_t>> levels_;  // levels_[0] has a bit a process; each other a bit a word below
};

}  // namespace chi::sim
