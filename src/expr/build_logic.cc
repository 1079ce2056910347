#include <vector>

#include "base/check.h"
#include "expr/build.h"
#include "expr/substitute.h"

namespace chi::expr {
namespace {

bool is_boolean(const Pool& pool, ExprId e, bool value) {
  return pool.op(e) == Op::Boolean && pool.boolean(e) == value;
}

// `and` with `zero` = false, `or` with `zero` = true. The left operand is evaluated first and alone
// if it is `zero`; it may be dropped only if it cannot fail.
ExprId connective(Pool& pool, Op op, bool zero, ExprId a, ExprId b) {
  if (is_boolean(pool, a, zero)) return a;
  if (is_boolean(pool, a, !zero)) return b;
  if (is_boolean(pool, b, !zero) || a == b) return a;
  if (is_boolean(pool, b, zero) && pool.has(a, kTotal)) return b;
  return pool.intern(op, a.index, b.index);
}

}  // namespace

ExprId negation(Pool& pool, ExprId a) {
  if (pool.op(a) == Op::Boolean) return boolean(pool, !pool.boolean(a));
  if (pool.op(a) == Op::Not) return pool.operand(a, 0);
  return pool.intern(Op::Not, a.index);
}

ExprId conjunction(Pool& pool, ExprId a, ExprId b) {
  return connective(pool, Op::And, false, a, b);
}

ExprId disjunction(Pool& pool, ExprId a, ExprId b) { return connective(pool, Op::Or, true, a, b); }

ExprId equivalence(Pool& pool, ExprId a, ExprId b) {
  return if_else(pool, IfKind::Plain, a, b, negation(pool, b));
}

ExprId if_else(Pool& pool, IfKind kind, ExprId condition, ExprId then, ExprId otherwise) {
  CHI_CHECK(pool.has(condition, kBoolean), "a condition is a truth value");
  CHI_CHECK(pool.has(then, kBoolean) == pool.has(otherwise, kBoolean), "branches of one type");
  if (pool.op(condition) == Op::Boolean) return pool.boolean(condition) ? then : otherwise;
  if (pool.op(condition) == Op::Not) {
    return if_else(pool, kind, pool.operand(condition, 0), otherwise, then);
  }
  // Inside a branch the same condition is known to hold, or not to. Only for the same kind: the
  // truth of an evented condition is frozen during a step, that of a plain one is not.
  const Op op = kind == IfKind::Evented ? Op::If : Op::PlainIf;
  if (pool.op(then) == op && pool.operand(then, 0) == condition) then = pool.operand(then, 1);
  if (pool.op(otherwise) == op && pool.operand(otherwise, 0) == condition) {
    otherwise = pool.operand(otherwise, 2);
  }
  if (then == otherwise && pool.has(condition, kTotal)) return then;
  return pool.intern(op, condition.index, then.index, otherwise.index);
}

namespace {

bool is_number(const Pool& pool, ExprId e) {
  return pool.op(e) == Op::Constant || pool.op(e) == Op::Boolean;
}

}  // namespace

// What the body does not use is not mentioned, and of numbers alone it is a number.
ExprId call(Pool& pool, FunctionId f, std::span<const ExprId> arguments) {
  const ExprId body = pool.function(f).body;
  if (!body) return pool.intern_call(f, arguments);
  if (is_number(pool, body)) return body;
  const std::vector<char>& uses = pool.function(f).uses;
  const auto is_open = [&](std::size_t i) {
    return uses[i] == 0 && !is_number(pool, arguments[i]) && pool.has(arguments[i], kTotal);
  };
  bool any_open = false, of_numbers = true;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    any_open = any_open || is_open(i);
    of_numbers = of_numbers && (uses[i] == 0 || is_number(pool, arguments[i]));
  }
  ExprId e;
  if (any_open) {
    std::vector<ExprId> used(arguments.begin(), arguments.end());
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (!is_open(i)) continue;
      used[i] = pool.has(used[i], kBoolean) ? boolean(pool, false) : constant(pool, 0);
    }
    e = pool.intern_call(f, used);
  } else {
    e = pool.intern_call(f, arguments);
  }
  if (!of_numbers || pool.has(body, kHasOpaque)) return e;
  const ExprId value = inline_calls(pool, e);
  return is_number(pool, value) ? value : e;
}

ExprId delay(Pool& pool, ExprId x, ExprId tau, ExprId x0) {
  // What was in the past is no matter of the present mode.
  x = plain_ifs(pool, x);
  if (x0) x0 = plain_ifs(pool, x0);
  return pool.intern(Op::Delay, x.index, tau.index, x0.index);
}

ExprId rebuild(Pool& pool, ExprId e, std::span<const ExprId> operands) {
  const Op op = pool.op(e);
  if (is_leaf(op)) return e;
  if (op == Op::IntPower) return int_power(pool, operands[0], pool.exponent(e));
  if (is_unary(op)) return unary(pool, op, operands[0]);
  if (is_binary(op) || is_relation(op)) return binary(pool, op, operands[0], operands[1]);
  switch (op) {
    case Op::Not: return negation(pool, operands[0]);
    case Op::And: return conjunction(pool, operands[0], operands[1]);
    case Op::Or: return disjunction(pool, operands[0], operands[1]);
    case Op::If: return if_else(pool, IfKind::Evented, operands[0], operands[1], operands[2]);
    case Op::PlainIf: return if_else(pool, IfKind::Plain, operands[0], operands[1], operands[2]);
    case Op::Call: return call(pool, pool.called(e), operands);
    case Op::Delay:
      return delay(pool, operands[0], operands[1], operands.size() > 2 ? operands[2] : ExprId{});
    default: break;
  }
  CHI_CHECK(false, "an operation that rebuild does not know");
  return e;
}

}  // namespace chi::expr
