#include "flat/equation_uses.h"

#include "expr/cone.h"
#include "flat/expr_facts.h"
#include "flat/layout.h"
#include "syntax/children.h"

namespace chi::flat {
namespace {

using sema::DeclId;
using sema::DeclKind;

class UseFinder {
 public:
  explicit UseFinder(const FlatModel& model)
      : model_(model), slots_(static_cast<std::size_t>(model.variable_slots)) {}

  std::vector<SlotUse> find() {
    equations();
    memories();
    boxes();
    instants();
    delays();
    substitutions();  // last: what is unknown otherwise is known by then
    return std::move(slots_);
  }

 private:
  SlotUse& at(std::int32_t slot) { return slots_[static_cast<std::size_t>(slot)]; }

  void equations() {
    const EquationSet& system = model_.equations.system;
    std::vector<expr::ExprId> roots;
    for (const Equation& equation : system.equations) {
      roots.push_back(equation.left);
      roots.push_back(equation.right);
    }
    for (const Branch& branch : system.branches) roots.push_back(branch.guard);
    depend(roots);
    for (const Unknown& unknown : system.unknowns) {
      if (unknown.variable.order > 0) continue;
      SlotUse& use = at(unknown.variable.var.index);
      use.unknown = use.used = use.moves = true;
    }
  }

  void depend(const std::vector<expr::ExprId>& roots) {
    const expr::Pool& pool = model_.equations.pool;
    const expr::Cone cone(pool, roots);
    for (const expr::ExprId e : cone.nodes()) {
      const expr::Op op = pool.op(e);
      if (op == expr::Op::Variable) {
        const expr::VarRef v = pool.variable(e);
        at(v.var.index).used = true;
        if (v.order > 0) at(v.var.index).moves = true;
      } else if (op == expr::Op::DiscreteReal || op == expr::Op::DiscreteBool) {
        const auto& source = model_.equations.discrete[pool.discrete(e)].source;
        if (const auto* slot = std::get_if<DiscreteSlot>(&source)) at(slot->slot).used = true;
      }
    }
  }

  /// Their values depend on variables; nothing but the rounds changes them.
  void memories() {
    std::vector<expr::ExprId> roots;
    for (const Memory& memory : model_.equations.memories) {
      roots.push_back(memory.value);
      if (memory.slot >= 0) at(memory.slot).used = at(memory.slot).moves = true;
    }
    depend(roots);
  }

  /// Boxed expressions depend on all variables that their text names, in whole.
  void boxes() {
    for (const DiscreteInput& input : model_.equations.discrete) {
      if (const auto* box = std::get_if<BlackBox>(&input.source)) depend(*box);
    }
    for (const FunctionSource& source : model_.equations.functions) {
      if (const auto* function = std::get_if<BoxFunction>(&source)) depend(function->box);
    }
  }

  void depend(const BlackBox& box) {
    std::vector<syntax::ExprId> pending{box.source};
    while (!pending.empty()) {
      const syntax::ExprId e = pending.back();
      pending.pop_back();
      const auto* decl = std::get_if<DeclId>(&model_.typed.resolution[e]);
      if (decl != nullptr) {
        each_slot(box.block, *decl, [](SlotUse& use) { use.used = true; });
      }
      syntax::append_children(model_.typed.ast, e, pending);
    }
  }

  /// What a name of a block stands for, if it is a variable.
  template <class Mark>
  void each_slot(std::int32_t block_number, DeclId id, Mark mark) {
    const sema::Decl& decl = model_.typed.decls[id];
    const Block& block = model_.blocks[static_cast<std::size_t>(block_number)];
    const auto k = static_cast<std::size_t>(decl.ordinal);
    std::int32_t slot = -1;
    sema::TypeId type;
    if (decl.kind == DeclKind::Local && block.variables[k]) {
      slot = model_.variables[block.variables[k]].slot;
      type = model_.variables[block.variables[k]].type;
    } else if (decl.kind == DeclKind::RefParam) {
      slot = std::get<BoundVariable>(block.bindings[k]).slot;
      type = model_.bodies[block.body].params[k];
    } else {
      return;
    }
    const std::int64_t count = slot_count(model_.typed.types, type);
    for (std::int64_t i = 0; i < count; ++i) mark(at(slot + static_cast<std::int32_t>(i)));
  }

  /// Variables that instantaneous equations determine: per definition, then per instance.
  void instants() {
    const syntax::Ast& ast = model_.typed.ast;
    std::vector<std::vector<DeclId>> of_definition(model_.typed.definitions.size());
    bool any = false;
    for (std::size_t d = 0; d < of_definition.size(); ++d) {
      const auto* process = std::get_if<syntax::ProcDef>(&ast.definitions[d].node);
      if (process == nullptr) continue;
      statements(process->body, of_definition[d]);
      any = any || !of_definition[d].empty();
    }
    if (!any) return;
    for (std::size_t b = 0; b < model_.blocks.size(); ++b) {
      const std::int32_t definition = model_.bodies[model_.blocks[b].body].definition;
      for (const DeclId decl : of_definition[static_cast<std::size_t>(definition)]) {
        each_slot(static_cast<std::int32_t>(b), decl, [](SlotUse& use) { use.moves = true; });
      }
    }
  }

  /// The past of what statements look back at is kept: an assignment to it concerns that.
  void delays() {
    const sema::TypedModel& typed = model_.typed;
    std::vector<std::vector<DeclId>> of_definition(typed.definitions.size());
    for (syntax::ExprId e{0}; e.index < typed.ast.exprs.size(); ++e.index) {
      if (!is_delay(typed, e)) continue;
      std::vector<syntax::ExprId> pending{e};
      while (!pending.empty()) {
        const syntax::ExprId part = pending.back();
        pending.pop_back();
        if (const auto* decl = std::get_if<DeclId>(&typed.resolution[part])) {
          const std::int32_t owner = typed.decls[*decl].owner;
          if (owner >= 0) of_definition[static_cast<std::size_t>(owner)].push_back(*decl);
        }
        syntax::append_children(typed.ast, part, pending);
      }
    }
    for (std::size_t b = 0; b < model_.blocks.size(); ++b) {
      const std::int32_t definition = model_.bodies[model_.blocks[b].body].definition;
      for (const DeclId decl : of_definition[static_cast<std::size_t>(definition)]) {
        each_slot(static_cast<std::int32_t>(b), decl, [](SlotUse& use) { use.used = true; });
      }
    }
  }

  // Both follow the nesting of the text, which the parser limits.
  void statements(Slice<syntax::StatId> body, std::vector<DeclId>& out) const {
    const syntax::Ast& ast = model_.typed.ast;
    const auto alternatives = [&](Slice<syntax::Alternative> list) {
      for (const syntax::Alternative& a : ast.list(list)) statements(a.body, out);
    };
    for (const syntax::StatId id : ast.list(body)) {
      const auto& node = ast.stats[id].node;
      if (const auto* n = std::get_if<syntax::Instant>(&node)) unknowns(n->equations, out);
      if (const auto* n = std::get_if<syntax::Select>(&node)) alternatives(n->alternatives);
      if (const auto* n = std::get_if<syntax::Loop>(&node)) alternatives(n->alternatives);
      if (const auto* n = std::get_if<syntax::Forever>(&node)) statements(n->body, out);
    }
  }

  void unknowns(Slice<syntax::EquationId> list, std::vector<DeclId>& out) const {
    const syntax::Ast& ast = model_.typed.ast;
    const auto add = [&](Slice<syntax::ExprId> declared) {
      std::vector<syntax::ExprId> pending;
      for (const syntax::ExprId e : ast.list(declared)) pending.push_back(e);
      while (!pending.empty()) {
        const syntax::ExprId e = pending.back();
        pending.pop_back();
        const auto* decl = std::get_if<DeclId>(&model_.typed.resolution[e]);
        if (decl != nullptr) out.push_back(*decl);
        syntax::append_children(ast, e, pending);
      }
    };
    for (const syntax::EquationId id : ast.list(list)) {
      const auto& node = ast.equations[id].node;
      if (const auto* n = std::get_if<syntax::UnknownDecl>(&node)) add(n->unknowns);
      if (const auto* n = std::get_if<syntax::ImpulseDecl>(&node)) add(n->unknowns);
      if (const auto* n = std::get_if<syntax::UnwoundEquations>(&node)) unknowns(n->body, out);
      if (const auto* n = std::get_if<syntax::GuardedEquations>(&node)) {
        for (const auto& alternative : ast.list(n->alternatives)) unknowns(alternative.body, out);
      }
    }
  }

  void substitutions() {
    const expr::Pool& pool = model_.equations.pool;
    std::vector<expr::ExprId> roots;
    for (const Substitution& s : model_.equations.substitutions) roots.push_back(s.value);
    depend(roots);
    // Per node: whether the IP has to be solved for it. One sweep, as operands come first.
    const expr::Cone cone(pool, roots);
    std::vector<char> unknown(static_cast<std::size_t>(cone.size()), 0);
    for (int k = 0; k < cone.size(); ++k) {
      char& found = unknown[static_cast<std::size_t>(k)];
      if (pool.op(cone[k]) == expr::Op::Variable) {
        const expr::VarRef v = pool.variable(cone[k]);
        found = v.order > 0 || at(v.var.index).unknown ? 1 : 0;
        continue;
      }
      const expr::Operands operands = pool.operands(cone[k]);
      for (int i = 0; i < operands.size(); ++i) {
        found = static_cast<char>(found |
                                  unknown[static_cast<std::size_t>(cone.position(operands[i]))]);
      }
    }
    for (const Substitution& s : model_.equations.substitutions) {
      if (s.variable.order > 0) continue;
      SlotUse& use = at(s.variable.var.index);
      use.substituted = use.moves = true;
      use.used |= static_cast<bool>(s.discrete);  // assignments to it are found
      use.unknown = unknown[static_cast<std::size_t>(cone.position(s.value))] != 0;
    }
  }

  const FlatModel& model_;
  std::vector<SlotUse> slots_;
};

/// Whether the model has equations of any kind, or asks for what only who integrates them knows.
bool has_equations(const FlatModel& model) {
  const EquationSet& system = model.equations.system;
  if (!system.equations.empty() || !system.unknowns.empty() || !system.choices.empty() ||
      !model.equations.substitutions.empty() || !model.equations.memories.empty()) {
    return true;
  }
  for (const syntax::Stat& stat : model.typed.ast.stats) {
    if (std::holds_alternative<syntax::Instant>(stat.node)) return true;
  }
  for (syntax::ExprId e{0}; e.index < model.typed.ast.exprs.size(); ++e.index) {
    if (is_delay(model.typed, e)) return true;
  }
  return false;
}

}  // namespace

SlotUse& SlotUse::operator|=(const SlotUse& other) {
  unknown |= other.unknown;
  substituted |= other.substituted;
  used |= other.used;
  moves |= other.moves;
  return *this;
}

EquationUses::EquationUses(const FlatModel& model) {
  if (!has_equations(model)) return;
  const std::vector<SlotUse> slots = UseFinder(model).find();
  before_.resize(slots.size() + 1);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    before_[i + 1] = before_[i];
    before_[i + 1].unknown += slots[i].unknown ? 1 : 0;
    before_[i + 1].substituted += slots[i].substituted ? 1 : 0;
    before_[i + 1].used += slots[i].used ? 1 : 0;
    before_[i + 1].moves += slots[i].moves ? 1 : 0;
  }
}

SlotUse EquationUses::of(std::int32_t slot, std::int64_t count) const {
  if (none() || count == 0) return {};
  const Counts& a = before_[static_cast<std::size_t>(slot)];
  const Counts& b = before_[static_cast<std::size_t>(slot + count)];
  return {.unknown = a.unknown != b.unknown,
          .substituted = a.substituted != b.substituted,
          .used = a.used != b.used,
          .moves = a.moves != b.moves};
}

}  // namespace chi::flat
