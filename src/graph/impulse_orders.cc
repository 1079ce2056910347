#include "graph/impulse_orders.h"

#include <cstdint>
#include <utility>

#include "base/check.h"

namespace chi::graph {
namespace {

class Iteration {
 public:
  Iteration(const Signature& dependencies, const Matching& assignment,
            const Table<VarId, int>& lower_bounds)
      : d0_(dependencies),
        pattern_(dependencies.pattern),
        assignment_(assignment),
        b_(lower_bounds),
        listed_(pattern_.num_vars(), 0) {}

  ImpulseOrders run() {
    std::vector<VarId> raised;
    for (VarId var{0}; var.index < b_.size(); ++var.index) {
      if (b_[var] != kNoImpulse) raised.push_back(var);
    }
    for (int sweep = 0; !raised.empty(); ++sweep) {
      CHI_CHECK(sweep <= pattern_.num_eqs() + 1, "the assignment is not a best one");
      for (const VarId var : raised) listed_[var] = 0;
      next_.clear();
      for (const VarId var : raised) pass_on(var);
      raised.swap(next_);
    }
    Table<EqId, int> of_eq(pattern_.num_eqs(), kNoImpulse);
    for (VarId var{0}; var.index < b_.size(); ++var.index) {
      for_each_term(var, [&](EqId eq, int order) { of_eq[eq] = std::max(of_eq[eq], order); });
    }
    return {std::move(b_), std::move(of_eq)};
  }

 private:
  // Visits the equations of an impulsive variable with the impulse order of its highest derivative
  // in them as written: b_j + D^0_ij.
  template <class F>
  void for_each_term(VarId var, F&& visit) const {
    if (b_[var] == kNoImpulse) return;
    const std::span<const EqId> eqs = pattern_.eqs_of(var);
    const std::span<const EdgeId> edges = pattern_.edges_of(var);
    for (std::size_t k = 0; k < eqs.size(); ++k) visit(eqs[k], b_[var] + d0_.order[edges[k]]);
  }

  // In each equation of `var` the assigned variable must be as singular as `var` makes it. The
  // paper's D is that of the differentiated equations; D_ij - D_ii is the same in D^0.
  void pass_on(VarId var) {
    for_each_term(var, [&](EqId eq, int order) {
      const VarId assigned = assignment_.var_of[eq];
      if (!assigned) return;
      const int bound = order - d0_.order[pattern_.find_edge(eq, assigned)];
      if (bound <= b_[assigned]) return;
      b_[assigned] = bound;
      if (std::exchange(listed_[assigned], std::uint8_t{1}) == 0) next_.push_back(assigned);
    });
  }

  const Signature& d0_;
  const Bipartite& pattern_;
  const Matching& assignment_;
  Table<VarId, int> b_;
  std::vector<VarId> next_;            // raised in the present sweep
  Table<VarId, std::uint8_t> listed_;  // is in `next_`
};

}  // namespace

ImpulseOrders find_impulse_orders(const Signature& dependencies, const Matching& assignment,
                                  const Table<VarId, int>& lower_bounds) {
  return Iteration(dependencies, assignment, lower_bounds).run();
}

}  // namespace chi::graph
