#include "sim/part/parts.h"

#include <algorithm>
#include <unordered_map>

#include "expr/alternatives.h"
#include "expr/build.h"
#include "expr/incidence.h"
#include "expr/substitute.h"
#include "flat/expr_facts.h"
#include "flat/translator.h"
#include "graph/union_find.h"
#include "sim/part/switched_values.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using flat::BranchId;
using flat::ChoiceId;
using flat::EquationId;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Joins what belongs together. Elements: the slots, then the choices.
class Splitter {
 public:
  Splitter(flat::FlatModel& model, std::span<const ExprId> together)
      : model_(model),
        pool_(model.equations.pool),
        set_(model.equations.system),
        together_(together),
        sets_(model.variable_slots + set_.choices.size()),
        can_be_unknown_(at(model.variable_slots), 0) {}

  Parts run() {
    find_unknowns();
    join();
    number_parts();
    for (EquationId e{0}; e.index < set_.equations.size(); ++e.index) add_equation(e);
    for (const flat::Unknown& unknown : set_.unknowns) add_unknown(unknown);
    for (ChoiceId c{0}; c.index < set_.choices.size(); ++c.index) add_lonely_choice(c);
    return std::move(result_);
  }

 private:
  int choice_element(ChoiceId c) const { return model_.variable_slots + c.index; }

  void find_unknowns() {
    std::vector<ExprId> rows;
    for (const flat::Equation& e : set_.equations) {
      rows.push_back(expr::sub(pool_, e.left, e.right));
    }
    rows = expr::alternatives_of_calls(pool_, rows, [may_move = moving_slots()](expr::VarRef x) {
      return may_move[at(x.var.index)] != 0;
    });
    model_.equations.functions.resize(pool_.function_count(), {});
    rows_ = expr::evented_kinks(pool_, rows);
    for (const ExprId leaf : expr::variables(pool_, rows_).node) note_derivative(leaf);
    for (const flat::Unknown& u : set_.unknowns) can_be_unknown_[at(u.variable.var.index)] = 1;
    rows_ = plain_switches(pool_, std::move(rows_), can_be_unknown_);
    variables_ = all_variables(pool_, rows_);
    hold_steps();
  }

  /// By slot: whether the variable is declared unknown, or differentiated anywhere.
  std::vector<char> moving_slots() const {
    std::vector<char> result(at(model_.variable_slots), 0);
    for (const flat::Unknown& u : set_.unknowns) result[at(u.variable.var.index)] = 1;
    for (ExprId e{0}; e.index < pool_.size(); ++e.index) {
      if (pool_.op(e) != expr::Op::Variable) continue;
      const expr::VarRef x = pool_.variable(e);
      if (x.order > 0) result[at(x.var.index)] = 1;
    }
    return result;
  }

  /// In equations, then in guards, then in what is taken together.
  void hold_steps() {
    open_conditions();
    std::vector<ExprId> roots = rows_;
    for (const flat::Branch& branch : set_.branches) {
      roots.push_back(expr::inline_calls(pool_, branch.guard));
    }
    for (const ExprId e : together_) roots.push_back(expr::inline_calls(pool_, e));
    const expr::Occurrences found = expr::occurrences(
        pool_, roots, {}, [&](ExprId e) { return moves_in_steps(e) ? e : ExprId{}; },
        expr::kMoving);
    std::vector<expr::Replacement> held;
    std::vector<ExprId> nodes = found.node;
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    for (const ExprId node : nodes) {
      const expr::DiscreteId id{kFirstHeld + static_cast<std::int32_t>(held.size())};
      const ExprId leaf = pool_.has(node, expr::kBoolean) ? expr::discrete_bool(pool_, id)
                                                          : expr::discrete_real(pool_, id);
      const auto hold = [&](ExprId argument, HeldStep::Kind kind) {
        steps_.push_back({expr::substitute(pool_, argument, held), leaf, kind});
      };
      switch (pool_.op(node)) {
        case expr::Op::Floor: hold(pool_.operand(node, 0), HeldStep::Kind::Floor); break;
        case expr::Op::Ceil:
          hold(expr::neg(pool_, pool_.operand(node, 0)), HeldStep::Kind::Floor);
          break;
        case expr::Op::Round:
          hold(expr::add(pool_, pool_.operand(node, 0), expr::constant(pool_, 0.5)),
               HeldStep::Kind::Round);
          break;
        default: hold(node, HeldStep::Kind::Call); hold_piece(node);
      }
      held.push_back({node, pool_.op(node) == expr::Op::Ceil ? expr::neg(pool_, leaf) : leaf});
    }
    if (!held.empty()) roots = expr::substitute(pool_, roots, held);
    for (int i = 0; i < found.rows(); ++i) {
      std::vector<HeldStep>& mine = steps_of_.emplace_back();
      for (const ExprId node : found.row(i)) {
        const auto place = std::lower_bound(nodes.begin(), nodes.end(), node);
        mine.push_back(steps_[static_cast<std::size_t>(place - nodes.begin())]);
      }
    }
    const auto guards = roots.begin() + static_cast<std::ptrdiff_t>(rows_.size());
    const auto rest = guards + set_.branches.size();
    rows_.assign(roots.begin(), guards);
    guards_.assign(guards, rest);
    result_.together.assign(rest, roots.end());
    result_.steps_of_together.assign(
        steps_of_.end() - static_cast<std::ptrdiff_t>(together_.size()), steps_of_.end());
  }

  /// The last step, if it is the piece of a table.
  void hold_piece(ExprId node) {
    const expr::FunctionId f = pool_.called(node);
    const auto* table = std::get_if<flat::TableFunction>(&model_.equations.functions[f]);
    if (table == nullptr) return;
    HeldStep& step = steps_.back();
    step.kind = HeldStep::Kind::Piece;
    step.argument = pool_.operand(step.argument, 0);
    step.piece = f;
    step.borders = model_.equations.table_borders.at({table->table, table->axis});
  }

  /// The bodies of functions in the conditions of equations, where steps may hide.
  void open_conditions() {
    std::vector<expr::Replacement> open;
    for (const ExprId e : expr::conditions(pool_, rows_).node) {
      if (!pool_.has(e, expr::kHasCall)) continue;
      const ExprId inlined = expr::inline_calls(pool_, e);
      if (inlined != e) open.push_back({e, inlined});
    }
    if (!open.empty()) rows_ = expr::substitute(pool_, rows_, open);
  }

  bool moves_in_steps(ExprId e) const {
    if (!pool_.has(e, expr::kMoving)) return false;
    const expr::Op op = pool_.op(e);
    if (op == expr::Op::Floor || op == expr::Op::Ceil || op == expr::Op::Round) return true;
    if (op != expr::Op::Call) return false;
    const expr::FunctionId f = pool_.called(e);
    if (pool_.function(f).body || pool_.function(f).parent) return false;
    if (pool_.function(f).has_steps) return true;
    if (pool_.function(f).boolean) return true;
    const sema::Types& types = model_.typed.types;
    const flat::FunctionSource& source = model_.equations.functions[f];
    sema::TypeId type;
    std::int32_t element = 0;
    if (const auto* user = std::get_if<flat::UserFunction>(&source)) {
      type = std::get<sema::Func>(types[model_.typed.decls[user->function].type]).result;
      element = user->element;
    } else if (const auto* box = std::get_if<flat::BoxFunction>(&source)) {
      type = model_.typed.type[box->box.source];
      element = box->box.element;
    } else {
      return false;
    }
    if (!flat::is_scalar_based(types, type)) return false;
    const std::vector<sema::TypeId> scalars = flat::scalar_types(types, type);
    return !types.is(scalars[at(element)], sema::BasicType::Real);
  }

  void note_derivative(ExprId leaf) {
    const expr::VarRef ref = pool_.variable(leaf);
    if (ref.order > 0) can_be_unknown_[at(ref.var.index)] = 1;
  }

  void unite_all(int element, const std::vector<std::int32_t>& slots) {
    for (const std::int32_t slot : slots) {
      if (can_be_unknown_[at(slot)]) sets_.unite(element, slot);
    }
  }

  void join() {
    std::vector<ExprId> guards;
    for (const flat::Branch& branch : set_.branches) guards.push_back(branch.guard);
    const auto in_guards = all_variables(pool_, guards);
    for (ChoiceId c{0}; c.index < set_.choices.size(); ++c.index) {
      const flat::Choice& choice = set_.choices[c];
      for (std::int32_t b = choice.first; b < choice.first + choice.count; ++b) {
        unite_all(choice_element(c), in_guards[at(b)]);
      }
    }
    moves_.assign(at(set_.choices.size()), 0);
    is_copied_.assign(at(set_.choices.size()), 0);
    for (ChoiceId c{0}; c.index < set_.choices.size(); ++c.index) {
      const flat::Choice& choice = set_.choices[c];
      for (std::int32_t b = choice.first; b < choice.first + choice.count; ++b) {
        for (const std::int32_t slot : in_guards[at(b)]) {
          if (can_be_unknown_[at(slot)]) moves_[at(c.index)] = 1;
        }
      }
    }
    for (EquationId e{0}; e.index < set_.equations.size(); ++e.index) {
      const auto& slots = variables_[at(e.index)];
      const auto first = std::find_if(slots.begin(), slots.end(),
                                      [&](std::int32_t s) { return can_be_unknown_[at(s)] != 0; });
      if (first != slots.end()) unite_all(*first, slots);
      // A guard that no unknown can change does not tie together what it opens.
      for (BranchId b = set_.equations[e].branch; b; b = parent_of(b)) {
        const ChoiceId c = set_.branches[b].choice;
        if (moves_[at(c.index)] && first != slots.end()) sets_.unite(choice_element(c), *first);
      }
    }
    for (const flat::Unknown& u : set_.unknowns) {
      for (BranchId b = u.branch; b; b = parent_of(b)) {
        const ChoiceId c = set_.branches[b].choice;
        if (moves_[at(c.index)]) sets_.unite(choice_element(c), u.variable.var.index);
      }
    }
    for (const auto& slots : all_variables(pool_, together_)) {
      const auto first = std::find_if(slots.begin(), slots.end(),
                                      [&](std::int32_t s) { return can_be_unknown_[at(s)] != 0; });
      if (first != slots.end()) unite_all(*first, slots);
    }
  }

  BranchId parent_of(BranchId b) const { return set_.choices[set_.branches[b].choice].parent; }

  void number_parts() {
    part_of_element_.assign(at(model_.variable_slots + set_.choices.size()), -1);
    result_.part_of_slot.assign(at(model_.variable_slots), -1);
    for (std::int32_t s = 0; s < model_.variable_slots; ++s) {
      if (can_be_unknown_[at(s)]) result_.part_of_slot[at(s)] = part_of(s);
    }
  }

  std::int32_t part_of(int element) {
    std::int32_t& part = part_of_element_[at(sets_.find(element))];
    if (part < 0) part = new_part();
    return part;
  }

  std::int32_t new_part() {
    result_.parts.emplace_back();
    choices_.emplace_back();
    return static_cast<std::int32_t>(result_.parts.size()) - 1;
  }

  /// The copy of a branch, and of all it stands in, in a part.
  BranchId copied(std::int32_t part, BranchId branch) {
    if (!branch) return {};
    const ChoiceId old = set_.branches[branch].choice;
    return BranchId{copied(part, old).first + (branch.index - set_.choices[old].first)};
  }

  const flat::Choice& copied(std::int32_t part, ChoiceId old) {
    flat::EquationSet& set = result_.parts[at(part)].set;
    auto& known = choices_[at(part)];
    const auto found = known.find(old);
    if (found != known.end()) return set.choices[found->second];
    flat::Choice choice = set_.choices[old];
    choice.parent = copied(part, choice.parent);
    const std::int32_t first = choice.first;
    choice.first = set.branches.size();
    const ChoiceId id = set.choices.add(choice);
    for (std::int32_t k = 0; k < choice.count; ++k) {
      flat::Branch branch = set_.branches[BranchId{first + k}];
      branch.choice = id;
      branch.guard = guards_[at(first + k)];
      add_steps(result_.parts[at(part)].steps, steps_of_[rows_.size() + at(first + k)]);
      set.branches.add(branch);
    }
    known.emplace(old, id);
    is_copied_[at(old.index)] = 1;
    return set.choices[id];
  }

  void add_equation(EquationId e) {
    std::int32_t part = -1;
    for (const std::int32_t slot : variables_[at(e.index)]) {
      if (can_be_unknown_[at(slot)]) {
        part = result_.part_of_slot[at(slot)];
        break;
      }
    }
    if (part < 0) part = new_part();  // no unknown in any mode: singular, and reported as such
    flat::Equation copy = set_.equations[e];
    copy.left = rows_[at(e.index)];
    copy.right = expr::constant(pool_, 0);
    copy.branch = copied(part, copy.branch);
    result_.parts[at(part)].set.equations.add(copy);
    result_.parts[at(part)].origin.push_back(e);
    add_steps(result_.parts[at(part)].steps, steps_of_[at(e.index)]);
  }

  void add_unknown(const flat::Unknown& unknown) {
    const std::int32_t part = result_.part_of_slot[at(unknown.variable.var.index)];
    flat::Unknown copy = unknown;
    copy.branch = copied(part, copy.branch);
    result_.parts[at(part)].set.unknowns.push_back(copy);
  }

  /// A choice without equations can still have no open alternative.
  void add_lonely_choice(ChoiceId c) {
    if (!set_.choices[c].must_open) return;
    if (is_copied_[at(c.index)]) return;
    copied(moves_[at(c.index)] ? part_of(choice_element(c)) : new_part(), c);
  }

  flat::FlatModel& model_;
  expr::Pool& pool_;
  const flat::EquationSet& set_;
  std::span<const ExprId> together_;
  graph::UnionFind sets_;
  std::vector<char> can_be_unknown_;  // by slot
  std::vector<char> moves_;  // by choice: some guard of it has a variable that can be unknown
  std::vector<ExprId> rows_;
  std::vector<std::vector<std::int32_t>> variables_;  // by equation
  std::vector<HeldStep> steps_;
  std::vector<std::vector<HeldStep>> steps_of_;  // by equation, then by branch, then by `together`
  std::vector<ExprId> guards_;                   // by branch, with these held
  std::vector<std::int32_t> part_of_element_;
  std::vector<char> is_copied_;                                  // by choice: into some part
  std::vector<std::unordered_map<ChoiceId, ChoiceId>> choices_;  // by part: old to new
  Parts result_;
};

}  // namespace

void add_steps(std::vector<HeldStep>& to, std::span<const HeldStep> steps) {
  for (const HeldStep& step : steps) {
    const auto is_same = [&](const HeldStep& held) { return held.leaf == step.leaf; };
    if (std::ranges::none_of(to, is_same)) to.push_back(step);
  }
}

std::vector<std::vector<std::int32_t>> all_variables(const expr::Pool& pool,
                                                     std::span<const expr::ExprId> roots) {
  const expr::Occurrences found = expr::occurrences(
      pool, roots, {}, [&](ExprId e) { return pool.op(e) == expr::Op::Variable ? e : ExprId{}; },
      expr::kHasVariable);
  std::vector<std::vector<std::int32_t>> result(roots.size());
  for (int i = 0; i < found.rows(); ++i) {
    for (const ExprId leaf : found.row(i)) {
      result[at(i)].push_back(pool.variable(leaf).var.index);
    }
    std::sort(result[at(i)].begin(), result[at(i)].end());
    result[at(i)].erase(std::unique(result[at(i)].begin(), result[at(i)].end()),
                        result[at(i)].end());
  }
  return result;
}

Parts split_parts(flat::FlatModel& model, std::span<const expr::ExprId> together) {
  return Splitter(model, together).run();
}

}  // namespace chi::sim
