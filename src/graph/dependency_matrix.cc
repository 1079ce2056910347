#include "graph/dependency_matrix.h"

#include <cstdint>
#include <utility>

#include "base/check.h"

namespace chi::graph {
namespace {

class Iteration {
 public:
  Iteration(const Signature& dependencies, const Matching& assignment)
      : d0_(dependencies),
        pattern_(dependencies.pattern),
        assignment_(assignment),
        listed_(pattern_.num_vars(), 0) {
    found_.of_eq = {pattern_.num_eqs(), 0};
    found_.highest = {pattern_.num_vars(), 0};
  }

  Differentiations run() {
    for (EdgeId edge{0}; edge.index < pattern_.num_edges(); ++edge.index) {
      int& highest = found_.highest[pattern_.var_of(edge)];
      highest = std::max(highest, d0_.order[edge]);
    }
    std::vector<VarId> columns;
    for (VarId var{0}; var.index < pattern_.num_vars(); ++var.index) columns.push_back(var);
    for (int sweep = 0; !columns.empty(); ++sweep) {
      CHI_CHECK(sweep <= pattern_.num_eqs() + 1, "the assignment is not a best one");
      for (const VarId var : columns) listed_[var] = 0;
      changed_.clear();
      for (const VarId var : columns) differentiate_owner(var);
      columns.swap(changed_);
    }
    return std::move(found_);
  }

 private:
  // Differentiates equation σ(j) until it contains the highest derivative of variable j.
  void differentiate_owner(VarId var) {
    const EqId eq = assignment_.eq_of[var];
    if (!eq) return;
    const int times = found_.highest[var] - d0_.order[pattern_.find_edge(eq, var)];
    if (times <= found_.of_eq[eq]) return;
    found_.of_eq[eq] = times;
    EdgeId edge = pattern_.first_edge(eq);
    for (const VarId other : pattern_.vars_of(eq)) {
      raise(other, times + d0_.order[edge]);
      ++edge.index;
    }
  }

  void raise(VarId var, int order) {
    if (order <= found_.highest[var]) return;
    found_.highest[var] = order;
    if (std::exchange(listed_[var], std::uint8_t{1}) == 0) changed_.push_back(var);
  }

  const Signature& d0_;
  const Bipartite& pattern_;
  const Matching& assignment_;
  Differentiations found_;
  std::vector<VarId> changed_;         // columns that the present sweep raised
  Table<VarId, std::uint8_t> listed_;  // is in `changed_`
};

}  // namespace

Differentiations count_differentiations(const Signature& dependencies, const Matching& assignment) {
  return Iteration(dependencies, assignment).run();
}

Signature differentiated(const Signature& dependencies, const Differentiations& differentiations) {
  Signature result = dependencies;
  for (EqId eq{0}; eq.index < result.pattern.num_eqs(); ++eq.index) {
    EdgeId edge = result.pattern.first_edge(eq);
    for (std::size_t k = 0; k < result.pattern.vars_of(eq).size(); ++k) {
      result.order[edge] += differentiations.of_eq[eq];
      ++edge.index;
    }
  }
  return result;
}

}  // namespace chi::graph
