#include <cmath>
#include <optional>

#include "base/check.h"
#include "code/checked.h"
#include "code/compare.h"
#include "code/dict.h"
#include "code/interpreter.h"
#include "code/list.h"
#include "code/print_value.h"
#include "code/set.h"
#include "code/text_value.h"
#include "expr/elementary.h"
#include "sema/text_format.h"

// The instructions that are not on the hot path: functions of reals, and sequences.
namespace chi::code {
namespace {

/// None where the operands are outside the domain. The pole is outside, too: ln(0), atanh(1), 0 to
/// a negative power.
std::optional<double> real_result(const Instr& in, const Slot* f) {
  const double x = f[in.b].r;
  switch (in.op) {
    case Op::PowReal:
      if (x == 0 && f[in.c].r < 0) return {};
      return std::pow(x, f[in.c].r);
    case Op::Atan2: return std::atan2(x, f[in.c].r);
#define CHI_ELEMENTARY(name, text, value, domain, ...) \
  case Op::name:                                       \
    if (!contains(expr::Domain::domain, x)) return {}; \
    return value;
#include "expr/elementary.def"
#undef CHI_ELEMENTARY
    default: CHI_CHECK(false, "not a function of reals"); return {};
  }
}

/// What is not a number goes through all functions, from either argument.
bool has_nan_argument(const Instr& in, const Slot* f) {
  const bool two = in.op == Op::PowReal || in.op == Op::Atan2;
  return std::isnan(f[in.b].r) || (two && std::isnan(f[in.c].r));
}

}  // namespace

RunError Interpreter::real_function(const Instr& in, Slot* f) {
  failure_.real_fact = f[in.b].r;
  switch (in.op) {
    case Op::Floor: return floor_to_int(f[in.b].r, f[in.a].i);
    case Op::Ceil: return ceil_to_int(f[in.b].r, f[in.a].i);
    case Op::Round: return round_to_int(f[in.b].r, f[in.a].i);
    default: break;
  }
  const std::optional<double> result = real_result(in, f);
  if (!result || (std::isnan(*result) && !has_nan_argument(in, f))) return RunError::Domain;
  f[in.a].r = *result;
  return RunError::None;
}

RunError Interpreter::text_operation(const Routine& routine, const Instr& in, Slot* f) {
  const auto type_of = [&](std::int32_t number) -> const RuntimeType& {
    return program_.types[routine.types[static_cast<std::size_t>(number)]];
  };
  std::string text;
  if (in.op == Op::TextOf) {
    print_value(program_.types, type_of(in.c), f + in.b, text);
  } else if (in.op == Op::FixedText) {
    text = sema::fixed_text(type_of(in.n).shown(f[in.b].r), f[in.c].i);
  } else {
    const sema::FieldFormat field = *sema::read_field(text_view(f + in.c));
    const RuntimeType& type = type_of(in.n);
    if (type.kind == TypeKind::Real) {
      text = sema::format_real(field, type.shown(f[in.b].r));
    } else if (type.kind == TypeKind::Nat || type.kind == TypeKind::Int) {
      text = sema::format_integer(field, f[in.b].i);
    } else {
      print_value(program_.types, type, f + in.b, text);
      text = sema::format_text(field, text);
    }
  }
  return text_make(machine_.heap(), text, f + in.a);
}

RunError Interpreter::sequence_operation(const Routine& routine, const Instr& in, Slot* f) {
  if (in.op >= Op::Settle) return ask(in, f);
  if (in.op <= Op::DictMerge) return changing_operation(routine, in, f);
  return reading_operation(program_.types[routine.types[in.n]], in, f);
}

RunError Interpreter::changing_operation(const Routine& routine, const Instr& in, Slot* f) {
  const RuntimeType& type = program_.types[routine.types[in.n]];
  Heap& heap = machine_.heap();
  Slot* const a = f + in.a;
  Slot* const b = f + in.b;
  switch (in.op) {
    case Op::ConcatText: return text_append(heap, a, text_view(b));
    case Op::Concat: return list_concat(heap, *type.element, a, b);
    case Op::ListSubtract: return list_subtract(heap, *type.element, a, b);
    case Op::MakeList: return list_make(heap, *type.element, b, in.c, a);
    case Op::ListFront: return list_tr(heap, *type.element, a);
    case Op::ListTake: list_take(heap, *type.element, a, b->i); return RunError::None;
    case Op::ListDrop: list_drop(heap, *type.element, a, b->i); return RunError::None;
    case Op::ListReverse: return list_reverse(heap, *type.element, a);
    case Op::ListSort:
    case Op::ListInsert: return ordered(routine, in, f);
    case Op::ListSet:
      failure_.facts = {b->i, list_length(a)};
      return list_set(heap, *type.element, a, b->i, f + in.c);
    case Op::MakeSet: return set_make(heap, type, b, in.c, a);
    case Op::SetUnion: return set_union(heap, type, a, b);
    case Op::SetDifference: return set_difference(heap, type, a, b);
    case Op::SetIntersection: return set_intersection(heap, type, a, b);
    case Op::DictSet: return dict_set(heap, type, a, b, f + in.c);
    case Op::DictMerge: return dict_merge(heap, type, a, b);
    default: CHI_CHECK(false, "not an operation on sequences"); return RunError::None;
  }
}

RunError Interpreter::reading_operation(const RuntimeType& type, const Instr& in, Slot* f) {
  Heap& heap = machine_.heap();
  Slot* const a = f + in.a;
  const Slot* const b = f + in.b;
  switch (in.op) {
    case Op::ListLast: return list_hr(*type.element, b, a);
    case Op::ListGet:
      failure_.facts = {f[in.c].i, list_length(b)};
      return list_get(*type.element, b, f[in.c].i, a);
    case Op::ListRange: return list_range(heap, *type.element, b[0].i, b[1].i, b[2].i, a);
    case Op::ListSum:
      return type.kind == TypeKind::Array ? sum_of(*type.element, b, type.length, a)
                                          : list_sum(*type.element, b, a);
    case Op::ListLeast:
    case Op::ListGreatest: {
      const bool array = type.kind == TypeKind::Array;
      const std::int64_t length = array ? type.length : list_length(b);
      if (length == 0) return RunError::EmptyList;
      const auto at = [&](std::int64_t i) { return array ? b + i : list_at(*type.element, b, i); };
      const Slot* best = at(0);
      for (std::int64_t i = 1; i < length; ++i) {
        const Slot* next = at(i);
        const int order = compare(*type.element, next, best);
        if (in.op == Op::ListLeast ? order < 0 : order > 0) best = next;
      }
      copy(*type.element, best, a);
      return RunError::None;
    }
    case Op::TextLength: a->i = text_length(b); return RunError::None;
    case Op::ListHas: a->i = list_contains(*type.element, f + in.c, b); return RunError::None;
    case Op::SetHas: a->i = set_contains(type, f + in.c, b); return RunError::None;
    case Op::SetPick: return set_pick(type, b, a);
    case Op::DictHas: a->i = dict_contains(type, f + in.c, b); return RunError::None;
    case Op::DictGet: return dict_get(type, b, f + in.c, a);
    case Op::DictKeys: return dict_keys(heap, type, b, a);
    case Op::DictValues: return dict_values(heap, type, b, a);
    default: CHI_CHECK(false, "not an operation on sequences"); return RunError::None;
  }
}

RunError Interpreter::lookup(const Instr& in, Slot* f) {
  const sema::LookupTable& table = (*program_.tables)[sema::LookupTables::function(in.c)];
  const double arguments[2] = {f[in.b].r, table.arity() == 2 ? f[in.b + 1].r : 0.0};
  const std::optional<double> value = table.value(arguments);
  if (value) {
    f[in.a].r = *value;
    return RunError::None;
  }
  const int axis = std::max(table.outside(arguments), 0);
  failure_.real_fact = arguments[axis];
  failure_.detail = table.range_text(axis);
  return RunError::OutsideTable;
}

struct Interpreter::Sorting {
  Interpreter* interpreter = nullptr;
  const Routine* caller = nullptr;
  RoutineId function;
  const RuntimeType* element = nullptr;
  static RunError less(void* context, const Slot* a, const Slot* b, bool* result) {
    auto& s = *static_cast<Sorting*>(context);
    return s.interpreter->call_less(s, a, b, result);
  }
};

RunError Interpreter::ordered(const Routine& routine, const Instr& in, Slot* f) {
  const RuntimeType& type = program_.types[routine.types[in.n]];
  const bool sorting = in.op == Op::ListSort;
  const std::int64_t decl = f[sorting ? in.b : in.c].i;
  Sorting context{this, &routine, program_.function_of(decl), type.element};
  const LessThan less{&Sorting::less, &context};
  return sorting ? list_sort(machine_.heap(), *type.element, f + in.a, less)
                 : list_insert(machine_.heap(), *type.element, f + in.a, f + in.b, less);
}

// Runs the order function to its end on the stack of the functions under way. Sorts may nest: an
// order function may sort, but only so deep.
RunError Interpreter::call_less(const Sorting& sorting, const Slot* a, const Slot* b, bool* less) {
  constexpr int kMaxNestedSorts = 50;
  if (nested_ >= kMaxNestedSorts) return RunError::RecursionTooDeep;
  const Routine& callee = program_.functions[sorting.function];
  const RuntimeType& element = *sorting.element;
  Slot* const frame = stack_.get() + stack_top_;
  Slot result{.i = 0};
  if (!push_call(callee, frame, sorting.caller, &result, 0, 0)) return RunError::RecursionTooDeep;
  copy(element, a, frame);
  copy(element, b, frame + element.slots);
  std::int32_t pc = callee.main_pc;
  ++nested_;
  const Stop stop = execute(&callee, frame, pc, calls_.size());
  --nested_;
  if (stop == Stop::Failed) {
    failed_inside_ = true;
    return failure_.error;
  }
  *less = result.i != 0;
  return RunError::None;
}

}  // namespace chi::code
