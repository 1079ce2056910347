#include "graph/matching.h"

#include <cstdint>
#include <utility>

namespace chi::graph {
namespace {

class Matcher {
 public:
  explicit Matcher(const Bipartite& graph)
      : graph_(graph),
        matching_{{graph.num_eqs(), VarId{}}, {graph.num_vars(), EqId{}}},
        lookahead_(graph.num_eqs(), 0),
        cursor_(graph.num_eqs(), 0),
        level_(graph.num_eqs(), 0) {}

  Matching run(const Matching& start) {
    adopt(start);
    match_greedily();
    while (find_levels()) {
      augment_all(true);
      augment_all(false);
    }
    return std::move(matching_);
  }

 private:
  static constexpr int kUnreached = -1;

  void match(EqId eq, VarId var) {
    matching_.var_of[eq] = var;
    matching_.eq_of[var] = eq;
  }

  void adopt(const Matching& start) {
    const int eqs = std::min(graph_.num_eqs(), start.var_of.size());
    for (EqId eq{0}; eq.index < eqs; ++eq.index) {
      const VarId var = start.var_of[eq];
      if (var && var.index < graph_.num_vars() && !matching_.eq_of[var] &&
          graph_.find_edge(eq, var)) {
        match(eq, var);
      }
    }
  }

  // Karp and Sipser: a free vertex with one free neighbour is matched with it first, which never
  // spoils a maximum matching; only where there is none is a pair picked by order.
  void match_greedily() {
    count_free_neighbours();
    EqId next{0};
    for (;;) {
      if (!single_eqs_.empty()) {
        const EqId eq = single_eqs_.back();
        single_eqs_.pop_back();
        match_first(eq);
      } else if (!single_vars_.empty()) {
        const VarId var = single_vars_.back();
        single_vars_.pop_back();
        const EqId eq = matching_.eq_of[var] ? EqId{} : free_eq(var);
        if (eq) take(eq, var);
      } else if (next.index < graph_.num_eqs()) {
        match_first(next);
        ++next.index;
      } else {
        return;
      }
    }
  }

  void count_free_neighbours() {
    eq_degree_ = {graph_.num_eqs(), 0};
    var_degree_ = {graph_.num_vars(), 0};
    for (EqId eq{0}; eq.index < graph_.num_eqs(); ++eq.index) {
      if (matching_.var_of[eq]) continue;
      for (const VarId var : graph_.vars_of(eq)) {
        if (matching_.eq_of[var]) continue;
        ++eq_degree_[eq];
        ++var_degree_[var];
      }
      if (eq_degree_[eq] == 1) single_eqs_.push_back(eq);
    }
    for (VarId var{0}; var.index < graph_.num_vars(); ++var.index) {
      if (var_degree_[var] == 1) single_vars_.push_back(var);
    }
  }

  void match_first(EqId eq) {
    if (matching_.var_of[eq]) return;
    if (const VarId var = free_var(eq)) take(eq, var);
  }

  void take(EqId eq, VarId var) {
    match(eq, var);
    for (const VarId v : graph_.vars_of(eq)) {
      if (!matching_.eq_of[v] && --var_degree_[v] == 1) single_vars_.push_back(v);
    }
    for (const EqId e : graph_.eqs_of(var)) {
      if (!matching_.var_of[e] && --eq_degree_[e] == 1) single_eqs_.push_back(e);
    }
  }

  // The lookahead: a matched variable never becomes free again, so the search goes on where it
  // stopped and costs O(E) in all.
  VarId free_var(EqId eq) {
    const std::span<const VarId> row = graph_.vars_of(eq);
    for (int& k = lookahead_[eq]; k < static_cast<int>(row.size()); ++k) {
      const VarId var = row[static_cast<std::size_t>(k)];
      if (!matching_.eq_of[var]) return var;
    }
    return {};
  }

  EqId free_eq(VarId var) const {
    for (const EqId eq : graph_.eqs_of(var)) {
      if (!matching_.var_of[eq]) return eq;
    }
    return {};
  }

  // Breadth first from all free equations; true if some free variable can be reached. Levels beyond
  // the first that sees a free variable stay unreached, so augment_all finds shortest paths only.
  bool find_levels() {
    std::vector<EqId> frontier;
    free_eqs_.clear();
    for (EqId eq{0}; eq.index < graph_.num_eqs(); ++eq.index) {
      const bool is_free = !matching_.var_of[eq];
      level_[eq] = is_free ? 0 : kUnreached;
      if (is_free) free_eqs_.push_back(eq);
    }
    frontier = free_eqs_;
    bool found = false;
    for (int level = 1; !frontier.empty() && !found; ++level) {
      std::vector<EqId> beyond;
      for (const EqId eq : frontier) {
        found = found || free_var(eq);
        for (const VarId var : graph_.vars_of(eq)) {
          const EqId owner = matching_.eq_of[var];
          if (!owner || level_[owner] != kUnreached) continue;
          level_[owner] = level;
          beyond.push_back(owner);
        }
      }
      frontier = std::move(beyond);
    }
    return found;
  }

  // One pass over the free equations. Each equation is entered at most once in a pass: O(E).
  void augment_all(bool layered) {
    for (EqId eq{0}; eq.index < graph_.num_eqs(); ++eq.index) cursor_[eq] = kUnreached;
    for (const EqId eq : free_eqs_) {
      if (!matching_.var_of[eq]) augment(eq, layered);
    }
  }

  // Depth first along an alternating path, kept in `path_`, to a free variable.
  void augment(EqId root, bool layered) {
    path_.assign(1, root);
    cursor_[root] = 0;
    while (!path_.empty()) {
      const EqId eq = path_.back();
      if (const VarId end = free_var(eq)) {
        flip_path(end);
        return;
      }
      const std::span<const VarId> row = graph_.vars_of(eq);
      if (cursor_[eq] == static_cast<int>(row.size())) {
        path_.pop_back();
        continue;
      }
      const EqId owner = matching_.eq_of[row[static_cast<std::size_t>(cursor_[eq]++)]];
      if (cursor_[owner] != kUnreached) continue;
      if (layered && level_[owner] != level_[eq] + 1) continue;
      cursor_[owner] = 0;
      path_.push_back(owner);
    }
  }

  // Each equation on the path takes the variable of its successor; the last takes `var`.
  void flip_path(VarId var) {
    for (auto eq = path_.rbegin(); eq != path_.rend(); ++eq) {
      const VarId given_up = matching_.var_of[*eq];
      match(*eq, var);
      var = given_up;
    }
  }

  const Bipartite& graph_;
  Matching matching_;
  Table<EqId, int> lookahead_;  // per row: no free variable before this position
  Table<EqId, int> cursor_;     // per row: next position of the depth-first search
  Table<EqId, int> level_;
  Table<EqId, int> eq_degree_;    // free neighbours of a free equation
  Table<VarId, int> var_degree_;  // free neighbours of a free variable
  std::vector<EqId> single_eqs_;  // had one free neighbour when put here
  std::vector<VarId> single_vars_;
  std::vector<EqId> free_eqs_;
  std::vector<EqId> path_;
};

}  // namespace

int Matching::size() const {
  return static_cast<int>(
      std::count_if(var_of.begin(), var_of.end(), [](VarId v) { return bool{v}; }));
}

Matching match_maximum(const Bipartite& graph, const Matching& start) {
  return Matcher(graph).run(start);
}

}  // namespace chi::graph
