#include "graph/union_find.h"

#include <cstddef>
#include <numeric>
#include <utility>

namespace chi::graph {

UnionFind::UnionFind(int size)
    : parents_(static_cast<std::size_t>(size)), sizes_(static_cast<std::size_t>(size), 1) {
  std::iota(parents_.begin(), parents_.end(), 0);
}

int UnionFind::find(int element) {
  auto at = static_cast<std::size_t>(element);
  while (parents_[at] != static_cast<int>(at)) {
    parents_[at] = parents_[static_cast<std::size_t>(parents_[at])];
    at = static_cast<std::size_t>(parents_[at]);
  }
  return static_cast<int>(at);
}

void UnionFind::unite(int a, int b) {
  auto root = static_cast<std::size_t>(find(a));
  auto other = static_cast<std::size_t>(find(b));
  if (root == other) return;
  if (sizes_[root] < sizes_[other]) std::swap(root, other);
  parents_[other] = static_cast<int>(root);
  sizes_[root] += sizes_[other];
}

}  // namespace chi::graph
