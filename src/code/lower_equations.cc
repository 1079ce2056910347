#include <algorithm>

#include "base/check.h"
#include "code/lowering.h"
#include "flat/expr_facts.h"
#include "syntax/children.h"

// What statements ask of the equations around them (surroundings.h). A model without equations gets
// no instruction from here, unless it waits for a condition on `time` that has to be searched.
namespace chi::code {

using sema::BasicType;
using sema::DeclId;
using syntax::BinaryOp;
using syntax::ExprId;

flat::SlotUse Lowering::use_of(DeclId decl) const {
  if (uses_ == nullptr) return {};
  const auto found = uses_->find(decl);
  return found == uses_->end() ? flat::SlotUse{} : found->second;
}

Lowering::Reads Lowering::reads(ExprId expr) const {
  Reads result;
  std::vector<ExprId> pending{expr};
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    const auto& node = ast().exprs[id].node;
    if (std::holds_alternative<syntax::Derivative>(node)) {
      result.unknown = result.moves = true;  // of the IP
    } else if (std::holds_alternative<syntax::Time>(node)) {
      result.time = true;
    } else if (flat::is_delay(typed(), id)) {
      result.unknown = result.moves = true;  // the past is kept by who integrates
    } else if (const auto* unary = std::get_if<syntax::Unary>(&node)) {
      result.samples |= unary->op == syntax::UnaryOp::Sample;
    } else if (const auto* decl = std::get_if<DeclId>(&typed().resolution[id])) {
      const flat::SlotUse use = use_of(*decl);
      result.unknown |= use.unknown;
      result.moves |= use.moves;
    }
    syntax::append_children(ast(), id, pending);
  }
  return result;
}

/// Whether it compares numbers.
bool Lowering::is_relation(const syntax::Binary& node) {
  switch (node.op) {
    case BinaryOp::Eq:
    case BinaryOp::Ne:
    case BinaryOp::Lt:
    case BinaryOp::Le:
    case BinaryOp::Gt:
    case BinaryOp::Ge:
      return types().is_numeric(type_of(node.left)) && types().is_numeric(type_of(node.right));
    default: return false;
  }
}

/// Whether the truth of `expr` is asked of the surroundings as it stands, so that it is evaluated
/// with the tolerance band and can be watched: relations between numbers that move, and in guards
/// and awaited conditions anything else that is true or false and moves, such as calls of boolean
/// functions. Others (`and`, `not`, `if`) are code, so that what they protect is not evaluated.
bool Lowering::is_asked(ExprId expr) {
  const bool awaited = condition_ != nullptr && condition_->awaited;
  if (uses_ == nullptr && !awaited) return false;
  const auto& node = ast().exprs[expr].node;
  const auto* binary = std::get_if<syntax::Binary>(&node);
  const bool relation = binary != nullptr && is_relation(*binary);
  if (!relation) {
    const bool other =
        std::holds_alternative<syntax::Call>(node) || std::holds_alternative<syntax::Index>(node) ||
        std::holds_alternative<syntax::Member>(node) ||
        std::holds_alternative<syntax::Project>(node) ||
        (binary != nullptr &&
         (binary->op == BinaryOp::In || binary->op == BinaryOp::Eq || binary->op == BinaryOp::Ne));
    // A truth that equations determine: by itself, or as what a discrete equation remembers.
    const auto* name = std::get_if<syntax::Name>(&node);
    const auto* decl = name == nullptr ? nullptr : std::get_if<DeclId>(&typed().resolution[expr]);
    const bool determined = decl != nullptr && use_of(*decl).moves;
    if (condition_ == nullptr || !(other || determined) ||
        !types().is(type_of(expr), BasicType::Bool))
      return false;
  }
  const Reads found = reads(expr);
  if (found.samples) return false;  // drawn by the statement, once
  if (found.moves) return true;
  if (!found.time) return false;
  // A comparison of `time` with what does not move is a deadline.
  if (awaited) return binary == nullptr || !syntax::compares_time(ast(), *binary);
  return relation && context_.integrates;
}

UnwindingIndices Lowering::unwinding_indices() const {
  UnwindingIndices indices(indices_.begin(), indices_.end());
  std::sort(indices.begin(), indices.end());  // a hash table has no order to rely on
  return indices;
}

Operand Lowering::ask_condition(ExprId expr) {
  InCondition* const condition = condition_;
  condition_ = nullptr;
  check_indices(expr);
  condition_ = condition;
  const auto row = static_cast<std::int32_t>(context_.program.conditions.size());
  const Wanted wanted = condition_ == nullptr ? Wanted::Either : condition_->wanted;
  context_.program.conditions.push_back({body_, expr, unwinding_indices(), wanted});
  const sema::TypeId type = basic(BasicType::Bool);
  const std::int32_t reg = temporary(1);
  emit(Op::Holds, reg, 0, row);
  if (condition_ != nullptr && condition_->selection != nullptr) {
    CHI_CHECK(next_note_ < end_of_notes_, "the questions of a condition were counted");
    move(next_note_, scalar(BasicType::Bool, 1).reg, type);
    condition_->selection->conditions.push_back(
        {row, next_note_++, condition_->offer, !condition_->awaited});
  }
  return {reg, type};
}

/// An index out of range is found here, where it can be told; not inside what `if` protects.
void Lowering::check_indices(ExprId expr) {
  std::vector<ExprId> pending{expr};
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    const auto& node = ast().exprs[id].node;
    if (std::holds_alternative<syntax::Conditional>(node) ||
        std::holds_alternative<syntax::GuardedExpr>(node)) {
      continue;
    }
    const auto check = [&](ExprId of, auto index) {
      const auto* array = std::get_if<sema::Array>(&types()[type_of(of)]);
      if (array == nullptr) return;
      const auto length = static_cast<std::int32_t>(array->length);
      emit(Op::CheckIndex, index().reg, length);
    };
    if (const auto* index = std::get_if<syntax::Index>(&node)) {
      check(index->of, [&] { return index_operand(index->index); });
    } else if (const auto* member = std::get_if<syntax::Member>(&node)) {
      if (typed().field[id] < 0) {
        check(member->of, [&] { return read_decl(std::get<DeclId>(typed().resolution[id])); });
      }
    }
    syntax::append_children(ast(), id, pending);
  }
}

/// The truth of a guard or of an awaited condition.
Operand Lowering::condition_value(ExprId expr, InCondition condition) {
  condition_ = &condition;
  const Operand result = value(expr, basic(BasicType::Bool));
  condition_ = nullptr;
  return result;
}

/// A part of a condition of which another truth is wanted than of the whole.
Operand Lowering::with_wanted(Wanted wanted, ExprId expr) {
  if (condition_ == nullptr) return value(expr);
  const Wanted outer = condition_->wanted;
  condition_->wanted = wanted;
  const Operand result = value(expr);
  condition_->wanted = outer;
  return result;
}

/// What decides, inside a condition, between values: neither truth of it is wanted.
Operand Lowering::deciding(ExprId expr) {
  const bool waits = condition_ != nullptr && condition_->selection != nullptr;
  return with_wanted(waits ? Wanted::Lasting : Wanted::Either, expr);
}

/// How many questions the code of a condition asks.
std::int32_t Lowering::count_asked(ExprId expr, bool awaited) {
  InCondition condition{.awaited = awaited};
  condition_ = &condition;
  std::int32_t count = 0;
  std::vector<ExprId> pending{expr};
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    if (is_asked(id)) {
      ++count;
    } else {
      syntax::append_children(ast(), id, pending);
    }
  }
  condition_ = nullptr;
  return count;
}

std::int32_t Lowering::count_asked(const std::vector<Case>& cases) {
  std::int32_t count = 0;
  for (const Case& c : cases) {
    count += count_asked(c.alternative->guard, false);
    if (!c.alternative->event) continue;
    const auto* wait = std::get_if<syntax::Wait>(&ast().stats[c.alternative->event].node);
    if (wait != nullptr) count += count_asked(wait->condition, true);
  }
  return count;
}

/// Registers for `count` questions, and code that forgets what an earlier evaluation came to.
void Lowering::start_notes(std::int32_t count) {
  if (count == 0) return;
  next_note_ = temporary(count);
  end_of_notes_ = next_note_ + count;
  emit(Op::Clear, next_note_, count);
}

Operand Lowering::derivative(ExprId expr) {
  if (box_ != nullptr)
    return box_derivative(std::get<syntax::Derivative>(ast().exprs[expr].node).of);
  return asked_value(expr);
}

Operand Lowering::asked_value(ExprId expr) {
  CHI_CHECK(!is_function_ && box_ == nullptr, "it stands in equations and statements only");
  const sema::TypeId type = type_of(expr);
  const std::int32_t count = slots(type);
  const auto row = static_cast<std::int32_t>(context_.program.values.size());
  context_.program.values.push_back({body_, expr, unwinding_indices(), count});
  const std::int32_t reg = temporary(count);
  emit(Op::Value, reg, 0, row);
  return {reg, type};
}

void Lowering::instant(syntax::StatId stat) {
  const auto row = static_cast<std::int32_t>(context_.program.instants.size());
  context_.program.instants.push_back({body_, stat, unwinding_indices()});
  emit(Op::Instant, 0, 0, row);
}

void Lowering::settle_for(ExprId expr) {
  if (uses_ == nullptr || settled_ || !reads(expr).unknown) return;
  emit(Op::Settle);
  settled_ = true;
}

/// Assigning reads the indices on the way to the target, and not the target.
void Lowering::settle_for_target(ExprId target) {
  if (uses_ == nullptr) return;
  while (true) {
    const auto& node = ast().exprs[target].node;
    if (const auto* p = std::get_if<syntax::Parenthesized>(&node)) {
      target = p->inner;
    } else if (const auto* i = std::get_if<syntax::Index>(&node)) {
      settle_for(i->index);
      target = i->of;
    } else if (const auto* m = std::get_if<syntax::Member>(&node)) {
      target = m->of;
    } else if (const auto* project = std::get_if<syntax::Project>(&node)) {
      target = project->of;
    } else {
      return;
    }
  }
}

void Lowering::refresh(const Location& place) {
  if (!place.use.substituted) return;
  const std::int32_t count = slots(place.type);
  if (place.in_memory) {
    emit(Op::RefreshAt, place.reg, place.offset, count);
  } else {
    emit(Op::Refresh, place.reg, count);
  }
}

void Lowering::about_to_assign(const Location& place) {
  if (!place.use.used) return;
  const std::int32_t count = slots(place.type);
  if (place.in_memory) {
    emit(Op::AboutToAssignAt, place.reg, place.offset, count);
  } else {
    emit(Op::AboutToAssign, place.reg, count);
  }
}

void Lowering::assigned(const Location& place) {
  if (!place.use.used) return;
  const std::int32_t count = slots(place.type);
  if (place.in_memory) {
    emit(Op::AssignedAt, place.reg, place.offset, count);
  } else {
    emit(Op::Assigned, place.reg, count);
  }
}

/// Whether finding the place takes no code: no index on the way is computed.
bool Lowering::is_fixed_place(ExprId target) {
  while (true) {
    const auto& node = ast().exprs[target].node;
    if (const auto* parenthesized = std::get_if<syntax::Parenthesized>(&node)) {
      target = parenthesized->inner;
    } else if (const auto* project = std::get_if<syntax::Project>(&node)) {
      const auto* array = std::get_if<sema::Array>(&types()[type_of(project->of)]);
      if (array != nullptr && project->index >= array->length) return false;
      target = project->of;
    } else if (const auto* member = std::get_if<syntax::Member>(&node)) {
      if (typed().field[target] < 0) return false;
      target = member->of;
    } else {
      return std::holds_alternative<syntax::Name>(node);
    }
  }
}

/// x, y := e, f: one action, so that equations see all of it or nothing. (A place that has to be
/// computed is found when its turn comes, and is an action of its own to them.)
void Lowering::assign_together(std::span<const ExprId> targets, std::span<const Operand> values) {
  std::vector<std::optional<Location>> places(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (uses_ == nullptr || !is_fixed_place(targets[i])) continue;
    places[i] = place(targets[i]);
    if (places[i] && !places[i]->use.used) places[i].reset();
    if (places[i]) about_to_assign(*places[i]);
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (!places[i]) {
      assign(targets[i], values[i]);
      continue;
    }
    Location quiet = *places[i];
    quiet.use.used = false;
    store(quiet, values[i]);
  }
  for (const std::optional<Location>& done : places) {
    if (done) assigned(*done);
  }
}

}  // namespace chi::code
