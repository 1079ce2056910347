#pragma once
#include <cstddef>
#include <limits>
#include <vector>

namespace chi::sim {

/// The least of n times, when single ones change: a tree in which the earlier of two goes up.
/// O(log n) a change, O(1) the least. Of equal times the lowest number wins.
class Tournament {
 public:
  void resize(std::size_t size) {
    size_ = 1;
    while (size_ < size) size_ *= 2;
    times_.assign(size, std::numeric_limits<double>::infinity());
    winners_.assign(2 * size_, 0);
    for (std::size_t i = 0; i < size_; ++i) winners_[size_ + i] = i;
    for (std::size_t node = size_ - 1; node > 0; --node) play(node);
  }

  void set(std::size_t number, double time) {
    if (times_[number] == time) return;
    times_[number] = time;
    for (std::size_t node = (size_ + number) / 2; node > 0; node /= 2) play(node);
  }

  bool empty() const { return times_.empty(); }
  std::size_t first() const { return size_ == 1 ? 0 : winners_[1]; }
  double time() const {
    return times_.empty() ? std::numeric_limits<double>::infinity() : times_[first()];
  }

 private:
  double time_of(std::size_t number) const {
    return number < times_.size() ? times_[number] : std::numeric_limits<double>::infinity();
  }
  void play(std::size_t node) {
    const std::size_t a = winners_[2 * node], b = winners_[2 * node + 1];
    winners_[node] = time_of(b) < time_of(a) ? b : a;
  }

  std::size_t size_ = 1;  // a power of two
  std::vector<double> times_;
  std::vector<std::size_t> winners_;  // by node; the leaves are the numbers
};

}  // namespace chi::sim
