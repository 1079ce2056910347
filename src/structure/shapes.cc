#include <algorithm>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "graph/tearing.h"
#include "structure/report.h"

namespace chi::structure {
namespace {

using expr::ExprId;
using expr::Linearity;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

BlockShape shape(expr::Pool& pool, const BlockOrder& order, const BlockOrder::Block& block) {
  std::vector<ExprId> rows, unknowns;
  for (std::int32_t k = block.first; k < block.first + block.count; ++k) {
    const expr::VarRef x = order.unknowns[at(k)];
    rows.push_back(order.rows[at(k)].expr);
    unknowns.push_back(expr::variable(pool, x.var, x.order));
  }
  BlockShape result;
  result.linearity = Linearity::Free;
  for (const Linearity kind : expr::linearity(pool, rows, unknowns)) {
    result.linearity = std::max(result.linearity, kind);
  }
  if (block.count == 1) {
    if (result.linearity != Linearity::Constant) {
      result.torn = {block.first};
      result.residuals = {block.first};
    }
    return result;
  }
  const expr::Jacobian jacobian = expr::jacobian(pool, rows, unknowns);
  graph::BipartiteBuilder builder(block.count, block.count);
  std::vector<std::uint8_t> numbers;
  for (std::int32_t i = 0; i < block.count; ++i) {
    for (std::int32_t k = jacobian.row_start[at(i)]; k < jacobian.row_start[at(i) + 1]; ++k) {
      builder.add({i}, {jacobian.column[at(k)]});
      numbers.push_back(pool.op(jacobian.entry[at(k)]) == expr::Op::Constant ? 1 : 0);
    }
    // Where an unknown occurs with a derivative that is zero everywhere, as in floor(x), the
    // Jacobian has no entry; its match must have one all the same.
    const auto begin = jacobian.column.begin() + jacobian.row_start[at(i)];
    const auto end = jacobian.column.begin() + jacobian.row_start[at(i) + 1];
    if (!std::binary_search(begin, end, i)) builder.add({i}, {i});
  }
  const graph::Bipartite pattern = builder.build();
  Table<graph::EdgeId, std::uint8_t> may_solve(pattern.num_edges(), 0);
  std::size_t next = 0;
  for (std::int32_t i = 0; i < block.count; ++i) {
    for (std::int32_t k = jacobian.row_start[at(i)]; k < jacobian.row_start[at(i) + 1]; ++k) {
      may_solve[pattern.find_edge({i}, {jacobian.column[at(k)]})] = numbers[next++];
    }
  }
  const graph::Tearing tearing = graph::tear(pattern, may_solve);
  for (const graph::VarId var : tearing.torn) result.torn.push_back(block.first + var.index);
  for (const graph::EqId eq : tearing.residuals) result.residuals.push_back(block.first + eq.index);
  return result;
}

}  // namespace

std::vector<BlockShape> block_shapes(expr::Pool& pool, const BlockOrder& order) {
  std::vector<BlockShape> shapes;
  for (const BlockOrder::Block& block : order.blocks) shapes.push_back(shape(pool, order, block));
  return shapes;
}

int differential_index(const Analysis& analysis) {
  const graph::Signature& sigma = analysis.sigma;
  std::vector<int> c = analysis.c, d = analysis.d;
  std::vector<graph::VarId> raised;
  const auto demand = [&](graph::VarId var, int order) {
    if (d[at(var.index)] >= order) return;
    d[at(var.index)] = order;
    raised.push_back(var);
  };
  for (graph::VarId var{0}; var.index < sigma.pattern.num_vars(); ++var.index) demand(var, 1);
  // No offset grows by more than one, because all of them one larger would do.
  while (!raised.empty()) {
    const graph::VarId var = raised.back();
    raised.pop_back();
    const graph::EqId eq = analysis.transversal.eq_of[var];
    graph::EdgeId edge = sigma.pattern.find_edge(eq, var);
    c[at(eq.index)] = d[at(var.index)] - sigma.order[edge];
    edge = sigma.pattern.first_edge(eq);
    for (const graph::VarId other : sigma.pattern.vars_of(eq)) {
      demand(other, c[at(eq.index)] + sigma.order[edge]);
      ++edge.index;
    }
  }
  return c.empty() ? 0 : *std::max_element(c.begin(), c.end());
}

}  // namespace chi::structure
