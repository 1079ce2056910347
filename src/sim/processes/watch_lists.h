#pragma once
#include <cstdint>
#include <vector>

namespace chi::sim {

/// Which waiting processes want to know of a change of which shared slot. Adding and removing are
/// O(1) a slot; the memory of removed entries is used again.
class WatchLists {
 public:
  void resize(std::int64_t slots, std::int32_t processes);
  void grow(std::int32_t processes);  ///< room for more
  void add(std::int32_t slot, std::int32_t process);
  void remove_all(std::int32_t process);
  bool any(std::int32_t process) const {
    return of_process_[static_cast<std::size_t>(process)] >= 0;
  }
  /// Appends the processes that watch `slot`.
  void watchers(std::int32_t slot, std::vector<std::int32_t>& out) const;
  const std::vector<std::int32_t>& counts() const { return counts_; }  ///< per slot

 private:
  struct Node {
    std::int32_t slot = -1, process = -1;
    std::int32_t next_of_slot = -1, previous_of_slot = -1;
    std::int32_t next_of_process = -1;
  };
  std::vector<Node> nodes_;
  std::int32_t free_ = -1;
  std::vector<std::int32_t> of_slot_, of_process_, counts_;
};

}  // namespace chi::sim
