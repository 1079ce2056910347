#include "sim/calendar.h"

#include <algorithm>

namespace chi::sim {

void Calendar::resize(std::int32_t processes) {
  heap_.reserve(static_cast<std::size_t>(processes));
  place_.assign(static_cast<std::size_t>(processes), -1);
}

double Calendar::time_of(std::int32_t process) const {
  return heap_[static_cast<std::size_t>(place_[static_cast<std::size_t>(process)])].time;
}

void Calendar::put(std::size_t at, Entry entry) {
  heap_[at] = entry;
  place_[static_cast<std::size_t>(entry.process)] = static_cast<std::int32_t>(at);
}

void Calendar::rise(std::size_t at, Entry entry) {
  while (at > 0) {
    const std::size_t parent = (at - 1) / 4;
    if (!before(entry, heap_[parent])) break;
    put(at, heap_[parent]);
    at = parent;
  }
  put(at, entry);
}

void Calendar::sink(std::size_t at, Entry entry) {
  const std::size_t size = heap_.size();
  while (true) {
    const std::size_t first = 4 * at + 1;
    if (first >= size) break;
    std::size_t least = first;
    for (std::size_t child = first + 1; child < std::min(first + 4, size); ++child) {
      if (before(heap_[child], heap_[least])) least = child;
    }
    if (!before(heap_[least], entry)) break;
    put(at, heap_[least]);
    at = least;
  }
  put(at, entry);
}

void Calendar::insert(double time, std::int32_t process) {
  heap_.push_back({time, process});
  rise(heap_.size() - 1, {time, process});
}

void Calendar::erase(std::int32_t process) {
  const auto at = static_cast<std::size_t>(place_[static_cast<std::size_t>(process)]);
  place_[static_cast<std::size_t>(process)] = -1;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (last.process == process) return;
  if (at > 0 && before(last, heap_[(at - 1) / 4])) {
    rise(at, last);
  } else {
    sink(at, last);
  }
}

}  // namespace chi::sim
