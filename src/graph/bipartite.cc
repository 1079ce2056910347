#include "graph/bipartite.h"

namespace chi::graph {
namespace {

template <class I, class T>
std::span<const T> slice(const std::vector<T>& pool, const Table<I, int>& start, I id) {
  const auto first = static_cast<std::size_t>(start[id]);
  return {pool.data() + first, static_cast<std::size_t>(start[{id.index + 1}]) - first};
}

/// Turns counts at [i + 1] into starts at [i].
template <class I>
void accumulate(Table<I, int>& start) {
  for (I i{1}; i.index < start.size(); ++i.index) start[i] += start[{i.index - 1}];
}

}  // namespace

std::span<const VarId> Bipartite::vars_of(EqId eq) const {
  const int first = row_start_[eq];
  const int last = row_start_[{eq.index + 1}];
  return {edge_var_.begin() + first, edge_var_.begin() + last};
}
std::span<const EqId> Bipartite::eqs_of(VarId var) const {
  return slice(col_eqs_, col_start_, var);
}
std::span<const EdgeId> Bipartite::edges_of(VarId var) const {
  return slice(col_edges_, col_start_, var);
}

EdgeId Bipartite::find_edge(EqId eq, VarId var) const {
  const std::span<const VarId> row = vars_of(eq);
  const auto found = std::lower_bound(row.begin(), row.end(), var);
  if (found == row.end() || *found != var) return {};
  return {row_start_[eq] + static_cast<int>(found - row.begin())};
}

Bipartite BipartiteBuilder::build() const {
  // By variable first, then stably by equation: rows come out ascending, repetitions side by side.
  Table<VarId, int> place(num_vars_ + 1, 0);
  for (const Entry& e : entries_) ++place[{e.var.index + 1}];
  accumulate(place);
  std::vector<Entry> by_var(entries_.size());
  for (const Entry& e : entries_) by_var[static_cast<std::size_t>(place[e.var]++)] = e;

  Bipartite graph;
  Table<EqId, int> next(num_eqs_ + 1, 0);
  for (const Entry& e : by_var) ++next[{e.eq.index + 1}];
  accumulate(next);
  const Table<EqId, int> start = next;
  std::vector<VarId> vars(entries_.size());
  for (const Entry& e : by_var) vars[static_cast<std::size_t>(next[e.eq]++)] = e.var;

  graph.row_start_ = {num_eqs_ + 1, 0};
  graph.col_start_ = {num_vars_ + 1, 0};
  graph.edge_var_.reserve(static_cast<int>(vars.size()));
  for (EqId eq{0}; eq.index < num_eqs_; ++eq.index) {
    VarId last;
    for (const VarId var : slice(vars, start, eq)) {
      if (var == last) continue;
      graph.edge_var_.add(last = var);
      ++graph.col_start_[{var.index + 1}];
    }
    graph.row_start_[{eq.index + 1}] = graph.edge_var_.size();
  }

  graph.index_columns();
  return graph;
}

// Expects the counts of the columns at [var + 1] of `col_start_`.
void Bipartite::index_columns() {
  accumulate(col_start_);
  Table<VarId, int> free = col_start_;
  col_eqs_.resize(static_cast<std::size_t>(num_edges()));
  col_edges_.resize(static_cast<std::size_t>(num_edges()));
  EdgeId edge{0};
  for (EqId eq{0}; eq.index < num_eqs(); ++eq.index) {
    for (const VarId var : vars_of(eq)) {
      const auto at = static_cast<std::size_t>(free[var]++);
      col_eqs_[at] = eq;
      col_edges_[at] = edge;
      ++edge.index;
    }
  }
}

SubpatternCutter::SubpatternCutter(const Bipartite& whole)
    : whole_(whole), inner_var_(whole.num_vars(), {}) {}

Subpattern SubpatternCutter::cut(std::span<const EqId> eqs, std::span<const VarId> vars) {
  Subpattern piece;
  for (const VarId var : vars) inner_var_[var] = piece.outer_var.add(var);
  BipartiteBuilder builder(static_cast<int>(eqs.size()), static_cast<int>(vars.size()));
  for (const EqId eq : eqs) {
    const EqId inner = piece.outer_eq.add(eq);
    for (const VarId var : whole_.vars_of(eq)) {
      if (inner_var_[var]) builder.add(inner, inner_var_[var]);
    }
  }
  for (const VarId var : vars) inner_var_[var] = {};
  piece.pattern = builder.build();
  for (EqId eq{0}; eq.index < piece.pattern.num_eqs(); ++eq.index) {
    for (const VarId var : piece.pattern.vars_of(eq)) {
      piece.outer_edge.add(whole_.find_edge(piece.outer_eq[eq], piece.outer_var[var]));
    }
  }
  return piece;
}

}  // namespace chi::graph
