#include "graph/components.h"

#include "graph/union_find.h"

namespace chi::graph {
namespace {

// Lists the ids of each part: a counting sort.
template <class I>
void list_by_part(const Table<I, PartId>& part_of, int parts, Table<PartId, int>& start,
                  std::vector<I>& members) {
  start = {parts + 1, 0};
  for (const PartId part : part_of) ++start[{part.index + 1}];
  for (PartId part{1}; part.index < start.size(); ++part.index) {
    start[part] += start[{part.index - 1}];
  }
  Table<PartId, int> next = start;
  members.resize(static_cast<std::size_t>(part_of.size()));
  for (I id{0}; id.index < part_of.size(); ++id.index) {
    members[static_cast<std::size_t>(next[part_of[id]]++)] = id;
  }
}

}  // namespace

std::span<const EqId> Components::eqs_of(PartId part) const {
  return {eqs.begin() + eq_start[part], eqs.begin() + eq_start[{part.index + 1}]};
}
std::span<const VarId> Components::vars_of(PartId part) const {
  return {vars.begin() + var_start[part], vars.begin() + var_start[{part.index + 1}]};
}

Components connected_components(const Bipartite& graph) {
  const int num_eqs = graph.num_eqs();
  UnionFind sets(num_eqs + graph.num_vars());  // equations first, then variables
  for (EqId eq{0}; eq.index < num_eqs; ++eq.index) {
    for (const VarId var : graph.vars_of(eq)) sets.unite(eq.index, num_eqs + var.index);
  }
  std::vector<PartId> part_of_set(static_cast<std::size_t>(num_eqs + graph.num_vars()));
  int parts = 0;
  const auto part = [&](int element) {
    PartId& id = part_of_set[static_cast<std::size_t>(sets.find(element))];
    if (!id) id = {parts++};
    return id;
  };
  Components components;
  for (int eq = 0; eq < num_eqs; ++eq) components.part_of_eq.add(part(eq));
  for (int var = 0; var < graph.num_vars(); ++var) {
    components.part_of_var.add(part(num_eqs + var));
  }
  list_by_part(components.part_of_eq, parts, components.eq_start, components.eqs);
  list_by_part(components.part_of_var, parts, components.var_start, components.vars);
  return components;
}

}  // namespace chi::graph
