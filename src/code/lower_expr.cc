#include <vector>

#include "base/check.h"
#include "code/lowering.h"
#include "sema/vectors.h"
#include "syntax/children.h"

// Operators and literals.
namespace chi::code {

using sema::BasicType;
using sema::TypeId;
using syntax::BinaryOp;
using syntax::ExprId;

Operand Lowering::unary(ExprId expr, const syntax::Unary& node) {
  const TypeId type = type_of(expr);
  if (node.op == syntax::UnaryOp::Sample) return sample(node.operand, type);
  if (node.op == syntax::UnaryOp::Not) {
    Wanted wanted = condition_ == nullptr ? Wanted::Either : condition_->wanted;
    if (wanted == Wanted::True) {
      wanted = Wanted::False;
    } else if (wanted == Wanted::False) {
      wanted = Wanted::True;
    }
    const Operand truth = with_wanted(wanted, node.operand);
    const std::int32_t reg = temporary(1);
    emit(Op::Not, reg, truth.reg);
    return {reg, type};
  }
  const Operand operand = value(node.operand, type);
  if (node.op == syntax::UnaryOp::Plus) return operand;
  if (sema::is_vector(types(), type)) return negated(operand, type);
  const std::int32_t reg = temporary(1);
  emit(types().is(type, BasicType::Real) ? Op::NegReal : Op::NegInt, reg, operand.reg);
  return {reg, type};
}

Operand Lowering::binary(ExprId expr, const syntax::Binary& node) {
  switch (node.op) {
    case BinaryOp::Add:
    case BinaryOp::Sub:
    case BinaryOp::Mul:
    case BinaryOp::Div:
    case BinaryOp::IntDiv:
    case BinaryOp::Mod:
    case BinaryOp::Pow:
    case BinaryOp::Concat:
    case BinaryOp::Subtract:
      if (sema::is_vector(types(), type_of(node.left)) ||
          sema::is_vector(types(), type_of(node.right))) {
        return vector_operation(expr, node);
      }
      return sequence_op(expr) ? changed(expr) : arithmetic(expr);
    case BinaryOp::Eq:
    case BinaryOp::Ne: return equality(node);
    case BinaryOp::Lt:
    case BinaryOp::Le:
    case BinaryOp::Gt:
    case BinaryOp::Ge: return comparison(node);
    case BinaryOp::In: return membership(node);
    case BinaryOp::And:
    case BinaryOp::Or: break;
  }
  return connective(node);
}

/// What changes the left operand of an operation on lists, texts, sets and dictionaries; nothing
/// for any other expression.
std::optional<Op> Lowering::sequence_op(ExprId expr) {
  const auto* node = std::get_if<syntax::Binary>(&ast().exprs[expr].node);
  if (node == nullptr) return std::nullopt;
  const TypeId type = type_of(expr);
  const bool list = std::holds_alternative<sema::List>(types()[type]);
  switch (node->op) {
    case BinaryOp::Concat: return list ? Op::Concat : Op::ConcatText;
    case BinaryOp::Subtract: return Op::ListSubtract;
    case BinaryOp::Add:
      if (types().is_numeric(type) || sema::is_vector(types(), type)) return std::nullopt;
      if (std::holds_alternative<sema::Dict>(types()[type])) return Op::DictMerge;
      if (types().is(type, BasicType::String)) return Op::ConcatText;
      return list ? Op::Concat : Op::SetUnion;
    case BinaryOp::Sub:
    case BinaryOp::Mul:
      if (types().is_numeric(type) || sema::is_vector(types(), type)) return std::nullopt;
      return node->op == BinaryOp::Sub ? Op::SetDifference : Op::SetIntersection;
    default: return std::nullopt;
  }
}

/// `a op b op ...` on sequences: the leftmost operand is changed in place. As a chain of numbers it
/// is walked down its left side, not recursed into.
Operand Lowering::changed(ExprId expr) {
  std::vector<ExprId> chain;
  ExprId left = expr;
  for (; sequence_op(left); left = std::get<syntax::Binary>(ast().exprs[left].node).left)
    chain.push_back(left);
  const Operand result = owned_value(left);
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    span_ = ast().exprs[*it].span;
    const auto& node = std::get<syntax::Binary>(ast().exprs[*it].node);
    const TypeId type = type_of(node.left);
    const Op op = *sequence_op(*it);
    // xs ++ [x]: the element goes straight in.
    const auto* literal = std::get_if<syntax::ListExpr>(&ast().exprs[node.right].node);
    if (op == Op::Concat && literal != nullptr && literal->elements.count == 1) {
      const TypeId element = std::get<sema::List>(types()[type]).element;
      const Operand pushed = own(value(ast().list(literal->elements)[0], element));
      emit(Op::ListPush, result.reg, pushed.reg, 0, type_index(type));
      continue;
    }
    const Operand other = value(node.right, type);
    emit(op, result.reg, other.reg, 0, type_index(type));
    drop(other);
  }
  return result;
}

namespace {

struct Arithmetic {
  Op integer, real;
};

Arithmetic arithmetic_ops(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add: return {Op::AddInt, Op::AddReal};
    case BinaryOp::Sub: return {Op::SubInt, Op::SubReal};
    case BinaryOp::Mul: return {Op::MulInt, Op::MulReal};
    case BinaryOp::Div: return {Op::DivReal, Op::DivReal};
    case BinaryOp::IntDiv: return {Op::DivInt, Op::DivInt};
    case BinaryOp::Mod: return {Op::ModInt, Op::ModInt};
    default: return {Op::PowInt, Op::PowReal};
  }
}

}  // namespace

// A chain a + b + c + ... is as deep as it is long: it is walked down its left side, not recursed
// into.
Operand Lowering::arithmetic(ExprId expr) {
  std::vector<ExprId> chain;
  ExprId left = expr;
  while (const auto* node = std::get_if<syntax::Binary>(&ast().exprs[left].node)) {
    if (node->op > BinaryOp::Pow || !types().is_numeric(type_of(left))) break;
    if (!types().is_numeric(type_of(node->left))) break;  // x*A*y
    chain.push_back(left);
    left = node->left;
  }
  Operand result = value(left);
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    const auto& node = std::get<syntax::Binary>(ast().exprs[*it].node);
    const TypeId type = type_of(*it);
    span_ = ast().exprs[*it].span;
    const bool real = types().is(type, BasicType::Real);
    // Integers are computed as int: what does not fit a nat is found where it becomes one.
    const TypeId operands = real ? type : basic(BasicType::Int);
    const Operand a = converted(result, operands);
    const Operand b = value(node.right, operands);
    const Arithmetic ops = arithmetic_ops(node.op);
    const std::int32_t reg = temporary(1);
    emit(real ? ops.real : ops.integer, reg, a.reg, b.reg);
    result = {reg, type};
  }
  return result;
}

Operand Lowering::comparison(const syntax::Binary& node) {
  const TypeId left = type_of(node.left);
  const TypeId right = type_of(node.right);
  const bool swap = node.op == BinaryOp::Gt || node.op == BinaryOp::Ge;
  bool strict = node.op == BinaryOp::Lt || node.op == BinaryOp::Gt;
  const bool real = types().is(left, BasicType::Real) || types().is(right, BasicType::Real);
  const std::int32_t reg = temporary(1);
  if (types().is_numeric(left)) {
    const TypeId type = basic(real ? BasicType::Real : BasicType::Int);
    const Operand a = value(node.left, type);
    const Operand b = value(node.right, type);
    if (!deadlines_.empty() && syntax::compares_time(ast(), node)) {
      const bool time_left = std::holds_alternative<syntax::Time>(ast().exprs[node.left].node);
      move(deadlines_.front(), (time_left ? b : a).reg, type);
      deadlines_ = deadlines_.subspan(1);
      // The wait for `time > e` is over at the event, when time has reached e (semantics.md §4).
      if (time_left == swap) strict = false;
    }
    const Op op = real ? (strict ? Op::LtReal : Op::LeReal) : (strict ? Op::LtInt : Op::LeInt);
    emit(op, reg, swap ? b.reg : a.reg, swap ? a.reg : b.reg);
    return {reg, basic(BasicType::Bool)};
  }
  const Operand a = value(node.left);
  const Operand b = value(node.right, left);
  emit(strict ? Op::LtValue : Op::LeValue, reg, swap ? b.reg : a.reg, swap ? a.reg : b.reg,
       type_index(left));
  drop(a);
  drop(b);
  return {reg, basic(BasicType::Bool)};
}

Operand Lowering::equality(const syntax::Binary& node) {
  TypeId type = type_of(node.left);
  const TypeId right = type_of(node.right);
  if (types().is_numeric(type) && types().is_numeric(right)) {
    const bool real = types().is(type, BasicType::Real) || types().is(right, BasicType::Real);
    type = basic(real ? BasicType::Real : BasicType::Int);
  }
  const Operand a = value(node.left, type);
  const Operand b = value(node.right, type);
  const bool equal = node.op == BinaryOp::Eq;
  const std::int32_t reg = temporary(1);
  if (types().is(type, BasicType::Real)) {
    emit(equal ? Op::EqReal : Op::NeReal, reg, a.reg, b.reg);
  } else if (types().is_integer(type) || types().is(type, BasicType::Bool)) {
    emit(equal ? Op::EqInt : Op::NeInt, reg, a.reg, b.reg);
  } else {
    emit(Op::EqValue, reg, a.reg, b.reg, type_index(type));
    if (!equal) emit(Op::Not, reg, reg);
  }
  drop(a);
  drop(b);
  return {reg, basic(BasicType::Bool)};
}

Operand Lowering::membership(const syntax::Binary& node) {
  const TypeId type = type_of(node.right);
  Op op = Op::ListHas;
  TypeId element;
  if (const auto* list = std::get_if<sema::List>(&types()[type])) {
    element = list->element;
  } else if (const auto* set = std::get_if<sema::Set>(&types()[type])) {
    op = Op::SetHas;
    element = set->element;
  } else {
    op = Op::DictHas;
    element = std::get<sema::Dict>(types()[type]).key;
  }
  const Operand a = value(node.left, element);
  const Operand b = value(node.right);
  const std::int32_t reg = temporary(1);
  emit(op, reg, a.reg, b.reg, type_index(type));
  drop(a);
  drop(b);
  return {reg, basic(BasicType::Bool)};
}

// Short-circuit; a chain is walked down its left side, as in `arithmetic`.
Operand Lowering::connective(const syntax::Binary& node) {
  const BinaryOp op = node.op;
  std::vector<ExprId> operands{node.right};
  ExprId left = node.left;
  while (const auto* inner = std::get_if<syntax::Binary>(&ast().exprs[left].node)) {
    if (inner->op != op) break;
    operands.push_back(inner->right);
    left = inner->left;
  }
  const std::int32_t reg = temporary(1);
  const TypeId type = basic(BasicType::Bool);
  into(reg, left, type);
  std::vector<std::int32_t> exits;
  for (auto it = operands.rbegin(); it != operands.rend(); ++it) {
    exits.push_back(emit(op == BinaryOp::And ? Op::JumpUnless : Op::JumpIf, reg));
    into(reg, *it, type);
  }
  for (const std::int32_t exit : exits) patch(exit);
  return {reg, type};
}

Operand Lowering::conditional(ExprId expr, const syntax::Conditional& node) {
  const TypeId type = type_of(expr);
  const std::int32_t reg = temporary(slots(type));
  const Operand condition = deciding(node.condition);
  const std::int32_t otherwise = emit(Op::JumpUnless, condition.reg);
  into(reg, node.then, type);
  const std::int32_t end = emit(Op::Jump);
  patch(otherwise);
  into(reg, node.otherwise, type);
  patch(end);
  return {reg, type, managed(type)};
}

Operand Lowering::guarded(ExprId expr, const syntax::GuardedExpr& node) {
  const TypeId type = type_of(expr);
  const std::int32_t reg = temporary(slots(type));
  std::vector<std::int32_t> ends;
  for (const syntax::GuardedValue& alternative : ast().list(node.alternatives)) {
    const Operand guard = deciding(alternative.guard);
    const std::int32_t next = emit(Op::JumpUnless, guard.reg);
    into(reg, alternative.value, type);
    ends.push_back(emit(Op::Jump));
    patch(next);
  }
  emit(Op::Fail, 0, 0, static_cast<std::int32_t>(RunError::NoOpenGuard));
  for (const std::int32_t end : ends) patch(end);
  return {reg, type, managed(type)};
}

/// Tuple and array literals: elements one after the other.
Operand Lowering::aggregate(TypeId type, std::span<const ExprId> elements) {
  const std::int32_t reg = temporary(slots(type));
  std::int32_t at = reg;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    TypeId element;
    if (const auto* array = std::get_if<sema::Array>(&types()[type])) {
      element = array->element;
    } else {
      element = types().list(std::get<sema::Tuple>(types()[type]).elements)[i];
    }
    into(at, elements[i], element);
    at += slots(element);
  }
  return {reg, type, managed(type)};
}

std::int32_t Lowering::consecutive(TypeId element, std::span<const ExprId> values) {
  const std::int32_t size = slots(element);
  const std::int32_t base = temporary(static_cast<std::int64_t>(values.size()) * size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    into(base + static_cast<std::int32_t>(i) * size, values[i], element);
  }
  return base;
}

Operand Lowering::list_literal(TypeId type, std::span<const ExprId> elements) {
  const TypeId element = std::get<sema::List>(types()[type]).element;
  const std::int32_t base = elements.empty() ? 0 : consecutive(element, elements);
  const std::int32_t reg = temporary(slots(type));
  emit(Op::MakeList, reg, base, static_cast<std::int32_t>(elements.size()), type_index(type));
  return {reg, type, true};
}

Operand Lowering::set_literal(TypeId type, std::span<const ExprId> elements) {
  const TypeId element = std::get<sema::Set>(types()[type]).element;
  const std::int32_t base = elements.empty() ? 0 : consecutive(element, elements);
  const std::int32_t reg = temporary(slots(type));
  emit(Op::MakeSet, reg, base, static_cast<std::int32_t>(elements.size()), type_index(type));
  return {reg, type, true};
}

Operand Lowering::dict_literal(TypeId type, std::span<const syntax::DictEntry> entries) {
  const auto dict = std::get<sema::Dict>(types()[type]);
  const std::int32_t reg = temporary(slots(type));
  emit(Op::Clear, reg, slots(type));
  for (const syntax::DictEntry& entry : entries) {
    const Operand key = own(value(entry.key, dict.key));
    const Operand held = own(value(entry.value, dict.value));
    emit(Op::DictSet, reg, key.reg, held.reg, type_index(type));
  }
  return {reg, type, true};
}

Operand Lowering::record_literal(TypeId type, std::span<const syntax::FieldValue> fields) {
  const auto declared = types().list(std::get<sema::Record>(types()[type]).fields);
  const std::int32_t reg = temporary(slots(type));
  std::int32_t at = reg;
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const sema::Field field = types().list(std::get<sema::Record>(types()[type]).fields)[i];
    for (const syntax::FieldValue& given : fields) {
      if (given.field.name == field.name) into(at, given.value, field.type);
    }
    at += slots(field.type);
  }
  return {reg, type, managed(type)};
}

}  // namespace chi::code
