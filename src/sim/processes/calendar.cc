#include "sim/processes/calendar.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace chi::sim {
namespace {

__extension__ using Entry = unsigned __int128;
constexpr Entry kLatest = ~Entry{0};
constexpr Entry kEarliest = 0;

constexpr std::size_t first_child(std::size_t at) { return 4 * at - 8; }
constexpr std::size_t parent(std::size_t at) { return at / 4 + 2; }
std::uint64_t time_bits(Entry entry) { return static_cast<std::uint64_t>(entry >> 64); }

/// About a sixteenth of the entries are not behind this time; at least one. Requires that there are
/// any. Which they are is looked for at places that have nothing to do with each other.
std::uint64_t sixteenth(const Entry* entries, std::size_t size) {
  std::array<std::uint64_t, 64> seen{};
  std::uint64_t place = size;
  for (std::uint64_t& bits : seen) {
    place = place * 6364136223846793005U + 1442695040888963407U;
    bits = time_bits(entries[(place >> 32) % size]);
  }
  std::nth_element(seen.begin(), seen.begin() + 3, seen.end());
  return seen[3];
}

}  // namespace

void Calendar::grow(std::int32_t processes) {
  Line latest;
  latest.fill(kLatest);
  const auto count = static_cast<std::size_t>(processes);
  const std::size_t entries = std::max(count, kFew) + kRoot;
  lines_.resize(std::max(lines_.size(), entries / 4 + 2), latest);
  place_.resize(std::max(place_.size(), count), -1);
  if (count > kMany) far_.resize(std::max(far_.size(), count), kLatest);
}

void Calendar::resize(std::int32_t processes) {
  Line latest;
  latest.fill(kLatest);
  const std::size_t entries = std::max(static_cast<std::size_t>(processes), kFew) + kRoot;
  lines_.assign(entries / 4 + 2, latest);
  place_.assign(static_cast<std::size_t>(processes), -1);
  far_.assign(static_cast<std::size_t>(processes) > kMany ? static_cast<std::size_t>(processes) : 0,
              kLatest);
  far_size_ = 0;
  horizon_ = kNoHorizon;
  too_many_ = kMany;
  size_ = 0;
  vacant_ = false;
  few_ = true;
}

/// Entries in rising order are a heap. The list is full: behind it all are kLatest still.
void Calendar::become_heap() {
  few_ = false;
  Entry* const entries = list();
  std::reverse(entries, entries + size_);
  std::copy_backward(entries, entries + size_, entries + end_of_heap());
  for (std::size_t i = kRoot; i < end_of_heap(); ++i) put(i, entries[i]);
}

void Calendar::become_few() {
  few_ = true;
  Entry* const entries = list();
  std::copy(entries + kRoot, entries + end_of_heap(), entries);
  std::sort(entries, entries + size_, std::greater<>());
}

double Calendar::time_of(std::int32_t process) const {
  if (few_) {
    for (std::size_t i = 0; i < size_; ++i) {
      if (process_in(list()[i]) == process) return time_in(list()[i]);
    }
  }
  const std::int32_t place = place_[static_cast<std::size_t>(process)];
  return time_in(place < kFar ? list()[static_cast<std::size_t>(place)]
                              : far_[static_cast<std::size_t>(place - kFar)]);
}

bool Calendar::next_in_heap_is(double time) const {
  const auto bits = std::bit_cast<std::uint64_t>(time + 0.0);
  const auto equal = [&](std::size_t i) {
    return static_cast<std::uint64_t>(list()[i] >> 64) == bits;
  };
  if (!vacant_) return size_ > 0 && equal(kRoot);
  return equal(4) || equal(5) || equal(6) || equal(7);
}

void Calendar::put(std::size_t at, Entry entry) {
  list()[at] = entry;
  if (is_followed(entry))
    place_[static_cast<std::size_t>(process_in(entry))] = static_cast<std::int32_t>(at);
}

/// Requires that there is a child. Which of four is the least is as good as random: no branches on
/// it.
std::size_t Calendar::least_child(std::size_t at) const {
  const Entry* const child = list() + first_child(at);
  const auto a = static_cast<std::size_t>(child[1] < child[0]);
  const auto b = 2 + static_cast<std::size_t>(child[3] < child[2]);
  return first_child(at) + a + (b - a) * static_cast<std::size_t>(child[b] < child[a]);
}

void Calendar::rise(std::size_t at, Entry entry) {
  while (at > kRoot) {
    const std::size_t above = parent(at);
    if (entry >= list()[above]) break;
    put(at, list()[above]);
    at = above;
  }
  put(at, entry);
}

void Calendar::sink(std::size_t at, Entry entry) {
  while (first_child(at) < end_of_heap()) {
    const std::size_t least = least_child(at);
    if (list()[least] >= entry) break;
    put(at, list()[least]);
    at = least;
  }
  put(at, entry);
}

void Calendar::insert_into_heap(Entry entry) {
  if (few_) become_heap();
  if (time_bits(entry) > horizon_) {
    put_far(far_size_++, entry);
  } else if (vacant_) {
    vacant_ = false;
    sink(kRoot, entry);
  } else {
    ++size_;
    rise(end_of_heap() - 1, entry);
    if (size_ > too_many_) move_to_far();
  }
}

/// Entries in any order become a heap (R. W. Floyd, "Algorithm 245: Treesort 3", CACM 7(12), 1964).
void Calendar::heapify() {
  for (std::size_t i = kRoot; i < end_of_heap(); ++i) put(i, list()[i]);
  if (size_ < 2) return;
  for (std::size_t i = parent(end_of_heap() - 1); i >= kRoot; --i) sink(i, list()[i]);
}

void Calendar::put_far(std::size_t at, Entry entry) {
  far_[at] = entry;
  if (is_followed(entry))
    place_[static_cast<std::size_t>(process_in(entry))] = kFar + static_cast<std::int32_t>(at);
}

/// A new horizon: of these entries, which may be those of the heap or the far ones, about a
/// sixteenth become the heap, the others go behind the far ones.
void Calendar::split(const Entry* entries, std::size_t count) {
  horizon_ = sixteenth(entries, count);
  for (std::size_t i = 0; i < count; ++i) {
    const Entry entry = entries[i];
    if (time_bits(entry) <= horizon_) {
      list()[kRoot + size_++] = entry;
    } else {
      put_far(far_size_++, entry);
    }
  }
  if (far_size_ == 0) horizon_ = kNoHorizon;
  too_many_ = std::max(kMany, 2 * size_);
}

/// The heap has become large, without a vacancy: most of it becomes far.
void Calendar::move_to_far() {
  Entry* const heap = list() + kRoot;
  const std::size_t before = std::exchange(size_, 0);
  split(heap, before);
  std::fill(heap + size_, heap + before, kLatest);
  heapify();
}

/// The heap is empty, and others are far: the earliest of them become the heap.
void Calendar::take_from_far() {
  split(far_.data(), std::exchange(far_size_, 0));
  heapify();
}

/// Somebody has left the heap.
void Calendar::never_empty_before_far() {
  if (far_size_ == 0 || size_ > (vacant_ ? 1U : 0U)) return;
  if (vacant_) list()[kRoot] = kLatest;
  vacant_ = false;
  size_ = 0;
  take_from_far();
}

void Calendar::fill_vacancy() {
  vacant_ = false;
  --size_;
  const Entry last = std::exchange(list()[end_of_heap()], kLatest);
  if (size_ > 0) sink(kRoot, last);
}

void Calendar::pop_from_heap() {
  if (vacant_) fill_vacancy();
  if (size_ <= kFew / 4 && far_size_ == 0) {
    become_few();
    return pop();
  }
  leaves(list()[kRoot]);
  list()[kRoot] = kEarliest;
  vacant_ = true;
  never_empty_before_far();
}

Calendar::Next Calendar::take_lonely_from_heap(double now, double end) {
  if (empty()) return {};
  if (vacant_) fill_vacancy();
  const Entry entry = list()[kRoot];
  const double time = time_in(entry);
  if (!(time > now && time <= end) || is_followed(entry)) return {};
  for (std::size_t child = first_child(kRoot); child < first_child(kRoot) + 4; ++child) {
    if (time_bits(list()[child]) == time_bits(entry)) return {};
  }
  pop_from_heap();
  return {process_in(entry), time};
}

std::array<std::int32_t, 8> Calendar::near_first() const {
  std::array<std::int32_t, 8> near{};
  near.fill(-1);
  const std::size_t first = vacant_ ? least_child(kRoot) : kRoot;
  const auto note = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = 0; i < 4 && from + i < end_of_heap(); ++i)
      near[to + i] = process_in(list()[from + i]);
  };
  note(first_child(kRoot), 0);
  if (first != kRoot) note(first_child(first), 4);
  return near;
}

void Calendar::erase(std::int32_t process) {
  const std::int32_t place = std::exchange(place_[static_cast<std::size_t>(process)], -1);
  if (few_) {
    Entry* const end = list() + size_--;
    Entry* const found =
        std::find_if(list(), end, [&](Entry entry) { return process_in(entry) == process; });
    std::copy(found + 1, end, found);
    return;
  }
  if (place >= kFar) return far_leaves(static_cast<std::size_t>(place - kFar));
  const auto at = static_cast<std::size_t>(place);
  --size_;
  const Entry last = std::exchange(list()[end_of_heap()], kLatest);
  if (at == end_of_heap()) return never_empty_before_far();
  if (at > kRoot && last < list()[parent(at)]) {
    rise(at, last);
  } else {
    sink(at, last);
  }
}

void Calendar::far_leaves(std::size_t at) {
  const Entry last = far_[--far_size_];
  if (at < far_size_) put_far(at, last);
  if (far_size_ == 0) horizon_ = kNoHorizon;
}

}  // namespace chi::sim
