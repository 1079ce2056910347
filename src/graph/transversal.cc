#include "graph/transversal.h"

#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "base/check.h"

namespace chi::graph {
namespace {

class DualAscent {
 public:
  DualAscent(const Signature& sigma, Table<VarId, int> d, const Matching& hint)
      : sigma_(sigma),
        pattern_(sigma.pattern),
        result_{hint, {pattern_.num_eqs(), 0}, std::move(d)},
        eq_distance_(pattern_.num_eqs(), kFar),
        var_distance_(pattern_.num_vars(), kFar) {}

  Transversal run() {
    do {
      result_.matching = match_maximum(tight_edges(), result_.matching);
    } while (result_.matching.size() < pattern_.num_eqs() && raise());
    return std::move(result_);
  }

 private:
  static constexpr int kFar = std::numeric_limits<int>::max();

  // By how much the inequality of this edge is satisfied.
  int slack(EqId eq, VarId var, EdgeId edge) const {
    return result_.d[var] - result_.c[eq] - sigma_.order[edge];
  }

  Bipartite tight_edges() const {
    BipartiteBuilder tight(pattern_.num_eqs(), pattern_.num_vars());
    for_each_edge([&](EqId eq, VarId var, EdgeId edge) {
      if (slack(eq, var, edge) == 0) tight.add(eq, var);
    });
    return tight.build();
  }

  template <class F>
  void for_each_edge(F&& visit) const {
    EdgeId edge{0};
    for (EqId eq{0}; eq.index < pattern_.num_eqs(); ++eq.index) {
      for (const VarId var : pattern_.vars_of(eq)) {
        visit(eq, var, edge);
        ++edge.index;
      }
    }
  }

  // Dijkstra from all unmatched equations at once, the length of an edge being its slack and that
  // of a matched edge walked backwards nothing. At the distance D of the nearest unmatched variable
  // all that is nearer is raised by what it is nearer. False if no unmatched variable can be
  // reached.
  bool raise() {
    std::fill(eq_distance_.begin(), eq_distance_.end(), kFar);
    std::fill(var_distance_.begin(), var_distance_.end(), kFar);
    queue_ = {};
    for (EqId eq{0}; eq.index < pattern_.num_eqs(); ++eq.index) {
      if (!result_.matching.var_of[eq]) relax(eq, 0);
    }
    while (!queue_.empty()) {
      const auto [distance, index] = queue_.top();
      queue_.pop();
      const VarId var{index};
      if (distance > var_distance_[var]) continue;
      const EqId owner = result_.matching.eq_of[var];
      if (!owner) {
        raise_nearer_than(distance);
        return true;
      }
      relax(owner, distance);
    }
    return false;
  }

  void relax(EqId eq, int distance) {
    eq_distance_[eq] = distance;
    EdgeId edge = pattern_.first_edge(eq);
    for (const VarId var : pattern_.vars_of(eq)) {
      const int through = distance + slack(eq, var, edge);
      if (through < var_distance_[var]) {
        var_distance_[var] = through;
        queue_.push({through, var.index});
      }
      ++edge.index;
    }
  }

  void raise_nearer_than(int limit) {
    for (EqId eq{0}; eq.index < pattern_.num_eqs(); ++eq.index) {
      result_.c[eq] += std::max(0, limit - eq_distance_[eq]);
    }
    for (VarId var{0}; var.index < pattern_.num_vars(); ++var.index) {
      result_.d[var] += std::max(0, limit - var_distance_[var]);
    }
  }

  const Signature& sigma_;
  const Bipartite& pattern_;
  Transversal result_;
  Table<EqId, int> eq_distance_;
  Table<VarId, int> var_distance_;
  using Reached = std::pair<int, int>;  // distance, variable: ties by id, so that order is fixed
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue_;
};

}  // namespace

Transversal highest_transversal(const Signature& sigma, const Matching& hint) {
  Table<VarId, int> d(sigma.pattern.num_vars(), 0);
  for (EdgeId edge{0}; edge.index < sigma.order.size(); ++edge.index) {
    int& highest = d[sigma.pattern.var_of(edge)];
    highest = std::max(highest, sigma.order[edge]);
  }
  Transversal result = DualAscent(sigma, std::move(d), hint).run();
  CHI_CHECK(result.matching.is_perfect(), "no transversal: test for structural singularity first");
  return result;
}

Transversal heaviest_maximum_matching(const Signature& sigma) {
  int highest = 0;
  for (const int order : sigma.order) highest = std::max(highest, order);
  return DualAscent(sigma, {sigma.pattern.num_vars(), highest}, {}).run();
}

}  // namespace chi::graph
