#include "code/lower.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/cancel.h"
#include "base/check.h"
#include "base/match.h"
#include "code/lowering.h"
#include "flat/layout.h"
#include "sema/evaluate.h"

namespace chi::code {

using sema::BasicType;
using sema::DeclId;
using sema::TypeId;

std::int32_t Lowering::declare(DeclId decl, TypeId type) {
  const std::int32_t reg = variable_slots_;
  variable_slots_ += slots(type);
  registers_.emplace(decl, reg);
  decl_types_.emplace(decl, type);
  runtime(type);  // so that the run finds it
  return reg;
}

Routine Lowering::lower_body(flat::BodyId id) {
  const flat::Body& body = context_.model.bodies[id];
  const sema::DefinitionInfo& info = typed().definitions[static_cast<std::size_t>(body.definition)];
  environment_ = body.structural;
  routine_.name =
      info.self ? std::string(ast().symbols.text(typed().decls[info.self].name)) : "xper";
  for (std::size_t i = 0; i < info.locals.size(); ++i) {
    routine_.local_offsets.push_back(declare(info.locals[i], body.locals[i]));
  }
  for (std::size_t i = 0; i < info.params.size(); ++i) {
    const DeclId param = info.params[i];
    if (typed().decls[param].kind == sema::DeclKind::RefParam) {
      // The register holds the slot number of the variable it is bound to.
      routine_.param_offsets.push_back(declare(param, basic(BasicType::Int)));
      decl_types_[param] = body.params[i];
    } else {
      routine_.param_offsets.push_back(declare(param, body.params[i]));
      if (holds_distributions(body.params[i])) {
        add_streams(registers_.at(param), body.params[i],
                    std::string(ast().symbols.text(typed().decls[param].name)));
      }
    }
  }
  lower_initialisers(info.locals);
  emit(Op::Finish);
  body_ = RoutineId{id.index};
  if (!context_.uses.empty()) uses_ = &context_.uses[static_cast<std::size_t>(id.index)];
  const auto* process = std::get_if<syntax::ProcDef>(
      &ast().definitions[static_cast<std::size_t>(body.definition)].node);
  if (process != nullptr && !process->body.empty()) {
    routine_.main_pc = here();
    statements(process->body);
    emit(Op::Finish);
  }
  monitors(body.definition);
  return finish();
}

Routine Lowering::lower_function(std::int32_t definition) {
  const auto& node =
      std::get<syntax::FuncDef>(ast().definitions[static_cast<std::size_t>(definition)].node);
  const sema::DefinitionInfo& info = typed().definitions[static_cast<std::size_t>(definition)];
  is_function_ = true;
  routine_.name = std::string(ast().symbols.text(node.name.name));
  for (const DeclId param : info.params) {
    routine_.param_offsets.push_back(declare(param, concrete(typed().decls[param].type)));
    owned_variables_.push_back(param);
  }
  routine_.parameter_slots = variable_slots_;
  for (const DeclId local : info.locals) {
    routine_.local_offsets.push_back(declare(local, concrete(typed().decls[local].type)));
    owned_variables_.push_back(local);
  }
  result_type_ = concrete(std::get<sema::Func>(types()[typed().decls[info.self].type]).result);
  routine_.result_slots = slots(result_type_);
  routine_.main_pc = 0;
  lower_initialisers(info.locals);
  if (node.value) {
    span_ = ast().exprs[node.value].span;
    return_value({node.value});
  } else {
    statements(node.body);
    emit(Op::Fail, 0, 0, static_cast<std::int32_t>(RunError::NoReturn));
  }
  return finish();
}

void Lowering::lower_initialisers(std::span<const DeclId> locals) {
  for (const DeclId local : locals) {
    const sema::Decl& decl = typed().decls[local];
    span_ = decl.span;
    const TypeId type = decl_types_.at(local);
    if (holds_distributions(type))
      add_streams(registers_.at(local), type, std::string(ast().symbols.text(decl.name)));
    if (!decl.initial) continue;
    temporary_top_ = 0;
    const bool fills = std::holds_alternative<sema::Array>(types()[type]) &&
                       !std::holds_alternative<sema::Array>(types()[type_of(decl.initial)]);
    if (fills) {
      fill(registers_.at(local), type, decl.initial);
    } else {
      store({false, registers_.at(local), 0, type}, value(decl.initial, type));
    }
  }
}

/// One value for all elements of an array; it is computed once.
void Lowering::fill(std::int32_t reg, TypeId array, syntax::ExprId by) {
  TypeId element = array;
  while (const auto* inner = std::get_if<sema::Array>(&types()[element])) element = inner->element;
  const Operand one = own(value(by, element));
  for (std::int32_t at = 0; at < slots(array); at += slots(element)) {
    store({false, reg + at, 0, element}, {one.reg, element});
  }
  drop(one);
}

bool Lowering::holds_distributions(TypeId type) {
  while (const auto* array = std::get_if<sema::Array>(&types()[type])) type = array->element;
  return std::holds_alternative<sema::Dist>(types()[type]);
}

void Lowering::add_streams(std::int32_t reg, TypeId type, const std::string& name) {
  if (std::holds_alternative<sema::Dist>(types()[type])) {
    routine_.streams.push_back({reg, name});
    return;
  }
  const auto& array = std::get<sema::Array>(types()[type]);
  for (std::int64_t i = 0; i < array.length; ++i) {
    add_streams(reg + static_cast<std::int32_t>(i) * slots(array.element), array.element,
                name + "[" + std::to_string(i) + "]");
  }
}

std::int32_t Lowering::emit(Op op, std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t n) {
  check_cancelled();
  CHI_CHECK(n >= 0 && n <= std::numeric_limits<std::uint16_t>::max(),
            "more types in one routine than counted");
  routine_.code.push_back({op, static_cast<std::uint16_t>(n), a, b, c});
  routine_.spans.push_back(span_);
  return here() - 1;
}

std::int32_t Lowering::temporary(std::int64_t count) {
  const std::int32_t reg = kTemporaryBase + temporary_top_;
  temporary_top_ += static_cast<std::int32_t>(count);
  temporary_slots_ = std::max(temporary_slots_, temporary_top_);
  return reg;
}

std::int32_t Lowering::shifted(std::int32_t reg) const {
  if (reg >= kTemporaryBase) return reg - kTemporaryBase + variable_slots_ + constant_slots_;
  if (reg >= kConstantBase) return reg - kConstantBase + variable_slots_;
  return reg;
}

Routine Lowering::finish() {
  for (Instr& instr : routine_.code) {
    const std::string_view kinds = op_kinds(instr.op);
    if (kinds[0] == 'r') instr.a = shifted(instr.a);
    if (kinds[1] == 'r') instr.b = shifted(instr.b);
    if (kinds[2] == 'r') instr.c = shifted(instr.c);
  }
  for (Offer& offer : routine_.offers) {
    for (std::int32_t* reg :
         {&offer.guard, &offer.ready, &offer.channel, &offer.value, &offer.deadline}) {
      *reg = shifted(*reg);
    }
  }
  for (Selection& selection : routine_.selections) {
    for (std::int32_t& reg : selection.deadlines) reg = shifted(reg);
    for (Noted& noted : selection.conditions) noted.reg = shifted(noted.reg);
    for (Ending& ending : selection.ends) ending.reg = shifted(ending.reg);
  }
  for (StartSite& start : routine_.starts) {
    for (StartSite::Argument& argument : start.arguments) argument.reg = shifted(argument.reg);
  }
  for (StreamPlace& stream : routine_.streams) stream.reg = shifted(stream.reg);
  for (auto& [reg, constant] : routine_.constants) reg = shifted(reg);
  routine_.variable_slots = variable_slots_;
  routine_.frame_slots = variable_slots_ + constant_slots_ + temporary_slots_;
  return std::move(routine_);
}

// Constants live in registers of a process's frame, filled when it is made; a function, which is
// called often and uses few of them, loads each where it is used.
std::int32_t Lowering::constant_register(std::int32_t constant, std::int64_t count) {
  if (is_function_) {
    const std::int32_t reg = temporary(count);
    emit(Op::LoadConstant, reg, constant);
    return reg;
  }
  const auto [found, fresh] =
      constant_registers_.try_emplace(constant, kConstantBase + constant_slots_);
  if (fresh) {
    constant_slots_ += static_cast<std::int32_t>(count);
    routine_.constants.emplace_back(found->second, constant);
  }
  return found->second;
}

std::int32_t Lowering::add_constant(TypeId type, sema::Value value) {
  context_.program.constants.push_back({std::move(value), runtime(type)});
  return static_cast<std::int32_t>(context_.program.constants.size()) - 1;
}

Operand Lowering::scalar(BasicType kind, std::int64_t bits) {
  const auto key = std::pair(static_cast<std::int32_t>(kind), bits);
  const auto [found, fresh] = context_.scalar_constants.try_emplace(key, -1);
  if (fresh) {
    sema::Value value;
    if (kind == BasicType::Real) {
      value.data = std::bit_cast<double>(bits);
    } else if (kind == BasicType::Bool) {
      value.data = bits != 0;
    } else {
      value.data = bits;
    }
    found->second = add_constant(basic(kind), std::move(value));
  }
  return {constant_register(found->second, 1), basic(kind)};
}

Operand Lowering::constant(TypeId type, const sema::Value& value) {
  return {constant_register(add_constant(type, value), slots(type)), type};
}

TypeId Lowering::concrete(TypeId type) {
  return flat::concrete_type(context_.model, type, environment_);
}

std::int32_t Lowering::slots(TypeId type) {
  return static_cast<std::int32_t>(flat::slot_count(types(), type));
}

bool Lowering::managed(TypeId type) { return !context_.program.types[runtime(type)].is_plain; }

std::int32_t Lowering::type_index(TypeId type) {
  const auto [found, fresh] =
      type_indices_.try_emplace(type.index, static_cast<std::int32_t>(routine_.types.size()));
  if (fresh) routine_.types.push_back(runtime(type));
  return found->second;
}

std::int32_t Lowering::shown_type_index(TypeId type, syntax::ExprId expr) {
  const sema::Measures& measures = typed().measures;
  const sema::MeasureId measure = measures.of(expr);
  if (!measure) return type_index(type);
  routine_.types.push_back(context_.program.types.shown(type, measures, measure));
  return static_cast<std::int32_t>(routine_.types.size()) - 1;
}

namespace {

/// Bodies are shared: what equations do with a variable of one instance counts for all.
void find_uses(const flat::FlatModel& model, LoweringContext& context) {
  const flat::EquationUses uses(model);
  if (uses.none()) return;
  context.integrates = !model.equations.system.equations.empty();
  context.uses.resize(static_cast<std::size_t>(model.bodies.size()));
  const auto add = [&](const flat::Block& block, DeclId decl, std::int32_t slot, TypeId type) {
    const flat::SlotUse use = uses.of(slot, flat::slot_count(model.typed.types, type));
    if (use.any()) context.uses[static_cast<std::size_t>(block.body.index)][decl] |= use;
  };
  for (const flat::Block& block : model.blocks) {
    const flat::Body& body = model.bodies[block.body];
    const auto& info = model.typed.definitions[static_cast<std::size_t>(body.definition)];
    for (std::size_t i = 0; i < block.variables.size(); ++i) {
      if (!block.variables[i]) continue;
      add(block, info.locals[i], model.variables[block.variables[i]].slot, body.locals[i]);
    }
    for (std::size_t i = 0; i < block.bindings.size(); ++i) {
      const auto* bound = std::get_if<flat::BoundVariable>(&block.bindings[i]);
      if (bound != nullptr) add(block, info.params[i], bound->slot, body.params[i]);
    }
  }
}

/// Whether a started process has to do with equations: then the part that would know of it is
/// missing.
void find_refused_starts(const flat::FlatModel& model, LoweringContext& context) {
  Program& program = context.program;
  std::vector<char> asks(static_cast<std::size_t>(program.bodies.size()), 0);
  const auto note = [&](const auto& rows) {
    for (const auto& row : rows) {
      if (row.body) asks[static_cast<std::size_t>(row.body.index)] = 1;
    }
  };
  note(program.conditions);
  note(program.values);
  note(program.instants);
  for (const flat::StartSite& site : model.starts) {
    const auto callee = static_cast<std::size_t>(site.body.index);
    const auto& info =
        model.typed.definitions[static_cast<std::size_t>(model.bodies[site.body].definition)];
    const bool shares = std::ranges::any_of(info.params, [&](DeclId param) {
      return model.typed.decls[param].kind == sema::DeclKind::RefParam;
    });
    const bool is_watched = !program.bodies[RoutineId{site.body.index}].monitors.empty();
    if (asks[callee] != 0 || is_watched || (shares && !context.uses.empty()))
      program.refused_starts.push_back(model.typed.ast.instances[site.instance].span);
  }
}

/// The functions that look tables up.
void add_tables(Program& program, std::shared_ptr<const sema::LookupTables> tables) {
  for (std::int32_t t = 0; t < tables->size(); ++t) {
    const sema::LookupTable& table = (*tables)[sema::LookupTables::function(t)];
    const std::int32_t arity = table.arity();
    Routine routine;
    routine.name = "interpolate";
    routine.code = {{Op::Lookup, 0, arity, 0, t}, {Op::Return, 0, arity, 0, 0}};
    routine.spans = {table.span(), table.span()};
    for (std::int32_t a = 0; a < arity; ++a) routine.param_offsets.push_back(a);
    routine.main_pc = 0;
    routine.variable_slots = routine.parameter_slots = arity;
    routine.frame_slots = arity + 1;
    routine.result_slots = 1;
    program.table_functions.push_back(program.functions.add(std::move(routine)));
  }
  program.tables = std::move(tables);
}

/// A process for each requirement of an instance, behind all others.
void add_monitors(flat::FlatModel& model, const Program& program) {
  const std::int32_t count = model.processes.size();
  for (flat::ProcessId p{0}; p.index < count; ++p.index) {
    const flat::Process process = model.processes[p];
    const auto block = static_cast<std::size_t>(process.block);
    const Routine& routine = program.bodies[RoutineId{model.blocks[block].body.index}];
    for (std::size_t k = 0; k < routine.monitors.size(); ++k) {
      model.processes.add({.block = process.block,
                           .name = process.name,
                           .priority = std::numeric_limits<std::int64_t>::max(),
                           .monitor = static_cast<std::int32_t>(k)});
    }
  }
}

}  // namespace

std::unique_ptr<Program> lower(flat::FlatModel& model, const LowerOptions& options) {
  auto made = std::make_unique<Program>(model.typed.types, model.typed.ast.symbols);
  Program& program = *made;
  program.function_of_decl.resize(static_cast<std::size_t>(model.typed.decls.size()));
  LoweringContext context{model, program, options};
  find_uses(model, context);
  std::vector<std::int32_t> functions;
  for (std::size_t i = 0; i < model.typed.definitions.size(); ++i) {
    if (!std::holds_alternative<syntax::FuncDef>(model.typed.ast.definitions[i].node)) continue;
    const sema::DeclId decl = model.typed.definitions[i].self;
    const RoutineId routine{static_cast<std::int32_t>(functions.size())};
    context.functions.emplace(decl, routine);
    program.function_of_decl[static_cast<std::size_t>(decl.index)] = routine;
    functions.push_back(static_cast<std::int32_t>(i));
  }
  for (const std::int32_t definition : functions) {
    program.functions.add(Lowering(context).lower_function(definition));
  }
  for (flat::BodyId body{0}; body.index < model.bodies.size(); ++body.index) {
    program.bodies.add(Lowering(context).lower_body(body));
  }
  add_tables(program, model.typed.tables);
  find_refused_starts(model, context);
  add_monitors(model, program);
  return made;
}

}  // namespace chi::code
