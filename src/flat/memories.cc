#include "flat/memories.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "expr/build.h"
#include "expr/cone.h"
#include "flat/layout.h"
#include "flat/scalars.h"
#include "syntax/children.h"

namespace chi::flat {
namespace {

using expr::ExprId;
using expr::Op;
using expr::Replacement;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

Memories::Memories(FlatModel& model, std::vector<DiscreteEquation> written,
                   Diagnostics& diagnostics)
    : model_(model),
      all_(std::move(written)),
      diagnostics_(diagnostics),
      is_memory_(all_.size(), 0) {}

ExprId Memories::leaf(expr::DiscreteId id, bool boolean) const {
  expr::Pool& pool = model_.equations.pool;
  return boolean ? expr::discrete_bool(pool, id) : expr::discrete_real(pool, id);
}

bool Memories::find(std::vector<Substitution>& substitutions) {
  if (all_.empty()) return true;
  if (!check_doubles() || !check_cycles(substitutions) || !check_boxes()) return false;
  find_looked_back_at();
  std::vector<Replacement> written;
  for (const Substitution& s : substitutions) {
    written.push_back(
        {expr::variable(model_.equations.pool, s.variable.var, s.variable.order), s.value});
  }
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const DiscreteEquation& e = all_[i];
    if (is_memory_[i] != 0) continue;
    written.push_back({leaf(e), e.value});
    substitutions.push_back({.variable = {{e.slot}, 0},
                             .value = e.value,
                             .block = e.block,
                             .span = e.span,
                             .discrete = e.leaf});
  }
  const int before = diagnostics_.error_count();
  collect(expr::resolve_substitutes(model_.equations.pool, written).replacements);
  return diagnostics_.error_count() == before;
}

bool Memories::check_doubles() {
  const int before = diagnostics_.error_count();
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const auto [found, added] = equation_of_.emplace(leaf(all_[i]), i);
    if (added) continue;
    diagnostics_.report({.code = DiagCode::DuplicateSubstitute,
                         .span = all_[i].span,
                         .message = fmt::format("`{}` has two discrete equations",
                                                scalar_name(model_, all_[i].slot)),
                         .labels = {{all_[found->second].span, "the first one"}}});
    if (diagnostics_.error_count() >= before + 10) break;
  }
  return diagnostics_.error_count() == before;
}

/// Bare names are new values: they must have an order. `pre` reads another leaf.
bool Memories::check_cycles(const std::vector<Substitution>& substitutions) {
  expr::Pool& pool = model_.equations.pool;
  std::vector<Replacement> written;
  for (const DiscreteEquation& e : all_) written.push_back({leaf(e), e.value});
  for (const Substitution& s : substitutions) {
    written.push_back({expr::variable(pool, s.variable.var, s.variable.order), s.value});
  }
  const std::vector<ExprId> cycle = expr::resolve_substitutes(pool, written).cycle;
  // One of reals alone is reported with these.
  if (std::ranges::none_of(cycle, [&](ExprId e) { return equation_of_.contains(e); })) return true;
  const auto name = [&](ExprId e) {
    return pool.op(e) == Op::Variable ? scalar_name(model_, pool.variable(e).var.index)
                                      : scalar_name(model_, all_[equation_of_.at(e)].slot);
  };
  Diagnostic d{.code = DiagCode::SubstituteCycle,
               .help = "`pre(v)` is the value of v before: a cycle through it is memory"};
  std::string text;
  for (const ExprId e : cycle) {
    text += fmt::format("`{}` <- ", name(e));
    if (!equation_of_.contains(e)) continue;
    const Span span = all_[equation_of_.at(e)].span;
    if (!d.span) {
      d.span = span;
    } else if (span != *d.span) {
      d.labels.push_back({span, "and this one"});
    }
  }
  d.message = fmt::format("discrete equations form a cycle without `pre`: {}`{}`", text,
                          name(cycle.front()));
  diagnostics_.report(std::move(d));
  return false;
}

/// What is executed as a whole reads variables where they are, not their new values.
bool Memories::check_boxes() {
  const expr::Pool& pool = model_.equations.pool;
  std::vector<char> is_determined(at(model_.variable_slots), 0);
  for (const DiscreteEquation& e : all_) is_determined[at(e.slot)] = 1;
  const auto reads_determined = [&](const BlackBox& box) {
    std::vector<syntax::ExprId> pending{box.source};
    const Block& block = model_.blocks[at(box.block)];
    while (!pending.empty()) {
      const syntax::ExprId e = pending.back();
      pending.pop_back();
      syntax::append_children(model_.typed.ast, e, pending);
      const auto* id = std::get_if<sema::DeclId>(&model_.typed.resolution[e]);
      if (id == nullptr || !*id) continue;
      const sema::Decl& decl = model_.typed.decls[*id];
      const auto k = static_cast<std::size_t>(decl.ordinal);
      std::int32_t slot = -1;
      std::int64_t count = 0;
      if (decl.kind == sema::DeclKind::Local && block.variables[k]) {
        slot = model_.variables[block.variables[k]].slot;
        count = slot_count(model_.typed.types, model_.variables[block.variables[k]].type);
      } else if (decl.kind == sema::DeclKind::RefParam) {
        slot = std::get<BoundVariable>(block.bindings[k]).slot;
        count = slot_count(model_.typed.types, model_.bodies[block.body].params[k]);
      }
      for (std::int64_t i = 0; i < count; ++i) {
        if (is_determined[static_cast<std::size_t>(slot + i)] != 0) return true;
      }
    }
    return false;
  };
  const int before = diagnostics_.error_count();
  for (const DiscreteEquation& equation : all_) {
    const expr::Cone cone(pool, std::array{equation.value});
    for (const ExprId e : cone.nodes()) {
      const BlackBox* box = nullptr;
      if (pool.op(e) == Op::DiscreteReal || pool.op(e) == Op::DiscreteBool) {
        box = std::get_if<BlackBox>(&model_.equations.discrete[pool.discrete(e)].source);
      } else if (pool.op(e) == Op::Call) {
        const auto* function =
            std::get_if<BoxFunction>(&model_.equations.functions[pool.called(e)]);
        if (function != nullptr) box = &function->box;
      }
      if (box == nullptr || !reads_determined(*box)) continue;
      diagnostics_.report(
          {.code = DiagCode::NotInEquations,
           .span = model_.typed.ast.exprs[box->source].span,
           .message =
               "a discrete equation cannot hand variables of discrete equations to what only "
               "statements compute",
           .help = "use numbers and truth values, or let a statement compute it"});
      break;
    }
  }
  return diagnostics_.error_count() == before;
}

bool Memories::looks_back(ExprId value) const {
  const expr::Pool& pool = model_.equations.pool;
  const expr::Cone cone(pool, std::array{value});
  return std::ranges::any_of(cone.nodes(), [&](ExprId e) {
    if (pool.op(e) != Op::DiscreteReal && pool.op(e) != Op::DiscreteBool) return false;
    const auto& source = model_.equations.discrete[pool.discrete(e)].source;
    return std::holds_alternative<DiscreteMemory>(source);
  });
}

void Memories::find_looked_back_at() {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    // What may come out below zero is looked at, each time it changes.
    if (all_[i].natural || looks_back(all_[i].value)) is_memory_[i] = 1;
  }
  for (const Before& b : model_.equations.before) {
    const auto found = equation_of_.find(b.of);
    if (found != equation_of_.end()) is_memory_[found->second] = 1;
  }
}

/// By slot: whether the equations determine it at an instant.
std::vector<char> Memories::unknown_slots() const {
  std::vector<char> result(at(model_.variable_slots), 0);
  for (const Unknown& u : model_.equations.system.unknowns) {
    if (u.variable.order == 0) result[at(u.variable.var.index)] = 1;
  }
  return result;
}

bool Memories::is_solved_together(ExprId value, const std::vector<char>& unknown) const {
  const expr::Pool& pool = model_.equations.pool;
  std::vector<ExprId> relations;
  const expr::Cone cone(pool, std::array{value});
  for (const ExprId e : cone.nodes()) {
    if (expr::is_relation(pool.op(e)) && pool.has(e, expr::kHasVariable)) relations.push_back(e);
  }
  const expr::Cone below(pool, relations);
  return std::ranges::any_of(below.nodes(), [&](ExprId e) {
    if (pool.op(e) != Op::Variable) return false;
    const expr::VarRef x = pool.variable(e);
    return x.order > 0 || unknown[at(x.var.index)] != 0;
  });
}

/// Only relations make events: `floor(x)` would change between two of them.
void Memories::check_whole(ExprId value, const Memory& memory) {
  const expr::Pool& pool = model_.equations.pool;
  expr::NodeIndex truths(pool.size());
  const expr::Cone all(pool, std::array{value});
  for (const ExprId e : all.nodes()) {
    const Op op = pool.op(e);
    const bool combines = op == Op::Not || op == Op::And || op == Op::Or || expr::is_if(op);
    if (pool.has(e, expr::kBoolean) && !combines) truths.set(e, 0);
  }
  const expr::Cone cone(pool, std::array{value}, {}, &truths);
  const bool moves = std::ranges::any_of(
      cone.nodes(), [&](ExprId e) { return pool.op(e) == Op::Variable || pool.op(e) == Op::Time; });
  if (!moves) return;
  diagnostics_.report({.code = DiagCode::NotInEquations,
                       .span = memory.span,
                       .message = "a discrete equation with memory computes a number from real "
                                  "variables",
                       .help = "compare them, as in `if x >= 1 then 1 else 0`"});
}

/// A truth that the run sets while the memory is to be found together with the equations.
ExprId Memories::add_gate(const DiscreteEquation& e) {
  Equations& out = model_.equations;
  const auto gate = out.discrete.add({.source = DiscreteMemory{}, .boolean = true});
  gates_.push_back({.now = gate,
                    .next = out.discrete.add({.source = DiscreteMemory{}, .boolean = true}),
                    .value = expr::boolean(out.pool, false),
                    .boolean = true,
                    .block = e.block,
                    .span = e.span});
  return expr::discrete_bool(out.pool, gate);
}

ExprId Memories::gated(ExprId gate, ExprId open, ExprId closed) const {
  expr::Pool& pool = model_.equations.pool;
  if (!pool.has(open, expr::kBoolean)) {
    return expr::if_else(pool, expr::IfKind::Evented, gate, open, closed);
  }
  return expr::disjunction(pool, expr::conjunction(pool, gate, open),
                           expr::conjunction(pool, expr::negation(pool, gate), closed));
}

void Memories::collect(const std::vector<Replacement>& abbreviations) {
  Equations& out = model_.equations;
  expr::Pool& pool = out.pool;
  std::vector<Memory>& memories = out.memories;
  std::vector<std::size_t> equations;  // of the first ones
  std::vector<Replacement> new_values;
  const auto add = [&](Memory memory) {
    memory.next = out.discrete.add({.source = DiscreteMemory{}, .boolean = memory.boolean});
    memories.push_back(memory);
  };
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const DiscreteEquation& e = all_[i];
    if (is_memory_[i] == 0) continue;
    equations.push_back(i);
    add({.now = e.leaf,
         .next = {},
         .slot = e.slot,
         .value = e.value,
         .boolean = e.boolean,
         .natural = e.natural,
         .block = e.block,
         .span = e.span});
    new_values.push_back({leaf(e), leaf(memories.back().next, e.boolean)});
  }
  for (const Before& b : out.before) {
    const bool boolean = pool.has(b.of, expr::kBoolean);
    const auto found = equation_of_.find(b.of);
    if (found != equation_of_.end()) {
      looked_back_at_.push_back({leaf(b.leaf, boolean), b.of});
    } else {
      add({.now = b.leaf,
           .next = {},
           .value = b.of,
           .boolean = boolean,
           .block = b.block,
           .span = b.span});
    }
  }
  // In the equations: over what was before, and with the present values of the other ones.
  const std::vector<char> unknown = unknown_slots();
  std::vector<Replacement> together;
  std::vector<ExprId> values;
  for (const Memory& m : memories) values.push_back(m.value);
  values = expr::substitute(pool, values, abbreviations);
  std::vector<Replacement> fixed;  // stands for the value of the round, while they are resolved
  for (std::size_t k = 0; k < equations.size(); ++k) {
    const DiscreteEquation& e = all_[equations[k]];
    if (!looks_back(e.value)) {
      together.push_back({leaf(e), values[k]});
    } else if (is_solved_together(values[k], unknown)) {
      const auto stand_in = out.discrete.add({.source = DiscreteMemory{}, .boolean = e.boolean});
      fixed.push_back({leaf(stand_in, e.boolean), leaf(e)});
      const ExprId gate = add_gate(e);
      together.push_back({leaf(e), gated(gate, values[k], fixed.back().what)});
    }
  }
  for (std::size_t k = 0; k < memories.size(); ++k) check_whole(values[k], memories[k]);
  in_equations_ = expr::resolve_substitutes(pool, together).replacements;
  std::vector<ExprId> inside;
  for (const Replacement& r : in_equations_) inside.push_back(r.by);
  inside = expr::substitute(pool, inside, fixed);
  inside = expr::substitute(pool, inside, looked_back_at_);
  for (std::size_t k = 0; k < inside.size(); ++k) in_equations_[k].by = inside[k];

  // In the rounds: bare names are new values. In an order in which these are known.
  values = expr::substitute(pool, values, new_values);
  values = expr::substitute(pool, values, looked_back_at_);
  for (std::size_t k = 0; k < memories.size(); ++k) memories[k].value = values[k];
  memories.insert(memories.end(), gates_.begin(), gates_.end());
  std::unordered_map<expr::DiscreteId, std::size_t> by_next;
  for (std::size_t k = 0; k < memories.size(); ++k) by_next.emplace(memories[k].next, k);
  std::vector<Memory> sorted;
  std::vector<char> state(memories.size(), 0);  // 1: on the way, 2: done
  for (std::size_t start = 0; start < memories.size(); ++start) {
    std::vector<std::size_t> stack{start};
    while (!stack.empty()) {
      const std::size_t k = stack.back();
      if (state[k] == 0) {
        state[k] = 1;
        const expr::Cone cone(pool, std::array{memories[k].value});
        for (const ExprId e : cone.nodes()) {
          if (pool.op(e) != Op::DiscreteReal && pool.op(e) != Op::DiscreteBool) continue;
          const auto found = by_next.find(pool.discrete(e));
          if (found != by_next.end() && state[found->second] == 0) stack.push_back(found->second);
        }
        continue;
      }
      stack.pop_back();
      if (std::exchange(state[k], char{2}) != 2) sorted.push_back(memories[k]);
    }
  }
  memories = std::move(sorted);
  for (std::size_t k = 0; k < memories.size(); ++k) {
    const DiscreteMemory number{static_cast<std::int32_t>(k)};
    out.discrete[memories[k].next].source = number;
    if (memories[k].slot < 0) out.discrete[memories[k].now].source = number;
  }
}

void Memories::apply() {
  if (in_equations_.empty()) return;
  expr::Pool& pool = model_.equations.pool;
  EquationSet& set = model_.equations.system;
  std::vector<ExprId> roots;
  for (const Equation& e : set.equations) {
    roots.push_back(e.left);
    roots.push_back(e.right);
  }
  for (const Branch& b : set.branches) roots.push_back(b.guard);
  roots = expr::substitute(pool, roots, in_equations_);
  std::size_t next = 0;
  for (Equation& e : set.equations) {
    e.left = roots[next++];
    e.right = roots[next++];
  }
  for (Branch& b : set.branches) b.guard = roots[next++];
}

}  // namespace chi::flat
