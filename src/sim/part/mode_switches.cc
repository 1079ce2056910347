#include "sim/part/mode_switches.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "expr/build.h"
#include "expr/rewrite.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::Op;
using flat::EquationId;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

class Finder {
 public:
  Finder(expr::Pool& pool, const flat::EquationSet& set, const Conditions& conditions,
         std::span<const int> guards, std::span<const std::vector<int>> of_equations)
      : pool_(pool),
        set_(set),
        conditions_(conditions),
        guards_(guards),
        of_equations_(of_equations) {}

  ModeSwitches run(std::size_t fewest) {
    look_at_variables();
    std::vector<char> switched(at(set_.equations.size()), 0);
    for (EquationId e{0}; e.index < set_.equations.size(); ++e.index) {
      const ExprId row = set_.equations[e].left;
      switched[at(e.index)] = pool_.has(row, expr::kHasEvented) && chooses_values(row) ? 1 : 0;
    }
    ModeSwitches result;
    result.is_switch = decide_only(switched);
    for (int c = 0; c < conditions_.size(); ++c) {
      if (!result.is_switch[at(c)]) continue;
      result.conditions.push_back(c);
      result.leaves.push_back(leaf_of(c));
    }
    if (result.conditions.size() < fewest) return {};
    write_rows(switched, result);
    return result;
  }

 private:
  ExprId leaf_of(int condition) { return expr::discrete_bool(pool_, {kFirstSwitch + condition}); }

  /// Leaves of some kind in an expression, ascending: those in any alternative of its `if`s, and
  /// those in all of them.
  struct Mentioned {
    std::vector<ExprId> any, all;
  };

  /// Not what only the past of counts. Follows the nesting of `if`s, which the parser limits.
  template <class Counts>
  Mentioned mentioned(ExprId root, const Counts& counts) const {
    Mentioned result;
    std::vector<ExprId> stack{root};
    while (!stack.empty()) {
      const ExprId e = stack.back();
      stack.pop_back();
      const Op op = pool_.op(e);
      const expr::Operands operands = pool_.operands(e);
      if (op == Op::Variable && counts(pool_.variable(e))) {
        result.any.push_back(e);
        result.all.push_back(e);
      } else if (op == Op::If) {
        add_branches(operands[1], operands[2], counts, result);
      } else if (op != Op::Delay) {
        for (int i = 0; i < operands.size(); ++i) stack.push_back(operands[i]);
      }
    }
    for (std::vector<ExprId>* const leaves : {&result.any, &result.all}) {
      std::ranges::sort(*leaves);
      leaves->erase(std::unique(leaves->begin(), leaves->end()), leaves->end());
    }
    return result;
  }

  /// Where no alternative is open there is no equation: that one leaves nothing out.
  template <class Counts>
  void add_branches(ExprId yes, ExprId no, const Counts& counts, Mentioned& result) const {
    const Mentioned then = mentioned(yes, counts), otherwise = mentioned(no, counts);
    for (const Mentioned* const one : {&then, &otherwise}) {
      result.any.insert(result.any.end(), one->any.begin(), one->any.end());
    }
    if (pool_.op(no) == Op::NoAlternative) {
      result.all.insert(result.all.end(), then.all.begin(), then.all.end());
    } else {
      std::ranges::set_intersection(then.all, otherwise.all, std::back_inserter(result.all));
    }
  }

  void look_at_variables() {
    for (const flat::Unknown& u : set_.unknowns) {
      if (u.variable.order == 0) declared_.insert(u.variable.var);
    }
    for (const flat::Equation& e : set_.equations) {
      const Mentioned found = mentioned(e.left, [](expr::VarRef x) { return x.order > 0; });
      for (const ExprId leaf : found.any) differential_.insert(pool_.variable(leaf).var);
      if (e.branch) continue;
      for (const ExprId leaf : found.all) states_.insert(pool_.variable(leaf).var);
    }
  }

  bool is_value(expr::VarRef x) const {
    if (x.order > 0 || declared_.count(x.var) != 0) return false;
    return states_.count(x.var) != 0 || differential_.count(x.var) == 0;
  }

  bool chooses_values(ExprId row) const {
    if (pool_.has(row, expr::kHasOpaque | expr::kHasNumeric | expr::kHasDelay)) return false;
    const Mentioned unknown = mentioned(row, [&](expr::VarRef x) { return !is_value(x); });
    return unknown.any == unknown.all;
  }

  /// Per condition: it decides nothing but these equations. An equation with other conditions, too,
  /// is none of them.
  std::vector<char> decide_only(std::vector<char>& switched) const {
    std::vector<char> is_switch(at(conditions_.size()), 0), other(at(conditions_.size()), 0);
    for (const int c : guards_) other[at(c)] = 1;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t e = 0; e < switched.size(); ++e) {
        if (!switched[e]) {
          for (const int c : of_equations_[e]) other[at(c)] = 1;
        }
      }
      for (std::size_t e = 0; e < switched.size(); ++e) {
        if (!switched[e]) continue;
        for (const int c : of_equations_[e]) {
          if (other[at(c)]) switched[e] = 0;
        }
        changed = changed || !switched[e];
      }
    }
    for (std::size_t e = 0; e < switched.size(); ++e) {
      if (!switched[e]) continue;
      for (const int c : of_equations_[e]) is_switch[at(c)] = 1;
    }
    return is_switch;
  }

  void write_rows(const std::vector<char>& switched, ModeSwitches& result) {
    std::vector<ExprId> rows;
    for (std::size_t e = 0; e < switched.size(); ++e) {
      if (switched[e]) rows.push_back(set_.equations[EquationId{static_cast<int>(e)}].left);
    }
    const auto special = [&](ExprId e, std::span<const ExprId> x) {
      if (pool_.op(e) != Op::If) return ExprId{};
      const ExprId leaf = leaf_of(conditions_.find(pool_.operand(e, 0)));
      return expr::if_else(pool_, expr::IfKind::Plain, leaf, x[1], x[2]);
    };
    const std::vector<ExprId> written =
        expr::Rewrite(pool_, special).run(rows, nullptr, {.evented_conditions = false});
    result.rows.resize(switched.size());
    std::size_t next = 0;
    for (std::size_t e = 0; e < switched.size(); ++e) {
      if (switched[e]) result.rows[e] = written[next++];
    }
    for (const ExprId row : rows) list_choices(row, result.choices, result.outer);
    // Branches are looked at when they have been listed: there are more then.
    for (std::size_t k = 0; k < result.choices.size(); ++k) {
      for (const bool holds : {true, false}) {
        std::vector<std::int32_t> inner;
        list_choices((holds ? result.choices[k].yes : result.choices[k].no).value, result.choices,
                     inner);
        (holds ? result.choices[k].yes : result.choices[k].no).inner = std::move(inner);
      }
    }
  }

  /// The outermost `if`s in an expression.
  void list_choices(ExprId root, std::vector<ModeSwitches::Choice>& choices,
                    std::vector<std::int32_t>& found) {
    std::vector<ExprId> stack{root};
    while (!stack.empty()) {
      const ExprId e = stack.back();
      stack.pop_back();
      if (!pool_.has(e, expr::kHasEvented)) continue;
      const expr::Operands operands = pool_.operands(e);
      if (pool_.op(e) != Op::If) {
        for (int i = 0; i < operands.size(); ++i) stack.push_back(operands[i]);
        continue;
      }
      const auto [number, is_new] =
          numbers_.try_emplace(e, static_cast<std::int32_t>(choices.size()));
      if (is_new) {
        choices.push_back({.condition = conditions_.find(operands[0]),
                           .yes = {operands[1]},
                           .no = {operands[2]}});
      }
      found.push_back(number->second);
    }
  }

  expr::Pool& pool_;
  const flat::EquationSet& set_;
  const Conditions& conditions_;
  std::span<const int> guards_;
  std::span<const std::vector<int>> of_equations_;
  std::unordered_set<expr::VarId> declared_, differential_, states_;
  std::unordered_map<ExprId, std::int32_t> numbers_;  // of choices
};

}  // namespace

std::vector<std::int32_t> ModeSwitches::chosen(std::span<const Truth> truths) const {
  std::vector<std::int32_t> result, stack(outer.rbegin(), outer.rend());
  result.reserve(outer.size());
  while (!stack.empty()) {
    const Choice& choice = choices[at(stack.back())];
    stack.pop_back();
    const Truth truth = truths[at(choice.condition)];
    if (truth == Truth::Undefined) return {};
    const Choice::Branch& branch = truth == Truth::True ? choice.yes : choice.no;
    result.push_back(branch.value.index);
    stack.insert(stack.end(), branch.inner.rbegin(), branch.inner.rend());
  }
  return result;
}

ModeSwitches find_switches(expr::Pool& pool, const flat::EquationSet& set,
                           const Conditions& conditions, std::span<const int> guards,
                           std::span<const std::vector<int>> of_equations, std::size_t fewest) {
  if (static_cast<std::size_t>(conditions.size()) < fewest) return {};
  return Finder(pool, set, conditions, guards, of_equations).run(fewest);
}

}  // namespace chi::sim
