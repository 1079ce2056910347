#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sema/arithmetic.h"
#include "sema/evaluator.h"

namespace chi::sema {
namespace {

using syntax::BinaryOp;

double number(const Value& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*i);
  return std::get<double>(value.data);
}

bool is_number(const Value& value) {
  return std::holds_alternative<std::int64_t>(value.data) ||
         std::holds_alternative<double>(value.data);
}

}  // namespace

bool Evaluator::unary(ExprId e, Value& value) {
  using syntax::UnaryOp;
  switch (node<syntax::Unary>(e)->op) {
    case UnaryOp::Plus: return true;
    case UnaryOp::Not: value.data = !std::get<bool>(value.data); return true;
    case UnaryOp::Sample: return fail(span(e), "a sample can be drawn only during the run");
    case UnaryOp::Minus: break;
  }
  if (std::holds_alternative<Value::Sequence>(value.data)) return negate_elements(e, value);
  if (const auto* r = std::get_if<double>(&value.data)) {
    value.data = -*r;
    return true;
  }
  const auto negated = checked_sub(0, std::get<std::int64_t>(value.data));
  if (!negated) return fail(span(e), "integer overflow");
  value.data = *negated;
  return true;
}

// `value` holds the operand that was evaluated first (see first_operand) and becomes the result.
bool Evaluator::binary(ExprId e, Value& value) {
  const auto& n = *node<syntax::Binary>(e);
  if (n.op == BinaryOp::And && !std::get<bool>(value.data)) return true;
  if (n.op == BinaryOp::Or && std::get<bool>(value.data)) return true;
  Value other;
  if (!eval(n.op == BinaryOp::Pow ? n.left : n.right, other)) return false;
  if (n.op == BinaryOp::Pow) std::swap(value, other);
  const auto truth = [&](bool b) {
    value.data = b;
    return true;
  };
  switch (n.op) {
    case BinaryOp::And:
    case BinaryOp::Or: value = std::move(other); return true;
    case BinaryOp::Eq: return truth(compare(value, other) == 0);
    case BinaryOp::Ne: return truth(compare(value, other) != 0);
    case BinaryOp::Lt: return truth(compare(value, other) < 0);
    case BinaryOp::Le: return truth(compare(value, other) <= 0);
    case BinaryOp::Gt: return truth(compare(value, other) > 0);
    case BinaryOp::Ge: return truth(compare(value, other) >= 0);
    case BinaryOp::In: {
      bool found = false;
      return is_member(value, other, found) && truth(found);
    }
    default: return arithmetic(e, value, other);
  }
}

int Evaluator::compare(const Value& a, const Value& b) const {
  if (is_number(a) && is_number(b) && a.data.index() != b.data.index()) {
    const double x = number(a);
    const double y = number(b);
    return x < y ? -1 : y < x ? 1 : 0;
  }
  return a < b ? -1 : b < a ? 1 : 0;
}

bool Evaluator::is_member(const Value& element, const Value& collection, bool& found) {
  if (const auto* entries = std::get_if<Value::Mapping>(&collection.data)) {
    if (!work(entries->size(), root_)) return false;
    found = std::ranges::any_of(
        *entries, [&](const auto& entry) { return compare(element, entry.first) == 0; });
    return true;
  }
  const auto& elements = std::get<Value::Sequence>(collection.data);
  if (!work(elements.size(), root_)) return false;
  found = std::ranges::any_of(elements, [&](const Value& x) { return compare(element, x) == 0; });
  return true;
}

bool Evaluator::arithmetic(ExprId e, Value& left, Value& right) {
  if (auto* text = std::get_if<std::string>(&left.data)) {
    const auto& more = std::get<std::string>(right.data);
    if (!work(text->size() + more.size(), span(e))) return false;
    *text += more;
    return true;
  }
  if (as<Array>(type(e))) return vector_arithmetic(e, left, right, left);
  if (std::holds_alternative<Value::Sequence>(left.data)) return combine_sets(e, left, right);
  const BinaryOp op = node<syntax::Binary>(e)->op;
  if (m_.types.is(type(e), BasicType::Real)) {
    return real_arithmetic(op, span(e), number(left), number(right), left);
  }
  return scalar_arithmetic(op, span(e), left, right, left);
}

bool Evaluator::scalar_arithmetic(BinaryOp op, Span where, const Value& left, const Value& right,
                                  Value& out) {
  const auto* a = std::get_if<std::int64_t>(&left.data);
  const auto* b = std::get_if<std::int64_t>(&right.data);
  if (a && b && op != BinaryOp::Div) return integer_arithmetic(op, where, *a, *b, out);
  return real_arithmetic(op, where, number(left), number(right), out);
}

bool Evaluator::integer_arithmetic(BinaryOp op, Span where, std::int64_t a, std::int64_t b,
                                   Value& out) {
  std::optional<std::int64_t> result;
  switch (op) {
    case BinaryOp::Add: result = checked_add(a, b); break;
    case BinaryOp::Sub: result = checked_sub(a, b); break;
    case BinaryOp::Mul: result = checked_mul(a, b); break;
    case BinaryOp::IntDiv: result = floor_div(a, b); break;
    case BinaryOp::Mod: result = floor_mod(a, b); break;
    case BinaryOp::Pow: result = checked_pow(a, b); break;
    default: break;
  }
  const bool divides = op == BinaryOp::IntDiv || op == BinaryOp::Mod;
  if (!result) return fail(where, divides && b == 0 ? "division by zero" : "integer overflow");
  out.data = *result;
  return true;
}

bool Evaluator::real_arithmetic(BinaryOp op, Span where, double a, double b, Value& out) {
  switch (op) {
    case BinaryOp::Add: out.data = a + b; return true;
    case BinaryOp::Sub: out.data = a - b; return true;
    case BinaryOp::Mul: out.data = a * b; return true;
    case BinaryOp::Div:
      if (b == 0.0) return fail(where, "division by zero");
      out.data = a / b;
      return true;
    case BinaryOp::Pow: {
      const double power = std::pow(a, b);
      const bool pole = a == 0 && b < 0;
      if (pole || (std::isnan(power) && !std::isnan(a) && !std::isnan(b))) {
        return fail(where, fmt::format("{}^{} is not a real number", a, b));
      }
      out.data = power;
      return true;
    }
    default: return fail(where, "this has no value before the run");
  }
}

// Lists: ++ and --. Sets, which are sorted: +, - and *.
bool Evaluator::combine_sets(ExprId e, Value& left, Value& right) {
  auto& a = std::get<Value::Sequence>(left.data);
  auto& b = std::get<Value::Sequence>(right.data);
  if (!work(a.size() + b.size(), span(e))) return false;
  Value::Sequence result;
  switch (node<syntax::Binary>(e)->op) {
    case BinaryOp::Concat: a.insert(a.end(), b.begin(), b.end()); return true;
    case BinaryOp::Subtract: return remove_elements(left, right);
    case BinaryOp::Add:
      std::ranges::set_union(a, b, std::back_inserter(result), std::less<>());
      break;
    case BinaryOp::Sub:
      std::ranges::set_difference(a, b, std::back_inserter(result), std::less<>());
      break;
    case BinaryOp::Mul:
      std::ranges::set_intersection(a, b, std::back_inserter(result), std::less<>());
      break;
    default: return fail(span(e), "this has no value before the run");
  }
  left.data = std::move(result);
  return true;
}

/// Removes from a list the first occurrence of each element of another.
bool Evaluator::remove_elements(Value& left, const Value& right) {
  auto& from = std::get<Value::Sequence>(left.data);
  for (const Value& x : std::get<Value::Sequence>(right.data)) {
    if (!work(from.size(), root_)) return false;
    const auto at = std::find(from.begin(), from.end(), x);
    if (at != from.end()) from.erase(at);
  }
  return true;
}

}  // namespace chi::sema
