#include "graph/tearing.h"

#include <utility>

#include "base/check.h"

namespace chi::graph {
namespace {

class Tearer {
 public:
  Tearer(const Bipartite& block, const Table<EdgeId, std::uint8_t>& may_solve)
      : block_(block),
        may_solve_(may_solve),
        left_(block.num_eqs(), 0),
        solvable_(block.num_eqs(), 0),
        used_(block.num_eqs(), 0),
        known_(block.num_vars(), 0),
        degree_(block.num_vars(), 0) {}

  Tearing run() {
    CHI_CHECK(block_.num_eqs() == block_.num_vars(), "only a square block can be torn");
    for (EqId eq{0}; eq.index < block_.num_eqs(); ++eq.index) {
      left_[eq] = static_cast<int>(block_.vars_of(eq).size());
      EdgeId edge = block_.first_edge(eq);
      for (const VarId var : block_.vars_of(eq)) {
        ++degree_[var];
        solvable_[eq] += may_solve_[edge] ? 1 : 0;
        ++edge.index;
      }
    }
    // Backwards, so that of equals the lowest is on top.
    for (EqId eq{block_.num_eqs() - 1}; eq; --eq.index) file(eq);
    solve_ready();
    while (const EqId eq = nearest()) {
      tear_in(eq);
      solve_ready();
    }
    tear_rest();
    return std::move(result_);
  }

 private:
  // Puts an equation with its present count where `nearest` or `solve_ready` will find it. Entries
  // go stale when the count falls, and are skipped then; there are at most as many as edges.
  void file(EqId eq) {
    if (solvable_[eq] == 0) return;  // of no use to the explicit part
    const auto count = static_cast<std::size_t>(left_[eq]);
    if (count >= by_left_.size()) by_left_.resize(count + 1);
    by_left_[count].push_back(eq);
    lowest_ = std::min(lowest_, count);
  }

  bool is_current(EqId eq, std::size_t count) const {
    return !used_[eq] && solvable_[eq] > 0 && left_[eq] == static_cast<int>(count);
  }

  EqId take(std::size_t count) {
    std::vector<EqId>& stack = by_left_[count];
    while (!stack.empty()) {
      const EqId eq = stack.back();
      stack.pop_back();
      if (is_current(eq, count)) return eq;
    }
    return {};
  }

  // The equation with fewest variables left, at least two of them.
  EqId nearest() {
    for (; lowest_ < by_left_.size(); ++lowest_) {
      if (const EqId eq = take(lowest_)) return eq;
    }
    return {};
  }

  void solve_ready() {
    while (by_left_.size() > 1) {
      const EqId eq = take(1);
      if (!eq) return;
      const std::span<const VarId> vars = block_.vars_of(eq);
      const VarId var =
          *std::find_if(vars.begin(), vars.end(), [&](VarId v) { return !known_[v]; });
      result_.explicit_part.push_back({eq, var});
      use(eq);
      learn(var);
    }
  }

  void use(EqId eq) {
    used_[eq] = 1;
    for (const VarId var : block_.vars_of(eq)) --degree_[var];
  }

  void learn(VarId var) {
    known_[var] = 1;
    const std::span<const EqId> eqs = block_.eqs_of(var);
    const std::span<const EdgeId> edges = block_.edges_of(var);
    for (std::size_t k = eqs.size(); k-- > 0;) {
      if (used_[eqs[k]]) continue;
      --left_[eqs[k]];
      solvable_[eqs[k]] -= may_solve_[edges[k]] ? 1 : 0;
      file(eqs[k]);
    }
  }

  void tear_in(EqId eq) {
    VarId best;
    bool best_may_stay = true;
    EdgeId edge = block_.first_edge(eq);
    for (const VarId var : block_.vars_of(eq)) {
      const bool may_stay = may_solve_[edge] != 0;
      ++edge.index;
      if (known_[var]) continue;
      const bool better =
          !best || std::pair(!may_stay, degree_[var]) > std::pair(!best_may_stay, degree_[best]);
      if (!better) continue;
      best = var;
      best_may_stay = may_stay;
    }
    result_.torn.push_back(best);
    learn(best);
  }

  // No remaining equation can be solved for anything: guess the remaining variables.
  void tear_rest() {
    for (VarId var{0}; var.index < block_.num_vars(); ++var.index) {
      if (!known_[var]) result_.torn.push_back(var);
    }
    for (EqId eq{0}; eq.index < block_.num_eqs(); ++eq.index) {
      if (!used_[eq]) result_.residuals.push_back(eq);
    }
  }

  const Bipartite& block_;
  const Table<EdgeId, std::uint8_t>& may_solve_;
  Table<EqId, int> left_;           // unknown variables of each equation
  Table<EqId, int> solvable_;       // those of them it may be solved for
  Table<EqId, std::uint8_t> used_;  // in the explicit part
  Table<VarId, std::uint8_t> known_;
  Table<VarId, int> degree_;                // remaining equations of each variable
  std::vector<std::vector<EqId>> by_left_;  // stacks, by count of unknown variables
  std::size_t lowest_ = 0;                  // no equation is current below this count
  Tearing result_;
};

}  // namespace

Tearing tear(const Bipartite& block, const Table<EdgeId, std::uint8_t>& may_solve) {
  return Tearer(block, may_solve).run();
}

}  // namespace chi::graph
