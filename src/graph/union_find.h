#pragma once
#include <vector>

namespace chi::graph {

/// Disjoint sets of the numbers 0..n-1, by size and with path halving: nearly constant time each.
class UnionFind {
 public:
  explicit UnionFind(int size);
  int find(int element);     ///< the representative of its set
  void unite(int a, int b);  ///< joins two sets; nothing if they are one already
  int size_of(int element) { return sizes_[static_cast<std::size_t>(find(element))]; }

 private:
  std::vector<int> parents_;
  std::vector<int> sizes_;  // meaningful for representatives
};

}  // namespace chi::graph
