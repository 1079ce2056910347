#include <cmath>

#include "sema/evaluator.h"
#include "sema/vectors.h"

// Vectors and matrices before the run. Sums are made from the first element on, as in a run.
namespace chi::sema {
namespace {

using syntax::BinaryOp;
using Sequence = Value::Sequence;

const Sequence& rows(const Value& value) { return std::get<Sequence>(value.data); }

}  // namespace

bool Evaluator::negate_elements(ExprId e, Value& value) {
  if (auto* elements = std::get_if<Sequence>(&value.data)) {
    for (Value& element : *elements) {
      if (!negate_elements(e, element)) return false;
    }
    return true;
  }
  Value zero{std::holds_alternative<double>(value.data) ? Value{-0.0} : Value{std::int64_t{0}}};
  return scalar_arithmetic(BinaryOp::Sub, span(e), zero, value, value);
}

bool Evaluator::vector_arithmetic(ExprId e, const Value& left, const Value& right, Value& out) {
  const auto& n = *node<syntax::Binary>(e);
  const auto a = shape_of(m_.types, type(n.left)), b = shape_of(m_.types, type(n.right));
  if (n.op != BinaryOp::Mul || !a || !b) return by_elements(n.op, span(e), left, right, out);
  if (a->rank() == 2) {
    Sequence result;
    for (const Value& row : rows(left)) {
      if (!row_times(e, row, right, b->rank() == 2, result.emplace_back())) return false;
    }
    out.data = std::move(result);
    return true;
  }
  return row_times(e, left, right, true, out);
}

/// A row times a vector, or times each column of a matrix.
bool Evaluator::row_times(ExprId e, const Value& row, const Value& right, bool matrix, Value& out) {
  if (!matrix) return inner_product(e, row, right, out);
  Sequence result;
  const std::size_t columns = rows(right).empty() ? 0 : rows(rows(right)[0]).size();
  for (std::size_t k = 0; k < columns; ++k) {
    Sequence column;
    for (const Value& r : rows(right)) column.push_back(rows(r)[k]);
    if (!inner_product(e, row, Value{std::move(column)}, result.emplace_back())) return false;
  }
  out.data = std::move(result);
  return true;
}

bool Evaluator::inner_product(ExprId e, const Value& left, const Value& right, Value& out) {
  const Sequence &a = rows(left), &b = rows(right);
  const Span where = span(e);
  if (a.size() != b.size()) return fail(where, "the lengths of these vectors differ");
  if (!work(a.size(), where)) return false;
  const auto shape = shape_of(m_.types, type(e));
  const bool real = m_.types.is(shape ? shape->scalar : type(e), BasicType::Real);
  Value total = real ? Value{0.0} : Value{std::int64_t{0}};
  for (std::size_t i = 0; i < a.size(); ++i) {
    Value product;
    if (!scalar_arithmetic(BinaryOp::Mul, where, a[i], b[i], product)) return false;
    if (i == 0) {
      total = std::move(product);
    } else if (!scalar_arithmetic(BinaryOp::Add, where, total, product, total)) {
      return false;
    }
  }
  out = std::move(total);
  return true;
}

/// Element by element; a number goes with all elements.
bool Evaluator::by_elements(BinaryOp op, Span where, const Value& left, const Value& right,
                            Value& out) {
  const auto* a = std::get_if<Sequence>(&left.data);
  const auto* b = std::get_if<Sequence>(&right.data);
  if (!a && !b) return scalar_arithmetic(op, where, left, right, out);
  if (a && b && a->size() != b->size()) return fail(where, "the lengths of these vectors differ");
  Sequence result((a ? a : b)->size());
  if (!work(result.size(), where)) return false;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (!by_elements(op, where, a ? (*a)[i] : left, b ? (*b)[i] : right, result[i])) return false;
  }
  out.data = std::move(result);
  return true;
}

bool Evaluator::vector_function(Builtin builtin, ExprId call, std::vector<Value>& arguments,
                                Value& out) {
  const Span where = span(call);
  switch (builtin) {
    case Builtin::Dot: return inner_product(call, arguments[0], arguments[1], out);
    case Builtin::Norm:
      if (!inner_product(call, arguments[0], arguments[0], out)) return false;
      out.data = std::sqrt(std::holds_alternative<double>(out.data)
                               ? std::get<double>(out.data)
                               : static_cast<double>(std::get<std::int64_t>(out.data)));
      return true;
    case Builtin::Times: return by_elements(BinaryOp::Mul, where, arguments[0], arguments[1], out);
    case Builtin::Divide: return by_elements(BinaryOp::Div, where, arguments[0], arguments[1], out);
    case Builtin::Cross: return cross_product(where, arguments[0], arguments[1], out);
    case Builtin::Identity: return identity(call, arguments[0], out);
    default: break;
  }
  const Sequence a = rows(arguments[0]);
  Sequence result;
  if (builtin == Builtin::Outer) {
    for (const Value& x : a) {
      if (!by_elements(BinaryOp::Mul, where, x, arguments[1], result.emplace_back())) return false;
    }
  } else if (builtin == Builtin::Diag) {
    const bool real = m_.types.is(shape_of(m_.types, type(call))->scalar, BasicType::Real);
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!work(a.size(), where)) return false;
      Sequence row(a.size(), real ? Value{0.0} : Value{std::int64_t{0}});
      row[i] = a[i];
      result.push_back({std::move(row)});
    }
  } else {
    const std::size_t columns = a.empty() ? 0 : rows(a[0]).size();
    if (!work(a.size() * columns, where)) return false;
    for (std::size_t k = 0; k < columns; ++k) {
      Sequence row;
      for (const Value& r : a) row.push_back(rows(r)[k]);
      result.push_back({std::move(row)});
    }
  }
  out.data = std::move(result);
  return true;
}

bool Evaluator::identity(ExprId call, const Value& size, Value& out) {
  const auto n = std::get<std::int64_t>(size.data);
  if (n < 0) return fail(span(call), "a length is 0 or more");
  const bool real = m_.types.is(shape_of(m_.types, type(call))->scalar, BasicType::Real);
  Sequence result;
  for (std::int64_t i = 0; i < n; ++i) {
    if (!work(static_cast<std::size_t>(n), span(call))) return false;
    Sequence row(static_cast<std::size_t>(n), real ? Value{0.0} : Value{std::int64_t{0}});
    row[static_cast<std::size_t>(i)] = real ? Value{1.0} : Value{std::int64_t{1}};
    result.push_back({std::move(row)});
  }
  out.data = std::move(result);
  return true;
}

bool Evaluator::cross_product(Span where, const Value& left, const Value& right, Value& out) {
  const Sequence a = rows(left), b = rows(right);
  if (a.size() != 3 || b.size() != 3) return fail(where, "`cross` needs vectors of 3");
  Sequence result(3);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t k = (i + 1) % 3, l = (i + 2) % 3;
    Value first, second;
    if (!scalar_arithmetic(BinaryOp::Mul, where, a[k], b[l], first) ||
        !scalar_arithmetic(BinaryOp::Mul, where, a[l], b[k], second) ||
        !scalar_arithmetic(BinaryOp::Sub, where, first, second, result[i])) {
      return false;
    }
  }
  out.data = std::move(result);
  return true;
}

/// `map(f, v)`, `map(f, v, w)`.
bool Evaluator::map_elements(ExprId call, Value& out) {
  const auto given = m_.ast.list(node<syntax::Call>(call)->arguments);
  std::vector<Value> arguments(given.size() - 1);
  for (std::size_t i = 1; i < given.size(); ++i) {
    if (!eval(given[i], arguments[i - 1])) return false;
  }
  return apply_to_elements(call, arguments, out);
}

bool Evaluator::apply_to_elements(ExprId call, std::vector<Value>& arguments, Value& out) {
  if (const auto* first = std::get_if<Sequence>(&arguments[0].data)) {
    Sequence result(first->size());
    for (std::size_t i = 0; i < result.size(); ++i) {
      std::vector<Value> elements;
      for (const Value& a : arguments) {
        if (rows(a).size() != result.size()) {
          return fail(span(call), "the lengths of these vectors differ");
        }
        elements.push_back(rows(a)[i]);
      }
      if (!work(1, span(call)) || !apply_to_elements(call, elements, result[i])) return false;
    }
    out.data = std::move(result);
    return true;
  }
  const ExprId callee = m_.ast.list(node<syntax::Call>(call)->arguments)[0];
  const auto* signature = as<Func>(type(callee));
  const auto parameters = m_.types.list(signature->parameters);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool real = m_.types.is(parameters[i], BasicType::Real);
    if (auto* k = std::get_if<std::int64_t>(&arguments[i].data); k && real) {
      arguments[i].data = static_cast<double>(*k);
    }
  }
  if (const auto* builtin = std::get_if<Builtin>(&m_.resolution[callee])) {
    return library(*builtin, callee, arguments, out);
  }
  Value function;
  if (!eval(callee, function)) return false;
  const auto* reference = std::get_if<Value::FunctionRef>(&function.data);
  if (!reference) return fail(span(call), "this has no value before the run");
  return call_function(reference->decl, arguments, span(call), out);
}

}  // namespace chi::sema
