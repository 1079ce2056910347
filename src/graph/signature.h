#pragma once
#include <vector>

#include "graph/bipartite.h"

namespace chi::graph {

/// Pryce's signature matrix Σ: σ_ij is the order of the highest derivative of variable j in
/// equation i, and -∞, which is "no edge", where j does not occur. P4 calls it the dependency
/// matrix.
struct Signature {
  Bipartite pattern;
  Table<EdgeId, int> order;  ///< σ_ij, at least 0
};

/// Collects occurrences in any order; of several orders of one variable in one equation the highest
/// counts.
class SignatureBuilder {
 public:
  SignatureBuilder(int num_eqs, int num_vars) : pattern_(num_eqs, num_vars) {}
  void add(EqId eq, VarId var, int order);
  Signature build() const;

 private:
  struct Entry {
    EqId eq;
    VarId var;
    int order = 0;
  };
  BipartiteBuilder pattern_;
  std::vector<Entry> entries_;
};

}  // namespace chi::graph
