#include "expr/incidence.h"

#include <algorithm>

#include "expr/regions.h"

namespace chi::expr {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Rows per head of a region: the items of its nodes, and those of the heads below.
class Collection {
 public:
  Collection(const Pool& pool, std::span<const ExprId> roots, const Follow& follow,
             const std::function<ExprId(ExprId)>& item,
             const std::function<bool(ExprId, ExprId)>& before)
      : item_(item),
        regions_(pool, roots, {.follow = follow, .split_choices = false},
                 [&item](ExprId e) { return static_cast<bool>(item(e)); }),
        ordinal_(pool.size()),
        row_of_(at(regions_.cone().size()), -1) {
    for (int p = 0; p < regions_.cone().size(); ++p) {
      if (const ExprId i = item(regions_.cone()[p])) items_.push_back(i);
    }
    std::sort(items_.begin(), items_.end(), before);
    items_.erase(std::unique(items_.begin(), items_.end()), items_.end());
    for (std::size_t k = 0; k < items_.size(); ++k)
      ordinal_.set(items_[k], static_cast<std::int32_t>(k));
    stamp_.assign(items_.size(), -1);
  }

  Occurrences run(std::span<const ExprId> roots) {
    const auto heads = regions_.heads();
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(heads.size()); ++k) {
      for (const std::int32_t p : regions_.members(k)) {
        look_at(p, k);
        for (const Regions::Edge& edge : regions_.edges(p)) {
          const std::int32_t head = regions_.head(edge.to);
          if (head < 0) look_at(edge.to, k);  // a leaf
          if (head >= 0 && head != heads[at(k)]) include(row_of_[at(head)], k);
        }
      }
      std::sort(items_of_heads_.begin() + start_.back(), items_of_heads_.end());
      row_of_[at(heads[at(k)])] = k;
      start_.push_back(static_cast<std::int32_t>(items_of_heads_.size()));
    }
    return select(roots);
  }

 private:
  void look_at(std::int32_t p, std::int32_t k) {
    if (const ExprId i = item_(regions_.cone()[p])) take(ordinal_.find(i), k);
  }
  void take(std::int32_t item, std::int32_t k) {
    if (stamp_[at(item)] == k) return;
    stamp_[at(item)] = k;
    items_of_heads_.push_back(item);
  }
  void include(std::int32_t row, std::int32_t k) {
    for (std::int32_t r = start_[at(row)]; r < start_[at(row) + 1]; ++r)
      take(items_of_heads_[at(r)], k);
  }

  Occurrences select(std::span<const ExprId> roots) const {
    Occurrences result;
    for (const ExprId root : roots) {
      const std::int32_t row = row_of_[at(regions_.cone().position(root))];
      if (row >= 0) {
        for (std::int32_t r = start_[at(row)]; r < start_[at(row) + 1]; ++r) {
          result.node.push_back(items_[at(items_of_heads_[at(r)])]);
        }
      }
      result.row_start.push_back(static_cast<std::int32_t>(result.node.size()));
    }
    return result;
  }

  const std::function<ExprId(ExprId)>& item_;
  Regions regions_;
  NodeIndex ordinal_;                // item → its place in the order
  std::vector<ExprId> items_;        // all items, in order
  std::vector<std::int32_t> stamp_;  // the last head that took the item
  std::vector<std::int32_t> row_of_;
  std::vector<std::int32_t> start_ = {0};
  std::vector<std::int32_t> items_of_heads_;
};

// Root by root: the cheapest way as long as roots share little.
class DirectCollection {
 public:
  DirectCollection(const Pool& pool, const Follow& follow, Traits below)
      : pool_(pool), follow_(follow), below_(below), seen_(pool.size()) {}

  /// False, with nothing in `result`, if that would look at shared nodes too often.
  template <class Item, class Before>
  bool run(std::span<const ExprId> roots, const Item& item, const Before& before,
           Occurrences& result) {
    std::int64_t visits = 0;
    for (std::size_t r = 0; r < roots.size(); ++r) {
      row_ = static_cast<std::int32_t>(r);
      const auto first = static_cast<std::ptrdiff_t>(result.node.size());
      reach(roots[r]);
      while (!stack_.empty()) {
        const ExprId e = stack_.back();
        stack_.pop_back();
        ++visits;
        if (const ExprId found = item(e)) result.node.push_back(found);
        const Operands operands = pool_.operands(e);
        for (int i = 0; i < operands.size(); ++i) {
          if (follow_(pool_, e, i)) reach(operands[i]);
        }
      }
      if (visits > kRepeats * seen_.count() + kFewVisits) return result = {}, false;
      std::sort(result.node.begin() + first, result.node.end(), before);
      result.node.erase(std::unique(result.node.begin() + first, result.node.end()),
                        result.node.end());
      result.row_start.push_back(static_cast<std::int32_t>(result.node.size()));
    }
    return true;
  }

 private:
  static constexpr std::int64_t kRepeats = 6;  // visits of a node, on average
  static constexpr std::int64_t kFewVisits = 1000;

  void reach(ExprId e) {
    if (below_ != 0 && !pool_.has(e, below_)) return;
    if (seen_.find(e) == row_) return;
    seen_.set(e, row_);
    stack_.push_back(e);
  }

  const Pool& pool_;
  Follow follow_;
  Traits below_;
  NodeIndex seen_;  // the last root from which a node was reached
  std::int32_t row_ = 0;
  std::vector<ExprId> stack_;
};

constexpr Follow kPresent{.delayed = false, .evented_conditions = false};

}  // namespace

std::span<const ExprId> Occurrences::row(int i) const {
  return std::span(node).subspan(at(row_start[at(i)]), at(row_start[at(i) + 1] - row_start[at(i)]));
}

std::span<const VarRef> Incidence::row(int i) const {
  return std::span(entry).subspan(at(row_start[at(i)]),
                                  at(row_start[at(i) + 1] - row_start[at(i)]));
}

Occurrences occurrences(const Pool& pool, std::span<const ExprId> roots, const Follow& follow,
                        const std::function<ExprId(ExprId)>& item, Traits below) {
  Occurrences result;
  if (DirectCollection(pool, follow, below).run(roots, item, std::less<>(), result)) return result;
  return Collection(pool, roots, follow, item, std::less<>()).run(roots);
}

Occurrences variables(const Pool& pool, std::span<const ExprId> roots) {
  const auto item = [&](ExprId e) { return pool.op(e) == Op::Variable ? e : ExprId{}; };
  const auto before = [&](ExprId a, ExprId b) { return pool.variable(a) < pool.variable(b); };
  Occurrences result;
  if (DirectCollection(pool, kPresent, kHasVariable).run(roots, item, before, result)) {
    return result;
  }
  return Collection(pool, roots, kPresent, item, before).run(roots);
}

Incidence incidence(const Pool& pool, std::span<const ExprId> roots) {
  const Occurrences all = variables(pool, roots);
  Incidence result;
  for (int i = 0; i < all.rows(); ++i) {
    for (const ExprId e : all.row(i)) {
      const VarRef v = pool.variable(e);
      const bool again = static_cast<std::int32_t>(result.entry.size()) > result.row_start.back() &&
                         result.entry.back().var == v.var;
      if (again) result.entry.pop_back();  // orders ascend
      result.entry.push_back(v);
    }
    result.row_start.push_back(static_cast<std::int32_t>(result.entry.size()));
  }
  return result;
}

Occurrences conditions(const Pool& pool, std::span<const ExprId> roots) {
  return occurrences(
      pool, roots, {.delayed = false},
      [&](ExprId e) { return pool.op(e) == Op::If ? pool.operand(e, 0) : ExprId{}; }, kHasEvented);
}

Occurrences relations(const Pool& pool, std::span<const ExprId> conditions) {
  return occurrences(
      pool, conditions, {.delayed = false, .below_relations = false},
      [&](ExprId e) { return is_relation(pool.op(e)) && pool.has(e, kMoving) ? e : ExprId{}; },
      kMoving);
}

Occurrences delays(const Pool& pool, std::span<const ExprId> roots) {
  return occurrences(
      pool, roots, {}, [&](ExprId e) { return pool.op(e) == Op::Delay ? e : ExprId{}; }, kHasDelay);
}

}  // namespace chi::expr
