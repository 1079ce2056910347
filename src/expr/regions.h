#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "expr/cone.h"
#include "expr/expr.h"

namespace chi::expr {

/// How roots depend on target nodes, cut into regions for sweeps over many roots at once.
///
/// Active are the nodes from which a target can be reached, targets included. Every root is the
/// head of a region, and so is every node used from two regions; any other node belongs to the one
/// region that uses it. So a region is a piece of graph entered at its head only, and a result
/// computed per head is computed once. Leaves belong to no region unless they are roots. Optionally
/// `if`, `min` and `max` are regions of their own, and their alternatives are heads.
class Regions {
 public:
  struct Edge {
    std::int32_t to = -1;       ///< position in the cone
    std::int32_t operand = -1;  ///< which operand it is
  };
  struct Options {
    Follow follow;
    bool split_choices = false;
  };
  Regions(const Pool& pool, std::span<const ExprId> roots, const Options& options,
          const std::function<bool(ExprId)>& is_target);

  const Cone& cone() const { return cone_; }
  bool is_active(int position) const { return active_[static_cast<std::size_t>(position)] != 0; }
  /// The operands of an active node that are active.
  std::span<const Edge> edges(int position) const;
  /// The head of the region of a node, -1 if it belongs to none.
  int head(int position) const { return head_[static_cast<std::size_t>(position)]; }
  /// Heads in ascending order, and the nodes of the region of the k-th head, ascending; the head is
  /// last.
  std::span<const std::int32_t> heads() const { return heads_; }
  std::span<const std::int32_t> members(int k) const;

 private:
  void connect(const Pool& pool, const Follow& follow,
               const std::function<bool(ExprId)>& is_target);
  void assign_heads(const Pool& pool, std::span<const ExprId> roots, bool split_choices);
  void group_members();

  Cone cone_;
  std::vector<char> active_;
  std::vector<std::int32_t> edge_start_;
  std::vector<Edge> edges_;
  std::vector<std::int32_t> head_;
  std::vector<std::int32_t> heads_;
  std::vector<std::int32_t> member_start_;
  std::vector<std::int32_t> members_;
};

}  // namespace chi::expr
