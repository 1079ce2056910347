#include "structure/surplus.h"

#include <algorithm>

#include "expr/incidence.h"
#include "graph/matching.h"

namespace chi::structure {
namespace {

using expr::ExprId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

std::vector<VarRef> find_surplus(const expr::Pool& pool, const BlockOrder& order,
                                 std::span<const int> rank) {
  const std::vector<VarRef>& unknowns = order.under_unknowns;  // ascending
  std::vector<ExprId> rows;
  for (const BlockOrder::Row& row : order.under_rows) rows.push_back(row.expr);
  const expr::Occurrences occurrences = expr::variables(pool, rows);
  std::vector<int> ranks(rank.begin(), rank.end());
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  graph::BipartiteBuilder builder(static_cast<int>(rows.size()), static_cast<int>(unknowns.size()));
  graph::Matching matching;
  for (const int highest : ranks) {
    for (std::int32_t i = 0; i < occurrences.rows(); ++i) {
      for (const ExprId node : occurrences.row(i)) {
        const VarRef x = pool.variable(node);
        const auto place = std::lower_bound(unknowns.begin(), unknowns.end(), x);
        if (place == unknowns.end() || *place != x) continue;
        const auto v = static_cast<std::int32_t>(place - unknowns.begin());
        if (rank[at(v)] == highest) builder.add({i}, {v});
      }
    }
    matching = graph::match_maximum(builder.build(), matching);
  }
  std::vector<VarRef> surplus;
  for (std::size_t v = 0; v < unknowns.size(); ++v) {
    if (!matching.eq_of[{static_cast<std::int32_t>(v)}]) surplus.push_back(unknowns[v]);
  }
  return surplus;
}

}  // namespace chi::structure
