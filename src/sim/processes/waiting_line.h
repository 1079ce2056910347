#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace chi::sim {

/// Who waits at one end of a channel of many: the longest first, and of those who came at one time
/// the first in the order of the text.
///
/// Who comes goes to the end, or near it, and who is met leaves at the front: both cost nothing to
/// speak of. Leaving from the middle moves who stands behind.
class WaitingLine {
 public:
  struct Entry {
    double since = 0;
    std::int64_t order = 0;  ///< in the text; different for each process
    std::int32_t process = -1;
    std::int32_t offer = -1;
  };

  bool empty() const { return first_ == entries_.size(); }
  std::size_t size() const { return entries_.size() - first_; }
  const Entry& operator[](std::size_t i) const { return entries_[first_ + i]; }

  /// Nothing is done if the process stands there already.
  void insert(const Entry& entry) {
    auto at = entries_.end();
    while (at != begin() && is_before(entry, *(at - 1))) --at;
    if (at != begin() && (at - 1)->process == entry.process) return;
    entries_.insert(at, entry);
  }

  void erase(std::int32_t process) {
    const auto at =
        std::find_if(begin(), entries_.end(), [&](const Entry& e) { return e.process == process; });
    if (at == entries_.end()) return;
    if (at != begin()) {
      entries_.erase(at);
    } else if (2 * ++first_ > entries_.size()) {
      entries_.erase(entries_.begin(), begin());
      first_ = 0;
    }
  }

 private:
  std::vector<Entry>::iterator begin() {
    return entries_.begin() + static_cast<std::ptrdiff_t>(first_);
  }
  static bool is_before(const Entry& a, const Entry& b) {
    return a.since < b.since || (a.since == b.since && a.order < b.order);
  }
  std::vector<Entry> entries_;
  std::size_t first_ = 0;  // those before it have left
};

}  // namespace chi::sim
