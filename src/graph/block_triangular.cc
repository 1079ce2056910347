#include "graph/block_triangular.h"

#include "graph/strong_components.h"

namespace chi::graph {

std::span<const EqId> BlockTriangularForm::eqs_of(BlockId block) const {
  return {eqs.begin() + start[block], eqs.begin() + start[{block.index + 1}]};
}
std::span<const VarId> BlockTriangularForm::vars_of(BlockId block) const {
  return {vars.begin() + start[block], vars.begin() + start[{block.index + 1}]};
}

BlockTriangularForm block_triangular_form(const Bipartite& graph, const Matching& matching) {
  // Node k is equation k; an arc leads to the equation that must be solved before or with it.
  Digraph needs;
  needs.reserve(graph.num_eqs(), graph.num_edges());
  for (EqId eq{0}; eq.index < graph.num_eqs(); ++eq.index) {
    if (matching.var_of[eq]) {
      for (const VarId var : graph.vars_of(eq)) {
        const EqId owner = matching.eq_of[var];
        if (owner && owner != eq) needs.add_arc({owner.index});
      }
    }
    needs.add_node();
  }
  const StrongComponents components = strong_components(needs);

  BlockTriangularForm form;
  form.block_of = {graph.num_eqs(), BlockId{}};
  form.block_of_var = {graph.num_vars(), BlockId{}};
  for (ComponentId c{0}; c.index < components.size(); ++c.index) {
    const BlockId block{form.size()};
    for (const NodeId node : components.members_of(c)) {
      const EqId eq{node.index};
      const VarId var = matching.var_of[eq];
      if (!var) break;  // an unmatched equation has no arcs and is alone
      form.eqs.push_back(eq);
      form.vars.push_back(var);
      form.block_of[eq] = form.block_of_var[var] = block;
    }
    if (static_cast<int>(form.eqs.size()) > form.start[block]) {
      form.start.add(static_cast<int>(form.eqs.size()));
    }
  }
  return form;
}

}  // namespace chi::graph
