#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace chi::bench {

/// A calendar as one writes it by hand: a heap with `Children` children a node; of equal times the
/// one that was put in first comes first.
template <std::size_t Children>
class EventHeap {
 public:
  struct Event {
    double time = 0;
    std::uint64_t order = 0;
    std::int32_t what = 0;
  };
  bool empty() const { return events_.empty(); }
  const Event& front() const { return events_.front(); }

  void push(double time, std::int32_t what) {
    const Event event{time, order_++, what};
    std::size_t at = events_.size();
    events_.push_back(event);
    while (at > 0 && before(event, events_[(at - 1) / Children])) {
      events_[at] = events_[(at - 1) / Children];
      at = (at - 1) / Children;
    }
    events_[at] = event;
  }

  void pop() {
    const Event last = events_.back();
    events_.pop_back();
    if (!events_.empty()) sink(last);
  }

  /// The first event happens again at `time`: one way down instead of one up and one down.
  void replace_front(double time) { sink({time, order_++, events_.front().what}); }

 private:
  static bool before(const Event& a, const Event& b) {
    return a.time < b.time || (a.time == b.time && a.order < b.order);
  }
  void sink(const Event& event) {
    std::size_t at = 0;
    while (true) {
      const std::size_t first = Children * at + 1;
      if (first >= events_.size()) break;
      std::size_t least = first;
      const std::size_t end = std::min(first + Children, events_.size());
      for (std::size_t i = first + 1; i < end; ++i) {
        if (before(events_[i], events_[least])) least = i;
      }
      if (!before(events_[least], event)) break;
      events_[at] = events_[least];
      at = least;
    }
    events_[at] = event;
  }
  std::vector<Event> events_;
  std::uint64_t order_ = 0;
};

}  // namespace chi::bench
