#include "graph/pantelides.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace chi::graph {
namespace {

class Reduction {
 public:
  explicit Reduction(DaeStructure& dae)
      : dae_(dae), matched_(dae.var_derivative.size(), {}), seen_(dae.var_derivative.size(), 0) {}

  Table<VarId, EqId> run() {
    const int originals = dae_.incidence.size();
    for (EqId k{0}; k.index < originals; ++k.index) {
      for (EqId eq = k; !augment_path(eq); eq = dae_.eq_derivative[eq]) differentiate_reached();
    }
    return std::move(matched_);
  }

 private:
  // AUGMENTPATH of [1]: matches `root` by re-matching along an alternating path. On failure the
  // reached equations are one more than the reached variables. A loop: models have 10^5 equations.
  bool augment_path(EqId root) {
    struct Step {
      EqId eq;
      std::size_t next = 0;
    };
    clear_reached();
    reached_eqs_.push_back(root);
    std::vector<Step> path{{root, 0}};
    while (!path.empty()) {
      auto& [eq, next] = path.back();
      if (next == dae_.incidence[eq].size()) {
        path.pop_back();
        continue;
      }
      const VarId var = dae_.incidence[eq][next++];
      if (dae_.var_derivative[var] || seen_[var]) continue;  // only highest derivatives count
      seen_[var] = 1;
      reached_vars_.push_back(var);
      if (const EqId owner = matched_[var]) {
        reached_eqs_.push_back(owner);
        path.push_back({owner, 0});
        continue;
      }
      for (const Step& s : path) matched_[dae_.incidence[s.eq][s.next - 1]] = s.eq;
      return true;
    }
    return false;
  }

  // Differentiates each reached equation once; the derivatives inherit the matching.
  void differentiate_reached() {
    for (const VarId v : reached_vars_) {
      dae_.var_derivative[v] = dae_.var_derivative.add({});
      matched_.add({});
      seen_.add(0);
    }
    for (const EqId e : reached_eqs_) {
      std::vector<VarId> vars = dae_.incidence[e];  // d/dt f(x) mentions both x and x'
      for (const VarId v : dae_.incidence[e]) {
        if (const VarId d = dae_.var_derivative[v]) vars.push_back(d);
      }
      std::sort(vars.begin(), vars.end());
      vars.erase(std::unique(vars.begin(), vars.end()), vars.end());
      dae_.eq_derivative[e] = dae_.incidence.add(std::move(vars));
      dae_.eq_derivative.add({});
    }
    for (const VarId v : reached_vars_) {
      matched_[dae_.var_derivative[v]] = dae_.eq_derivative[matched_[v]];
    }
  }

  void clear_reached() {
    for (const VarId v : reached_vars_) seen_[v] = 0;
    reached_vars_.clear();
    reached_eqs_.clear();
  }

  DaeStructure& dae_;
  Table<VarId, EqId> matched_;
  Table<VarId, std::uint8_t> seen_;
  std::vector<VarId> reached_vars_;
  std::vector<EqId> reached_eqs_;
};

}  // namespace

DaeStructure dae_structure(const Signature& sigma) {
  const Bipartite& pattern = sigma.pattern;
  DaeStructure dae;
  dae.var_derivative = {pattern.num_vars(), VarId{}};
  const auto derivative = [&](VarId var, int order) {
    for (; order > 0; --order) {
      if (!dae.var_derivative[var]) {
        const VarId fresh = dae.var_derivative.add({});
        dae.var_derivative[var] = fresh;
      }
      var = dae.var_derivative[var];
    }
    return var;
  };
  EdgeId edge{0};
  for (EqId eq{0}; eq.index < pattern.num_eqs(); ++eq.index) {
    std::vector<VarId> vars;
    for (const VarId var : pattern.vars_of(eq)) {
      vars.push_back(derivative(var, sigma.order[edge]));
      ++edge.index;
    }
    dae.incidence.add(std::move(vars));
    dae.eq_derivative.add({});
  }
  return dae;
}

Table<VarId, EqId> reduce_index(DaeStructure& dae) { return Reduction(dae).run(); }

int times_differentiated(const DaeStructure& dae, EqId eq) {
  int n = 0;
  while ((eq = dae.eq_derivative[eq])) ++n;
  return n;
}

}  // namespace chi::graph
