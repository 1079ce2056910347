#include "base/check.h"
#include "code/lowering.h"
#include "flat/layout.h"
#include "sema/evaluate.h"
#include "sema/vectors.h"
#include "syntax/children.h"

// Variables and their elements: where they lie, how they are read and assigned. Elements of tuples,
// records and arrays are places of their own; elements of lists and dictionaries are reached
// through the container.
namespace chi::code {

using sema::BasicType;
using sema::DeclId;
using sema::DeclKind;
using sema::TypeId;
using syntax::ExprId;

std::optional<Location> Lowering::name_place(DeclId decl) {
  const auto found = registers_.find(decl);
  if (found == registers_.end()) return std::nullopt;
  if (rates_ && !types().is_integer(decl_types_.at(decl))) return rate_place(decl);
  const bool in_memory = box_ != nullptr || typed().decls[decl].kind == DeclKind::RefParam;
  return Location{in_memory, found->second, 0, decl_types_.at(decl), use_of(decl)};
}

Location Lowering::element(Location base, TypeId type, std::int64_t offset) {
  if (base.in_memory) {
    base.offset += static_cast<std::int32_t>(offset);
  } else {
    base.reg += static_cast<std::int32_t>(offset);
  }
  base.type = type;
  return base;
}

/// Element of an array whose index is known at run time only: from here on the place is in memory.
Location Lowering::indexed(Location base, Operand index) {
  const auto& array = std::get<sema::Array>(types()[base.type]);
  const std::int32_t address = temporary(1);
  if (!base.in_memory) {
    emit(Op::Address, address, base.reg);
  } else {
    emit(Op::OffsetAddress, address, base.reg, base.offset);
  }
  emit(Op::CheckIndex, index.reg, static_cast<std::int32_t>(array.length));
  emit(Op::ElementAddress, address, index.reg, slots(array.element));
  return {true, address, 0, array.element, base.use};
}

Operand Lowering::index_operand(ExprId expr) {
  const bool outer = rates_;
  rates_ = false;
  const Operand index = value(expr);
  rates_ = outer;
  return index;
}

namespace {

/// The expression under parentheses.
ExprId stripped(const syntax::Ast& ast, ExprId expr) {
  while (const auto* p = std::get_if<syntax::Parenthesized>(&ast.exprs[expr].node)) expr = p->inner;
  return expr;
}

}  // namespace

std::optional<Location> Lowering::place(ExprId expr) {
  expr = stripped(ast(), expr);
  const auto& node = ast().exprs[expr].node;
  if (std::holds_alternative<syntax::Name>(node)) {
    const auto* decl = std::get_if<DeclId>(&typed().resolution[expr]);
    return decl == nullptr ? std::nullopt : name_place(*decl);
  }
  if (const auto* project = std::get_if<syntax::Project>(&node)) {
    const std::optional<Location> base = place(project->of);
    if (!base) return std::nullopt;
    if (const auto* array = std::get_if<sema::Array>(&types()[base->type])) {
      if (project->index >= array->length)
        return indexed(*base, scalar(BasicType::Nat, project->index));
      return element(*base, array->element, project->index * slots(array->element));
    }
    const auto& tuple = std::get<sema::Tuple>(types()[base->type]);
    const auto index = static_cast<std::size_t>(project->index);
    return element(*base, types().list(tuple.elements)[index],
                   flat::element_offset(types(), base->type, static_cast<std::int32_t>(index)));
  }
  if (const auto* member = std::get_if<syntax::Member>(&node)) {
    const std::optional<Location> base = place(member->of);
    if (!base) return std::nullopt;
    if (const auto* record = std::get_if<sema::Record>(&types()[base->type])) {
      const std::int32_t field = typed().field[expr];
      return element(*base, types().list(record->fields)[static_cast<std::size_t>(field)].type,
                     flat::element_offset(types(), base->type, field));
    }
    const auto* array = std::get_if<sema::Array>(&types()[base->type]);
    if (array == nullptr) return std::nullopt;
    const auto index = std::get<DeclId>(typed().resolution[expr]);
    // The index of an unwinding is known here: no instructions for each of its alternatives.
    const auto known = indices_.find(index);
    if (known != indices_.end() && known->second >= 0 && known->second < array->length)
      return element(*base, array->element, known->second * slots(array->element));
    return indexed(*base, read_decl(index));
  }
  if (const auto* index = std::get_if<syntax::Index>(&node)) {
    if (!std::holds_alternative<sema::Array>(types()[type_of(index->of)])) return std::nullopt;
    const std::optional<Location> base = place(index->of);
    if (!base) return std::nullopt;
    return indexed(*base, index_operand(index->index));
  }
  return std::nullopt;
}

Operand Lowering::read_decl(DeclId id) {
  const sema::Decl& decl = typed().decls[id];
  if (const auto found = indices_.find(id); found != indices_.end())
    return scalar(BasicType::Int, found->second);
  if (const std::optional<Location> p = name_place(id)) return load(*p);
  if (decl.kind == DeclKind::Function) {
    return {constant_register(add_constant(decl.type, {sema::Value::FunctionRef{id}}), 1),
            decl.type};
  }
  CHI_CHECK(decl.kind == DeclKind::Constant, "every other name has a place");
  if (std::holds_alternative<sema::Func>(types()[decl.type])) {
    const sema::Value& function = typed().constant_values.at(id);
    return {constant_register(add_constant(decl.type, function), 1), decl.type};
  }
  const TypeId type = concrete(decl.type);
  const auto [found, fresh] = context_.named_constants.try_emplace(id, -1);
  if (fresh) {
    Diagnostics none;  // constants were evaluated, and found good, by the checker
    const auto known = sema::evaluate(typed(), decl.initial, type, {}, none);
    CHI_CHECK(known.has_value(), "the checker evaluated this constant");
    found->second = add_constant(type, *known);
  }
  return {constant_register(found->second, slots(type)), type};
}

Operand Lowering::read_name(ExprId expr) {
  const auto& resolution = typed().resolution[expr];
  if (const auto* decl = std::get_if<DeclId>(&resolution)) return read_decl(*decl);
  return call_library(expr, std::get<sema::Builtin>(resolution), {});
}

Operand Lowering::read_member(ExprId expr) {
  const auto& member = std::get<syntax::Member>(ast().exprs[expr].node);
  if (typed().field[expr] >= 0) return read_part(expr, member.of, typed().field[expr]);
  if (const std::optional<Location> p = place(expr)) return load(*p);
  return read_index(member.of, read_decl(std::get<DeclId>(typed().resolution[expr])));
}

/// Element `index` of a tuple or record that may be any expression.
Operand Lowering::read_part(ExprId expr, ExprId of, std::int32_t index) {
  if (const std::optional<Location> p = place(expr)) return load(*p);
  const Operand whole = value(of);
  const TypeId type = type_of(expr);
  const auto offset = static_cast<std::int32_t>(flat::element_offset(types(), whole.type, index));
  if (!whole.owned) return {whole.reg + offset, type};
  const Operand part = own({whole.reg + offset, type});
  drop(whole);
  return {part.reg, type, managed(type)};
}

Operand Lowering::read_index(ExprId of, Operand index) {
  const TypeId base_type = type_of(of);
  if (const auto* array = std::get_if<sema::Array>(&types()[base_type])) {
    if (const std::optional<Location> base = place(of)) return load(indexed(*base, index));
    const Operand whole = value(of);
    const TypeId element_type = array->element;
    const Operand part = own(load(indexed({false, whole.reg, 0, base_type}, index)));
    drop(whole);
    return {part.reg, element_type, managed(element_type)};
  }
  const Operand base = value(of);
  if (const auto* dict = std::get_if<sema::Dict>(&types()[base_type])) {
    const TypeId value_type = dict->value;
    const Operand key = converted(index, dict->key);
    const std::int32_t reg = temporary(slots(value_type));
    emit(Op::DictGet, reg, base.reg, key.reg, type_index(base_type));
    drop(key);
    drop(base);
    return {reg, value_type, true};
  }
  const TypeId element_type = std::get<sema::List>(types()[base_type]).element;
  const std::int32_t reg = temporary(slots(element_type));
  emit(Op::ListGet, reg, base.reg, index.reg, type_index(base_type));
  drop(base);
  return {reg, element_type, true};
}

void Lowering::assign(ExprId target, Operand value) {
  target = stripped(ast(), target);
  if (const std::optional<Location> p = place(target)) {
    store(*p, value);
    return;
  }
  assign_element(target, value);
}

// The target goes through a list or a dictionary: the container is moved out of its place, changed,
// and put back, so that it is changed in place where nobody else refers to it.
void Lowering::assign_element(ExprId target, Operand new_value) {
  const auto& node = ast().exprs[target].node;
  ExprId of;
  Operand index;
  if (const auto* i = std::get_if<syntax::Index>(&node)) {
    of = i->of;
    index = index_operand(i->index);
  } else if (const auto* m = std::get_if<syntax::Member>(&node)) {
    of = m->of;
    if (typed().field[target] < 0) index = read_decl(std::get<DeclId>(typed().resolution[target]));
  } else {
    of = std::get<syntax::Project>(node).of;
  }
  const TypeId of_type = type_of(of);
  const bool inline_part = !std::holds_alternative<sema::List>(types()[of_type]) &&
                           !std::holds_alternative<sema::Dict>(types()[of_type]);
  if (inline_part) {
    // Part of an element of a container: change a copy of the element, then assign the element.
    const Operand whole = own(value(of));
    const std::int32_t copy = temporary(slots(of_type));
    move(copy, whole.reg, of_type);
    const Location base{false, copy, 0, of_type};
    if (std::holds_alternative<sema::Array>(types()[of_type])) {
      if (const auto* p = std::get_if<syntax::Project>(&node))
        index = scalar(BasicType::Nat, p->index);
      store(indexed(base, index), new_value);
    } else {
      const auto* p = std::get_if<syntax::Project>(&node);
      const std::int32_t part =
          p != nullptr ? static_cast<std::int32_t>(p->index) : typed().field[target];
      store(element(base, type_of(target), flat::element_offset(types(), of_type, part)),
            new_value);
    }
    assign(of, {copy, of_type, true});
    return;
  }
  const std::optional<Location> container = place(of);
  if (container) about_to_assign(*container);
  const Operand held = container ? take(*container) : own(value(of));
  const Operand owned = own(new_value);
  if (const auto* dict = std::get_if<sema::Dict>(&types()[of_type])) {
    const Operand key = own(converted(index, dict->key));
    emit(Op::DictSet, held.reg, key.reg, owned.reg, type_index(of_type));
  } else {
    emit(Op::ListSet, held.reg, index.reg, owned.reg, type_index(of_type));
  }
  if (container) {
    put_back(*container, held);
    assigned(*container);
  } else {
    assign(of, held);
  }
}

/// The operand that an operation on a sequence would change in place, or none: `xs` in `xs ++ ys`
/// and in `tl(xs)`.
ExprId Lowering::changed_operand(ExprId expr) const {
  using sema::Builtin;
  const auto& node = ast().exprs[expr].node;
  if (const auto* p = std::get_if<syntax::Parenthesized>(&node)) return p->inner;
  if (const auto* b = std::get_if<syntax::Binary>(&node)) {
    const TypeId type = typed().type[expr];
    const bool sequence = !typed().types.is_numeric(type) && !sema::is_vector(typed().types, type);
    const bool changes = b->op == syntax::BinaryOp::Concat || b->op == syntax::BinaryOp::Subtract ||
                         b->op == syntax::BinaryOp::Add || b->op == syntax::BinaryOp::Sub ||
                         b->op == syntax::BinaryOp::Mul;
    return sequence && changes ? b->left : ExprId{};
  }
  const auto* call = std::get_if<syntax::Call>(&node);
  const auto* builtin =
      call == nullptr ? nullptr : std::get_if<Builtin>(&typed().resolution[call->callee]);
  if (builtin == nullptr) return {};
  switch (*builtin) {
    case Builtin::Tl:
    case Builtin::Tr:
    case Builtin::Take:
    case Builtin::Drop:
    case Builtin::Reverse:
    case Builtin::Sort:
    case Builtin::Insert: return ast().list(call->arguments)[0];
    default: return {};
  }
}

/// Whether `target := value` may change the variable's own value in place: the value is a chain of
/// changing operations on the variable, which occurs nowhere else in it. Then `stolen_` is that
/// occurrence.
bool Lowering::steals(ExprId value, ExprId target) {
  const auto variable = [&](ExprId expr) {
    const auto* name = std::get_if<DeclId>(&typed().resolution[expr]);
    return name != nullptr && std::holds_alternative<syntax::Name>(ast().exprs[expr].node)
               ? *name
               : DeclId{};
  };
  ExprId leaf = value;
  while (const ExprId next = changed_operand(leaf)) leaf = next;
  const DeclId decl = variable(target);
  if (leaf == value || !decl || variable(leaf) != decl) return false;
  const bool shared = typed().decls[decl].kind == DeclKind::RefParam;
  std::vector<ExprId> pending{value};
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    const DeclId name = variable(id);
    const bool again = name == decl && id != leaf;
    // Another reference parameter may be bound to the same variable, or to a part of it.
    const bool alias =
        shared && name && name != decl && typed().decls[name].kind == DeclKind::RefParam;
    if (again || (alias && managed(decl_types_.at(name)))) return false;
    syntax::append_children(ast(), id, pending);
  }
  stolen_ = leaf;
  return true;
}

}  // namespace chi::code
