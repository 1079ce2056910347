#include <algorithm>
#include <utility>

#include "expr/build.h"
#include "expr/chain_rule.h"
#include "expr/differentiate.h"
#include "expr/regions.h"

namespace chi::expr {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

NodeIndex number(const Pool& pool, std::span<const ExprId> leaves) {
  NodeIndex index(pool.size());
  for (std::size_t j = 0; j < leaves.size(); ++j)
    index.set(leaves[j], static_cast<std::int32_t>(j));
  return index;
}

// One row per head of a region, from those of the heads below. Inside a region derivatives of the
// head by the nodes are accumulated downwards (reverse mode), until they arrive at leaves or other
// heads.
class Accumulation {
 public:
  Accumulation(Pool& pool, std::span<const ExprId> roots, std::span<const ExprId> leaves)
      : pool_(pool),
        column_(number(pool, leaves)),
        regions_(pool, roots,
                 {.follow = {.delayed = false, .smooth_only = true}, .split_choices = true},
                 [this](ExprId e) { return column_.find(e) >= 0; }),
        row_of_(at(regions_.cone().size()), -1),
        adjoint_(at(regions_.cone().size())),
        entry_(leaves.size()) {}

  Jacobian run(std::span<const ExprId> roots) {
    const auto heads = regions_.heads();
    for (int k = 0; k < static_cast<int>(heads.size()); ++k) {
      const std::int32_t head = heads[at(k)];
      const ExprId e = regions_.cone()[head];
      if (is_leaf(pool_.op(e))) {
        enter(column_.find(e), constant(pool_, 1));
      } else if (is_choice(pool_.op(e))) {
        merge_alternatives(head);
      } else {
        accumulate(head, regions_.members(k));
      }
      close_row(head);
    }
    return select(roots);
  }

 private:
  void accumulate(std::int32_t head, std::span<const std::int32_t> members) {
    adjoint_[at(head)] = constant(pool_, 1);
    for (std::size_t m = members.size(); m-- > 0;) {
      const std::int32_t p = members[m];
      const ExprId factor = std::exchange(adjoint_[at(p)], {});
      if (!factor || is_zero(pool_, factor)) continue;  // what arrived cancelled out
      const ExprId e = regions_.cone()[p];
      for (const Regions::Edge& edge : regions_.edges(p)) {
        if (const ExprId term = chain(pool_, e, edge.operand, factor)) arrive(head, edge.to, term);
      }
    }
    std::sort(below_.begin(), below_.end());
    for (const std::int32_t p : below_) {
      const ExprId factor = std::exchange(adjoint_[at(p)], {});
      for (std::int32_t r = rows_.row_start[at(row_of_[at(p)])];
           r < rows_.row_start[at(row_of_[at(p)]) + 1]; ++r) {
        enter(rows_.column[at(r)], mul(pool_, factor, rows_.entry[at(r)]));
      }
    }
    below_.clear();
  }

  void arrive(std::int32_t head, std::int32_t to, ExprId term) {
    if (const std::int32_t j = column_.find(regions_.cone()[to]); j >= 0) return enter(j, term);
    ExprId& adjoint = adjoint_[at(to)];
    if (!adjoint && regions_.head(to) != head) below_.push_back(to);
    adjoint = sum(pool_, adjoint, term);
  }

  // The row of an `if`, `min` or `max`: per column the choice between the entries of the
  // alternatives.
  void merge_alternatives(std::int32_t head) {
    const ExprId e = regions_.cone()[head];
    const int first = is_if(pool_.op(e)) ? 1 : 0;
    std::vector<std::pair<std::int32_t, ExprId>> one, other;
    for (const Regions::Edge& edge : regions_.edges(head)) {
      if (edge.operand == first) one = row_at(edge.to);
      if (edge.operand == first + 1) other = row_at(edge.to);
    }
    std::size_t i = 0, k = 0;
    while (i < one.size() || k < other.size()) {
      const bool take_one = k == other.size() || (i < one.size() && one[i].first <= other[k].first);
      const bool take_other =
          i == one.size() || (k < other.size() && other[k].first <= one[i].first);
      const std::int32_t j = take_one ? one[i].first : other[k].first;
      const ExprId a = take_one ? one[i++].second : ExprId{};
      const ExprId b = take_other ? other[k++].second : ExprId{};
      if (const ExprId chosen = choose(pool_, e, a, b)) enter(j, chosen);
    }
  }

  std::vector<std::pair<std::int32_t, ExprId>> row_at(std::int32_t p) {
    if (const std::int32_t j = column_.find(regions_.cone()[p]); j >= 0)
      return {{j, constant(pool_, 1)}};
    std::vector<std::pair<std::int32_t, ExprId>> row;
    const std::size_t k = at(row_of_[at(p)]);
    for (std::size_t r = at(rows_.row_start[k]); r < at(rows_.row_start[k + 1]); ++r) {
      row.emplace_back(rows_.column[r], rows_.entry[r]);
    }
    return row;
  }

  void enter(std::int32_t j, ExprId term) {
    if (!entry_[at(j)]) entered_.push_back(j);
    entry_[at(j)] = sum(pool_, entry_[at(j)], term);
  }

  void close_row(std::int32_t head) {
    std::sort(entered_.begin(), entered_.end());
    for (const std::int32_t j : entered_) {
      const ExprId e = std::exchange(entry_[at(j)], {});
      if (is_zero(pool_, e)) continue;
      rows_.column.push_back(j);
      rows_.entry.push_back(e);
    }
    entered_.clear();
    row_of_[at(head)] = rows_.rows();
    rows_.row_start.push_back(static_cast<std::int32_t>(rows_.column.size()));
  }

  Jacobian select(std::span<const ExprId> roots) const {
    Jacobian result;
    for (const ExprId root : roots) {
      const std::int32_t row = row_of_[at(regions_.cone().position(root))];
      if (row >= 0) {
        const std::int32_t first = rows_.row_start[at(row)], last = rows_.row_start[at(row) + 1];
        result.column.insert(result.column.end(), rows_.column.begin() + first,
                             rows_.column.begin() + last);
        result.entry.insert(result.entry.end(), rows_.entry.begin() + first,
                            rows_.entry.begin() + last);
      }
      result.row_start.push_back(static_cast<std::int32_t>(result.column.size()));
    }
    return result;
  }

  Pool& pool_;
  NodeIndex column_;
  Regions regions_;
  Jacobian rows_;                      // of the heads so far
  std::vector<std::int32_t> row_of_;   // position of a head → its row
  std::vector<ExprId> adjoint_;        // derivative of the current head by a node
  std::vector<std::int32_t> below_;    // other heads that an adjoint has arrived at
  std::vector<ExprId> entry_;          // the current row, by column
  std::vector<std::int32_t> entered_;  // its columns
};

}  // namespace

Jacobian jacobian(Pool& pool, std::span<const ExprId> roots, std::span<const ExprId> leaves) {
  return Accumulation(pool, roots, leaves).run(roots);
}

}  // namespace chi::expr
