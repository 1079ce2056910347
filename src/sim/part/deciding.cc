#include "sim/part/deciding.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "expr/incidence.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarRef;
using flat::BranchId;
using flat::ChoiceId;
using flat::EquationId;
using Unknowns = std::vector<VarRef>;  // of the IP: x, or x' for all its derivatives; ascending

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

void tidy(Unknowns& unknowns) {
  std::ranges::sort(unknowns);
  unknowns.erase(std::unique(unknowns.begin(), unknowns.end()), unknowns.end());
}

/// The derivatives in each root, in either branch of an `if`.
std::vector<Unknowns> differentiated(const expr::Pool& pool, const std::vector<ExprId>& roots) {
  const expr::Occurrences leaves = expr::variables(pool, roots);
  std::vector<Unknowns> result(roots.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    for (const ExprId leaf : leaves.row(static_cast<int>(i))) {
      const expr::VarRef x = pool.variable(leaf);
      if (x.order > 0) result[i].push_back({x.var, 1});
    }
    tidy(result[i]);
  }
  return result;
}

class Deciding {
 public:
  Deciding(const expr::Pool& pool, const flat::EquationSet& set) : pool_(pool), set_(set) {}

  std::vector<ExprId> run() {
    for (const flat::Equation& e : set_.equations) rows_.push_back(e.left);
    find_ifs();
    find_choices();
    std::ranges::sort(result_);
    result_.erase(std::unique(result_.begin(), result_.end()), result_.end());
    return std::move(result_);
  }

 private:
  void find_ifs() {
    const expr::Occurrences found = expr::occurrences(
        pool_, rows_, {}, [&](ExprId e) { return pool_.op(e) == expr::Op::If ? e : ExprId{}; },
        expr::kHasEvented);
    std::vector<ExprId> nodes = found.node;
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    std::vector<ExprId> branches;
    for (const ExprId e : nodes) {
      branches.push_back(pool_.operand(e, 1));
      branches.push_back(pool_.operand(e, 2));
    }
    const std::vector<Unknowns> inside = differentiated(pool_, branches);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (inside[2 * k] != inside[2 * k + 1]) result_.push_back(pool_.operand(nodes[k], 0));
    }
  }

  /// What is unknown in each branch, other choices in it included, against its sisters.
  void find_choices() {
    std::vector<Unknowns> in_branch(at(set_.branches.size()));
    Unknowns always;
    const std::vector<Unknowns> in_rows = differentiated(pool_, rows_);
    const auto add = [&](BranchId branch, const Unknowns& unknowns) {
      if (!branch) always.insert(always.end(), unknowns.begin(), unknowns.end());
      for (BranchId b = branch; b; b = set_.choices[set_.branches[b].choice].parent) {
        Unknowns& here = in_branch[at(b.index)];
        here.insert(here.end(), unknowns.begin(), unknowns.end());
      }
    };
    for (EquationId e{0}; e.index < set_.equations.size(); ++e.index) {
      add(set_.equations[e].branch, in_rows[at(e.index)]);
    }
    for (const flat::Unknown& u : set_.unknowns) {
      if (u.variable.order == 0) add(u.branch, {{u.variable.var, 0}});
    }
    tidy(always);
    for (Unknowns& unknowns : in_branch) {
      tidy(unknowns);
      Unknowns rest;
      std::ranges::set_difference(unknowns, always, std::back_inserter(rest));
      unknowns = std::move(rest);
    }
    for (const flat::Choice& choice : set_.choices) {
      bool varies = false;
      for (std::int32_t b = choice.first; b < choice.first + choice.count; ++b) {
        const Unknowns& here = in_branch[at(b)];
        varies = varies || (choice.must_open ? here != in_branch[at(choice.first)] : !here.empty());
      }
      if (!varies) continue;
      for (std::int32_t b = choice.first; b < choice.first + choice.count; ++b) {
        result_.push_back(set_.branches[BranchId{b}].guard);
      }
    }
  }

  const expr::Pool& pool_;
  const flat::EquationSet& set_;
  std::vector<ExprId> rows_;
  std::vector<ExprId> result_;
};

}  // namespace

std::vector<ExprId> deciding_conditions(const expr::Pool& pool, const flat::EquationSet& set) {
  return Deciding(pool, set).run();
}

}  // namespace chi::sim
