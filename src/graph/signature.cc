#include "graph/signature.h"

namespace chi::graph {

void SignatureBuilder::add(EqId eq, VarId var, int order) {
  pattern_.add(eq, var);
  entries_.push_back({eq, var, order});
}

Signature SignatureBuilder::build() const {
  Signature sigma{pattern_.build(), {}};
  sigma.order = {sigma.pattern.num_edges(), 0};
  for (const Entry& entry : entries_) {
    int& order = sigma.order[sigma.pattern.find_edge(entry.eq, entry.var)];
    order = std::max(order, entry.order);
  }
  return sigma;
}

}  // namespace chi::graph
