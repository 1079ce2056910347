#include "expr/build.h"

#include <utility>

#include "base/check.h"
#include "expr/operation.h"

namespace chi::expr {
namespace {

bool is_constant(const Pool& pool, ExprId e) { return pool.op(e) == Op::Constant; }
bool is_value(const Pool& pool, ExprId e, double v) {
  return is_constant(pool, e) && pool.constant(e) == v;
}
bool is_neg(const Pool& pool, ExprId e) { return pool.op(e) == Op::Neg; }
bool is_total(const Pool& pool, ExprId e) { return pool.has(e, kTotal); }

// Constants stand first in products and last in sums; otherwise the older node stands first.
bool swapped(const Pool& pool, Op op, ExprId a, ExprId b) {
  const bool ca = is_constant(pool, a), cb = is_constant(pool, b);
  if (ca != cb) return op == Op::Mul ? cb : ca;
  return b < a;
}

ExprId commutative(Pool& pool, Op op, ExprId a, ExprId b) {
  if (swapped(pool, op, a, b)) std::swap(a, b);
  return pool.intern(op, a.index, b.index);
}

// The constant that `op` gives on constants, or none if it has no value.
ExprId fold(Pool& pool, Op op, ExprId a, ExprId b) {
  if (!is_constant(pool, a) || !is_constant(pool, b)) return {};
  const Applied r = apply_binary(op, pool.constant(a), pool.constant(b));
  if (r.fault != Fault::None) return {};
  return is_relation(op) ? boolean(pool, r.value != 0) : constant(pool, r.value);
}

ExprId relation(Pool& pool, Op op, ExprId a, ExprId b) {
  if (const ExprId folded = fold(pool, op, a, b)) return folded;
  if (a == b && is_total(pool, a)) {
    return boolean(pool, op == Op::LessEqual || op == Op::GreaterEqual || op == Op::Equal);
  }
  if (op == Op::Equal || op == Op::NotEqual) return commutative(pool, op, a, b);
  return pool.intern(op, a.index, b.index);
}

bool is_rounding(Op op) { return op == Op::Floor || op == Op::Ceil || op == Op::Round; }

}  // namespace

bool is_zero(const Pool& pool, ExprId e) { return is_value(pool, e, 0); }
bool is_one(const Pool& pool, ExprId e) { return is_value(pool, e, 1); }

ExprId constant(Pool& pool, double value) { return pool.intern_constant(value); }
ExprId boolean(Pool& pool, bool value) { return pool.intern(Op::Boolean, value ? 1 : 0); }
ExprId variable(Pool& pool, VarId var, int order) { return pool.intern_variable({var, order}); }
ExprId time(Pool& pool) { return pool.intern(Op::Time); }
ExprId discrete_real(Pool& pool, DiscreteId id) { return pool.intern(Op::DiscreteReal, id.index); }
ExprId discrete_bool(Pool& pool, DiscreteId id) { return pool.intern(Op::DiscreteBool, id.index); }
ExprId param_real(Pool& pool, int i) { return pool.intern(Op::ParamReal, i); }
ExprId param_bool(Pool& pool, int i) { return pool.intern(Op::ParamBool, i); }
ExprId no_alternative(Pool& pool) { return pool.intern(Op::NoAlternative); }

ExprId neg(Pool& pool, ExprId a) {
  if (is_constant(pool, a)) return constant(pool, -pool.constant(a));
  if (is_neg(pool, a)) return pool.operand(a, 0);
  return pool.intern(Op::Neg, a.index);
}

ExprId add(Pool& pool, ExprId a, ExprId b) {
  if (const ExprId folded = fold(pool, Op::Add, a, b)) return folded;
  if (is_zero(pool, a)) return b;
  if (is_zero(pool, b)) return a;
  if (is_neg(pool, a) && is_neg(pool, b)) {
    return neg(pool, add(pool, pool.operand(a, 0), pool.operand(b, 0)));
  }
  if (is_neg(pool, b)) return sub(pool, a, pool.operand(b, 0));
  if (is_neg(pool, a)) return sub(pool, b, pool.operand(a, 0));
  if (a == b) return mul(pool, constant(pool, 2), a);
  if (is_constant(pool, a)) std::swap(a, b);
  if (is_constant(pool, b) && pool.constant(b) < 0) return sub(pool, a, neg(pool, b));
  return commutative(pool, Op::Add, a, b);
}

ExprId sub(Pool& pool, ExprId a, ExprId b) {
  if (const ExprId folded = fold(pool, Op::Sub, a, b)) return folded;
  if (is_zero(pool, b)) return a;
  if (is_zero(pool, a)) return neg(pool, b);
  if (is_neg(pool, b)) return add(pool, a, pool.operand(b, 0));
  if (is_neg(pool, a)) return neg(pool, add(pool, pool.operand(a, 0), b));
  if (a == b && is_total(pool, a)) return constant(pool, 0);
  if (is_constant(pool, b) && pool.constant(b) < 0) return add(pool, a, neg(pool, b));
  return pool.intern(Op::Sub, a.index, b.index);
}

ExprId mul(Pool& pool, ExprId a, ExprId b) {
  if (const ExprId folded = fold(pool, Op::Mul, a, b)) return folded;
  if (is_constant(pool, b)) std::swap(a, b);
  if (is_constant(pool, a)) {
    const double c = pool.constant(a);
    if (c == 1) return b;
    if (c == 0 && is_total(pool, b)) return a;
    if (c < 0) return neg(pool, mul(pool, neg(pool, a), b));
  }
  if (is_neg(pool, a) && is_neg(pool, b)) return mul(pool, pool.operand(a, 0), pool.operand(b, 0));
  if (is_neg(pool, a)) return neg(pool, mul(pool, pool.operand(a, 0), b));
  if (is_neg(pool, b)) return neg(pool, mul(pool, a, pool.operand(b, 0)));
  if (a == b) return int_power(pool, a, 2);
  return commutative(pool, Op::Mul, a, b);
}

ExprId div(Pool& pool, ExprId a, ExprId b) {
  if (const ExprId folded = fold(pool, Op::Div, a, b)) return folded;
  if (is_one(pool, b)) return a;
  if (is_constant(pool, b) && pool.constant(b) < 0) return neg(pool, div(pool, a, neg(pool, b)));
  if (is_constant(pool, a) && pool.constant(a) < 0) return neg(pool, div(pool, neg(pool, a), b));
  if (is_neg(pool, a) && is_neg(pool, b)) return div(pool, pool.operand(a, 0), pool.operand(b, 0));
  if (is_neg(pool, a)) return neg(pool, div(pool, pool.operand(a, 0), b));
  if (is_neg(pool, b)) return neg(pool, div(pool, a, pool.operand(b, 0)));
  return pool.intern(Op::Div, a.index, b.index);
}

ExprId int_power(Pool& pool, ExprId x, std::int32_t n) {
  if (n == 1) return x;
  if (n == 0 && is_total(pool, x)) return constant(pool, 1);
  if (is_constant(pool, x)) {
    const Applied r = apply_int_power(pool.constant(x), n);
    if (r.fault == Fault::None) return constant(pool, r.value);
  }
  // (-x)^n has the bits of x^n up to the sign, which every product carries exactly.
  if (is_neg(pool, x)) {
    const ExprId power = int_power(pool, pool.operand(x, 0), n);
    return n % 2 == 0 ? power : neg(pool, power);
  }
  return pool.intern(Op::IntPower, x.index, n);
}

ExprId pow(Pool& pool, ExprId x, ExprId y) {
  if (is_constant(pool, y)) {
    const double n = pool.constant(y);
    if (is_small_whole(n)) return int_power(pool, x, static_cast<std::int32_t>(n));
  }
  if (const ExprId folded = fold(pool, Op::Pow, x, y)) return folded;
  return pool.intern(Op::Pow, x.index, y.index);
}

ExprId unary(Pool& pool, Op op, ExprId x) {
  CHI_CHECK(is_unary(op) && op != Op::IntPower, "not an operation on one number");
  if (op == Op::Neg) return neg(pool, x);
  if (is_constant(pool, x)) {
    const Applied r = apply_unary(op, pool.constant(x));
    if (r.fault == Fault::None) return constant(pool, r.value);
  }
  const Op inner = pool.op(x);
  if (op == Op::Abs && inner == Op::Neg) return unary(pool, Op::Abs, pool.operand(x, 0));
  if (op == Op::Abs && inner == Op::Abs) return x;
  if (is_rounding(op) && is_rounding(inner)) return x;
  return pool.intern(op, x.index);
}

ExprId binary(Pool& pool, Op op, ExprId a, ExprId b) {
  CHI_CHECK(is_binary(op) || is_relation(op), "not an operation on two numbers");
  CHI_CHECK(!pool.has(a, kBoolean) && !pool.has(b, kBoolean), "operands are numbers");
  if (is_relation(op)) return relation(pool, op, a, b);
  switch (op) {
    case Op::Add: return add(pool, a, b);
    case Op::Sub: return sub(pool, a, b);
    case Op::Mul: return mul(pool, a, b);
    case Op::Div: return div(pool, a, b);
    case Op::Pow: return pow(pool, a, b);
    default: break;
  }
  if (const ExprId folded = fold(pool, op, a, b)) return folded;
  if (a == b && op != Op::Atan2) return a;
  return pool.intern(op, a.index, b.index);
}

}  // namespace chi::expr
