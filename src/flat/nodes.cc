#include "flat/nodes.h"

#include <algorithm>
#include <cstdint>

#include "expr/build.h"
#include "expr/incidence.h"
#include "flat/flat_model.h"
#include "flat/layout.h"

namespace chi::flat {
namespace {

std::int32_t count_slots(const sema::Types& types, sema::TypeId type) {
  return static_cast<std::int32_t>(slot_count(types, type));
}

const sema::NodeInfo& info_of(const sema::Types& types, const Node& node) {
  return types.node_info(std::get<sema::Record>(types[node.type]));
}

}  // namespace

TerminalsOfNodes::TerminalsOfNodes(const Net& net)
    : start_(net.nodes.size() + 1, 0), rows_(net.terminals.size()) {
  for (const Terminal& t : net.terminals) ++start_[static_cast<std::size_t>(t.node) + 1];
  for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
  std::vector<std::int32_t> next(start_.begin(), start_.end() - 1);
  for (std::size_t t = 0; t < net.terminals.size(); ++t) {
    const auto node = static_cast<std::size_t>(net.terminals[t].node);
    rows_[static_cast<std::size_t>(next[node]++)] = static_cast<std::int32_t>(t);
  }
}

std::span<const std::int32_t> TerminalsOfNodes::of(std::size_t node) const {
  return std::span(rows_).subspan(static_cast<std::size_t>(start_[node]),
                                  static_cast<std::size_t>(start_[node + 1] - start_[node]));
}

void add_nodes(FlatModel& model, Node first, sema::TypeId type) {
  sema::Types& types = model.typed.types;
  const sema::TypeId node = types.node_of(type);
  const std::int32_t stride = count_slots(types, node);
  const std::int32_t flows = count_slots(types, types.flows_of(node));
  const std::int32_t count = count_slots(types, type) / stride;
  first.type = node;
  const std::int32_t key = first.inflow >= 0 ? first.inflow : first.potential;
  model.net.first_node[key] = static_cast<std::int32_t>(model.net.nodes.size());
  for (std::int32_t e = 0; e < count; ++e) {
    first.element = type == node ? -1 : e;
    model.net.nodes.push_back(first);
    first.potential += stride;
    if (first.inflow >= 0) first.inflow += flows;
  }
}

void add_balances(FlatModel& model) {
  const Net& net = model.net;
  if (net.nodes.empty()) return;
  sema::Types& types = model.typed.types;
  expr::Pool& pool = model.equations.pool;
  EquationSet& system = model.equations.system;
  const TerminalsOfNodes terminals(net);
  struct Size {
    std::int32_t potentials = 0, flows = 0;
  };
  std::unordered_map<sema::TypeId, Size> sizes;
  const auto size_of = [&](const Node& node) {
    const auto [at, added] = sizes.try_emplace(node.type);
    if (added) {
      at->second = {count_slots(types, node.type), count_slots(types, info_of(types, node).flows)};
    }
    return at->second;
  };
  const auto unknown = [&](std::int32_t slot, std::int32_t block, Span span) {
    system.unknowns.push_back(
        {.variable = {{slot}, 0}, .branch = {}, .block = block, .span = span, .implied = true});
  };
  for (std::size_t n = 0; n < net.nodes.size(); ++n) {
    const Node& node = net.nodes[n];
    const auto at = terminals.of(n);
    if (at.empty() && node.inflow < 0) continue;  // no equation needs its potential
    const Span span = model.typed.decls[node.decl].span;
    const auto [potentials, flows] = size_of(node);
    for (std::int32_t j = 0; j < flows; ++j) {
      expr::ExprId sum = expr::constant(pool, 0.0);
      for (const std::int32_t t : at) {
        const Terminal& terminal = net.terminals[static_cast<std::size_t>(t)];
        sum = expr::add(pool, sum, expr::variable(pool, {terminal.flow + j}));
        unknown(terminal.flow + j, terminal.block, model.typed.decls[terminal.param].span);
      }
      system.equations.add({.left = sum,
                            .right = node.inflow < 0 ? expr::constant(pool, 0.0)
                                                     : expr::variable(pool, {node.inflow + j}),
                            .branch = {},
                            .block = node.block,
                            .source = {},
                            .loop = {},
                            .span = span});
    }
    if (node.inflow >= 0) continue;
    for (std::int32_t j = 0; j < potentials; ++j) unknown(node.potential + j, node.block, span);
  }
}

void settle_implied(FlatModel& model) {
  if (model.net.nodes.empty()) return;
  const expr::Pool& pool = model.equations.pool;
  EquationSet& system = model.equations.system;
  std::vector<char> implied(static_cast<std::size_t>(model.variable_slots), 0);
  for (const Unknown& u : system.unknowns) {
    if (u.implied) implied[static_cast<std::size_t>(u.variable.var.index)] = 1;
  }
  std::vector<expr::ExprId> roots;
  for (const Equation& e : system.equations) {
    roots.push_back(e.left);
    roots.push_back(e.right);
  }
  const expr::Occurrences found = expr::variables(pool, roots);
  constexpr char kAlways = 2;
  for (int r = 0; r < found.rows(); ++r) {
    const BranchId branch = system.equations[EquationId{r / 2}].branch;
    for (const expr::ExprId node : found.row(r)) {
      const expr::VarRef x = pool.variable(node);
      char& state = implied[static_cast<std::size_t>(x.var.index)];
      if (x.order == 0 || state == 0) continue;
      if (branch) {
        system.differentiated_in[x.var.index].push_back(branch);
      } else {
        state = kAlways;
      }
    }
  }
  std::erase_if(system.unknowns, [&](const Unknown& u) {
    return u.implied && implied[static_cast<std::size_t>(u.variable.var.index)] == kAlways;
  });
}

}  // namespace chi::flat
