#include <bit>

#include "base/check.h"
#include "base/match.h"
#include "code/lowering.h"

namespace chi::code {

using sema::BasicType;
using sema::TypeId;

void Lowering::move(std::int32_t to, std::int32_t from, TypeId type) {
  const std::int32_t count = slots(type);
  if (to == from || count == 0) return;
  if (count == 1) {
    emit(Op::Move, to, from);
  } else {
    emit(Op::MoveN, to, from, count);
  }
}

// A value of a plain type needs no references, so it is always as good as owned.
Operand Lowering::own(Operand operand) {
  if (operand.owned || !managed(operand.type)) return operand;
  const std::int32_t reg = temporary(slots(operand.type));
  move(reg, operand.reg, operand.type);
  emit(Op::Retain, reg, 0, type_index(operand.type));
  return {reg, operand.type, true};
}

void Lowering::drop(Operand operand) {
  if (operand.owned && managed(operand.type))
    emit(Op::Release, operand.reg, 0, type_index(operand.type));
}

Operand Lowering::converted(Operand operand, TypeId wanted) {
  if (operand.type == wanted) return operand;
  const bool from_integer = types().is_integer(operand.type);
  if (from_integer && types().is(wanted, BasicType::Real)) {
    const std::int32_t reg = temporary(1);
    emit(Op::IntToReal, reg, operand.reg);
    return {reg, wanted};
  }
  if (types().is(operand.type, BasicType::Int) && types().is(wanted, BasicType::Nat)) {
    const std::int32_t reg = temporary(1);
    emit(Op::CheckNat, reg, operand.reg);
    return {reg, wanted};
  }
  // nat as int, a channel end as the channel, an empty literal: the same slots.
  operand.type = wanted;
  return operand;
}

Operand Lowering::load(Location place) {
  refresh(place);
  if (!place.in_memory) return {place.reg, place.type};
  const std::int32_t count = slots(place.type);
  const std::int32_t reg = temporary(count);
  if (count == 1) {
    emit(Op::LoadRef, reg, place.reg, place.offset);
    return {reg, place.type};
  }
  std::int32_t address = place.reg;
  if (place.offset != 0) {
    address = temporary(1);
    emit(Op::OffsetAddress, address, place.reg, place.offset);
  }
  emit(Op::LoadAt, reg, address, count);
  return {reg, place.type};
}

// The old value is released after the new one is there: the new one may be made of it.
void Lowering::store(Location place, Operand value) {
  if (holds_distributions(place.type)) {
    store_laws(place, value);
    return;
  }
  value = own(value);
  about_to_assign(place);
  if (managed(place.type)) {
    const Operand old = load(place);
    const std::int32_t kept = temporary(slots(place.type));
    move(kept, old.reg, place.type);
    put_back(place, value);
    assigned(place);
    emit(Op::Release, kept, 0, type_index(place.type));
    return;
  }
  put_back(place, value);
  assigned(place);
}

/// Kind and arguments of a distribution, or of each in an array; the streams stay the variable's
/// own.
void Lowering::store_laws(Location place, Operand value) {
  constexpr std::int32_t kLawSlots = 4;
  const std::int32_t size = slots(place.type);
  sema::TypeId single = place.type;
  while (const auto* array = std::get_if<sema::Array>(&types()[single])) single = array->element;
  for (std::int32_t offset = 0; offset < size; offset += slots(single)) {
    const Location target = element(place, single, offset);
    if (!target.in_memory) {
      emit(Op::MoveN, target.reg, value.reg + offset, kLawSlots);
      continue;
    }
    const std::int32_t address = temporary(1);
    emit(Op::OffsetAddress, address, target.reg, target.offset);
    emit(Op::StoreAt, address, value.reg + offset, kLawSlots);
  }
}

/// The value moved out of its place: the place is not to be read until `put_back`.
Operand Lowering::take(Location place) {
  Operand value = load(place);
  value.owned = true;
  return value;
}

void Lowering::put_back(Location place, Operand value) {
  if (!place.in_memory) {
    move(place.reg, value.reg, place.type);
    return;
  }
  const std::int32_t count = slots(place.type);
  if (count == 1) {
    emit(Op::StoreRef, place.reg, value.reg, place.offset);
    return;
  }
  std::int32_t address = place.reg;
  if (place.offset != 0) {
    address = temporary(1);
    emit(Op::OffsetAddress, address, place.reg, place.offset);
  }
  emit(Op::StoreAt, address, value.reg, count);
}

/// A value to be changed in place. The variable that the result is assigned to gives its own away.
Operand Lowering::owned_value(syntax::ExprId expr) {
  while (const auto* p = std::get_if<syntax::Parenthesized>(&ast().exprs[expr].node))
    expr = p->inner;
  if (stolen_ && expr == stolen_) return take(*place(expr));
  return own(value(expr));
}

void Lowering::into(std::int32_t reg, syntax::ExprId expr, TypeId wanted) {
  const Operand result = own(value(expr, wanted));
  move(reg, result.reg, wanted);
}

Operand Lowering::value(syntax::ExprId id) {
  using namespace syntax;
  if (const std::optional<Operand> given = box_step(id)) return *given;
  const Expr& expr = ast().exprs[id];
  const Span outer = span_;
  span_ = expr.span;
  const TypeId type = type_of(id);
  if (is_asked(id)) {
    const Operand truth = ask_condition(id);
    span_ = outer;
    return truth;
  }
  Operand result = match(
      expr.node, [&](const BoolLiteral& n) { return scalar(BasicType::Bool, n.value ? 1 : 0); },
      [&](const IntLiteral& n) {
        return types().is(type, BasicType::Real)
                   ? scalar(BasicType::Real,
                            std::bit_cast<std::int64_t>(static_cast<double>(n.value)))
                   : scalar(BasicType::Nat, n.value);
      },
      [&](const RealLiteral& n) {
        return scalar(BasicType::Real, std::bit_cast<std::int64_t>(n.value));
      },
      [&](const StringLiteral& n) {
        const auto [found, fresh] = context_.text_constants.try_emplace(std::pair(0, n.text), -1);
        if (fresh) found->second = add_constant(type, {std::string(ast().symbols.text(n.text))});
        return Operand{constant_register(found->second, 1), type};
      },
      [&](const Name&) { return read_name(id); },
      [&](const Time&) {
        const std::int32_t reg = temporary(1);
        emit(Op::Time, reg);
        return Operand{reg, type};
      },
      [&](const Derivative&) { return derivative(id); },
      [&](const Unary& n) { return unary(id, n); }, [&](const Binary& n) { return binary(id, n); },
      [&](const Conditional& n) { return conditional(id, n); },
      [&](const GuardedExpr& n) { return guarded(id, n); },
      [&](const Call& n) { return call(id, n); },
      [&](const Index& n) { return read_index(n.of, index_operand(n.index)); },
      [&](const Member&) { return read_member(id); },
      [&](const Project& n) {
        if (std::holds_alternative<sema::Array>(types()[type_of(n.of)])) {
          if (const std::optional<Location> p = place(id)) return load(*p);
          return read_index(n.of, scalar(BasicType::Nat, n.index));
        }
        return read_part(id, n.of, static_cast<std::int32_t>(n.index));
      },
      [&](const TupleExpr& n) { return aggregate(type, ast().list(n.elements)); },
      [&](const ListExpr& n) {
        return std::holds_alternative<sema::Array>(types()[type])
                   ? aggregate(type, ast().list(n.elements))
                   : list_literal(type, ast().list(n.elements));
      },
      [&](const SetExpr& n) {
        return std::holds_alternative<sema::Dict>(types()[type])
                   ? dict_literal(type, {})
                   : set_literal(type, ast().list(n.elements));
      },
      [&](const RecordExpr& n) { return record_literal(type, ast().list(n.fields)); },
      [&](const DictExpr& n) { return dict_literal(type, ast().list(n.entries)); },
      [&](const Parenthesized& n) { return value(n.inner); },
      [&](const Error&) -> Operand {
        CHI_CHECK(false, "only correct models are lowered");
        return {};
      });
  span_ = outer;
  return result;
}

}  // namespace chi::code
