#include "structure/check_net.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "expr/evaluate.h"
#include "expr/incidence.h"
#include "flat/layout.h"
#include "graph/union_find.h"

namespace chi::structure {
namespace {

using flat::FlatModel;
using flat::Net;
using flat::Node;
using flat::Terminal;
using flat::TerminalsOfNodes;

std::int32_t count_slots(const sema::Types& types, sema::TypeId type) {
  return static_cast<std::int32_t>(flat::slot_count(types, type));
}

// Finds potentials that nothing fixes. All equations are evaluated at one point, and again with the
// potentials of each group shifted by one number: those that share no equation are in different
// groups, so an equation whose value changes fixes its own group and no other.
class Floating {
 public:
  explicit Floating(const FlatModel& model) : model_(model), groups_(scalars_of_nodes()) {}

  // After `find`: whether an equation contains the potential.
  bool is_in_equation(std::int32_t slot) const {
    return in_equation_[static_cast<std::size_t>(number_[static_cast<std::size_t>(slot)])] != 0;
  }

  // The groups that no equation fixes, each as the slots of its potentials, ascending.
  std::vector<std::vector<std::int32_t>> find() {
    collect();
    if (slots_.empty()) return {};
    evaluate();
    std::vector<std::vector<std::int32_t>> members(slots_.size());
    for (std::size_t k = 0; k < slots_.size(); ++k) {
      const auto root = static_cast<std::size_t>(groups_.find(static_cast<std::int32_t>(k)));
      if (fixed_[root] == 0) members[root].push_back(slots_[k]);
    }
    std::erase_if(members, [](const auto& m) { return m.empty(); });
    return members;
  }

 private:
  std::int32_t scalars_of_nodes() {
    const Net& net = model_.net;
    const TerminalsOfNodes terminals(net);
    for (std::size_t n = 0; n < net.nodes.size(); ++n) {
      const Node& node = net.nodes[n];
      if (node.inflow >= 0 || terminals.of(n).empty()) continue;
      const std::int32_t count = count_slots(model_.typed.types, node.type);
      for (std::int32_t j = 0; j < count; ++j) slots_.push_back(node.potential + j);
    }
    std::unordered_set<std::int32_t> given;  // by a substitute
    for (const flat::Substitution& s : model_.equations.substitutions) {
      if (s.variable.order == 0) given.insert(s.variable.var.index);
    }
    std::erase_if(slots_, [&](std::int32_t slot) { return given.contains(slot); });
    std::ranges::sort(slots_);
    number_.assign(static_cast<std::size_t>(model_.variable_slots), -1);
    for (std::size_t k = 0; k < slots_.size(); ++k) {
      number_[static_cast<std::size_t>(slots_[k])] = static_cast<std::int32_t>(k);
    }
    fixed_.assign(slots_.size(), 0);
    in_equation_.assign(slots_.size(), 0);
    return static_cast<std::int32_t>(slots_.size());
  }

  // Joins the potentials of each equation.
  void collect() {
    const expr::Pool& pool = model_.equations.pool;
    for (const flat::Equation& e : model_.equations.system.equations) {
      roots_.push_back(e.left);
      roots_.push_back(e.right);
    }
    const expr::Occurrences found = expr::variables(pool, roots_);
    group_of_.assign(roots_.size() / 2, -1);
    for (int r = 0; r < found.rows(); ++r) {
      std::int32_t& first = group_of_[static_cast<std::size_t>(r / 2)];
      for (const expr::ExprId node : found.row(r)) {
        const expr::VarRef x = pool.variable(node);
        const std::int32_t k = number_[static_cast<std::size_t>(x.var.index)];
        if (k < 0) continue;
        if (first >= 0) groups_.unite(first, k);
        first = k;
        in_equation_[static_cast<std::size_t>(k)] = 1;
        if (x.order > 0) differentiated_.push_back(k);  // has a value at the start
      }
    }
  }

  void evaluate() {
    for (const std::int32_t k : differentiated_) fix(k);
    const std::vector<expr::Value> before = values(0);
    const std::vector<expr::Value> after = values(kShift);
    for (std::size_t e = 0; e < group_of_.size(); ++e) {
      if (group_of_[e] < 0) continue;
      const auto residual = [&](const std::vector<expr::Value>& v) {
        return v[2 * e].value - v[2 * e + 1].value;
      };
      const double size = std::abs(before[2 * e].value) + std::abs(before[2 * e + 1].value) + 1;
      const double change = residual(after) - residual(before);
      if (!(std::abs(change) <= kRounding * size)) fix(group_of_[e]);  // also if it has no value
    }
  }

  std::vector<expr::Value> values(double shift) const {
    // Numbers without a pattern, the same for every call.
    const auto number = [](std::int32_t i) {
      const double x = std::sin(12.9898 * (i + 1)) * 43758.5453;
      return 0.25 + (x - std::floor(x));
    };
    const double none = std::nan("");
    expr::Point point;
    point.time = number(-7);
    point.variable = [&](expr::VarRef x) {
      const bool shifted = x.order == 0 && number_[static_cast<std::size_t>(x.var.index)] >= 0;
      return number(3 * x.var.index + x.order) + (shifted ? shift : 0);
    };
    point.discrete = [&](expr::DiscreteId d) {
      return model_.equations.discrete[d].boolean ? 1.0 : number(-d.index - 11);
    };
    point.opaque = [&](expr::FunctionId, std::span<const double>) { return none; };
    point.delayed = [&](expr::ExprId, double) { return none; };
    return expr::evaluate(model_.equations.pool, roots_, point);
  }

  void fix(std::int32_t k) { fixed_[static_cast<std::size_t>(groups_.find(k))] = 1; }

  static constexpr double kShift = 0.375;
  static constexpr double kRounding = 1e-9;

  const FlatModel& model_;
  std::vector<std::int32_t> slots_;   // of the potentials of nodes
  std::vector<std::int32_t> number_;  // of a slot among these; -1: none
  std::vector<char> fixed_;           // by the representative of a group
  std::vector<char> in_equation_;
  graph::UnionFind groups_;             // made when the numbers are known
  std::vector<expr::ExprId> roots_;     // left and right side of each equation
  std::vector<std::int32_t> group_of_;  // by equation: one of its potentials; -1: none
  std::vector<std::int32_t> differentiated_;
};

// What a scalar is called in results.
std::string name_of(const FlatModel& model, std::int32_t slot) {
  for (const flat::Variable& v : model.variables) {
    if (slot < v.slot || slot >= v.slot + count_slots(model.typed.types, v.type)) continue;
    for (const flat::ScalarPart& part :
         flat::scalar_parts(model.typed.types, v.type, model.typed.ast.symbols)) {
      if (part.offset == slot - v.slot) return v.name + part.suffix;
    }
  }
  return {};
}

std::string without_field(const std::string& name) { return name.substr(0, name.rfind('.')); }

const Node& node_at(const Net& net, std::int32_t slot, const sema::Types& types) {
  return *std::ranges::find_if(net.nodes, [&](const Node& n) {
    return n.inflow < 0 && slot >= n.potential && slot < n.potential + count_slots(types, n.type);
  });
}

void report_floating(const FlatModel& model, const std::vector<std::int32_t>& slots,
                     Diagnostics& diagnostics) {
  constexpr std::size_t kMostNamed = 6;
  const sema::TypedModel& typed = model.typed;
  std::string names;
  for (std::size_t i = 0; i < slots.size() && i < kMostNamed; ++i) {
    names += fmt::format("{}`{}`", i == 0 ? "" : ", ", name_of(model, slots[i]));
  }
  if (slots.size() > kMostNamed) names += fmt::format(" and {} more", slots.size() - kMostNamed);
  const Node& node = node_at(model.net, slots.front(), typed.types);
  const std::string full = name_of(model, slots.front());
  const std::string field = full.substr(full.rfind('.') + 1);
  diagnostics.report(
      {.code = DiagCode::FloatingNodes,
       .span = typed.decls[node.decl].span,
       .message = slots.size() == 1
                      ? fmt::format("nothing fixes the potential {}", names)
                      : fmt::format("nothing fixes the potentials {}: the equations depend on "
                                    "their differences only",
                                    names),
       .help = fmt::format("connect a ground to one of them, as in `Ground({})` with `proc "
                           "Ground(p: {}) = |[ p.{} = 0.0 ]|`",
                           without_field(full), typed.types.text(node.type, typed.ast.symbols),
                           field)});
}

// What is connected there sets flows only, as two current sources in series do.
void report_unused(const FlatModel& model, std::int32_t slot, Diagnostics& diagnostics) {
  constexpr std::size_t kMostNamed = 6;
  const sema::TypedModel& typed = model.typed;
  const Node& node = node_at(model.net, slot, typed.types);
  const auto number = static_cast<std::size_t>(&node - model.net.nodes.data());
  const TerminalsOfNodes all(model.net);
  const auto terminals = all.of(number);
  std::string names;
  std::vector<Label> labels;
  for (std::size_t i = 0; i < terminals.size() && i < kMostNamed; ++i) {
    const Terminal& t = model.net.terminals[static_cast<std::size_t>(terminals[i])];
    names += fmt::format("{}`{}`", i == 0 ? "" : ", ", without_field(name_of(model, t.flow)));
    labels.push_back({model.blocks[static_cast<std::size_t>(t.block)].span, "connected here"});
  }
  if (terminals.size() > kMostNamed) {
    names += fmt::format(" and {} more", terminals.size() - kMostNamed);
  }
  const std::string potential = name_of(model, slot);
  diagnostics.report(
      {.code = DiagCode::FloatingNodes,
       .span = typed.decls[node.decl].span,
       .message = fmt::format("no equation contains the potential `{}`: what is connected to node "
                              "`{}`, {}, sets flows only",
                              potential, without_field(potential), names),
       .labels = std::move(labels),
       .help = "sources of flows in series contradict each other, or leave the potential between "
               "them open: connect something there whose flow depends on the potential"});
}

void warn_lonely(const FlatModel& model, Diagnostics& diagnostics) {
  constexpr int kMostTold = 10;
  const TerminalsOfNodes terminals(model.net);
  int told = 0;
  for (std::size_t n = 0; n < model.net.nodes.size() && told < kMostTold; ++n) {
    const Node& node = model.net.nodes[n];
    if (node.inflow >= 0 || terminals.of(n).size() != 1) continue;
    const Terminal& only = model.net.terminals[static_cast<std::size_t>(terminals.of(n).front())];
    const flat::Block& block = model.blocks[static_cast<std::size_t>(only.block)];
    ++told;
    diagnostics.report(
        {.code = DiagCode::LonelyNode,
         .span = model.typed.decls[node.decl].span,
         .message = fmt::format("node `{}` has one terminal only, `{}`: nothing flows through it",
                                without_field(name_of(model, node.potential)),
                                without_field(name_of(model, only.flow))),
         .labels = {{block.span, "connected here"}}});
  }
}

}  // namespace

bool check_net(const FlatModel& model, Diagnostics& diagnostics) {
  if (model.net.nodes.empty()) return true;
  warn_lonely(model, diagnostics);
  Floating search(model);
  const auto floating = search.find();
  for (const auto& slots : floating) {
    if (search.is_in_equation(slots.front())) {
      report_floating(model, slots, diagnostics);
    } else {
      report_unused(model, slots.front(), diagnostics);
    }
  }
  return floating.empty();
}

}  // namespace chi::structure
