#include "expr/chain_rule.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "base/check.h"
#include "expr/build.h"
#include "expr/differentiate.h"

namespace chi::expr {
namespace {

// a * b with the constant factors of both taken together and first. It may round differently from
// `mul`, which a derivative, not being anyone's written formula, is free to do; it keeps
// derivatives of polynomials short and their terms shared.
ExprId product(Pool& p, ExprId a, ExprId b) {
  double factor = 1;
  const auto strip = [&](ExprId e) {
    if (p.op(e) != Op::Mul || p.op(p.operand(e, 0)) != Op::Constant) return e;
    factor *= p.constant(p.operand(e, 0));
    return p.operand(e, 1);
  };
  const ExprId u = strip(a), v = strip(b);
  if (factor == 1 || factor == 0 || !std::isfinite(factor)) return mul(p, a, b);
  if (p.op(u) == Op::Constant) return mul(p, mul(p, constant(p, factor), u), v);
  if (p.op(v) == Op::Constant) return mul(p, mul(p, constant(p, factor), v), u);
  return mul(p, constant(p, factor), mul(p, u, v));
}

// (1 - u) (1 + u): more accurate near u = 1 than 1 - u^2.
ExprId one_minus_square(Pool& p, ExprId u) {
  const ExprId one = constant(p, 1);
  return mul(p, sub(p, one, u), add(p, one, u));
}

// `n` is the node itself, u its operand: results are expressed in n where that saves an evaluation.
ExprId chain_unary(Pool& p, ExprId n, ExprId u, ExprId factor) {
  const auto scaled = [&](Op op) { return product(p, factor, unary(p, op, u)); };
  const auto over_root = [&](ExprId radicand) {
    return div(p, factor, unary(p, Op::Sqrt, radicand));
  };
  const ExprId one = constant(p, 1);
  switch (p.op(n)) {
    case Op::Neg: return neg(p, factor);
    case Op::Abs: return scaled(Op::Sign);
#define CHI_ELEMENTARY(name, text, value, domain, derivative, ...) \
  case Op::name:                                                   \
    return derivative;
#include "expr/elementary.def"
#undef CHI_ELEMENTARY
    case Op::IntPower: {
      const int k = p.exponent(n);
      return product(p, product(p, constant(p, k), factor), int_power(p, u, k - 1));
    }
    default: break;
  }
  CHI_CHECK(false, "an operation without a derivative");
  return {};
}

ExprId chain_binary(Pool& p, ExprId n, int i, ExprId f) {
  const ExprId a = p.operand(n, 0), b = p.operand(n, 1);
  switch (p.op(n)) {
    case Op::Add: return f;
    case Op::Sub: return i == 0 ? f : neg(p, f);
    case Op::Mul: return product(p, f, i == 0 ? b : a);
    case Op::Div: return i == 0 ? div(p, f, b) : neg(p, div(p, mul(p, f, n), b));
    case Op::Pow:
      if (i == 0) return product(p, product(p, b, f), pow(p, a, sub(p, b, constant(p, 1))));
      return mul(p, f, mul(p, n, unary(p, Op::Ln, a)));
    case Op::Atan2: {
      const ExprId square = add(p, int_power(p, a, 2), int_power(p, b, 2));
      return i == 0 ? div(p, mul(p, f, b), square) : neg(p, div(p, mul(p, f, a), square));
    }
    default: break;
  }
  CHI_CHECK(false, "an operation without a derivative");
  return {};
}

ExprId chain_call(Pool& p, ExprId n, int i, ExprId f) {
  const FunctionId d = derivative(p, p.called(n), i);
  if (const ExprId body = p.function(d).body; body && p.op(body) == Op::Constant) {
    return is_zero(p, body) ? ExprId{} : mul(p, f, body);
  }
  std::vector<ExprId> arguments;
  const Operands operands = p.operands(n);
  for (int k = 0; k < operands.size(); ++k) arguments.push_back(operands[k]);
  return mul(p, f, call(p, d, arguments));
}

// d/dtau x(t - tau) = -x'(t - tau)
ExprId chain_delay(Pool& p, ExprId n, ExprId f) {
  const Operands operands = p.operands(n);
  const ExprId x0 = operands.size() > 2 ? time_derivative(p, operands[2]) : ExprId{};
  return neg(p, mul(p, f, delay(p, time_derivative(p, operands[0]), operands[1], x0)));
}

}  // namespace

bool is_differentiable(const Pool& pool, ExprId e, int i) {
  const Op op = pool.op(e);
  if (pool.has(e, kBoolean) || pool.has(pool.operand(e, i), kBoolean)) return false;
  if (op == Op::Delay) return i == 1;
  return op != Op::Floor && op != Op::Ceil && op != Op::Round && op != Op::Sign;
}

bool is_choice(Op op) { return is_if(op) || op == Op::Min || op == Op::Max; }

ExprId choose(Pool& pool, ExprId e, ExprId first, ExprId second) {
  if (!first && !second) return {};
  const Op op = pool.op(e);
  ExprId condition = pool.operand(e, 0);
  if (!is_if(op)) {
    const Op relation = op == Op::Min ? Op::LessEqual : Op::GreaterEqual;
    condition = binary(pool, relation, condition, pool.operand(e, 1));
  }
  const IfKind kind = op == Op::If ? IfKind::Evented : IfKind::Plain;
  const ExprId zero = constant(pool, 0);
  const ExprId result =
      if_else(pool, kind, condition, first ? first : zero, second ? second : zero);
  return is_zero(pool, result) ? ExprId{} : result;
}

ExprId chain(Pool& pool, ExprId e, int i, ExprId factor) {
  const Op op = pool.op(e);
  ExprId result;
  if (is_unary(op)) {
    result = chain_unary(pool, e, pool.operand(e, 0), factor);
  } else if (op == Op::Call) {
    result = chain_call(pool, e, i, factor);
  } else if (op == Op::Delay) {
    result = chain_delay(pool, e, factor);
  } else {
    result = chain_binary(pool, e, i, factor);
  }
  return result && is_zero(pool, result) ? ExprId{} : result;
}

ExprId sum(Pool& pool, ExprId a, ExprId b) {
  if (!a) return b;
  return b ? add(pool, a, b) : a;
}

}  // namespace chi::expr
