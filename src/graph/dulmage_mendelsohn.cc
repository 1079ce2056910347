#include "graph/dulmage_mendelsohn.h"

#include <limits>

#include "base/check.h"

namespace chi::graph {
namespace {

// The alternating closure of one or more unmatched equations: from an equation to all its
// variables, from a variable to its equation. A member so that marks are cleared at the cost of
// what was marked.
class EquationClosure {
 public:
  EquationClosure(const Bipartite& graph, const Matching& maximum)
      : graph_(graph),
        maximum_(maximum),
        eq_seen_(graph.num_eqs(), 0),
        var_seen_(graph.num_vars(), 0) {}

  // False if it would exceed `limit` equations; `subset` then holds only the beginning.
  bool grow(EqId root, std::size_t limit) {
    visit(root);
    for (; done_ < subset.eqs.size(); ++done_) {
      for (const VarId var : graph_.vars_of(subset.eqs[done_])) {
        if (var_seen_[var]) continue;
        var_seen_[var] = 1;
        subset.vars.push_back(var);
        const EqId owner = maximum_.eq_of[var];
        CHI_CHECK(owner,
                  "the matching is not maximum: an alternating path ends in a free variable");
        if (!eq_seen_[owner]) visit(owner);
        if (subset.eqs.size() > limit) return false;
      }
    }
    return true;
  }

  void clear() {
    for (const EqId eq : subset.eqs) eq_seen_[eq] = 0;
    for (const VarId var : subset.vars) var_seen_[var] = 0;
    subset = {};
    done_ = 0;
  }

  Subset subset;

 private:
  void visit(EqId eq) {
    if (eq_seen_[eq]) return;
    eq_seen_[eq] = 1;
    subset.eqs.push_back(eq);
  }

  const Bipartite& graph_;
  const Matching& maximum_;
  Table<EqId, std::uint8_t> eq_seen_;
  Table<VarId, std::uint8_t> var_seen_;
  std::size_t done_ = 0;  // equations of the subset whose variables were followed
};

// The same from unmatched variables: from a variable to all its equations, from an equation to its
// variable.
class VariableClosure {
 public:
  VariableClosure(const Bipartite& graph, const Matching& maximum)
      : graph_(graph),
        maximum_(maximum),
        eq_seen_(graph.num_eqs(), 0),
        var_seen_(graph.num_vars(), 0) {}

  void grow(VarId root) {
    visit(root);
    for (; done_ < subset.vars.size(); ++done_) {
      for (const EqId eq : graph_.eqs_of(subset.vars[done_])) {
        if (eq_seen_[eq]) continue;
        eq_seen_[eq] = 1;
        subset.eqs.push_back(eq);
        CHI_CHECK(maximum_.var_of[eq], "the matching is not maximum: a free equation was reached");
        visit(maximum_.var_of[eq]);
      }
    }
  }

  Subset subset;

 private:
  void visit(VarId var) {
    if (var_seen_[var]) return;
    var_seen_[var] = 1;
    subset.vars.push_back(var);
  }

  const Bipartite& graph_;
  const Matching& maximum_;
  Table<EqId, std::uint8_t> eq_seen_;
  Table<VarId, std::uint8_t> var_seen_;
  std::size_t done_ = 0;
};

Subset sorted(Subset subset) {
  std::sort(subset.eqs.begin(), subset.eqs.end());
  std::sort(subset.vars.begin(), subset.vars.end());
  return subset;
}

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

}  // namespace

DulmageMendelsohn dulmage_mendelsohn(const Bipartite& graph, const Matching& maximum) {
  DulmageMendelsohn parts{{graph.num_eqs(), Part::Well}, {graph.num_vars(), Part::Well}};
  EquationClosure over(graph, maximum);
  for (EqId eq{0}; eq.index < graph.num_eqs(); ++eq.index) {
    if (!maximum.var_of[eq]) over.grow(eq, kNoLimit);
  }
  for (const EqId eq : over.subset.eqs) parts.eq_part[eq] = Part::Over;
  for (const VarId var : over.subset.vars) parts.var_part[var] = Part::Over;

  VariableClosure under(graph, maximum);
  for (VarId var{0}; var.index < graph.num_vars(); ++var.index) {
    if (!maximum.eq_of[var]) under.grow(var);
  }
  for (const EqId eq : under.subset.eqs) parts.eq_part[eq] = Part::Under;
  for (const VarId var : under.subset.vars) parts.var_part[var] = Part::Under;
  return parts;
}

Subset minimal_singular_subset(const Bipartite& graph, const Matching& maximum, EqId unmatched) {
  CHI_CHECK(!maximum.var_of[unmatched], "the equation is matched");
  EquationClosure closure(graph, maximum);
  closure.grow(unmatched, kNoLimit);
  return sorted(std::move(closure.subset));
}

Subset minimal_open_subset(const Bipartite& graph, const Matching& maximum, VarId unmatched) {
  CHI_CHECK(!maximum.eq_of[unmatched], "the variable is matched");
  VariableClosure closure(graph, maximum);
  closure.grow(unmatched);
  return sorted(std::move(closure.subset));
}

Subset smallest_singular_subset(const Bipartite& graph, const Matching& maximum) {
  EquationClosure closure(graph, maximum);
  Subset smallest;
  for (EqId eq{0}; eq.index < graph.num_eqs(); ++eq.index) {
    if (maximum.var_of[eq]) continue;
    const std::size_t limit = smallest.eqs.empty() ? kNoLimit : smallest.eqs.size() - 1;
    const bool smaller = closure.grow(eq, limit) && closure.subset.eqs.size() <= limit;
    Subset found = closure.subset;
    closure.clear();
    if (smaller) smallest = std::move(found);
  }
  return sorted(std::move(smallest));
}

}  // namespace chi::graph
