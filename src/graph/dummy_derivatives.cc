#include "graph/dummy_derivatives.h"

#include <algorithm>
#include <array>
#include <utility>

#include "graph/components.h"

namespace chi::graph {
namespace {

constexpr int kRanks = 4;

// The part of `pattern` whose variables are of the better ranks, up to `highest`.
Bipartite with_vars(const Bipartite& pattern, const Table<VarId, int>& rank, int highest) {
  BipartiteBuilder builder(pattern.num_eqs(), pattern.num_vars());
  for (EqId eq{0}; eq.index < pattern.num_eqs(); ++eq.index) {
    for (const VarId var : pattern.vars_of(eq)) {
      if (rank[var] <= highest) builder.add(eq, var);
    }
  }
  return builder.build();
}

class Selection {
 public:
  Selection(const Signature& sigma, const Offsets& offsets, DummyChooser& chooser)
      : offsets_(offsets), chooser_(chooser), jacobian_(jacobian_pattern(sigma, offsets)) {
    result_.count = {sigma.pattern.num_vars(), 0};
    for (EqId eq{0}; eq.index < sigma.pattern.num_eqs(); ++eq.index) eqs_.push_back(eq);
    for (VarId var{0}; var.index < sigma.pattern.num_vars(); ++var.index)
      candidates_.push_back(var);
  }

  std::optional<DummyDerivatives> run() {
    for (int level = 0;; ++level) {
      std::erase_if(eqs_, [&](EqId eq) { return offsets_.c[eq] <= level; });
      if (eqs_.empty()) return std::move(result_);
      if (!choose_level(level)) return std::nullopt;
    }
  }

 private:
  bool choose_level(int level) {
    const Subpattern all = SubpatternCutter(jacobian_).cut(eqs_, candidates_);
    SubpatternCutter cutter(all.pattern);
    const Components parts = connected_components(all.pattern);
    std::vector<VarId> chosen;
    for (PartId part{0}; part.index < parts.size(); ++part.index) {
      if (parts.eqs_of(part).empty()) break;  // from here on unused candidates only
      DummyProblem problem{level, cutter.cut(parts.eqs_of(part), parts.vars_of(part))};
      to_outer_ids(problem.jacobian, all);
      const std::vector<VarId> picked = chooser_.choose(problem);
      if (picked.size() != parts.eqs_of(part).size()) return false;
      for (const VarId var : picked) chosen.push_back(problem.jacobian.outer_var[var]);
    }
    std::sort(chosen.begin(), chosen.end());
    candidates_ = std::move(chosen);
    for (const VarId var : candidates_) ++result_.count[var];
    return true;
  }

  // A piece of the level's piece becomes a piece of the whole Jacobian.
  static void to_outer_ids(Subpattern& piece, const Subpattern& level) {
    for (EqId& eq : piece.outer_eq) eq = level.outer_eq[eq];
    for (VarId& var : piece.outer_var) var = level.outer_var[var];
    for (EdgeId& edge : piece.outer_edge) edge = level.outer_edge[edge];
  }

  const Offsets& offsets_;
  DummyChooser& chooser_;
  const Bipartite jacobian_;
  std::vector<EqId> eqs_;          // c_i > level
  std::vector<VarId> candidates_;  // chosen on the level before
  DummyDerivatives result_;
};

}  // namespace

StructuralChooser::StructuralChooser(const Signature& sigma, const Offsets& offsets,
                                     Table<VarId, Preference> preferences)
    : offsets_(offsets),
      preferences_(std::move(preferences)),
      written_order_(sigma.pattern.num_vars(), 0) {
  for (EdgeId edge{0}; edge.index < sigma.order.size(); ++edge.index) {
    int& highest = written_order_[sigma.pattern.var_of(edge)];
    highest = std::max(highest, sigma.order[edge]);
  }
}

int StructuralChooser::rank(VarId var, int level) const {
  const Preference preference = preferences_.empty() ? Preference::None : preferences_[var];
  if (preference == Preference::Dependent) return 0;
  if (offsets_.d[var] - level > written_order_[var]) return 1;
  return preference == Preference::Independent ? 3 : 2;
}

std::vector<VarId> StructuralChooser::choose(const DummyProblem& problem) {
  const Bipartite& pattern = problem.jacobian.pattern;
  Table<VarId, int> ranks;
  std::array<int, kRanks> how_many{};
  for (const VarId outer : problem.jacobian.outer_var) {
    ranks.add(rank(outer, problem.level));
    ++how_many[static_cast<std::size_t>(ranks[{ranks.size() - 1}])];
  }
  // Augmenting keeps matched variables matched, so the better ranks keep their largest number: the
  // greedy algorithm on the transversal matroid of the columns.
  Matching matching;
  for (int highest = 0; highest < kRanks; ++highest) {
    if (how_many[static_cast<std::size_t>(highest)] == 0) continue;
    matching = match_maximum(with_vars(pattern, ranks, highest), matching);
  }
  std::vector<VarId> chosen;
  for (VarId var{0}; var.index < pattern.num_vars(); ++var.index) {
    if (matching.eq_of[var]) chosen.push_back(var);
  }
  return chosen;
}

std::optional<DummyDerivatives> select_dummies(const Signature& sigma, const Offsets& offsets,
                                               DummyChooser& chooser) {
  return Selection(sigma, offsets, chooser).run();
}

}  // namespace chi::graph
