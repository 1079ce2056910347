#include "flat/block_scope.h"

#include <algorithm>

#include "expr/build.h"
#include "expr/cone.h"
#include "flat/box_inputs.h"

namespace chi::flat {
namespace {

using sema::DeclId;
using sema::DeclKind;
using sema::TypeId;

// Discrete values from here on stand for what is missing. They never stay in an equation.
constexpr std::int32_t kMissing = 1 << 30;

bool is_discrete(expr::Op op) {
  return op == expr::Op::DiscreteReal || op == expr::Op::DiscreteBool;
}

}  // namespace

BlockScope::BlockScope(FlatModel& model, const Table<syntax::ExprId, ExprFacts>& facts)
    : model_(model), out_(model.equations), facts_(facts) {
  for (expr::DiscreteId d{0}; d.index < out_.discrete.size(); ++d.index) {
    const auto* slot = std::get_if<DiscreteSlot>(&out_.discrete[d].source);
    if (slot != nullptr) discrete_slots_[slot->slot] = d;
  }
}

void BlockScope::enter(std::int32_t block, const Indices& indices) {
  block_ = block;
  indices_.clear();
  index_values_.clear();
  values_.clear();
  values_known_ = false;
  for (const auto& [decl, value] : indices) push_index(decl, value);
}

void BlockScope::push_index(DeclId decl, std::int64_t value) {
  indices_.emplace_back(decl, value);
  index_values_.emplace_back().data = value;
  if (values_known_) values_[decl].data = value;
}

void BlockScope::pop_index() {
  if (values_known_) values_.erase(indices_.back().first);
  indices_.pop_back();
  index_values_.pop_back();
}

Operand BlockScope::lookup(DeclId id) {
  const sema::Decl& decl = model_.typed.decls[id];
  const Block& block = model_.blocks[static_cast<std::size_t>(block_)];
  const auto k = static_cast<std::size_t>(decl.ordinal);
  switch (decl.kind) {
    case DeclKind::Local: {
      const Variable& variable = model_.variables[block.variables[k]];
      return {.type = variable.type, .slot = variable.slot};
    }
    case DeclKind::RefParam:
      return {.type = model_.bodies[block.body].params[k],
              .slot = std::get<BoundVariable>(block.bindings[k]).slot};
    case DeclKind::ValueParam:
      return {.type = model_.bodies[block.body].params[k],
              .value = &std::get<BoundValue>(block.bindings[k]).value};
    case DeclKind::Index:
      for (std::size_t i = indices_.size(); i-- > 0;) {
        if (indices_[i].first == id) return {.type = decl.type, .value = &index_values_[i]};
      }
      break;
    case DeclKind::Constant:
      return {.type = decl.type, .value = &model_.typed.constant_values.at(id)};
    case DeclKind::TypeAlias:
    case DeclKind::Function:
    case DeclKind::Process:
    case DeclKind::System: break;
  }
  return {.type = model_.typed.types.unknown()};
}

const sema::Environment& BlockScope::values() {
  if (values_known_) return values_;
  values_known_ = true;
  const Block& block = model_.blocks[static_cast<std::size_t>(block_)];
  const auto definition = static_cast<std::size_t>(model_.bodies[block.body].definition);
  const std::vector<DeclId>& params = model_.typed.definitions[definition].params;
  for (std::size_t k = 0; k < params.size(); ++k) {
    const auto* bound = std::get_if<BoundValue>(&block.bindings[k]);
    if (bound != nullptr) values_[params[k]] = bound->value;
  }
  for (std::size_t i = 0; i < indices_.size(); ++i) values_[indices_[i].first] = index_values_[i];
  return values_;
}

expr::DiscreteId BlockScope::discrete_slot(std::int32_t slot, bool boolean) {
  const auto [at, added] = discrete_slots_.try_emplace(slot);
  if (added) at->second = out_.discrete.add({.source = DiscreteSlot{slot}, .boolean = boolean});
  return at->second;
}

expr::ExprId BlockScope::scalar(std::int32_t slot, TypeId type, int order) {
  const sema::Types& types = model_.typed.types;
  if (types.is(type, sema::BasicType::Real)) return expr::variable(out_.pool, {slot}, order);
  const bool boolean = types.is(type, sema::BasicType::Bool);
  const expr::DiscreteId id = discrete_slot(slot, boolean);
  return boolean ? expr::discrete_bool(out_.pool, id) : expr::discrete_real(out_.pool, id);
}

expr::ExprId BlockScope::black_box(syntax::ExprId source, std::int32_t element, bool boolean,
                                   std::span<const expr::ExprId> steps) {
  const BoxInputs inputs = box_inputs(model_.typed, facts_, source, *this);
  const Span span = model_.typed.ast.exprs[source].span;
  if (inputs.delays || inputs.variables.size() > kMaxBoxInputs) {
    errors_.push_back({.code = DiagCode::NotInEquations,
                       .span = span,
                       .message = inputs.delays
                                      ? "`delay` stands inside a list or a function of lists"
                                      : "this depends on too many variables",
                       .help = "give it a variable and an equation of its own"});
    return {};
  }
  BlackBox box{.source = source, .block = block_, .indices = indices_, .element = element};
  box.steps = box_steps(model_.typed, facts_, source);
  if (inputs.variables.empty() && !inputs.reads_time && steps.empty()) {
    const expr::DiscreteId id = out_.discrete.add({.source = std::move(box), .boolean = boolean});
    return boolean ? expr::discrete_bool(out_.pool, id) : expr::discrete_real(out_.pool, id);
  }
  std::vector<expr::ExprId> arguments;
  for (const expr::VarRef v : inputs.variables) {
    arguments.push_back(expr::variable(out_.pool, v.var, v.order));
  }
  if (inputs.reads_time) arguments.push_back(expr::time(out_.pool));
  arguments.insert(arguments.end(), steps.begin(), steps.end());
  const expr::FunctionId f = out_.pool.add_opaque(static_cast<int>(arguments.size()), boolean);
  out_.functions.resize(out_.pool.function_count(), {});
  out_.functions[f] = BoxFunction{std::move(box), inputs.variables, inputs.reads_time};
  return expr::call(out_.pool, f, arguments);
}

expr::ExprId BlockScope::missing(Diagnostic why, bool boolean) {
  const expr::DiscreteId id{kMissing + static_cast<std::int32_t>(missing_.size())};
  missing_.push_back(std::move(why));
  return boolean ? expr::discrete_bool(out_.pool, id) : expr::discrete_real(out_.pool, id);
}

expr::ExprId BlockScope::before(expr::ExprId e, syntax::ExprId source) {
  const expr::Op op = out_.pool.op(e);
  if (op == expr::Op::Constant || op == expr::Op::Boolean) return e;
  if (op == expr::Op::Not) {
    return expr::negation(out_.pool, before(out_.pool.operand(e, 0), source));
  }
  const bool boolean = out_.pool.has(e, expr::kBoolean);
  const auto leaf = [&](expr::DiscreteId id) {
    return boolean ? expr::discrete_bool(out_.pool, id) : expr::discrete_real(out_.pool, id);
  };
  const auto [at, added] = before_.try_emplace(e);
  if (added) {
    at->second = out_.discrete.add({.source = DiscreteMemory{}, .boolean = boolean});
    out_.before.push_back({.leaf = at->second,
                           .of = e,
                           .block = block_,
                           .span = model_.typed.ast.exprs[source].span});
  }
  return leaf(at->second);
}

DeclId BlockScope::callee(DeclId name) {
  const sema::Decl& decl = model_.typed.decls[name];
  if (decl.kind == DeclKind::Function) return name;
  if (decl.kind != DeclKind::ValueParam && decl.kind != DeclKind::Constant) return {};
  const Operand operand = lookup(name);
  const auto* function = std::get_if<sema::Value::FunctionRef>(&operand.value->data);
  return function == nullptr ? DeclId{} : function->decl;
}

void BlockScope::start() {
  missing_.clear();
  errors_.clear();
}

bool BlockScope::settle(std::span<const expr::ExprId> result, Diagnostics& diagnostics) {
  if (!missing_.empty()) {
    std::vector<char> needed(missing_.size(), 0);
    const expr::Cone cone(out_.pool, result);
    for (const expr::ExprId e : cone.nodes()) {
      if (!is_discrete(out_.pool.op(e))) continue;
      const std::int32_t k = out_.pool.discrete(e).index - kMissing;
      if (k >= 0) needed[static_cast<std::size_t>(k)] = 1;
    }
    for (std::size_t k = 0; k < needed.size(); ++k) {
      if (needed[k] != 0) errors_.push_back(std::move(missing_[k]));
    }
  }
  for (Diagnostic& error : errors_) diagnostics.report(std::move(error));
  const bool good = errors_.empty();
  start();
  return good;
}

}  // namespace chi::flat
