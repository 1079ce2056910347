#include <string>
#include <utility>

#include "base/check.h"
#include "code/distributions.h"
#include "code/lowering.h"
#include "sema/text_format.h"
#include "sema/vectors.h"

// Calls of library and user functions, and sampling.
namespace chi::code {

using sema::BasicType;
using sema::Builtin;
using sema::TypeId;
using syntax::ExprId;

Operand Lowering::call(ExprId expr, const syntax::Call& node) {
  if (const auto* builtin = std::get_if<Builtin>(&typed().resolution[node.callee])) {
    return call_library(expr, *builtin, ast().list(node.arguments));
  }
  return call_user(expr, node);
}

Operand Lowering::call_user(ExprId expr, const syntax::Call& node) {
  const TypeId type = type_of(expr);
  const auto func = std::get<sema::Func>(types()[type_of(node.callee)]);
  const std::vector<TypeId> parameters(types().list(func.parameters).begin(),
                                       types().list(func.parameters).end());
  const auto arguments = ast().list(node.arguments);
  std::int32_t size = 0;
  for (const TypeId parameter : parameters) size += slots(concrete(parameter));
  const std::int32_t base = temporary(size);
  std::int32_t at = base;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    into(at, arguments[i], concrete(parameters[i]));
    at += slots(concrete(parameters[i]));
  }
  const std::int32_t reg = temporary(slots(type));
  const auto* decl = std::get_if<sema::DeclId>(&typed().resolution[node.callee]);
  if (decl != nullptr && typed().decls[*decl].kind == sema::DeclKind::Function) {
    emit(Op::Call, reg, base, context_.functions.at(*decl).index);
  } else {
    const Operand callee = value(node.callee);
    emit(Op::CallValue, reg, base, callee.reg);
  }
  return {reg, type, managed(type)};
}

namespace {

/// Instruction of a function of one real, or Fail if it is none.
Op real_function(Builtin builtin) {
  switch (builtin) {
    case Builtin::Floor: return Op::Floor;
    case Builtin::Ceil: return Op::Ceil;
    case Builtin::Round: return Op::Round;
#define CHI_ELEMENTARY(name, ...) \
  case Builtin::name:             \
    return Op::name;
#include "expr/elementary.def"
#undef CHI_ELEMENTARY
    default: return Op::Fail;
  }
}

}  // namespace

Operand Lowering::call_library(ExprId expr, Builtin builtin, std::span<const ExprId> arguments) {
  const TypeId type = type_of(expr);
  if (builtin == Builtin::Pi) {
    return constant(type, {3.14159265358979323846});
  }
  if (builtin == Builtin::Delayed) return asked_value(expr);
  if (builtin == Builtin::Pre) return value(arguments[0]);
  if (makes_distribution(builtin)) return distribution(builtin, type, arguments);
  if (builtin >= Builtin::Hd && builtin <= Builtin::Format)
    return library_sequence(builtin, type, arguments);
  if (sema::is_vector_function(builtin)) return vector_function(builtin, type, arguments);
  return library_numeric(builtin, type, arguments);
}

Operand Lowering::library_numeric(Builtin builtin, TypeId type, std::span<const ExprId> arguments) {
  const bool extreme = builtin == Builtin::Min || builtin == Builtin::Max;
  if (extreme && arguments.size() == 1) {
    const Op op = builtin == Builtin::Min ? Op::ListLeast : Op::ListGreatest;
    return read_sequence(op, arguments[0], type);
  }
  std::vector<Operand> operands;
  for (const ExprId a : arguments) {
    const bool real = real_function(builtin) != Op::Fail || builtin == Builtin::Atan2;
    const bool own_type = builtin == Builtin::Abs || builtin == Builtin::Sign;
    operands.push_back(own_type ? value(a) : value(a, real ? basic(BasicType::Real) : type));
  }
  return numeric_function(builtin, type, operands);
}

/// A function of numbers; the operands have the types that it takes.
Operand Lowering::numeric_function(Builtin builtin, TypeId type,
                                   std::span<const Operand> arguments) {
  const std::int32_t reg = temporary(1);
  if (const Op op = real_function(builtin); op != Op::Fail) {
    emit(op, reg, arguments[0].reg);
    return {reg, type};
  }
  const bool real = types().is(type, BasicType::Real);
  const bool of_real = types().is(arguments[0].type, BasicType::Real);
  switch (builtin) {
    case Builtin::Atan2: emit(Op::Atan2, reg, arguments[0].reg, arguments[1].reg); break;
    case Builtin::Abs: emit(of_real ? Op::AbsReal : Op::AbsInt, reg, arguments[0].reg); break;
    case Builtin::Sign:
      emit(of_real ? Op::SignReal : Op::SignInt, reg, arguments[0].reg);
      if (of_real && !real) emit(Op::Round, reg, reg);
      break;
    default: {
      CHI_CHECK(builtin == Builtin::Min || builtin == Builtin::Max,
                "every other library function is lowered by name");
      const bool least = builtin == Builtin::Min;
      const Op op = real ? (least ? Op::MinReal : Op::MaxReal) : (least ? Op::MinInt : Op::MaxInt);
      emit(op, reg, arguments[0].reg, arguments[1].reg);
    }
  }
  return {reg, type};
}

Operand Lowering::read_sequence(Op op, ExprId of, TypeId result) {
  const Operand sequence = value(of);
  const std::int32_t reg = temporary(slots(result));
  emit(op, reg, sequence.reg, 0, type_index(sequence.type));
  drop(sequence);
  return {reg, result, managed(result)};
}

Operand Lowering::library_sequence(Builtin builtin, TypeId type,
                                   std::span<const ExprId> arguments) {
  const auto changing = [&](Op op, std::int32_t operand) {
    const Operand list = owned_value(arguments[0]);
    emit(op, list.reg, operand, 0, type_index(list.type));
    return list;
  };
  switch (builtin) {
    case Builtin::Hd: return read_sequence(Op::ListHead, arguments[0], type);
    case Builtin::Hr: return read_sequence(Op::ListLast, arguments[0], type);
    case Builtin::Tl: return changing(Op::ListTail, 0);
    case Builtin::Tr: return changing(Op::ListFront, 0);
    case Builtin::Reverse: return changing(Op::ListReverse, 0);
    case Builtin::Take:
      return changing(Op::ListTake, value(arguments[1], basic(BasicType::Nat)).reg);
    case Builtin::Drop:
      return changing(Op::ListDrop, value(arguments[1], basic(BasicType::Nat)).reg);
    case Builtin::Sort: return changing(Op::ListSort, value(arguments[1]).reg);
    case Builtin::Insert: return library_insert(type, arguments);
    case Builtin::Range: return library_range(type, arguments);
    case Builtin::Sum: return read_sequence(Op::ListSum, arguments[0], type);
    case Builtin::Len:
      return read_sequence(
          types().is(type_of(arguments[0]), BasicType::String) ? Op::TextLength : Op::Length,
          arguments[0], type);
    case Builtin::Size: return read_sequence(Op::Length, arguments[0], type);
    case Builtin::Pick: return read_sequence(Op::SetPick, arguments[0], type);
    case Builtin::Keys: return read_sequence(Op::DictKeys, arguments[0], type);
    case Builtin::Values: return read_sequence(Op::DictValues, arguments[0], type);
    case Builtin::Format: return format(type, arguments);
    case Builtin::Str: {
      if (arguments.size() == 2) {
        const Operand number = value(arguments[0], basic(BasicType::Real));
        const Operand digits = value(arguments[1], basic(BasicType::Nat));
        const std::int32_t text = temporary(1);
        emit(Op::FixedText, text, number.reg, digits.reg,
             shown_type_index(number.type, arguments[0]));
        return {text, type, true};
      }
      const Operand operand = value(arguments[0]);
      const std::int32_t reg = temporary(1);
      emit(Op::TextOf, reg, operand.reg, shown_type_index(operand.type, arguments[0]));
      drop(operand);
      return {reg, type, true};
    }
    default: CHI_CHECK(false, "not a function of sequences"); return {};
  }
}

/// The pieces of the format, one behind the other.
Operand Lowering::format(TypeId type, std::span<const ExprId> arguments) {
  const auto& literal = std::get<syntax::StringLiteral>(ast().exprs[arguments[0]].node);
  std::string problem;
  const std::int32_t result = temporary(1);
  emit(Op::Clear, result, 1);  // ""
  std::size_t next = 1;
  for (const sema::FormatPiece& piece :
       sema::read_format(ast().symbols.text(literal.text), problem)) {
    const Operand text = constant(type, {piece.text});
    if (!piece.is_field) {
      emit(Op::ConcatText, result, text.reg, 0, type_index(type));
      continue;
    }
    const ExprId argument = arguments[next++];
    const Operand operand = value(argument);
    const std::int32_t made = temporary(1);
    emit(Op::FormatText, made, operand.reg, text.reg, shown_type_index(operand.type, argument));
    drop(operand);
    emit(Op::ConcatText, result, made, 0, type_index(type));
    emit(Op::Release, made, 0, type_index(type));
  }
  return {result, type, true};
}

Operand Lowering::library_insert(TypeId type, std::span<const ExprId> arguments) {
  const Operand list = owned_value(arguments[0]);
  const Operand element = own(value(arguments[1], std::get<sema::List>(types()[type]).element));
  const Operand less = value(arguments[2]);
  emit(Op::ListInsert, list.reg, element.reg, less.reg, type_index(type));
  return list;
}

Operand Lowering::library_range(TypeId type, std::span<const ExprId> arguments) {
  const TypeId integer = basic(BasicType::Int);
  const std::int32_t base = temporary(3);  // from, to, step
  if (arguments.size() == 1) {
    move(base, scalar(BasicType::Int, 0).reg, integer);
    into(base + 1, arguments[0], integer);
  } else {
    into(base, arguments[0], integer);
    into(base + 1, arguments[1], integer);
  }
  if (arguments.size() == 3) {
    into(base + 2, arguments[2], integer);
  } else {
    move(base + 2, scalar(BasicType::Int, 1).reg, integer);
  }
  const std::int32_t reg = temporary(slots(type));
  emit(Op::ListRange, reg, base, 0, type_index(type));
  return {reg, type, true};
}

Operand Lowering::distribution(Builtin builtin, TypeId type, std::span<const ExprId> arguments) {
  const TypeId sampled = std::get<sema::Dist>(types()[type]).result;
  const DistributionKind kind = distribution_kind(builtin, types().is_integer(sampled));
  const std::int32_t base = temporary(sema::kMostLawArguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto k = static_cast<std::int32_t>(i);
    const Span outer = std::exchange(span_, ast().exprs[arguments[i]].span);  // which one is wrong
    into(base + k, arguments[i], distribution_argument_type(types(), kind, k, sampled));
    span_ = outer;
  }
  const std::int32_t reg = temporary(slots(type));
  emit(Op::MakeDistribution, reg, base, static_cast<std::int32_t>(kind));
  return {reg, type};
}

/// A distribution in a variable has the variable's stream; one that is made on the spot has a
/// stream of its own per place in the text and instance. It lies in a register that nothing else
/// uses.
Operand Lowering::sample(ExprId operand, TypeId type) {
  const std::int32_t result = temporary(1);
  if (const std::optional<Location> p = place(operand)) {
    if (!p->in_memory) {
      emit(Op::Sample, result, p->reg);
    } else {
      // An element of an array of distributions: its stream advances where it lies.
      emit(Op::SampleAt, result, p->reg, p->offset);
    }
    return {result, type};
  }
  const Operand made = value(operand);
  const std::int32_t site = variable_slots_;
  variable_slots_ += slots(made.type);
  routine_.streams.push_back({site, "sample " + std::to_string(sample_sites_++)});
  emit(Op::MoveN, site, made.reg, 4);
  emit(Op::Sample, result, site);
  return {result, type};
}

}  // namespace chi::code
