#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/huge_pages.h"

namespace chi::sim {

/// Who waits until when. One entry a process at most; the earliest first, of equal times the lowest
/// number.
///
/// Few entries are a sorted list, the earliest last: it is moved about less than it costs to walk a
/// heap. Many are a heap of four children a node, which lie in one line of the cache. O(log n) a
/// change; no allocation after `resize`. What `pop` takes out of the heap leaves its place vacant
/// until the next change: when that is an `insert`, as in a process that does one delay after the
/// other, the new entry sinks from there, and the heap is walked once instead of twice.
///
/// Of very many only the earliest part is in the heap, so that it stays in the cache; the others
/// lie in no order until their time comes near. Whenever the heap is empty, one pass over them
/// takes out about a sixteenth: 16 steps an entry, in a row through memory, instead of misses of
/// the cache at the lower levels of a larger heap. (The first rung of the ladder queue: W. T. Tang,
/// R. S. M. Goh, I. L.-J. Thng, "Ladder queue: an O(1) priority queue structure for large-scale
/// discrete event simulation", ACM TOMACS 15(3), 2005, 175-204.)
///
/// An entry that is to be taken out when its process goes on for another reason says so when it
/// comes in, and the calendar then follows its place. For others that would cost a miss of the
/// cache at every level of a large heap.
///
/// Times are not negative: then their bits, read as integers, are in the same order, and time and
/// process together are one number to compare.
class Calendar {
 public:
  void resize(std::int32_t processes);
  void grow(std::int32_t processes);  ///< room for more; who is in stays
  bool empty() const { return size() == 0; }
  std::int32_t size() const {
    return static_cast<std::int32_t>(size_ + far_size_) - (vacant_ ? 1 : 0);
  }
  double next_time() const { return time_in(first()); }  ///< requires that it is not empty
  std::int32_t next_process() const {
    return process_in(first());
  }  ///< requires that it is not empty
  /// Whether there is an entry with `time`. Requires that none is earlier.
  bool next_is(double time) const {
    if (!few_) return next_in_heap_is(time);
    return size_ > 0 && next_time() == time;
  }

  /// Both require that the process is not in, and 0 <= time.
  void insert(double time, std::int32_t process) {
    insert(Entry{std::bit_cast<std::uint64_t>(time + 0.0)} << 64 | low_part(process));
  }
  void insert_to_withdraw(double time, std::int32_t process) {
    place_[static_cast<std::size_t>(process)] = 0;
    insert(Entry{std::bit_cast<std::uint64_t>(time + 0.0)} << 64 | low_part(process) | kFollowed);
  }
  /// These are for processes that came in to be withdrawn, or are not in.
  bool contains(std::int32_t process) const {
    return place_[static_cast<std::size_t>(process)] >= 0;
  }
  double time_of(std::int32_t process) const;  ///< requires that it is in
  void erase(std::int32_t process);            ///< requires that it is in

  /// Takes out the first entry if that is all that happens next: it is later than `now`, not later
  /// than `end`, alone at its time and not to be withdrawn. Else nothing is done.
  struct Next {
    std::int32_t process = -1;  ///< -1: nothing was done
    double time = 0;
  };
  Next take_lonely(double now, double end) {
    if (!few_) return take_lonely_from_heap(now, end);
    if (size_ == 0) return {};
    const Entry entry = list()[size_ - 1];
    const double time = time_in(entry);
    if (!(time > now && time <= end) || is_followed(entry)) return {};
    if (size_ > 1 && time_in(list()[size_ - 2]) == time) return {};
    --size_;
    return {process_in(entry), time};
  }

  std::size_t far() const { return far_size_; }  ///< how many are not in the heap
  /// Those who may be next to the first, and some more; -1 for nobody. Requires that some are far.
  std::array<std::int32_t, 8> near_first() const;

  void pop() {  ///< requires that it is not empty
    if (!few_) return pop_from_heap();
    leaves(list()[--size_]);
  }

 private:
  /// The bits of the time, the number of the process, and whether its place is followed.
  __extension__ using Entry = unsigned __int128;
  static constexpr Entry kFollowed = 1;
  static std::uint64_t low_part(std::int32_t process) {
    return std::uint64_t{static_cast<std::uint32_t>(process)} << 1;
  }
  static double time_in(Entry entry) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(entry >> 64));
  }
  static std::int32_t process_in(Entry entry) {
    return static_cast<std::int32_t>(static_cast<std::uint64_t>(entry) >> 1);
  }
  static bool is_followed(Entry entry) { return (entry & kFollowed) != 0; }
  Entry first() const {
    if (few_) return list()[size_ - 1];
    return list()[vacant_ ? least_child(kRoot) : kRoot];
  }
  void insert(Entry entry) {
    if (!few_ || size_ == kFew) return insert_into_heap(entry);
    Entry* const begin = list();
    Entry* const end = begin + size_++;
    if (end - begin < kVeryFew) {
      // Which is the earlier of two is as good as random: no branches on it.
      auto time = static_cast<std::uint64_t>(entry >> 64);
      auto low = static_cast<std::uint64_t>(entry);
      for (Entry* at = begin; at != end; ++at) {
        const auto other_time = static_cast<std::uint64_t>(*at >> 64);
        const auto other_low = static_cast<std::uint64_t>(*at);
        const auto earlier = static_cast<std::uint64_t>(
            static_cast<int>(other_time < time) |
            (static_cast<int>(other_time == time) & static_cast<int>(other_low < low)));
        const std::uint64_t times = (other_time ^ time) & (0 - earlier);
        const std::uint64_t lows = (other_low ^ low) & (0 - earlier);
        *at = Entry{other_time ^ times} << 64 | (other_low ^ lows);
        time ^= times;
        low ^= lows;
      }
      *end = Entry{time} << 64 | low;
      return;
    }
    Entry* at = end;
    for (; at != begin && at[-1] < entry; --at) *at = at[-1];
    *at = entry;
  }
  void leaves(Entry entry) {
    if (is_followed(entry)) place_[static_cast<std::size_t>(process_in(entry))] = -1;
  }
  void become_heap();
  void become_few();
  void insert_into_heap(Entry entry);
  void pop_from_heap();
  Next take_lonely_from_heap(double now, double end);
  bool next_in_heap_is(double time) const;
  std::size_t least_child(std::size_t at) const;
  std::size_t end_of_heap() const { return kRoot + size_; }
  void put(std::size_t at, Entry entry);
  void rise(std::size_t at, Entry entry);
  void sink(std::size_t at, Entry entry);
  void fill_vacancy();
  void heapify();
  void take_from_far();
  void put_far(std::size_t at, Entry entry);
  void split(const Entry* entries, std::size_t count);
  void move_to_far();
  void far_leaves(std::size_t at);
  void never_empty_before_far();
  Entry* list() { return lines_.data()->data(); }
  const Entry* list() const { return lines_.data()->data(); }
  /// How many are a list; a heap becomes a list again when a quarter of them is left.
  static constexpr std::size_t kFew = 16;
  static constexpr std::ptrdiff_t kVeryFew = 4;
  /// Where the heap begins, so that the children of a node fill a line: the next four, and so on.
  static constexpr std::size_t kRoot = 3;
  /// The most in a heap before some of them are far.
  static constexpr std::size_t kMany = std::size_t{1} << 13;
  bool few_ = true;
  struct alignas(64) Line : std::array<Entry, 4> {};
  std::vector<Line, HugePages<Line>>
      lines_;  // a list; or entries, then at least four that are later than any
  std::vector<std::int32_t> place_;  // of those followed: in the heap; in the list 0; far with
                                     // kFar; -1 if not in
  std::size_t size_ = 0;             // of list or heap, with the vacancy
  bool vacant_ = false;              // the root stands for no process; it is earlier than any
  std::vector<Entry, HugePages<Entry>> far_;  // the first `far_size_`: all behind the horizon
  std::size_t far_size_ = 0;                  // if there are any, some are in the heap
  std::uint64_t horizon_ = kNoHorizon;  // bits of a time; what is not behind it is in the heap
  std::size_t too_many_ = kMany;        // size of the heap at which a nearer horizon is looked for
  static constexpr std::int32_t kFar = std::int32_t{1} << 30;
  static constexpr std::uint64_t kNoHorizon = ~std::uint64_t{0};
};

}  // namespace chi::sim
