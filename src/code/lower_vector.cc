#include <array>
#include <utility>

#include "base/check.h"
#include "code/lowering.h"
#include "flat/layout.h"
#include "sema/vectors.h"

// Vectors and matrices in statements and functions: instructions on their numbers, one after the
// other or, where there are many, in a loop. Sums are made from the first element on.
namespace chi::code {

using sema::BasicType;
using sema::Builtin;
using sema::TypeId;
using syntax::BinaryOp;
using syntax::ExprId;

namespace {

// Of more operations on numbers a loop is made.
constexpr std::int64_t kMostUnrolled = 400;

struct Lengths {
  std::int64_t rows = 1, columns = 1;
};

// Of a vector the rows are its length. Requires that the lengths are known.
Lengths lengths_of(const sema::Types& types, TypeId type) {
  const auto shape = sema::shape_of(types, type);
  if (!shape) return {};
  return {shape->lengths[0].length, shape->rank() > 1 ? shape->lengths[1].length : 1};
}

}  // namespace

TypeId Lowering::number_of(TypeId type) {
  while (const auto* array = std::get_if<sema::Array>(&types()[type])) type = array->element;
  return type;
}

/// Integers are computed as int.
TypeId Lowering::computed(TypeId number) {
  return basic(types().is(number, BasicType::Real) ? BasicType::Real : BasicType::Int);
}

/// Lowers `body` for the counts 0 to `count - 1`.
template <class Body>
void Lowering::repeat(std::int64_t count, bool unrolled, const Body& body) {
  const std::int32_t top = temporary_top_;
  if (unrolled) {
    for (std::int64_t i = 0; i < count; ++i) {
      body(Counter{.known = i});
      temporary_top_ = top;
    }
    return;
  }
  const TypeId integer = basic(BasicType::Int);
  const std::int32_t counter = temporary(1), more = temporary(1);
  const Operand end = scalar(BasicType::Int, count), one = scalar(BasicType::Int, 1);
  move(counter, scalar(BasicType::Int, 0).reg, integer);
  const std::int32_t again = here();
  emit(Op::LtInt, more, counter, end.reg);
  const std::int32_t leave = emit(Op::JumpUnless, more);
  body(Counter{.reg = counter});
  emit(Op::AddInt, counter, counter, one.reg);
  emit(Op::Jump, 0, 0, again);
  patch(leave);
  temporary_top_ = top;
}

/// The register that holds the address of a number of an array at `base`, or of the number itself
/// where all counters are known.
std::pair<std::int32_t, bool> Lowering::cell_place(std::int32_t base,
                                                   std::initializer_list<Stride> steps) {
  std::int32_t moving = 0;
  for (const Stride& s : steps) {
    if (s.counter.reg >= 0) {
      ++moving;
    } else {
      base += static_cast<std::int32_t>(s.counter.known * s.stride);
    }
  }
  if (moving == 0) return {base, true};
  const std::int32_t address = temporary(1);
  emit(Op::Address, address, base);
  for (const Stride& s : steps) {
    if (s.counter.reg < 0) continue;
    emit(Op::ElementAddress, address, s.counter.reg, static_cast<std::int32_t>(s.stride));
  }
  return {address, false};
}

Operand Lowering::read_cell(const Operand& array, std::initializer_list<Stride> steps) {
  const TypeId number = number_of(array.type);
  if (number == array.type) return array;  // a number goes with all elements
  const auto [place, direct] = cell_place(array.reg, steps);
  if (direct) return {place, number};
  const std::int32_t reg = temporary(1);
  emit(Op::LoadAt, reg, place, 1);
  return {reg, number};
}

void Lowering::write_cell(const Operand& array, std::initializer_list<Stride> steps,
                          Operand value) {
  const auto [place, direct] = cell_place(array.reg, steps);
  if (direct) {
    emit(Op::Move, place, value.reg);
  } else {
    emit(Op::StoreAt, place, value.reg, 1);
  }
}

Operand Lowering::number_operation(BinaryOp op, TypeId number, Operand a, Operand b) {
  const TypeId type = computed(number);
  const Operand x = converted(a, type), y = converted(b, type);
  const std::int32_t reg = temporary(1);
  const bool real = types().is(type, BasicType::Real);
  switch (op) {
    case BinaryOp::Add: emit(real ? Op::AddReal : Op::AddInt, reg, x.reg, y.reg); break;
    case BinaryOp::Sub: emit(real ? Op::SubReal : Op::SubInt, reg, x.reg, y.reg); break;
    case BinaryOp::Mul: emit(real ? Op::MulReal : Op::MulInt, reg, x.reg, y.reg); break;
    default: emit(Op::DivReal, reg, x.reg, y.reg); break;
  }
  return {reg, number};
}

Operand Lowering::new_array(TypeId type) { return {temporary(slots(type)), type}; }

Operand Lowering::by_elements(BinaryOp op, TypeId type, Operand a, Operand b) {
  const Operand result = new_array(type);
  const std::int64_t count = slots(type);
  repeat(count, count <= kMostUnrolled, [&](Counter i) {
    const Operand x = read_cell(a, {{i, 1}}), y = read_cell(b, {{i, 1}});
    write_cell(result, {{i, 1}}, number_operation(op, number_of(type), x, y));
  });
  return result;
}

Operand Lowering::negated(Operand a, TypeId type) {
  const Operand result = new_array(type);
  const std::int64_t count = slots(type);
  const bool real = types().is(number_of(type), BasicType::Real);
  repeat(count, count <= kMostUnrolled, [&](Counter i) {
    const Operand x = read_cell(a, {{i, 1}});
    const std::int32_t reg = temporary(1);
    emit(real ? Op::NegReal : Op::NegInt, reg, x.reg);
    write_cell(result, {{i, 1}}, {reg, number_of(type)});
  });
  return result;
}

/// a (rows × inner) times b (inner × columns); `type` is a matrix, a vector or a number.
Operand Lowering::matrix_product(TypeId type, Operand a, Operand b, std::int64_t rows,
                                 std::int64_t inner, std::int64_t columns) {
  const TypeId number = number_of(type);
  const Operand result = new_array(type);
  if (inner == 0) {
    emit(Op::Clear, result.reg, slots(type));
    return result;
  }
  const bool unrolled = rows * columns * inner <= kMostUnrolled;
  const std::int32_t total = temporary(1);
  repeat(rows, unrolled, [&](Counter i) {
    repeat(columns, unrolled, [&](Counter k) {
      const auto product = [&](Counter l) {
        const Operand x = read_cell(a, {{i, inner}, {l, 1}});
        const Operand y = read_cell(b, {{l, columns}, {k, 1}});
        return number_operation(BinaryOp::Mul, number, x, y);
      };
      move(total, product(Counter{.known = 0}).reg, number);
      const Operand after = {a.reg + 1, a.type};
      repeat(inner - 1, unrolled, [&](Counter l) {
        const Operand x = read_cell(after, {{i, inner}, {l, 1}});
        const Operand y =
            read_cell({b.reg + static_cast<std::int32_t>(columns), b.type}, {{l, columns}, {k, 1}});
        const Operand term = number_operation(BinaryOp::Mul, number, x, y);
        const Operand sum = number_operation(BinaryOp::Add, number, {total, number}, term);
        move(total, sum.reg, number);
      });
      if (number == type) {
        move(result.reg, total, number);
      } else {
        write_cell(result, {{i, columns}, {k, 1}}, {total, number});
      }
    });
  });
  return result;
}

Operand Lowering::vector_operation(ExprId expr, const syntax::Binary& node) {
  const TypeId type = type_of(expr);
  const Operand a = own(value(node.left)), b = own(value(node.right));
  const auto left = sema::shape_of(types(), a.type), right = sema::shape_of(types(), b.type);
  if (node.op != BinaryOp::Mul || !left || !right) return by_elements(node.op, type, a, b);
  const Lengths x = lengths_of(types(), a.type), y = lengths_of(types(), b.type);
  if (left->rank() == 1) return matrix_product(type, a, b, 1, x.rows, y.columns);
  return matrix_product(type, a, b, x.rows, x.columns, y.columns);
}

Operand Lowering::vector_function(Builtin builtin, TypeId type, std::span<const ExprId> arguments) {
  if (builtin == Builtin::Map) return mapped(type, arguments);
  if (builtin == Builtin::Identity) {
    const Operand one = {scalar(BasicType::Int, 1).reg, basic(BasicType::Int)};
    return diagonal(type, converted(one, number_of(type)));
  }
  const Operand a = value(arguments[0]);
  const Operand b = arguments.size() > 1 ? value(arguments[1]) : a;
  const Lengths x = lengths_of(types(), a.type);
  switch (builtin) {
    case Builtin::Dot: return matrix_product(type, a, b, 1, x.rows, 1);
    case Builtin::Norm: {
      const Operand square = matrix_product(number_of(a.type), a, a, 1, x.rows, 1);
      const std::int32_t reg = temporary(1);
      emit(Op::Sqrt, reg, converted(square, type).reg);
      return {reg, type};
    }
    case Builtin::Outer:
      return matrix_product(type, a, b, x.rows, 1, lengths_of(types(), b.type).rows);
    case Builtin::Times: return by_elements(BinaryOp::Mul, type, a, b);
    case Builtin::Divide: return by_elements(BinaryOp::Div, type, a, b);
    case Builtin::Diag: return diagonal(type, a);
    case Builtin::Cross: return cross_product(type, a, b);
    case Builtin::Transpose: {
      const Operand result = new_array(type);
      const bool unrolled = x.rows * x.columns <= kMostUnrolled;
      repeat(x.rows, unrolled, [&](Counter i) {
        repeat(x.columns, unrolled, [&](Counter k) {
          write_cell(result, {{k, x.rows}, {i, 1}}, read_cell(a, {{i, x.columns}, {k, 1}}));
        });
      });
      return result;
    }
    default: CHI_CHECK(false, "every vector function is lowered by name"); return {};
  }
}

Operand Lowering::diagonal(TypeId type, Operand a) {
  const Operand result = new_array(type);
  emit(Op::Clear, result.reg, slots(type));
  const std::int64_t count = lengths_of(types(), type).rows;
  repeat(count, count <= kMostUnrolled, [&](Counter i) {
    write_cell(result, {{i, count + 1}}, read_cell(a, {{i, 1}}));
  });
  return result;
}

Operand Lowering::cross_product(TypeId type, Operand a, Operand b) {
  const Operand result = new_array(type);
  const TypeId number = number_of(type);
  for (std::int64_t i = 0; i < 3; ++i) {
    const Counter k{.known = (i + 1) % 3}, l{.known = (i + 2) % 3};
    const Operand first =
        number_operation(BinaryOp::Mul, number, read_cell(a, {{k, 1}}), read_cell(b, {{l, 1}}));
    const Operand second =
        number_operation(BinaryOp::Mul, number, read_cell(a, {{l, 1}}), read_cell(b, {{k, 1}}));
    write_cell(result, {{Counter{.known = i}, 1}},
               number_operation(BinaryOp::Sub, number, first, second));
  }
  return result;
}

/// `map(f, v)` and `map(f, v, w)`: f is a function of the library or of the model, or a parameter.
Operand Lowering::mapped(TypeId type, std::span<const ExprId> arguments) {
  ExprId name = arguments[0];
  while (const auto* p = std::get_if<syntax::Parenthesized>(&ast().exprs[name].node)) {
    name = p->inner;
  }
  const Operand a = value(arguments[1]);
  const Operand b = arguments.size() > 2 ? value(arguments[2]) : a;
  const auto func = std::get<sema::Func>(types()[type_of(name)]);
  std::vector<TypeId> parameters(types().list(func.parameters).begin(),
                                 types().list(func.parameters).end());
  const auto* builtin = std::get_if<Builtin>(&typed().resolution[name]);
  const auto* decl = std::get_if<sema::DeclId>(&typed().resolution[name]);
  const bool known =
      decl != nullptr && *decl && typed().decls[*decl].kind == sema::DeclKind::Function;
  const Operand callee = builtin != nullptr || known ? Operand{} : value(name);
  const Operand result = new_array(type);
  const std::int64_t count = slots(type);
  repeat(count, count <= kMostUnrolled, [&](Counter i) {
    const std::array<Operand, 2> given{converted(read_cell(a, {{i, 1}}), parameters.front()),
                                       converted(read_cell(b, {{i, 1}}), parameters.back())};
    const auto operands = std::span(given).first(parameters.size());
    if (builtin != nullptr) {
      write_cell(result, {{i, 1}}, numeric_function(*builtin, func.result, operands));
      return;
    }
    const std::int32_t base = temporary(2), reg = temporary(1);
    for (std::size_t k = 0; k < operands.size(); ++k) {
      move(base + static_cast<std::int32_t>(k), operands[k].reg, operands[k].type);
    }
    if (known) {
      emit(Op::Call, reg, base, context_.functions.at(*decl).index);
    } else {
      emit(Op::CallValue, reg, base, callee.reg);
    }
    write_cell(result, {{i, 1}}, {reg, func.result});
  });
  return result;
}

}  // namespace chi::code
