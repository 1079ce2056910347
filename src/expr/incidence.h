#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "expr/cone.h"
#include "expr/expr.h"

namespace chi::expr {

/// For each of several roots, the nodes of some kind that occur in it, each once.
struct Occurrences {
  std::vector<std::int32_t> row_start = {0};
  std::vector<ExprId> node;
  int rows() const { return static_cast<int>(row_start.size()) - 1; }
  std::span<const ExprId> row(int i) const;
};

/// The general form: what `item` gives for the nodes reached through `follow`; none is left out.
/// Only nodes with some of the traits `below`, if any are given, have items in or below them.
/// Ascending by id. Where roots share little each is looked at for itself; otherwise what they
/// share is looked at once. O(nodes + result), except where several roots share a deep structure of
/// ever more items.
Occurrences occurrences(const Pool& pool, std::span<const ExprId> roots, const Follow& follow,
                        const std::function<ExprId(ExprId)>& item, Traits below = 0);

/// The variables and derivatives whose present value a root depends on, ascending by variable and
/// order. Not those in conditions of evented `if`s, which are frozen in a mode (ask for them with
/// the conditions as roots), and not those of which only the past counts, in `delay`.
Occurrences variables(const Pool& pool, std::span<const ExprId> roots);

/// The same with each variable once, at its highest order: the rows of Pryce's signature matrix.
struct Incidence {
  std::vector<std::int32_t> row_start = {0};
  std::vector<VarRef> entry;  ///< ascending by variable within a row
  int rows() const { return static_cast<int>(row_start.size()) - 1; }
  std::span<const VarRef> row(int i) const;
};
Incidence incidence(const Pool& pool, std::span<const ExprId> roots);

/// The conditions of evented `if`s in each root, also inside other conditions; ascending by id, so
/// an inner condition comes before the ones around it.
Occurrences conditions(const Pool& pool, std::span<const ExprId> roots);

/// The relations out of which each condition is made with `and`, `or`, `not` and `if`, and which
/// can change between events. Relations in calls are seen after `inline_calls` only.
Occurrences relations(const Pool& pool, std::span<const ExprId> conditions);

/// The `delay` nodes in each root, ascending: a delay inside another's operand comes first.
Occurrences delays(const Pool& pool, std::span<const ExprId> roots);

}  // namespace chi::expr
