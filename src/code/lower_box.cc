#include "code/lower_box.h"

#include <algorithm>

#include "base/check.h"
#include "code/lowering.h"
#include "flat/layout.h"
#include "syntax/children.h"

namespace chi::code {

using sema::BasicType;
using sema::DeclId;

namespace {

/// The names in an expression, each once.
std::vector<DeclId> names_in(const sema::TypedModel& model, syntax::ExprId source) {
  std::vector<DeclId> names;
  std::vector<syntax::ExprId> pending{source};
  while (!pending.empty()) {
    const syntax::ExprId id = pending.back();
    pending.pop_back();
    if (const auto* decl = std::get_if<DeclId>(&model.resolution[id])) names.push_back(*decl);
    syntax::append_children(model.ast, id, pending);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

/// Conditions in it are code: it belongs to an equation, which asks nothing of its surroundings.
BoxRoutine Lowering::lower_box(const flat::BlackBox& box) {
  const flat::BodyId id = context_.model.blocks[static_cast<std::size_t>(box.block)].body;
  const flat::Body& body = context_.model.bodies[id];
  const sema::DefinitionInfo& info = typed().definitions[static_cast<std::size_t>(body.definition)];
  BoxRoutine result;
  box_ = &result;
  environment_ = body.structural;
  routine_.name = "equation";
  for (const auto& [decl, value] : box.indices) indices_[decl] = value;
  for (const DeclId decl : names_in(typed(), box.source)) {
    const auto local = std::find(info.locals.begin(), info.locals.end(), decl);
    const auto param = std::find(info.params.begin(), info.params.end(), decl);
    if (local == info.locals.end() && param == info.params.end()) continue;
    const sema::TypeId type =
        local != info.locals.end()
            ? body.locals[static_cast<std::size_t>(local - info.locals.begin())]
            : body.params[static_cast<std::size_t>(param - info.params.begin())];
    result.variables.push_back({decl, declare(decl, basic(BasicType::Int))});
    decl_types_[decl] = type;
  }
  for (const syntax::ExprId step : box.steps) result.steps.push_back({step, variable_slots_++});
  result.result = variable_slots_++;
  span_ = ast().exprs[box.source].span;
  const Operand whole = value(box.source);
  for (const flat::ScalarPart& part :
       flat::scalar_parts(types(), whole.type, context_.model.typed.ast.symbols)) {
    if (part.offset == box.element) result.real = types().is(part.type, BasicType::Real);
  }
  emit(code::Op::Move, result.result, whole.reg + box.element);
  drop(whole);
  emit(code::Op::Finish);
  result.routine = finish();
  return result;
}

/// A whole number that is given to the box; none if `expr` is not.
std::optional<Operand> Lowering::box_step(syntax::ExprId expr) {
  if (box_ == nullptr) return std::nullopt;
  for (const BoxRoutine::Step& step : box_->steps) {
    if (step.source == expr) return Operand{step.reg, type_of(expr)};
  }
  return std::nullopt;
}

/// The derivatives that it reads are given to it, so a derivative is a variable of its own.
Operand Lowering::box_derivative(syntax::ExprId of) {
  const bool outer = rates_;
  rates_ = true;
  const Operand result = value(of);
  rates_ = outer;
  return result;
}

Location Lowering::rate_place(DeclId decl) {
  const sema::TypeId type = decl_types_.at(decl);
  for (const BoxRoutine::Rate& rate : box_->rates) {
    if (rate.decl == decl) return {false, rate.reg, 0, type};
  }
  const BoxRoutine::Rate rate{decl, variable_slots_, slots(type)};
  variable_slots_ += rate.slots;
  box_->rates.push_back(rate);
  return {false, rate.reg, 0, type};
}

BoxLowering::BoxLowering(flat::FlatModel& model, Program& program)
    : context_(std::make_unique<LoweringContext>(
          LoweringContext{.model = model, .program = program, .options = {}})) {
  for (DeclId decl{0}; decl.index < model.typed.decls.size(); ++decl.index) {
    const RoutineId routine = program.function_of_decl[static_cast<std::size_t>(decl.index)];
    if (routine) context_->functions.emplace(decl, routine);
  }
}

BoxLowering::~BoxLowering() = default;

BoxRoutine BoxLowering::lower(const flat::BlackBox& box) {
  return Lowering(*context_).lower_box(box);
}

}  // namespace chi::code
