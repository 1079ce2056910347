#include "sim/calendar.h"

#include <algorithm>
#include <functional>

namespace chi::sim {
namespace {

__extension__ using Entry = unsigned __int128;
constexpr Entry kLatest = ~Entry{0};
constexpr Entry kEarliest = 0;

}  // namespace

void Calendar::resize(std::int32_t processes) {
  heap_.assign(static_cast<std::size_t>(processes) + 5, kLatest);
  place_.assign(static_cast<std::size_t>(processes), -1);
  size_ = 0;
  vacant_ = false;
  few_ = true;
}

/// Entries in rising order are a heap. The list is full: behind it all are kLatest still.
void Calendar::become_heap() {
  few_ = false;
  std::reverse(heap_.begin(), heap_.begin() + static_cast<std::ptrdiff_t>(size_));
  for (std::size_t i = 0; i < size_; ++i) put(i, heap_[i]);
}

void Calendar::become_few() {
  few_ = true;
  std::sort(heap_.begin(), heap_.begin() + static_cast<std::ptrdiff_t>(size_), std::greater<>());
}

double Calendar::time_of(std::int32_t process) const {
  if (few_) {
    for (std::size_t i = 0; i < size_; ++i) {
      if (process_in(heap_[i]) == process) return time_in(heap_[i]);
    }
  }
  return time_in(heap_[static_cast<std::size_t>(place_[static_cast<std::size_t>(process)])]);
}

bool Calendar::next_in_heap_is(double time) const {
  const auto bits = std::bit_cast<std::uint64_t>(time + 0.0);
  const auto equal = [&](std::size_t i) {
    return static_cast<std::uint64_t>(heap_[i] >> 64) == bits;
  };
  if (!vacant_) return size_ > 0 && equal(0);
  return equal(1) || equal(2) || equal(3) || equal(4);
}

void Calendar::put(std::size_t at, Entry entry) {
  heap_[at] = entry;
  place_[static_cast<std::size_t>(process_in(entry))] = static_cast<std::int32_t>(at);
}

/// Requires that there is a child. Which of four is the least is as good as random: no branches on
/// it.
std::size_t Calendar::least_child(std::size_t at) const {
  const Entry* const child = heap_.data() + 4 * at + 1;
  const auto a = static_cast<std::size_t>(child[1] < child[0]);
  const auto b = 2 + static_cast<std::size_t>(child[3] < child[2]);
  return 4 * at + 1 + a + (b - a) * static_cast<std::size_t>(child[b] < child[a]);
}

void Calendar::rise(std::size_t at, Entry entry) {
  while (at > 0) {
    const std::size_t parent = (at - 1) / 4;
    if (entry >= heap_[parent]) break;
    put(at, heap_[parent]);
    at = parent;
  }
  put(at, entry);
}

void Calendar::sink(std::size_t at, Entry entry) {
  while (4 * at + 1 < size_) {
    const std::size_t least = least_child(at);
    if (heap_[least] >= entry) break;
    put(at, heap_[least]);
    at = least;
  }
  put(at, entry);
}

void Calendar::insert_into_heap(Entry entry) {
  if (few_) become_heap();
  if (vacant_) {
    vacant_ = false;
    sink(0, entry);
  } else {
    rise(size_++, entry);
  }
}

void Calendar::fill_vacancy() {
  vacant_ = false;
  const Entry last = heap_[--size_];
  heap_[size_] = kLatest;
  if (size_ > 0) sink(0, last);
}

void Calendar::pop_from_heap() {
  if (vacant_) fill_vacancy();
  if (size_ <= kFew / 4) {
    become_few();
    return pop();
  }
  place_[static_cast<std::size_t>(process_in(heap_[0]))] = -1;
  heap_[0] = kEarliest;
  vacant_ = true;
}

void Calendar::erase(std::int32_t process) {
  if (few_) {
    place_[static_cast<std::size_t>(process)] = -1;
    const auto end = heap_.begin() + static_cast<std::ptrdiff_t>(size_--);
    const auto found =
        std::find_if(heap_.begin(), end, [&](Entry entry) { return process_in(entry) == process; });
    std::copy(found + 1, end, found);
    return;
  }
  const auto at = static_cast<std::size_t>(place_[static_cast<std::size_t>(process)]);
  place_[static_cast<std::size_t>(process)] = -1;
  const Entry last = heap_[--size_];
  heap_[size_] = kLatest;
  if (at == size_) return;
  if (at > 0 && last < heap_[(at - 1) / 4]) {
    rise(at, last);
  } else {
    sink(at, last);
  }
}

}  // namespace chi::sim
