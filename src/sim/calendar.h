#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace chi::sim {

/// Who waits until when. One entry a process at most; the earliest first, of equal times the lowest
/// number.
///
/// Few entries are a sorted list, the earliest last: it is moved about less than it costs to walk a
/// heap. Many are a heap of four children a node, with the place of each process, so that an entry
/// can be taken out when the process goes on for another reason. O(log n) a change; no allocation
/// after `resize`. What `pop` takes out of the heap leaves its place vacant until the next change:
/// when that is an `insert`, as in a process that does one delay after the other, the new entry
/// sinks from there, and the heap is walked once instead of twice.
///
/// Times are not negative: then their bits, read as integers, are in the same order, and time and
/// process together are one number to compare.
class Calendar {
 public:
  void resize(std::int32_t processes);
  bool empty() const { return size() == 0; }
  std::int32_t size() const { return static_cast<std::int32_t>(size_) - (vacant_ ? 1 : 0); }
  double next_time() const { return time_in(first()); }  ///< requires that it is not empty
  std::int32_t next_process() const {
    return process_in(first());
  }  ///< requires that it is not empty
  /// Whether there is an entry with `time`. Requires that none is earlier.
  bool next_is(double time) const {
    if (!few_) return next_in_heap_is(time);
    return size_ > 0 && next_time() == time;
  }
  bool contains(std::int32_t process) const {
    return place_[static_cast<std::size_t>(process)] >= 0;
  }
  double time_of(std::int32_t process) const;  ///< requires that it is in

  void insert(double time, std::int32_t process) {  ///< requires that it is not in, and 0 <= time
    const Entry entry =
        Entry{std::bit_cast<std::uint64_t>(time + 0.0)} << 64 | static_cast<std::uint32_t>(process);
    if (!few_ || size_ == kFew) return insert_into_heap(entry);
    place_[static_cast<std::size_t>(process)] = 0;
    Entry* const end = heap_.data() + size_++;
    if (end - heap_.data() < kVeryFew) {
      // Which is the earlier of two is as good as random: no branches on it.
      Entry earlier = entry;
      for (Entry* at = heap_.data(); at != end; ++at) {
        const Entry mask = -static_cast<Entry>(*at < earlier);
        const Entry both = *at ^ earlier;
        *at ^= both & mask;
        earlier ^= both & mask;
      }
      *end = earlier;
      return;
    }
    Entry* at = end;
    for (; at != heap_.data() && at[-1] < entry; --at) *at = at[-1];
    *at = entry;
  }
  void erase(std::int32_t process);  ///< requires that it is in
  void pop() {                       ///< requires that it is not empty
    if (!few_) return pop_from_heap();
    place_[static_cast<std::size_t>(process_in(heap_[--size_]))] = -1;
  }

 private:
  __extension__ using Entry =
      unsigned __int128;  // the bits of the time above the number of the process
  static double time_in(Entry entry) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(entry >> 64));
  }
  static std::int32_t process_in(Entry entry) {
    return static_cast<std::int32_t>(static_cast<std::uint64_t>(entry));
  }
  Entry first() const {
    if (few_) return heap_[size_ - 1];
    return heap_[vacant_ ? least_child(0) : 0];
  }
  void become_heap();
  void become_few();
  void insert_into_heap(Entry entry);
  void pop_from_heap();
  bool next_in_heap_is(double time) const;
  std::size_t least_child(std::size_t at) const;
  void put(std::size_t at, Entry entry);
  void rise(std::size_t at, Entry entry);
  void sink(std::size_t at, Entry entry);
  void fill_vacancy();
  /// How many are a list; a heap becomes a list again when a quarter of them is left.
  static constexpr std::size_t kFew = 16;
  static constexpr std::ptrdiff_t kVeryFew = 4;
  bool few_ = true;
  std::vector<Entry> heap_;  // a list; or entries, then at least four that are later than any
  std::vector<std::int32_t> place_;  // in the heap; in the list 0; -1 if not in
  std::size_t size_ = 0;             // with the vacancy
  bool vacant_ = false;              // heap_[0] stands for no process; it is earlier than any
};

}  // namespace chi::sim
