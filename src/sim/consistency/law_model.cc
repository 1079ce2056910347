#include "sim/consistency/law_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "expr/build.h"
#include "expr/cone.h"
#include "expr/differentiate.h"
#include "expr/incidence.h"
#include "expr/substitute.h"
#include "graph/union_find.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarId;
using expr::VarRef;
using flat::BranchId;
using flat::EquationId;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Derivatives of what is known that the one-step problem gets: signs are decided at a higher order
/// hardly ever, and the exact orders of the plan decide in any case.
constexpr int kJets = 3;

}  // namespace

LawModel::LawModel(const LawSource& source) : source_(source) {
  lift();
  group();
  find_columns();
  compile();
}

int LawModel::add_functional(ExprId e) {
  functionals_.push_back(e);
  return static_cast<int>(functionals_.size()) - 1;
}

/// Every evented `if` becomes a variable, in equations and in differences of borders.
void LawModel::lift() {
  expr::Pool& pool = source_.pool;
  std::vector<ExprId> roots;
  for (const flat::Equation& e : source_.set.equations) roots.push_back(e.left);
  const auto borders = source_.conditions.borders();
  for (const Border& border : borders) roots.push_back(border.difference);
  // Conditions are looked at through their borders, not through their nodes.
  const expr::Follow follow{.delayed = false, .evented_conditions = false};
  const expr::Cone cone(pool, roots, follow);
  std::vector<expr::Replacement> replaced;
  std::map<ExprId, int> number;
  std::int32_t free = source_.first_free;
  for (const ExprId e : cone.nodes()) {
    if (pool.op(e) != expr::Op::If) continue;
    IfNode node{.node = e, .y = expr::variable(pool, VarId{free++})};
    // Corners of borders have conditions that nobody asked for by themselves.
    node.condition = source_.conditions.add(pool.operand(e, 0));
    number.emplace(e, static_cast<int>(ifs_.size()));
    replaced.push_back({e, node.y});
    ifs_.push_back(std::move(node));
  }
  // Branches that are `if`s themselves are those variables.
  for (IfNode& node : ifs_) {
    for (const int side : {1, 2}) {
      const ExprId value = pool.operand(node.node, side);
      const ExprId lifted = expr::substitute(pool, std::array{value}, replaced, follow)[0];
      const int row = add_functional(expr::sub(pool, node.y, lifted));
      (side == 1 ? node.then : node.otherwise) = row;
      const expr::Occurrences inner =
          expr::occurrences(pool, std::array{value}, follow,
                            [&](ExprId e) { return pool.op(e) == expr::Op::If ? e : ExprId{}; });
      for (const ExprId e : inner.node) node.uses.push_back(2 * number.at(e) + (side - 1));
    }
  }
  std::vector<ExprId> lifted = expr::substitute(pool, roots, replaced, follow);
  std::size_t next = 0;
  for (EquationId e{0}; e.index < source_.set.equations.size(); ++e.index) {
    const flat::Equation& equation = source_.set.equations[e];
    rows_.push_back({.functional = add_functional(lifted[next++]), .branch = equation.branch});
  }
  for (std::size_t b = 0; b < borders.size(); ++b)
    surface_.push_back(add_functional(lifted[next++]));
}

/// Which borders belong to one law, and what the law chooses.
void LawModel::group() {
  const flat::EquationSet& set = source_.set;
  const auto borders = static_cast<int>(source_.conditions.borders().size());
  // Nodes: borders, choices, `if`s, variables that only some modes leave unknown.
  const auto choices = set.choices.size();
  const int first_choice = borders, first_if = first_choice + choices;
  std::map<VarId, Conditional> candidates;
  std::set<VarId> always;
  expr::Pool& pool = source_.pool;
  const auto candidate = [&](VarId v) -> Conditional& {
    Conditional& c = candidates[v];
    c.var = v;
    return c;
  };
  for (const flat::Unknown& u : set.unknowns) {
    if (u.variable.order > 0) continue;
    if (!u.branch) {
      always.insert(u.variable.var);
    } else {
      candidate(u.variable.var).declared.push_back(u.branch);
    }
  }
  const auto differentiated = [&](int f) {
    std::vector<VarId> result;
    for (const ExprId leaf : expr::variables(pool, std::array{functionals_[at(f)]}).node) {
      const VarRef x = pool.variable(leaf);
      if (x.order > 0) result.push_back(x.var);
    }
    return result;
  };
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (const VarId v : differentiated(rows_[i].functional)) {
      if (!rows_[i].branch) {
        always.insert(v);
      } else {
        candidate(v).rows.push_back(static_cast<int>(i));
      }
    }
  }
  for (std::size_t k = 0; k < ifs_.size(); ++k) {
    for (const bool otherwise : {false, true}) {
      for (const VarId v : differentiated(otherwise ? ifs_[k].otherwise : ifs_[k].then)) {
        candidate(v).in_ifs.emplace_back(static_cast<int>(k), otherwise);
      }
    }
  }
  for (const VarId v : always) candidates.erase(v);
  for (auto& [v, c] : candidates) conditionals_.push_back(std::move(c));

  const int first_variable = first_if + static_cast<int>(ifs_.size());
  graph::UnionFind groups(first_variable + static_cast<int>(conditionals_.size()));
  const auto join = [&](int node, int condition) {
    for (const int b : source_.conditions.borders_of(condition)) groups.unite(node, b);
  };
  // Alternatives that statements alone choose between are known at an instant: laws inside them
  // have nothing to do with each other.
  const auto moves = [&](const flat::Choice& choice) {
    for (std::int32_t b = choice.first; b < choice.first + choice.count; ++b) {
      if (!source_.conditions.borders_of(source_.guards[at(b)]).empty()) return true;
    }
    return false;
  };
  const auto join_branch = [&](int node, BranchId branch) {
    while (branch && !moves(set.choices[set.branches[branch].choice])) {
      branch = set.choices[set.branches[branch].choice].parent;
    }
    if (branch) groups.unite(node, first_choice + set.branches[branch].choice.index);
  };
  for (flat::ChoiceId c{0}; c.index < choices; ++c.index) {
    const flat::Choice& choice = set.choices[c];
    for (std::int32_t b = choice.first; b < choice.first + choice.count; ++b) {
      join(first_choice + c.index, source_.guards[at(b)]);
    }
    join_branch(first_choice + c.index, choice.parent);
  }
  for (std::size_t k = 0; k < ifs_.size(); ++k) {
    if (ifs_[k].condition >= 0) join(first_if + static_cast<int>(k), ifs_[k].condition);
  }
  // Whether an `if` counts depends on what it stands in.
  std::vector<std::vector<int>> users(ifs_.size());  // `if`s around, ~equation
  for (std::size_t k = 0; k < ifs_.size(); ++k) {
    for (const int use : ifs_[k].uses) users[at(use / 2)].push_back(static_cast<int>(k));
  }
  in_rows_.resize(ifs_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (const ExprId leaf :
         expr::variables(pool, std::array{functionals_[at(rows_[i].functional)]}).node) {
      const std::int32_t k = pool.variable(leaf).var.index - source_.first_free;
      if (k >= 0 && k < static_cast<std::int32_t>(ifs_.size()))
        in_rows_[at(k)].push_back(static_cast<int>(i));
    }
  }
  for (std::size_t n = 0; n < conditionals_.size(); ++n) {
    const Conditional& v = conditionals_[n];
    const int node = first_variable + static_cast<int>(n);
    for (const BranchId b : v.declared) join_branch(node, b);
    for (const int row : v.rows) join_branch(node, rows_[at(row)].branch);
    std::vector<int> stack;
    std::set<int> seen;
    for (const auto& [k, otherwise] : v.in_ifs) stack.push_back(k);
    while (!stack.empty()) {
      const int k = stack.back();
      stack.pop_back();
      if (!seen.insert(k).second) continue;
      groups.unite(node, first_if + k);
      for (const int row : in_rows_[at(k)]) join_branch(node, rows_[at(row)].branch);
      stack.insert(stack.end(), users[at(k)].begin(), users[at(k)].end());
    }
  }

  std::map<int, int> law_of;  // by root
  const auto law = [&](int node) {
    const auto [place, is_new] =
        law_of.try_emplace(groups.find(node), static_cast<int>(laws_.size()));
    if (is_new) laws_.emplace_back();
    return place->second;
  };
  for (flat::ChoiceId c{0}; c.index < choices; ++c.index) {
    laws_[at(law(first_choice + c.index))].choices.push_back(c.index);
  }
  for (std::size_t k = 0; k < ifs_.size(); ++k) {
    ifs_[k].law = law(first_if + static_cast<int>(k));
    laws_[at(ifs_[k].law)].ifs.push_back(static_cast<int>(k));
  }
  std::set<VarId> in_borders;
  for (const int f : surface_) {
    for (const ExprId leaf : expr::variables(pool, std::array{functionals_[at(f)]}).node) {
      in_borders.insert(pool.variable(leaf).var);
    }
  }
  for (std::size_t k = 0; k < ifs_.size(); ++k) {
    const auto is_of_this_law = [&](int user) { return ifs_[at(user)].law == ifs_[k].law; };
    ifs_[k].is_inner = !users[k].empty() && in_rows_[k].empty() &&
                       !in_borders.contains(pool.variable(ifs_[k].y).var) &&
                       std::ranges::all_of(users[k], is_of_this_law);
  }
  for (std::size_t n = 0; n < conditionals_.size(); ++n) {
    conditionals_[n].law = law(first_variable + static_cast<int>(n));
    laws_[at(conditionals_[n].law)].conditionals.push_back(static_cast<int>(n));
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!rows_[i].branch) {
      plain_.push_back(rows_[i].functional);
      continue;
    }
    rows_[i].law = law(first_choice + set.branches[rows_[i].branch].choice.index);
    laws_[at(rows_[i].law)].rows.push_back(static_cast<int>(i));
  }
  for (int b = 0; b < borders; ++b) {
    if (const auto found = law_of.find(groups.find(b)); found != law_of.end()) {
      laws_[at(found->second)].borders.push_back(b);
    }
  }
}

int LawModel::column(VarRef x) const {
  const auto found = columns_of_.find(x.var);
  if (found == columns_of_.end() || x.order >= found->second.orders) return -1;
  return found->second.first + x.order;
}

bool LawModel::has_rate(VarRef x) const {
  const auto found = columns_of_.find(x.var);
  return found != columns_of_.end() &&
         (x.order + 1 < found->second.orders || found->second.has_rate);
}

/// x, x', ... of every variable that is unknown in some mode, up to the order before the highest.
void LawModel::find_columns() {
  expr::Pool& pool = source_.pool;
  std::map<VarId, int> highest;
  for (const flat::Unknown& u : source_.set.unknowns) highest.try_emplace(u.variable.var, 0);
  for (const IfNode& node : ifs_) highest.try_emplace(pool.variable(node.y).var, 0);
  for (const ExprId leaf : expr::variables(pool, functionals_).node) {
    const VarRef x = pool.variable(leaf);
    if (x.order == 0 && !highest.contains(x.var)) continue;  // known in every mode
    int& order = highest[x.var];
    order = std::max(order, x.order);
  }
  for (const auto& [v, order] : highest) {
    const int orders = std::max(order, 1);
    columns_of_[v] = {
        .first = static_cast<int>(columns_.size()), .orders = orders, .has_rate = order > 0};
    for (int k = 0; k < orders; ++k) {
      if (k > 0) chains_.push_back(static_cast<int>(columns_.size()));
      columns_.push_back({.var = v, .order = k});
    }
  }
}

/// Code for all functionals, their entries and what time does to them.
void LawModel::compile() {
  expr::Pool& pool = source_.pool;
  struct Leaf {
    int column = 0;
    bool is_rate = false;
  };
  std::vector<Leaf> meaning;
  std::vector<ExprId> leaves, occurring = expr::variables(pool, functionals_).node;
  std::ranges::sort(occurring);
  occurring.erase(std::unique(occurring.begin(), occurring.end()), occurring.end());
  for (const ExprId leaf : occurring) {
    const VarRef x = pool.variable(leaf);
    const int value = column(x);
    const int rate = value < 0 && x.order > 0 ? column({x.var, x.order - 1}) : -1;
    if (value < 0 && rate < 0) continue;
    leaves.push_back(leaf);
    meaning.push_back({.column = value >= 0 ? value : rate, .is_rate = value < 0});
  }
  const expr::Jacobian jacobian = expr::jacobian(pool, functionals_, leaves);
  std::vector<ExprId> roots = functionals_;
  entries_.resize(functionals_.size());
  for (int i = 0; i < jacobian.rows(); ++i) {
    for (int k = jacobian.row_start[at(i)]; k < jacobian.row_start[at(i + 1)]; ++k) {
      const Leaf& leaf = meaning[at(jacobian.column[at(k)])];
      entries_[at(i)].push_back({.column = leaf.column,
                                 .is_rate = leaf.is_rate,
                                 .place = static_cast<int>(roots.size())});
      roots.push_back(jacobian.entry[at(k)]);
    }
  }
  is_affine_ = std::ranges::none_of(
      expr::variables(pool, jacobian.entry).node,
      [&](ExprId leaf) { return std::ranges::find(leaves, leaf) != leaves.end(); });
  constexpr expr::Traits kByItself = expr::kHasTime | expr::kHasDelay | expr::kHasCall;
  is_affine_ = is_affine_ && std::ranges::none_of(jacobian.entry, [&](ExprId e) {
    return pool.has(e, kByItself);
  });
  // Along w' as it is, with w'' = 0: what time and the curvature of a constraint add.
  const auto along = [&](expr::Pool& p, VarRef x) {
    const bool moves = column(x) >= 0 && has_rate(x);
    return moves ? expr::variable(p, x.var, x.order + 1) : expr::constant(p, 0);
  };
  jets_.resize(functionals_.size());
  std::vector<ExprId> derivatives = functionals_;
  for (int k = 1; k <= kJets; ++k) {
    derivatives = expr::time_derivative(pool, derivatives, along);
    for (std::size_t i = 0; i < derivatives.size(); ++i) {
      if (expr::is_zero(pool, derivatives[i])) continue;
      jets_[i].resize(at(k), -1);
      jets_[i].back() = static_cast<int>(roots.size());
      roots.push_back(derivatives[i]);
    }
  }
  formulas_ = std::make_unique<code::Formulas>(pool, roots, leaves_, source_.boxes);
  values_.resize(roots.size());
  frame_.resize(at(leaves_.size()));
}

}  // namespace chi::sim
