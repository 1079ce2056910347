#include "sim/engine/engine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_set>

#include <fmt/format.h>

#include "base/doing.h"
#include "expr/evaluate.h"
#include "expr/incidence.h"
#include "flat/expr_facts.h"
#include "flat/layout.h"
#include "flat/scalars.h"
#include "sim/engine/instant.h"
#include "sim/modes/tolerances.h"
#include "sim/part/deciding.h"
#include "sim/timestepping/time_stepper.h"
#include "syntax/children.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// The slots of all variables that the text of a box names.
std::vector<std::int32_t> named_slots(const flat::FlatModel& model, const flat::BlackBox& box) {
  const flat::Block& block = model.blocks[at(box.block)];
  std::vector<std::int32_t> slots;
  const auto add = [&](std::int32_t slot, sema::TypeId type) {
    const std::int64_t count = flat::slot_count(model.typed.types, type);
    for (std::int64_t i = 0; i < count; ++i) slots.push_back(slot + static_cast<std::int32_t>(i));
  };
  std::vector<syntax::ExprId> pending{box.source};
  while (!pending.empty()) {
    const syntax::ExprId e = pending.back();
    pending.pop_back();
    syntax::append_children(model.typed.ast, e, pending);
    const auto* name = std::get_if<sema::DeclId>(&model.typed.resolution[e]);
    if (name == nullptr) continue;
    const sema::Decl& decl = model.typed.decls[*name];
    const std::int32_t k = decl.ordinal;
    if (decl.kind == sema::DeclKind::Local && block.variables[at(k)]) {
      const flat::Variable& variable = model.variables[block.variables[at(k)]];
      add(variable.slot, variable.type);
    } else if (decl.kind == sema::DeclKind::RefParam) {
      add(std::get<flat::BoundVariable>(block.bindings[at(k)]).slot,
          model.bodies[block.body].params[at(k)]);
    }
  }
  return slots;
}

}  // namespace

Engine::Engine(flat::FlatModel& model, code::Program& program, code::Machine& machine,
               const Frames& frames, const RunOptions& options)
    : workshop_{.model = model, .machine = machine, .frames = frames, .options = options},
      program_(program),
      statements_(model),
      memories_(model) {
  boxes_ = std::make_unique<code::ModelBoxes>(
      model, program, machine, code::BoxPlaces{frames.base, [this](std::int32_t slot) {
                                                 return memory_slot(workshop_.model,
                                                                    workshop_.frames, slot);
                                               }});
  boxes_->set_table_margin(tolerance::kMarginOfTable * Part::kRelativeBand,
                           tolerance::kMarginOfTable * tolerance::kBandOfAtol * options.atol);
  workshop_.boxes = boxes_.get();
  workshop_.explain_box = [this](ExprId node, std::int32_t block) {
    return explain_box(node, block);
  };
  is_set_.assign(at(model.variable_slots), 0);
  for (const flat::Variable& variable : model.variables) {
    if (!model.typed.decls[variable.decl].initial) continue;
    const std::int64_t slots = flat::slot_count(model.typed.types, variable.type);
    std::fill_n(is_set_.begin() + variable.slot, slots, char{1});
  }
  workshop_.discrete = [this](expr::DiscreteId id) { return discrete_value(id); };
  workshop_.warn = [this](Diagnostic warning) {
    constexpr std::size_t kMost = 20;
    const auto is_same = [&](const Diagnostic& told) {
      return told.code == warning.code && told.span && warning.span &&
             told.span->begin == warning.span->begin;
    };
    if (warnings_.size() >= kMost || std::ranges::any_of(warnings_, is_same)) return;
    warnings_.push_back(std::move(warning));
  };
  workshop_.is_set = [this](std::int32_t slot) { return is_set_[at(slot)] != 0; };
  for (const flat::Substitution& s : model.equations.substitutions) {
    if (s.variable.order == 0) {
      substituted_.emplace(memory_slot(model, frames, s.variable.var.index), s);
    } else if (s.variable.order == 1) {
      substituted_rates_.emplace(s.variable.var.index, s.value);
    }
  }
}

Engine::~Engine() = default;

double Engine::discrete_value(expr::DiscreteId id) {
  if (id.index >= kFirstHeld) {
    for (Member& member : members_) {
      for (const HeldStep& held : member.part->equations().steps) {
        if (workshop_.pool().discrete(held.leaf) != id) continue;
        return member.part->frame()[at(member.part->leaves().place(held.leaf))];
      }
    }
    return std::numeric_limits<double>::quiet_NaN();
  }
  const flat::DiscreteInput& input = workshop_.model.equations.discrete[id];
  if (const auto* slot = std::get_if<flat::DiscreteSlot>(&input.source)) {
    return static_cast<double>(workshop_.memory(slot->slot).i);
  }
  if (const auto* memory = std::get_if<flat::DiscreteMemory>(&input.source)) {
    return memory_now(memory->memory);
  }
  return boxes_->discrete(id);
}

bool Engine::fail(Diagnostic diagnostic) {
  outcome_.time = workshop_.machine.time;
  outcome_.why = ModelFailure{std::move(diagnostic)};
  return false;
}

bool Engine::start() {
  const Doing doing("looking for consistent initial values");
  if (!translate_conditions()) return false;
  map_slots();
  map_memories();
  see_blocks();
  join_parts();
  steps_.resize(members_.size());
  events_.resize(members_.size());
  for (std::size_t m = 0; m < members_.size(); ++m) list(static_cast<std::int32_t>(m));
  moves_ = std::any_of(members_.begin(), members_.end(), [](const Member& m) {
    return m.part->has_equations() || m.part->depends_on_time();
  });
  return true;
}

/// Of each block the parts that determine variables it can name: its own and its `ref` parameters.
void Engine::see_blocks() {
  const flat::FlatModel& model = workshop_.model;
  visible_.resize(model.blocks.size());
  const auto see = [&](std::size_t block, std::int32_t slot, std::int64_t slots) {
    for (std::int64_t s = slot; s < slot + slots; ++s) {
      const std::int32_t part = parts_.part_of_slot[static_cast<std::size_t>(s)];
      if (part >= 0) visible_[block].push_back(part);
    }
  };
  for (std::size_t b = 0; b < model.blocks.size(); ++b) {
    const flat::Block& block = model.blocks[b];
    const flat::Body& body = model.bodies[block.body];
    for (const flat::VariableId id : block.variables) {
      if (!id) continue;
      const flat::Variable& variable = model.variables[id];
      see(b, variable.slot, flat::slot_count(model.typed.types, variable.type));
    }
    for (std::size_t i = 0; i < block.bindings.size(); ++i) {
      const auto* bound = std::get_if<flat::BoundVariable>(&block.bindings[i]);
      if (bound != nullptr) {
        see(b, bound->slot, flat::slot_count(model.typed.types, body.params[i]));
      }
    }
    std::sort(visible_[b].begin(), visible_[b].end());
    visible_[b].erase(std::unique(visible_[b].begin(), visible_[b].end()), visible_[b].end());
  }
}

void Engine::list(std::int32_t number) {
  Member& member = members_[at(number)];
  if (!std::exchange(member.is_listed, true)) changed_.push_back(number);
}

bool Engine::can_move() const { return moves_; }

void Engine::count(RunCounts& counts) const {
  for (const Member& member : members_) {
    const PlanCache::Counts part = member.part->counts();
    counts.modes += part.modes;
    counts.steps += part.integration.steps;
    counts.rejected += part.integration.rejected;
    counts.evaluations += part.integration.evaluations;
    counts.jacobians += part.integration.jacobians;
    counts.searches.add(member.part->searches());
    if (const FixedSteps* const steps = member.run->fixed_steps()) {
      counts.steps += steps->counts().steps;
      counts.longest_step = std::max(counts.longest_step, steps->counts().longest);
    }
  }
  counts.mode_switches += mode_switches_;
  counts.state_events += state_events_;
  counts.rounds += rounds_;
}

/// The delays of substitutes, and those of statements, which may come to them at any time: to
/// translate these first is work, so it is done only if there are any.
std::vector<Engine::LookBack> Engine::find_delays() {
  flat::FlatModel& model = workshop_.model;
  expr::Pool& pool = workshop_.pool();
  std::vector<LookBack> found;
  std::unordered_set<ExprId> known;
  const auto add = [&](const std::vector<ExprId>& roots, bool of_statement) {
    for (const ExprId delay : expr::delays(pool, roots).node) {
      if (known.insert(delay).second) found.push_back({delay, of_statement});
    }
  };
  std::vector<ExprId> substituted;
  for (const flat::Substitution& s : model.equations.substitutions) substituted.push_back(s.value);
  add(substituted, false);
  const sema::TypedModel& typed = model.typed;
  bool any = false;
  for (syntax::ExprId e{0}; e.index < typed.ast.exprs.size() && !any; ++e.index) {
    any = flat::is_delay(typed, e);
  }
  if (!any) return found;
  Diagnostics problems;  // reported when a statement is met, if ever
  std::vector<ExprId> asked;
  for (std::size_t b = 0; b < model.blocks.size(); ++b) {
    const auto block = static_cast<std::int32_t>(b);
    const code::RoutineId body{model.blocks[b].body.index};
    for (std::size_t i = 0; i < program_.values.size(); ++i) {
      if (program_.values[i].body != body) continue;
      const auto* scalars = asked_value(block, static_cast<std::int32_t>(i), problems);
      if (scalars != nullptr) asked.insert(asked.end(), scalars->begin(), scalars->end());
    }
    for (std::size_t i = 0; i < program_.instants.size(); ++i) {
      if (program_.instants[i].body != body) continue;
      const auto* statement = asked_equations(block, static_cast<std::int32_t>(i), problems);
      if (statement == nullptr) continue;
      const flat::EquationSet& set = statement->set;
      for (const flat::Branch& branch : set.branches) asked.push_back(branch.guard);
      for (const flat::Equation& e : set.equations) asked.push_back(instant_row(pool, e));
    }
  }
  add(asked, true);
  return found;
}

/// Every condition of a statement belongs to one part, which watches it, and every delay to one
/// that keeps the past: so parts are made when all of them are known.
bool Engine::translate_conditions() {
  Diagnostics problems;
  struct Found {
    std::int64_t key;
    ExprId expr;
    code::Wanted wanted;
    Span span;
  };
  std::vector<Found> found;
  std::vector<ExprId> together;
  std::vector<std::int32_t> selection_of(program_.conditions.size(), -1);
  std::int32_t selections = 0;
  for (const code::Routine& body : program_.bodies) {
    for (const code::Selection& selection : body.selections) {
      for (const code::Noted& noted : selection.conditions) {
        selection_of[at(noted.condition)] = selections;
      }
      ++selections;
    }
  }
  flat::FlatModel& model = workshop_.model;
  std::vector<std::vector<std::int32_t>> of_body(at(model.bodies.size()));
  for (std::size_t c = 0; c < program_.conditions.size(); ++c) {
    of_body[at(program_.conditions[c].body.index)].push_back(static_cast<std::int32_t>(c));
  }
  for (std::size_t b = 0; b < model.blocks.size(); ++b) {
    for (const std::int32_t c : of_body[at(model.blocks[b].body.index)]) {
      const code::Condition& condition = program_.conditions[at(c)];
      const auto block = static_cast<std::int32_t>(b);
      const std::optional<ExprId> e =
          statements_.condition(block, condition.indices, condition.source, problems);
      if (!e) return fail(problems.all().front());
      found.push_back(
          {key(block, c), *e, condition.wanted, model.typed.ast.exprs[condition.source].span});
      together.push_back(*e);
    }
  }
  const std::vector<LookBack> delays = find_delays();
  for (const LookBack& l : delays) together.push_back(l.delay);
  const std::size_t first_of_memories = together.size();
  for (const Memories::Relation& r : memories_.relations()) together.push_back(r.node);
  parts_ = split_parts(model, together);
  for (PartEquations& equations : parts_.parts) add_member(std::move(equations));
  const auto variables = all_variables(workshop_.pool(), together);
  std::int32_t clock = -1;  // the part for what no unknown occurs in
  const auto member_of = [&](const std::vector<std::int32_t>& slots) {
    std::int32_t member = -1;
    for (const std::int32_t slot : slots) {
      if (parts_.part_of_slot[at(slot)] >= 0) member = parts_.part_of_slot[at(slot)];
    }
    if (member >= 0) return member;
    if (clock < 0) {
      add_member({});
      clock = static_cast<std::int32_t>(members_.size()) - 1;
    }
    return clock;
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::int32_t member = member_of(variables[i]);
    const int condition = members_[at(member)].part->add_condition(
        parts_.together[i], found[i].span, parts_.steps_of_together[i]);
    const auto block = static_cast<std::int32_t>(found[i].key >> 32);
    const std::int32_t selection = selection_of[at(static_cast<std::int32_t>(found[i].key))];
    Look* const look = selection < 0 ? nullptr : &looks_[key(block, selection)];
    awaited_.emplace(found[i].key,
                     Awaited{block, member, condition, found[i].wanted, found[i].span, look});
  }
  for (std::size_t i = 0; i < delays.size(); ++i) {
    const std::int32_t member = member_of(variables[found.size() + i]);
    members_[at(member)].part->add_delay(delays[i].delay, delays[i].of_statement);
    keeper_.emplace(workshop_.pool().operand(delays[i].delay, 0), member);
  }
  for (std::size_t i = 0; i < memories_.relations().size(); ++i) {
    memories_.relations()[i].member = member_of(variables[first_of_memories + i]);
  }
  watch_memories(first_of_memories);
  for (Member& member : members_) member.part->prepare();
  if (workshop_.options.solver != SolverChoice::Timestep) return true;
  for (Member& member : members_) {
    if (!TimeStepper::can_step(*member.part)) continue;
    member.run->use_fixed_steps(std::make_unique<TimeStepper>(workshop_, *member.part));
  }
  return true;
}

void Engine::add_member(PartEquations equations) {
  Member member;
  member.part = std::make_unique<Part>(workshop_, std::move(equations),
                                       static_cast<std::int32_t>(members_.size()));
  member.run = std::make_unique<PartRun>(workshop_, *member.part);
  members_.push_back(std::move(member));
}

void Engine::map_slots() {
  const expr::Pool& pool = workshop_.pool();
  for (std::size_t m = 0; m < members_.size(); ++m) {
    Part& part = *members_[m].part;
    std::vector<ExprId> rows;
    for (const flat::Equation& e : part.equations().set.equations) rows.push_back(e.left);
    for (const HeldStep& held : part.equations().steps) rows.push_back(held.argument);
    for (int c = 0; c < part.conditions().size(); ++c) {
      rows.push_back(part.conditions().condition(c));
    }
    for (const ExprId delay : part.added_delays()) rows.push_back(delay);
    const std::vector<ExprId> deciding = deciding_conditions(pool, part.equations().set);
    const auto add = [&](const std::vector<ExprId>& roots, bool decides) {
      const expr::Occurrences leaves = expr::occurrences(pool, roots, {}, [&](ExprId e) {
        const expr::Op op = pool.op(e);
        return op == expr::Op::Variable || op == expr::Op::DiscreteReal ||
                       op == expr::Op::DiscreteBool || op == expr::Op::Call
                   ? e
                   : ExprId{};
      });
      for (const ExprId leaf : leaves.node) add_reader(static_cast<std::int32_t>(m), leaf, decides);
    };
    add(rows, false);
    add(deciding, true);
    for (const flat::Unknown& u : part.equations().set.unknowns) {
      add_reader(static_cast<std::int32_t>(m), u.variable.var.index, false);
    }
  }
}

void Engine::add_reader(std::int32_t member, ExprId leaf, bool decides) {
  const expr::Pool& pool = workshop_.pool();
  switch (pool.op(leaf)) {
    case expr::Op::Variable: return add_reader(member, pool.variable(leaf).var.index, decides);
    case expr::Op::Call: {
      // What moves comes as arguments; lists and the like a box reads where they are.
      const auto& source = workshop_.model.equations.functions[pool.called(leaf)];
      const auto* function = std::get_if<flat::BoxFunction>(&source);
      if (function == nullptr) return;
      for (const std::int32_t slot : named_slots(workshop_.model, function->box))
        add_reader(member, slot, decides);
      return;
    }
    default: break;
  }
  if (pool.discrete(leaf).index >= kFirstHeld) return;
  const flat::DiscreteInput& input = workshop_.model.equations.discrete[pool.discrete(leaf)];
  if (const auto* slot = std::get_if<flat::DiscreteSlot>(&input.source)) {
    return add_reader(member, slot->slot, decides);
  }
  if (const auto* memory = std::get_if<flat::DiscreteMemory>(&input.source)) {
    const std::int32_t slot = memories_[memory->memory].slot;
    if (slot >= 0) return add_reader(member, slot, decides);
    readers_[-1 - memory->memory].push_back({member, decides});
    return;
  }
  if (box_readers_.empty() || box_readers_.back().member != member) {
    box_readers_.push_back({member, decides});
  } else {
    box_readers_.back().decides_unknowns |= decides;
  }
}

void Engine::add_reader(std::int32_t member, std::int32_t flat_slot, bool decides) {
  const std::int64_t slot = memory_slot(workshop_.model, workshop_.frames, flat_slot);
  flat_slot_of_.emplace(slot, flat_slot);
  std::vector<Reader>& readers = readers_[slot];
  for (Reader& reader : readers) {
    if (reader.member != member) continue;
    reader.decides_unknowns |= decides;
    return;
  }
  readers.push_back({member, decides});
}

std::string Engine::variable_name(VarRef x) const { return workshop_.name_of(x); }

std::vector<Part*> Engine::parts() {
  std::vector<Part*> all;
  for (Member& member : members_) all.push_back(member.part.get());
  return all;
}

void Engine::bring_all() {
  for (std::size_t m = 0; m < members_.size(); ++m) bring(static_cast<std::int32_t>(m));
  store_substituted(workshop_.machine.time);
}

void Engine::store_substituted(std::int64_t slot, const flat::Substitution& substitution,
                               double value) {
  code::Slot& place = workshop_.machine.memory()[slot];
  if (substitution.discrete) {
    place.i = static_cast<std::int64_t>(value);
  } else {
    place.r = value;
  }
}

/// Substituted variables in memory, for who records them. One that has no value keeps its last.
void Engine::store_substituted(double time) {
  for (const auto& [slot, substitution] : substituted_) {
    const expr::Value value = evaluate_at(substitution.value, time);
    if (value.fault == expr::Fault::None) store_substituted(slot, substitution, value.value);
  }
}

}  // namespace chi::sim
