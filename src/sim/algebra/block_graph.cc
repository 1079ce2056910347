#include "sim/algebra/block_graph.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "expr/cone.h"
#include "expr/incidence.h"
#include "numerics/nonlinear_problem.h"
#include "sim/algebra/solver_context.h"

namespace chi::sim {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

void close_row(std::vector<std::int32_t>& items, std::vector<std::int32_t>& starts) {
  const auto first = items.begin() + starts.back();
  std::sort(first, items.end());
  items.erase(std::unique(first, items.end()), items.end());
  starts.push_back(static_cast<std::int32_t>(items.size()));
}

}  // namespace

BlockGraph::BlockGraph(expr::Pool& pool, const structure::BlockOrder& order,
                       std::span<const expr::VarRef> states) {
  std::vector<expr::ExprId> rows;
  for (const structure::BlockOrder::Row& row : order.rows) rows.push_back(row.expr);
  const expr::Occurrences used = expr::variables(pool, rows);
  std::vector<expr::ExprId> unknown_leaves, state_leaves;
  for (const expr::VarRef x : order.unknowns) unknown_leaves.push_back(leaf_of(pool, x));
  for (const expr::VarRef x : states) state_leaves.push_back(leaf_of(pool, x));
  const auto block_count = static_cast<std::int32_t>(order.blocks.size());
  expr::NodeIndex meaning(pool.size());  // a block, or after those a state
  for (std::int32_t b = 0; b < block_count; ++b) {
    const structure::BlockOrder::Block& block = order.blocks[at(b)];
    for (std::int32_t k = block.first; k < block.first + block.count; ++k) {
      meaning.set(unknown_leaves[at(k)], b);
      places_.push_back({order.unknowns[at(k)], b});
    }
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    meaning.set(state_leaves[i], block_count + static_cast<std::int32_t>(i));
  }
  std::ranges::sort(places_, {}, &Place::var);
  for (std::int32_t b = 0; b < block_count; ++b) {
    const structure::BlockOrder::Block& block = order.blocks[at(b)];
    for (std::int32_t k = block.first; k < block.first + block.count; ++k) {
      for (const expr::ExprId e : used.row(k)) {
        const std::int32_t m = meaning.find(e);
        if (m >= block_count) states_.push_back(m - block_count);
        if (m >= 0 && m < b) needs_.push_back(m);
      }
    }
    close_row(needs_, block_start_);
    close_row(states_, state_start_);
  }
}

std::span<const std::int32_t> BlockGraph::needs(int block) const {
  return std::span(needs_).subspan(at(block_start_[at(block)]),
                                   at(block_start_[at(block) + 1] - block_start_[at(block)]));
}

std::span<const std::int32_t> BlockGraph::states(int block) const {
  return std::span(states_).subspan(at(state_start_[at(block)]),
                                    at(state_start_[at(block) + 1] - state_start_[at(block)]));
}

int BlockGraph::block_of(expr::VarRef x) const {
  const auto found = std::ranges::lower_bound(places_, x, {}, &Place::var);
  return found != places_.end() && found->var == x ? found->block : -1;
}

std::vector<char> BlockGraph::needed_for(std::span<const expr::VarRef> targets) const {
  std::vector<char> needed(at(blocks()), 0);
  for (const expr::VarRef x : targets) {
    if (const int b = block_of(x); b >= 0) needed[at(b)] = 1;
  }
  for (int b = blocks() - 1; b >= 0; --b) {
    if (!needed[at(b)]) continue;
    for (const std::int32_t other : needs(b)) needed[at(other)] = 1;
  }
  return needed;
}

double BlockGraph::estimated_dependencies(std::span<const expr::VarRef> targets,
                                          int state_count) const {
  constexpr int kRounds = 16;
  constexpr double kNone = 1e300;
  std::vector<double> rank(at(state_count)), least(at(blocks())), sums(targets.size(), 0.0);
  std::vector<int> block;
  for (const expr::VarRef x : targets) block.push_back(block_of(x));
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < state_count; ++i) {
      rank[at(i)] = -std::log(0.5 + 0.4999999 * numerics::scatter(round, i));
    }
    for (int b = 0; b < blocks(); ++b) {
      double m = kNone;
      for (const std::int32_t other : needs(b)) m = std::min(m, least[at(other)]);
      for (const std::int32_t i : states(b)) m = std::min(m, rank[at(i)]);
      least[at(b)] = m;
    }
    for (std::size_t k = 0; k < targets.size(); ++k) {
      sums[k] += block[k] >= 0 ? least[at(block[k])] : kNone;
    }
  }
  double total = 0;
  for (const double sum : sums) total += (kRounds - 1) / sum;
  return total;
}

structure::BlockOrder restrict_order(const structure::BlockOrder& order,
                                     std::span<const char> chosen) {
  structure::BlockOrder result;
  for (std::size_t b = 0; b < order.blocks.size(); ++b) {
    if (!chosen[b]) continue;
    const auto [first, count] = order.blocks[b];
    result.blocks.push_back({static_cast<std::int32_t>(result.rows.size()), count});
    for (std::int32_t k = first; k < first + count; ++k) {
      result.rows.push_back(order.rows[at(k)]);
      result.unknowns.push_back(order.unknowns[at(k)]);
    }
  }
  return result;
}

}  // namespace chi::sim
