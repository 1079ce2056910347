#include "sim/algebra/implicit_jacobian.h"

#include <algorithm>
#include <cstddef>

namespace chi::sim {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

std::vector<expr::ExprId> expressions(const structure::BlockOrder& order) {
  std::vector<expr::ExprId> roots;
  for (const structure::BlockOrder::Row& row : order.rows) roots.push_back(row.expr);
  return roots;
}

std::vector<expr::ExprId> columns(const SolverContext& context, const structure::BlockOrder& order,
                                  std::span<const expr::VarRef> given) {
  std::vector<expr::ExprId> leaves;
  for (const expr::VarRef x : order.unknowns) leaves.push_back(leaf_of(context.pool, x));
  for (const expr::VarRef x : given) leaves.push_back(leaf_of(context.pool, x));
  return leaves;
}

numerics::SparsePattern first_columns(const numerics::SparsePattern& pattern, int count) {
  numerics::SparsePattern part{pattern.rows, count, {}, {}};
  const auto& starts = pattern.column_starts;
  part.column_starts.assign(starts.begin(), starts.begin() + count + 1);
  part.row_indices.assign(pattern.row_indices.begin(),
                          pattern.row_indices.begin() + part.nonzeros());
  return part;
}

}  // namespace

ImplicitJacobian::ImplicitJacobian(const SolverContext& context, const structure::BlockOrder& order,
                                   std::span<const expr::VarRef> given,
                                   std::span<const expr::VarRef> targets)
    : unknowns_(static_cast<int>(order.unknowns.size())),
      partials_(context, expressions(order), columns(context, order, given)),
      linear_(first_columns(partials_.pattern(), unknowns_)),
      entries_(at(partials_.pattern().nonzeros())),
      z_(at(unknowns_)) {
  struct Source {
    expr::VarRef var;
    std::int32_t place;
  };
  std::vector<Source> sources;
  for (std::size_t k = 0; k < order.unknowns.size(); ++k) {
    sources.push_back({order.unknowns[k], static_cast<std::int32_t>(k)});
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    sources.push_back({given[i], -1 - static_cast<std::int32_t>(i)});
  }
  std::ranges::sort(sources, {}, &Source::var);
  for (const expr::VarRef x : targets) {
    target_.push_back(std::ranges::lower_bound(sources, x, {}, &Source::var)->place);
  }
  find_pattern(BlockGraph(context.pool, order, given), given, targets);
  group_columns();
}

// The given values behind each block, as bits, one block after the other.
void ImplicitJacobian::find_pattern(const BlockGraph& graph, std::span<const expr::VarRef> given,
                                    std::span<const expr::VarRef> targets) {
  const std::size_t words = (given.size() + 63) / 64;
  std::vector<std::uint64_t> reached(at(graph.blocks()) * words, 0);
  for (int b = 0; b < graph.blocks(); ++b) {
    std::uint64_t* const own = reached.data() + at(b) * words;
    for (const std::int32_t other : graph.needs(b)) {
      for (std::size_t w = 0; w < words; ++w) own[w] |= reached[at(other) * words + w];
    }
    for (const std::int32_t i : graph.states(b)) own[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  numerics::PatternBuilder builder(static_cast<int>(targets.size()),
                                   static_cast<int>(given.size()));
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const int row = static_cast<int>(k);
    if (target_[k] < 0) {
      builder.add(row, -1 - target_[k]);
      continue;
    }
    const std::uint64_t* const own = reached.data() + at(graph.block_of(targets[k])) * words;
    for (std::size_t i = 0; i < given.size(); ++i) {
      if ((own[i / 64] >> (i % 64) & 1) != 0) builder.add(row, static_cast<int>(i));
    }
  }
  pattern_ = builder.build();
}

// As in difference_jacobian.h: columns without a common row are solved for together.
void ImplicitJacobian::group_columns() {
  std::vector<int> open;
  for (int j = 0; j < pattern_.cols; ++j) open.push_back(j);
  std::vector<int> taken(at(pattern_.rows), -1);
  while (!open.empty()) {
    const int group = static_cast<int>(groups_.size());
    std::vector<int> members, rest;
    for (const int j : open) {
      const auto rows =
          std::span(pattern_.row_indices)
              .subspan(at(pattern_.column_starts[at(j)]),
                       at(pattern_.column_starts[at(j) + 1] - pattern_.column_starts[at(j)]));
      const bool free = std::ranges::none_of(rows, [&](int i) { return taken[at(i)] == group; });
      if (free) {
        for (const int i : rows) taken[at(i)] = group;
      }
      (free ? members : rest).push_back(j);
    }
    groups_.push_back(std::move(members));
    open = std::move(rest);
  }
}

bool ImplicitJacobian::evaluate(const double* frame, std::span<double> values) {
  if (!partials_.evaluate(frame, entries_)) return false;
  const numerics::SparsePattern& all = partials_.pattern();
  const auto own = at(linear_.pattern().nonzeros());
  if (linear_.factor(std::span(entries_).first(own)) != numerics::FactorStatus::Ok) return false;
  for (const std::vector<int>& group : groups_) {
    std::ranges::fill(z_, 0.0);
    for (const int j : group) {
      const std::size_t c = at(unknowns_ + j);
      for (std::size_t k = at(all.column_starts[c]); k < at(all.column_starts[c + 1]); ++k) {
        z_[at(all.row_indices[k])] += entries_[k];
      }
    }
    linear_.solve(z_);
    for (const int j : group) {
      const std::size_t c = at(j);
      for (std::size_t k = at(pattern_.column_starts[c]); k < at(pattern_.column_starts[c + 1]);
           ++k) {
        const std::int32_t source = target_[at(pattern_.row_indices[k])];
        values[k] = source < 0 ? 1.0 : -z_[at(source)];
      }
    }
  }
  return true;
}

}  // namespace chi::sim
