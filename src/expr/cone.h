#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "expr/expr.h"

namespace chi::expr {

/// A map from nodes to numbers, -1 where nothing was set. Time and memory go with what is set, not
/// with the size of the pool: a hash table while it holds few nodes, an array once it holds many.
class NodeIndex {
 public:
  explicit NodeIndex(std::int32_t pool_size);
  std::int32_t find(ExprId e) const {
    const auto at = static_cast<std::size_t>(e.index);
    if (dense_.empty()) return hashed_[slot(e.index)].value;
    return at < dense_.size() ? dense_[at] : -1;
  }
  void set(ExprId e, std::int32_t value);  ///< requires value >= 0
  std::int32_t count() const { return count_; }
  /// All nodes that were set, ascending.
  void collect(std::vector<ExprId>& nodes) const;

 private:
  struct Entry {
    std::int32_t key = -1;
    std::int32_t value = -1;
  };
  std::size_t slot(std::int32_t key) const;
  void grow();

  std::int32_t pool_size_;
  std::int32_t count_ = 0;
  std::vector<Entry> hashed_;
  std::vector<std::int32_t> dense_;  // used when not empty
};

/// Which operands a pass looks at.
struct Follow {
  bool delayed = true;             ///< x and x0 of a `delay`: values of another time
  bool evented_conditions = true;  ///< conditions of evented `if`s: part of the mode
  bool smooth_only = false;        ///< nothing but operands with a derivative (chain_rule.h)
  bool below_relations = true;     ///< the numbers that a relation compares
  bool operator()(const Pool& pool, ExprId e, int operand) const;
};

/// The nodes that `roots` reach, in ascending order: operands before the nodes that use them.
/// Nodes in `stops` are reached but not passed. O(nodes reached), sorting included when few.
class Cone {
 public:
  Cone(const Pool& pool, std::span<const ExprId> roots, Follow follow = {},
       const NodeIndex* stops = nullptr);
  int size() const { return static_cast<int>(nodes_.size()); }
  std::span<const ExprId> nodes() const { return nodes_; }
  ExprId operator[](int position) const { return nodes_[static_cast<std::size_t>(position)]; }
  int position(ExprId e) const { return index_.find(e); }  ///< -1 outside the cone

 private:
  NodeIndex index_;
  std::vector<ExprId> nodes_;
};

}  // namespace chi::expr
