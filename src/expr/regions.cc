#include "expr/regions.h"

#include "expr/chain_rule.h"

namespace chi::expr {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

Regions::Regions(const Pool& pool, std::span<const ExprId> roots, const Options& options,
                 const std::function<bool(ExprId)>& is_target)
    : cone_(pool, roots, options.follow),
      active_(at(cone_.size()), 0),
      head_(at(cone_.size()), -1) {
  connect(pool, options.follow, is_target);
  assign_heads(pool, roots, options.split_choices);
  group_members();
}

std::span<const Regions::Edge> Regions::edges(int position) const {
  const std::int32_t first = edge_start_[at(position)];
  return std::span(edges_).subspan(at(first), at(edge_start_[at(position) + 1] - first));
}

std::span<const std::int32_t> Regions::members(int k) const {
  const std::int32_t first = member_start_[at(k)];
  return std::span(members_).subspan(at(first), at(member_start_[at(k) + 1] - first));
}

void Regions::connect(const Pool& pool, const Follow& follow,
                      const std::function<bool(ExprId)>& is_target) {
  edge_start_.push_back(0);
  for (int p = 0; p < cone_.size(); ++p) {
    const ExprId e = cone_[p];
    const Operands operands = pool.operands(e);
    for (int i = 0; i < operands.size(); ++i) {
      if (!follow(pool, e, i)) continue;
      const int to = cone_.position(operands[i]);
      if (is_active(to)) edges_.push_back({to, i});
    }
    const auto count = static_cast<std::int32_t>(edges_.size());
    active_[at(p)] = count > edge_start_.back() || is_target(e);
    edge_start_.push_back(count);
  }
}

// Descending, so that all uses of a node are known when it is met.
void Regions::assign_heads(const Pool& pool, std::span<const ExprId> roots, bool split_choices) {
  for (const ExprId root : roots) {
    const int p = cone_.position(root);
    if (is_active(p)) head_[at(p)] = p;
  }
  for (int p = cone_.size() - 1; p >= 0; --p) {
    if (head_[at(p)] < 0) continue;
    const bool split = split_choices && is_choice(pool.op(cone_[p]));
    if (split) head_[at(p)] = p;
    for (const Edge& edge : edges(p)) {
      std::int32_t& head = head_[at(edge.to)];
      if (head < 0 && is_leaf(pool.op(cone_[edge.to]))) continue;
      if (split || (head >= 0 && head != head_[at(p)])) {
        head = edge.to;
      } else {
        head = head_[at(p)];
      }
    }
  }
}

void Regions::group_members() {
  std::vector<std::int32_t> rank(head_.size(), -1);
  for (int p = 0; p < cone_.size(); ++p) {
    if (head_[at(p)] != p) continue;
    rank[at(p)] = static_cast<std::int32_t>(heads_.size());
    heads_.push_back(p);
  }
  member_start_.assign(heads_.size() + 1, 0);
  for (const std::int32_t head : head_) {
    if (head >= 0) ++member_start_[at(rank[at(head)]) + 1];
  }
  for (std::size_t k = 1; k < member_start_.size(); ++k) member_start_[k] += member_start_[k - 1];
  std::vector<std::int32_t> next(member_start_.begin(), member_start_.end() - 1);
  members_.resize(at(member_start_.back()));
  for (int p = 0; p < cone_.size(); ++p) {
    if (head_[at(p)] >= 0) members_[at(next[at(rank[at(head_[at(p)])])]++)] = p;
  }
}

}  // namespace chi::expr
