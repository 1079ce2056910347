#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "base/id.h"

namespace chi::graph {

using EqId = Id<struct EqTag>;
using VarId = Id<struct VarTag>;
using EdgeId = Id<struct EdgeTag>;  ///< one occurrence of a variable in an equation

/// Which variable occurs in which equation: the pattern of a sparse matrix, rows being equations.
///
/// Compressed both by rows and by columns; immutable. Edges are numbered row by row, ascending in
/// the variable, so that what is known of an occurrence (its order of derivative, whether it can be
/// solved for) sits in a `Table<EdgeId, ...>` beside the pattern.
class Bipartite {
 public:
  Bipartite() = default;

  int num_eqs() const { return row_start_.size() - 1; }
  int num_vars() const { return col_start_.size() - 1; }
  int num_edges() const { return edge_var_.size(); }

  std::span<const VarId> vars_of(EqId eq) const;      ///< ascending, without repetition
  std::span<const EqId> eqs_of(VarId var) const;      ///< ascending, without repetition
  std::span<const EdgeId> edges_of(VarId var) const;  ///< the edges to `eqs_of(var)`
  /// The edge to `vars_of(eq)[k]` is `first_edge(eq)` + k.
  EdgeId first_edge(EqId eq) const { return {row_start_[eq]}; }
  VarId var_of(EdgeId edge) const { return edge_var_[edge]; }
  /// The edge between the two, or none. Logarithmic in the length of the row.
  EdgeId find_edge(EqId eq, VarId var) const;

 private:
  friend class BipartiteBuilder;
  void index_columns();

  Table<EqId, int> row_start_{1, 0};  // one more than equations
  Table<EdgeId, VarId> edge_var_;
  Table<VarId, int> col_start_{1, 0};  // one more than variables
  std::vector<EqId> col_eqs_;
  std::vector<EdgeId> col_edges_;
};

/// Collects occurrences in any order, repetitions allowed.
class BipartiteBuilder {
 public:
  BipartiteBuilder(int num_eqs, int num_vars) : num_eqs_(num_eqs), num_vars_(num_vars) {}

  /// Requires ids below the sizes given.
  void add(EqId eq, VarId var) { entries_.push_back({eq, var}); }
  void reserve(int num_edges) { entries_.reserve(static_cast<std::size_t>(num_edges)); }
  /// Linear: two counting sorts.
  Bipartite build() const;

 private:
  struct Entry {
    EqId eq;
    VarId var;
  };
  int num_eqs_ = 0;
  int num_vars_ = 0;
  std::vector<Entry> entries_;
};

/// A piece of a larger pattern with ids of its own, counted from 0 in the order given.
struct Subpattern {
  Bipartite pattern;
  Table<EqId, EqId> outer_eq;        ///< the equation of the larger pattern
  Table<VarId, VarId> outer_var;     ///< the variable of the larger pattern
  Table<EdgeId, EdgeId> outer_edge;  ///< the edge of the larger pattern
};

/// Cuts out pieces of one pattern. Each `cut` costs only what it cuts (plus sorting its rows), so
/// all blocks of a block triangular form together are near linear.
class SubpatternCutter {
 public:
  explicit SubpatternCutter(const Bipartite& whole);
  /// Requires distinct equations and distinct variables.
  Subpattern cut(std::span<const EqId> eqs, std::span<const VarId> vars);

 private:
  const Bipartite& whole_;
  Table<VarId, VarId> inner_var_;  // none outside `cut`
};

}  // namespace chi::graph
