#pragma once
#include <cstdint>
#include <vector>

namespace chi::sim {

/// Who waits until when. One entry a process at most; the earliest first, of equal times the lowest number.
///
/// A heap of four children a node, with the place of each process, so that an entry can be taken out when the
/// process goes on for another reason. O(log n) a change; no allocation after `resize`.
class Calendar {
 public:
  void resize(std::int32_t processes);
  bool empty() const { return heap_.empty(); }
  std::int32_t size() const { return static_cast<std::int32_t>(heap_.size()); }
  double next_time() const { return heap_.front().time; }
  std::int32_t next_process() const { return heap_.front().process; }
  bool contains(std::int32_t process) const { return place_[static_cast<std::size_t>(process)] >= 0; }
  double time_of(std::int32_t process) const;  ///< requires that it is in

  void insert(double time, std::int32_t process);  ///< requires that it is not in
  void erase(std::int32_t process);                ///< requires that it is in
  void pop() { erase(heap_.front().process); }

 private:
  struct Entry {
    double time = 0;
    std::int32_t process = -1;
  };
  static bool before(const Entry& a, const Entry& b) {
    return a.time != b.time ? a.time < b.time : a.process < b.process;
  }
  void put(std::size_t at, Entry entry);
  void rise(std::size_t at, Entry entry);
  void sink(std::size_t at, Entry entry);
  std::vector<Entry> heap_;
  std::vector<std::int32_t> place_;
};

}  // namespace chi::sim
