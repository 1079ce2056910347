#include "expr/cone.h"

#include <algorithm>

#include "base/cancel.h"
#include "expr/chain_rule.h"

namespace chi::expr {
namespace {

constexpr std::int32_t kDenseShare = 16;  // an array once a sixteenth of the pool is in the map

}  // namespace

NodeIndex::NodeIndex(std::int32_t pool_size) : pool_size_(pool_size) {
  if (pool_size <= 256) {
    dense_.assign(static_cast<std::size_t>(pool_size) + 1, -1);
  } else {
    hashed_.resize(16);
  }
}

std::size_t NodeIndex::slot(std::int32_t key) const {
  const std::size_t mask = hashed_.size() - 1;
  const auto h = static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15u;
  std::size_t at = static_cast<std::size_t>(h >> 32) & mask;
  while (hashed_[at].key >= 0 && hashed_[at].key != key) at = (at + 1) & mask;
  return at;
}

void NodeIndex::collect(std::vector<ExprId>& nodes) const {
  nodes.clear();
  nodes.reserve(static_cast<std::size_t>(count_));
  for (std::size_t i = 0; i < dense_.size(); ++i) {
    if (dense_[i] >= 0) nodes.push_back({static_cast<std::int32_t>(i)});
  }
  for (const Entry& entry : hashed_) {
    if (entry.key >= 0) nodes.push_back({entry.key});
  }
  if (dense_.empty()) std::sort(nodes.begin(), nodes.end());
}

void NodeIndex::set(ExprId e, std::int32_t value) {
  if (!dense_.empty()) {
    const auto at = static_cast<std::size_t>(e.index);
    if (at >= dense_.size()) dense_.resize(std::max(at + 1, dense_.size() * 2), -1);
    if (dense_[at] < 0) ++count_;
    dense_[at] = value;
    return;
  }
  Entry& entry = hashed_[slot(e.index)];
  if (entry.key < 0) ++count_;
  entry = {e.index, value};
  if (static_cast<std::size_t>(count_) * 2 > hashed_.size()) grow();
}

void NodeIndex::grow() {
  std::vector<Entry> old = std::move(hashed_);
  hashed_ = {};
  if (count_ > pool_size_ / kDenseShare) {
    std::int32_t highest = pool_size_;
    for (const Entry& entry : old) highest = std::max(highest, entry.key);
    dense_.assign(static_cast<std::size_t>(highest) + 1, -1);
    for (const Entry& entry : old) {
      if (entry.key >= 0) dense_[static_cast<std::size_t>(entry.key)] = entry.value;
    }
    return;
  }
  hashed_.resize(old.size() * 2);
  for (const Entry& entry : old) {
    if (entry.key >= 0) hashed_[slot(entry.key)] = entry;
  }
}

bool Follow::operator()(const Pool& pool, ExprId e, int operand) const {
  const Op op = pool.op(e);
  if (op == Op::Delay) return delayed || operand == 1;
  if (smooth_only) return is_differentiable(pool, e, operand);
  if (!below_relations && is_relation(op)) return false;
  return evented_conditions || op != Op::If || operand != 0;
}

Cone::Cone(const Pool& pool, std::span<const ExprId> roots, Follow follow, const NodeIndex* stops)
    : index_(pool.size()) {
  check_cancelled();
  std::vector<ExprId> stack;
  const auto reach = [&](ExprId e) {
    if (index_.find(e) >= 0) return;
    index_.set(e, 0);
    if (!is_leaf(pool.op(e)) && (stops == nullptr || stops->find(e) < 0)) stack.push_back(e);
  };
  for (const ExprId root : roots) {
    reach(root);
    while (!stack.empty()) {
      const ExprId e = stack.back();
      const Operands operands = pool.operands(e);
      stack.pop_back();
      for (int i = 0; i < operands.size(); ++i) {
        if (follow(pool, e, i)) reach(operands[i]);
      }
    }
  }
  index_.collect(nodes_);
  for (int i = 0; i < size(); ++i) index_.set((*this)[i], i);
}

}  // namespace chi::expr
