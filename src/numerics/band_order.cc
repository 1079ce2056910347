#include "numerics/band_order.h"

#include <algorithm>
#include <cstddef>

namespace chi::numerics {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

void measure(const SparsePattern& pattern, const std::vector<int>& new_of_old, BandOrder& order) {
  order.below = order.above = 0;
  for (int j = 0; j < pattern.cols; ++j) {
    const int column = new_of_old.empty() ? j : new_of_old[at(j)];
    for (int k = pattern.column_starts[at(j)]; k < pattern.column_starts[at(j) + 1]; ++k) {
      const int i = pattern.row_indices[at(k)];
      const int row = new_of_old.empty() ? i : new_of_old[at(i)];
      order.below = std::max(order.below, row - column);
      order.above = std::max(order.above, column - row);
    }
  }
}

// Who shares an entry with whom, itself left out.
struct Neighbours {
  explicit Neighbours(const SparsePattern& pattern) : start(at(pattern.cols) + 1) {
    const auto each_edge = [&](const auto& take) {
      for (int j = 0; j < pattern.cols; ++j) {
        for (int k = pattern.column_starts[at(j)]; k < pattern.column_starts[at(j) + 1]; ++k) {
          const int i = pattern.row_indices[at(k)];
          if (i != j) take(i, j), take(j, i);
        }
      }
    };
    each_edge([&](int i, int) { ++start[at(i) + 1]; });
    for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
    std::vector<int> next(start.begin(), start.end() - 1);
    of.resize(at(start.back()));
    each_edge([&](int i, int j) { of[at(next[at(i)]++)] = j; });
  }
  int degree(int i) const { return start[at(i) + 1] - start[at(i)]; }
  std::vector<int> start, of;
};

class Search {
 public:
  explicit Search(const SparsePattern& pattern) : neighbours_(pattern), mark_(at(pattern.cols)) {}

  std::vector<int> run() {
    const int n = static_cast<int>(mark_.size());
    std::vector<char> done(mark_.size(), 0);
    std::vector<int> result;
    for (int i = 0; i < n; ++i) {
      if (done[at(i)]) continue;
      // From anywhere to an end of its component, and from there to the other end.
      int start = levels_from(i).back();
      start = levels_from(start).back();
      for (const int j : levels_from(start)) {
        done[at(j)] = 1;
        result.push_back(j);
      }
    }
    std::reverse(result.begin(), result.end());
    return result;
  }

 private:
  // Breadth first, neighbours of small degree first.
  const std::vector<int>& levels_from(int start) {
    ++stamp_;
    queue_.assign(1, start);
    mark_[at(start)] = stamp_;
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      const int i = queue_[head];
      const auto first = static_cast<std::ptrdiff_t>(queue_.size());
      for (int k = neighbours_.start[at(i)]; k < neighbours_.start[at(i) + 1]; ++k) {
        const int j = neighbours_.of[at(k)];
        if (mark_[at(j)] == stamp_) continue;
        mark_[at(j)] = stamp_;
        queue_.push_back(j);
      }
      std::sort(queue_.begin() + first, queue_.end(), [&](int a, int b) {
        const int da = neighbours_.degree(a), db = neighbours_.degree(b);
        return da != db ? da < db : a < b;
      });
    }
    return queue_;
  }

  Neighbours neighbours_;
  std::vector<int> mark_;
  std::vector<int> queue_;
  int stamp_ = 0;
};

}  // namespace

BandOrder find_band_order(const SparsePattern& pattern, int narrow) {
  BandOrder order;
  measure(pattern, {}, order);
  if (order.below + order.above <= narrow) return order;
  order.old_of_new = Search(pattern).run();
  std::vector<int> new_of_old(order.old_of_new.size());
  for (std::size_t i = 0; i < new_of_old.size(); ++i) {
    new_of_old[at(order.old_of_new[i])] = static_cast<int>(i);
  }
  measure(pattern, new_of_old, order);
  return order;
}

}  // namespace chi::numerics
