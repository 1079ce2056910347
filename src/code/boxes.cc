#include "code/boxes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "code/make_value.h"
#include "flat/translator.h"

namespace chi::code {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// An integer that was computed as a real, perhaps moved a little aside by a difference quotient.
bool to_integer(double value, TypeKind kind, std::int64_t& result) {
  const double whole = std::round(value);
  if (!(std::fabs(whole) < 0x1p63) || (kind == TypeKind::Nat && whole < 0)) return false;
  result = static_cast<std::int64_t>(whole);
  return true;
}

}  // namespace

/// A box ready to run: its code and its frame, with constants and addresses in place.
struct ModelBoxes::Box {
  /// Where an argument goes.
  struct Input {
    std::int64_t slot = -1;          // in memory,
    std::vector<std::int32_t> regs;  // or registers of the frame,
    bool time = false;               // or the clock
    TypeKind kind = TypeKind::Real;
  };
  const Routine* routine = nullptr;
  Routine own;  // of a function: a call of it
  std::vector<Slot> frame;
  std::vector<Input> inputs;
  std::vector<std::int64_t> touched;  // slots of memory that arguments go to
  std::vector<Slot> saved;            // what was there
  std::int32_t result = 0;
  bool real = false;
  std::optional<Failure> unmade;  // it could not be prepared
  std::optional<Failure> failure;
  std::int64_t failed_in = -1;   // when that was
  std::int64_t plain_slot = -1;  // of a discrete input that is a variable
};

ModelBoxes::ModelBoxes(flat::FlatModel& model, Program& program, Machine& machine, BoxPlaces places)
    : model_(model),
      program_(program),
      machine_(machine),
      places_(std::move(places)),
      interpreter_(machine),
      lowering_(model, program) {}

ModelBoxes::~ModelBoxes() = default;

std::unique_ptr<ModelBoxes::Box> ModelBoxes::make(const flat::UserFunction& source) {
  const sema::TypedModel& typed = model_.typed;
  const RoutineId callee = program_.function_of_decl[at(source.function.index)];
  const Routine& function = program_.functions[callee];
  auto box = std::make_unique<Box>();
  const auto& type = std::get<sema::Func>(typed.types[typed.decls[source.function].type]);
  for (const sema::TypeId parameter : typed.types.list(type.parameters)) {
    for (const sema::TypeId scalar : flat::scalar_types(typed.types, parameter)) {
      Box::Input input;
      input.regs.push_back(static_cast<std::int32_t>(box->inputs.size()));
      input.kind = program_.types.at(scalar).kind;
      box->inputs.push_back(std::move(input));
    }
  }
  const std::vector<sema::TypeId> results = flat::scalar_types(typed.types, type.result);
  box->real = program_.types.at(results[at(source.element)]).kind == TypeKind::Real;
  const std::int32_t first = function.parameter_slots;
  box->own.name = function.name;
  box->own.code = {{Op::Call, 0, first, 0, callee.index}, {Op::Finish, 0, 0, 0, 0}};
  box->own.spans.assign(2, typed.decls[source.function].span);
  box->own.frame_slots = first + function.result_slots;
  box->routine = &box->own;
  box->frame.assign(at(box->own.frame_slots), Slot{.i = 0});
  box->result = first + source.element;
  return box;
}

std::int32_t ModelBoxes::flat_slot(const flat::Block& block, sema::DeclId decl) const {
  const sema::Decl& row = model_.typed.decls[decl];
  const std::size_t k = at(row.ordinal);
  if (row.kind == sema::DeclKind::RefParam)
    return std::get<flat::BoundVariable>(block.bindings[k]).slot;
  if (row.kind == sema::DeclKind::Local && block.variables[k])
    return model_.variables[block.variables[k]].slot;
  return -1;
}

std::int64_t ModelBoxes::variable_slot(const flat::BlackBox& source, sema::DeclId decl) const {
  const flat::Block& block = model_.blocks[at(source.block)];
  if (const std::int32_t slot = flat_slot(block, decl); slot >= 0) return places_.variable(slot);
  const Routine& body = program_.bodies[RoutineId{block.body.index}];
  const std::size_t k = at(model_.typed.decls[decl].ordinal);
  const bool local = model_.typed.decls[decl].kind == sema::DeclKind::Local;
  return places_.blocks[at(source.block)] + (local ? body.local_offsets[k] : body.param_offsets[k]);
}

std::unique_ptr<ModelBoxes::Box> ModelBoxes::make(const flat::BlackBox& source,
                                                  const flat::BoxFunction* function) {
  const flat::Block& block = model_.blocks[at(source.block)];
  std::unique_ptr<BoxRoutine>& lowered =
      routines_[{block.body.index, source.source.index, source.indices, source.element}];
  if (!lowered) lowered = std::make_unique<BoxRoutine>(lowering_.lower(source));
  auto box = std::make_unique<Box>();
  box->routine = &lowered->routine;
  box->result = lowered->result;
  box->real = lowered->real;
  box->frame.assign(at(lowered->routine.frame_slots), Slot{.i = 0});
  for (const auto& [reg, index] : lowered->routine.constants) {
    const Constant& constant = program_.constants[at(index)];
    const RunError error = make_value(machine_.heap(), program_.types[constant.runtime],
                                      constant.value, box->frame.data() + reg);
    if (error != RunError::None) box->unmade = Failure{.error = error, .span = block.span};
  }
  for (const BoxRoutine::Variable& variable : lowered->variables)
    box->frame[at(variable.reg)].i = variable_slot(source, variable.decl);
  if (function == nullptr) return box;
  for (const expr::VarRef v : function->inputs) {
    Box::Input input;
    if (v.order == 0) {
      input.slot = places_.variable(v.var.index);
      box->touched.push_back(input.slot);
    }
    for (const BoxRoutine::Rate& rate : lowered->rates) {
      const std::int32_t offset = v.var.index - flat_slot(block, rate.decl);
      if (v.order == 1 && offset >= 0 && offset < rate.slots)
        input.regs.push_back(rate.reg + offset);
    }
    box->inputs.push_back(std::move(input));
  }
  if (function->reads_time) box->inputs.push_back({.slot = -1, .regs = {}, .time = true});
  for (const BoxRoutine::Step& step : lowered->steps) {
    box->inputs.push_back({.slot = -1, .regs = {step.reg}, .time = false, .kind = TypeKind::Int});
  }
  box->saved.resize(box->touched.size());
  return box;
}

std::unique_ptr<ModelBoxes::Box> ModelBoxes::make(const flat::BoxFunction& source) {
  return make(source.box, &source);
}

ModelBoxes::Box& ModelBoxes::function_box(expr::FunctionId f) {
  if (functions_.size() <= at(f.index)) functions_.resize(at(f.index) + 1);
  std::unique_ptr<Box>& box = functions_[at(f.index)];
  if (!box) {
    const flat::FunctionSource& source = model_.equations.functions[f];
    const auto* user = std::get_if<flat::UserFunction>(&source);
    CHI_CHECK(user != nullptr || std::holds_alternative<flat::BoxFunction>(source),
              "a black box has a source");
    box = user != nullptr ? make(*user) : make(std::get<flat::BoxFunction>(source));
  }
  return *box;
}

bool ModelBoxes::set_argument(Box& box, std::size_t i, double value) {
  const Box::Input& input = box.inputs[i];
  Slot slot = real_slot(value);
  if (input.kind == TypeKind::Bool) {
    slot = int_slot(value != 0 ? 1 : 0);
  } else if (input.kind != TypeKind::Real && !to_integer(value, input.kind, slot.i)) {
    return false;
  }
  if (input.time) machine_.time = value;
  if (input.slot >= 0) machine_.memory()[input.slot] = slot;
  for (const std::int32_t reg : input.regs) box.frame[at(reg)] = slot;
  return true;
}

void ModelBoxes::fail(Box& box, const Failure& failure) const {
  if (box.failure && box.failed_in == epoch_) return;
  box.failure = failure;
  box.failed_in = epoch_;
}

double ModelBoxes::run(Box& box) {
  if (box.unmade) {
    fail(box, *box.unmade);
    return kNan;
  }
  std::int32_t pc = 0;
  interpreter_.work = 0;
  const Stop stop = interpreter_.run(*box.routine, box.frame.data(), pc);
  if (stop == Stop::Failed) {
    fail(box, interpreter_.failure());
    return kNan;
  }
  CHI_CHECK(stop == Stop::Finished, "an expression waits for nothing");
  const Slot result = box.frame[at(box.result)];
  return box.real ? result.r : static_cast<double>(result.i);
}

double ModelBoxes::table(expr::FunctionId f, const flat::TableFunction& source,
                         std::span<const double> arguments) {
  using What = flat::TableFunction::What;
  const sema::LookupTable& table = (*model_.typed.tables)[source.table];
  const std::vector<double>& axis = table.axis(source.axis);
  const double margin = absolute_margin_ + relative_margin_ * std::max(std::fabs(axis.front()),
                                                                       std::fabs(axis.back()));
  switch (source.what) {
    case What::Piece: {
      const double piece = table.piece(source.axis, arguments[0], margin);
      if (piece < 0 || piece >= static_cast<double>(table.pieces(source.axis)))
        outside_[{source.table, source.axis}] = arguments[0];
      return piece;
    }
    case What::Lower: return table.lower(source.axis, arguments[0], margin);
    case What::Upper: return table.upper(source.axis, arguments[0], margin);
    case What::Corner: return table.corner(source.axis, arguments[0]);
    case What::Coefficient:
    case What::Cubic: break;
  }
  const double second = arguments.size() > 1 ? arguments[1] : 0;
  const double value =
      source.what == What::Coefficient
          ? table.coefficient(source.i, source.j, arguments[0], second)
          : table.cubic(source.i, source.j, arguments.data(), arguments.data() + table.arity());
  if (std::isnan(value)) fail_table(f, table, source, arguments);
  return value;
}

void ModelBoxes::fail_table(expr::FunctionId f, const sema::LookupTable& table,
                            const flat::TableFunction& source, std::span<const double> arguments) {
  if (functions_.size() <= at(f.index)) functions_.resize(at(f.index) + 1);
  if (!functions_[at(f.index)]) functions_[at(f.index)] = std::make_unique<Box>();
  int axis = 0;
  for (int a = 0; a < table.arity(); ++a) {
    const double piece = arguments[at(a)];
    if (piece < 0 || piece >= static_cast<double>(table.pieces(a))) axis = a;
  }
  Failure failure{.error = RunError::OutsideTable, .span = table.span()};
  const auto last = outside_.find({source.table, axis});
  const double border =
      arguments[at(axis)] < 0 ? table.axis(axis).front() : table.axis(axis).back();
  failure.real_fact = last == outside_.end() ? border : last->second;
  failure.detail = table.range_text(axis);
  fail(*functions_[at(f.index)], failure);
}

double ModelBoxes::call(expr::FunctionId f, std::span<const double> arguments) {
  const flat::FunctionSource& source = model_.equations.functions[f];
  if (const auto* of_table = std::get_if<flat::TableFunction>(&source))
    return table(f, *of_table, arguments);
  Box& box = function_box(f);
  CHI_CHECK(arguments.size() == box.inputs.size(), "as many arguments as a box has inputs");
  Slot* const memory = machine_.memory();
  for (std::size_t i = 0; i < box.touched.size(); ++i) box.saved[i] = memory[box.touched[i]];
  const double time = machine_.time;
  bool good = true;
  for (std::size_t i = 0; i < arguments.size(); ++i) good &= set_argument(box, i, arguments[i]);
  double value = kNan;
  if (good) {
    value = run(box);
  } else {
    fail(box, {.error = RunError::Overflow, .span = box.routine->spans.front()});
  }
  machine_.time = time;
  for (std::size_t i = 0; i < box.touched.size(); ++i) memory[box.touched[i]] = box.saved[i];
  return value;
}

double ModelBoxes::discrete(expr::DiscreteId d) {
  if (discrete_.size() <= at(d.index)) discrete_.resize(at(d.index) + 1);
  std::unique_ptr<Box>& box = discrete_[at(d.index)];
  if (!box) {
    const auto& source = model_.equations.discrete[d].source;
    if (const auto* slot = std::get_if<flat::DiscreteSlot>(&source)) {
      box = std::make_unique<Box>();
      box->plain_slot = places_.variable(slot->slot);
    } else {
      box = make(std::get<flat::BlackBox>(source), nullptr);
    }
  }
  if (box->plain_slot >= 0) return static_cast<double>(machine_.memory()[box->plain_slot].i);
  box->failure.reset();
  return run(*box);
}

const Failure* ModelBoxes::failure(expr::FunctionId f) const {
  if (functions_.size() <= at(f.index) || !functions_[at(f.index)]) return nullptr;
  const Box& box = *functions_[at(f.index)];
  return box.failure && box.failed_in == epoch_ ? &*box.failure : nullptr;
}

const Failure* ModelBoxes::failure(expr::DiscreteId d) const {
  if (discrete_.size() <= at(d.index) || !discrete_[at(d.index)]) return nullptr;
  const std::optional<Failure>& failure = discrete_[at(d.index)]->failure;
  return failure ? &*failure : nullptr;
}

}  // namespace chi::code
