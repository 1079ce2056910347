#include "expr/random_expression.h"

#include <array>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "expr/build.h"
#include "expr/cone.h"

namespace chi::expr::testing {
namespace {

constexpr std::array kSmooth = {Op::Neg,  Op::Exp,  Op::Sin,  Op::Cos,   Op::Atan,
                                Op::Sinh, Op::Cosh, Op::Tanh, Op::Asinh, Op::Erf};
constexpr std::array kPartial = {Op::Sqrt,  Op::Ln,    Op::Log, Op::Asin, Op::Acos,
                                 Op::Acosh, Op::Atanh, Op::Tan, Op::Cbrt};
constexpr std::array kSteps = {Op::Abs, Op::Sign, Op::Floor, Op::Ceil, Op::Round};
constexpr std::array kRelations = {Op::Less,         Op::LessEqual, Op::Greater,
                                   Op::GreaterEqual, Op::Equal,     Op::NotEqual};
constexpr std::array kNice = {0.0, 1.0, -1.0, 2.0, 0.5, -2.0, 3.0, 0.0};

}  // namespace

RandomExpressions::RandomExpressions(Pool& pool, std::uint64_t seed, Mix mix)
    : pool_(pool), rng_(seed), mix_(mix) {
  if (!mix.calls) return;
  const ExprId p = param_real(pool, 0), q = param_real(pool, 1);
  const FunctionId f = pool.add_function(2, add(pool, mul(pool, p, unary(pool, Op::Sin, q)), p));
  const std::array swapped{q, p};
  const ExprId inner = call(pool, f, swapped);
  const ExprId sign = binary(pool, Op::Less, p, q);
  const FunctionId g =
      pool.add_function(2, if_else(pool, IfKind::Plain, sign, inner, unary(pool, Op::Exp, q)));
  functions_ = {f, g};
}

double RandomExpressions::number() {
  if (below(3) == 0) return kNice[below(kNice.size())];
  return static_cast<double>(static_cast<std::int64_t>(below(4001)) - 2000) / 1000.0;
}

std::vector<ExprId> RandomExpressions::variable_leaves() {
  std::vector<ExprId> leaves;
  for (int v = 0; v < mix_.variables; ++v) {
    leaves.push_back(variable(pool_, {v}));
    leaves.push_back(variable(pool_, {v}, 1));
  }
  return leaves;
}

ExprId RandomExpressions::leaf() {
  const std::uint64_t pick = below(10);
  if (pick < 3) return constant(pool_, number());
  if (pick == 3) return time(pool_);
  if (pick == 4) return discrete_real(pool_, {static_cast<int>(below(2))});
  int v = static_cast<int>(below(static_cast<std::uint64_t>(mix_.variables)));
  if (frozen_) v |= 1;
  return variable(pool_, {v}, below(4) == 0 ? 1 : 0);
}

ExprId RandomExpressions::make(Op op, ExprId a, ExprId b, ExprId c) {
  if (mix_.raw) return pool_.intern(op, a.index, b.index, c.index);
  const std::array operands{a, b, c};
  const ExprId plain = pool_.intern(op, a.index, b.index, c.index);
  const int n = pool_.operands(plain).size();
  return rebuild(pool_, plain, std::span(operands).first(static_cast<std::size_t>(n)));
}

// Operands are drawn one by one: the order in which a compiler evaluates arguments must not show.
ExprId RandomExpressions::apply(std::span<const Op> ops, int size) {
  const Op op = ops[below(ops.size())];
  return make(op, real(size));
}

ExprId RandomExpressions::pair(Op op, int left, int right) {
  const ExprId a = real(left);
  return make(op, a, real(right));
}

ExprId RandomExpressions::connect(Op op, int size) {
  const ExprId a = truth(size);
  return make(op, a, truth(size));
}

ExprId RandomExpressions::call_something(int size) {
  const std::array arguments{real(size / 2), real(size - size / 2)};
  return call(pool_, functions_[below(functions_.size())], arguments);
}

ExprId RandomExpressions::real(int size) {
  if (size <= 0) return leaf();
  const int left = static_cast<int>(below(static_cast<std::uint64_t>(size)));
  const int right = size - 1 - left;
  switch (below(12)) {
    case 0: return apply(kSmooth, size - 1);
    case 1: return mix_.partial ? apply(kPartial, size - 1) : real(size - 1);
    case 2: {
      if (!mix_.steps) return real(size - 1);
      if (below(2) == 0) return apply(kSteps, size - 1);
      return pair(below(2) == 0 ? Op::Min : Op::Max, left, right);
    }
    case 3: {
      if (!mix_.logic) return real(size - 1);
      const ExprId condition = truth(size / 3), then = real(size / 3);
      const ExprId otherwise = real(size / 3);
      return make(below(2) == 0 ? Op::If : Op::PlainIf, condition, then, otherwise);
    }
    case 4: return mix_.calls ? call_something(size - 1) : real(size - 1);
    case 5: {
      const int n = static_cast<int>(below(mix_.partial ? 6 : 3)) + (mix_.partial ? -2 : 1);
      const ExprId x = real(size - 1);
      return mix_.raw ? pool_.intern(Op::IntPower, x.index, n) : int_power(pool_, x, n);
    }
    case 6: return mix_.partial ? pair(Op::Div, left, right) : pair(Op::Mul, left, right);
    case 7: {
      if (!mix_.partial) return pair(Op::Sub, left, right);
      return pair(below(2) == 0 ? Op::Pow : Op::Atan2, left, right);
    }
    case 8: return pair(Op::Sub, left, right);
    case 9: return pair(Op::Mul, left, right);
    default: return pair(Op::Add, left, right);
  }
}

ExprId RandomExpressions::truth(int size) {
  const int left = size / 2;
  switch (size <= 1 ? below(3) : below(8)) {
    case 0:
      return below(4) == 0 ? boolean(pool_, below(2) == 0)
                           : discrete_bool(pool_, {2 + static_cast<int>(below(2))});
    case 3: return make(Op::Not, truth(size - 1));
    case 4: return connect(Op::And, left);
    case 5: return connect(Op::Or, left);
    default: return pair(kRelations[below(kRelations.size())], left, left);
  }
}

ExprId RandomExpressions::affine(int size) {
  frozen_ = true;
  const ExprId free = real(size / 3);
  frozen_ = false;
  if (size <= 1 && below(2) == 0) return free;
  if (size <= 1) {
    const auto half = static_cast<std::uint64_t>(mix_.variables / 2);
    return variable(pool_, {static_cast<int>(below(half)) * 2});
  }
  const ExprId a = affine(size / 2), b = affine(size / 2);
  frozen_ = true;
  const ExprId condition = truth(size / 3);
  frozen_ = false;
  switch (below(6)) {
    case 0: return make(Op::Add, a, b);
    case 1: return make(Op::Sub, a, b);
    case 2: return make(Op::Mul, a, free);
    case 3: return make(Op::Mul, free, a);
    case 4: return make(Op::Div, a, free);
    default: return make(Op::PlainIf, condition, a, b);
  }
}

Point RandomExpressions::point() {
  std::map<VarRef, double> values;
  for (int v = 0; v < mix_.variables; ++v) {
    for (int k = 0; k < 4; ++k) values[{{v}, k}] = number();
  }
  const double d0 = number(), d1 = number();
  const double b2 = static_cast<double>(below(2)), b3 = static_cast<double>(below(2));
  Point p;
  p.time = number();
  p.variable = [values](VarRef v) { return values.at(v); };
  p.discrete = [=](DiscreteId d) {
    return d.index == 0 ? d0 : d.index == 1 ? d1 : d.index == 2 ? b2 : b3;
  };
  return p;
}

ExprId simplified(Pool& pool, ExprId root) {
  const Cone cone(pool, std::array{root});
  std::vector<ExprId> built, operands;
  for (const ExprId e : cone.nodes()) {
    operands.clear();
    const Operands old = pool.operands(e);
    for (int i = 0; i < old.size(); ++i)
      operands.push_back(built[static_cast<std::size_t>(cone.position(old[i]))]);
    built.push_back(rebuild(pool, e, operands));
  }
  return built.back();
}

namespace {

// The textbook derivative of each function of one number, by its argument x and value y.
double slope_unary(Op op, double x, double y) {
  switch (op) {
    case Op::Neg: return -1;
    case Op::Abs: return x < 0 ? -1 : x > 0 ? 1 : 0;
    case Op::Sqrt: return 0.5 / std::sqrt(x);
    case Op::Cbrt: return 1 / (3 * std::cbrt(x * x));
    case Op::Exp: return y;
    case Op::Ln: return 1 / x;
    case Op::Log: return std::log10(std::exp(1.0)) / x;
    case Op::Sin: return std::cos(x);
    case Op::Cos: return -std::sin(x);
    case Op::Tan: return 1 / (std::cos(x) * std::cos(x));
    case Op::Asin: return 1 / std::sqrt(1 - x * x);
    case Op::Acos: return -1 / std::sqrt(1 - x * x);
    case Op::Atan: return 1 / (1 + x * x);
    case Op::Sinh: return std::cosh(x);
    case Op::Cosh: return std::sinh(x);
    case Op::Tanh: return 1 / (std::cosh(x) * std::cosh(x));
    case Op::Asinh: return 1 / std::sqrt(x * x + 1);
    case Op::Acosh: return 1 / std::sqrt(x * x - 1);
    case Op::Atanh: return 1 / (1 - x * x);
    case Op::Erf: return 2 / std::sqrt(std::acos(-1.0)) * std::exp(-x * x);
    default: return 0;  // sign, floor, ceil, round
  }
}

double slope_binary(Op op, Dual a, Dual b) {
  switch (op) {
    case Op::Add: return a.slope + b.slope;
    case Op::Sub: return a.slope - b.slope;
    case Op::Mul: return a.slope * b.value + a.value * b.slope;
    case Op::Div: return (a.slope * b.value - a.value * b.slope) / (b.value * b.value);
    case Op::Min: return a.value <= b.value ? a.slope : b.slope;
    case Op::Max: return a.value >= b.value ? a.slope : b.slope;
    case Op::Atan2:
      return (a.slope * b.value - a.value * b.slope) / (a.value * a.value + b.value * b.value);
    case Op::Pow: {
      const double by_base = a.slope == 0 ? 0 : b.value * std::pow(a.value, b.value - 1) * a.slope;
      return by_base +
             (b.slope == 0 ? 0 : std::pow(a.value, b.value) * std::log(a.value) * b.slope);
    }
    default: return 0;
  }
}

using Rate = std::function<double(ExprId)>;

Dual dual_node(const Pool& pool, ExprId e, const Point& point, const Rate& rate,
               std::span<const Dual> of, std::span<const Dual> arguments) {
  const Op op = pool.op(e);
  if (op == Op::ParamReal || op == Op::ParamBool)
    return arguments[static_cast<std::size_t>(pool.param(e))];
  if (is_leaf(op)) return {evaluate(pool, e, point).value, rate(e)};
  if (is_if(op)) return of[0].value != 0 ? of[1] : of[2];
  if (op == Op::Not) return {of[0].value != 0 ? 0.0 : 1.0, 0};
  if (op == Op::And) return {of[0].value != 0 ? of[1].value : 0.0, 0};
  if (op == Op::Or) return {of[0].value != 0 ? 1.0 : of[1].value, 0};
  if (op == Op::IntPower) {
    const int n = pool.exponent(e);
    return {apply_int_power(of[0].value, n).value,
            n == 0 ? 0 : n * std::pow(of[0].value, n - 1) * of[0].slope};
  }
  if (is_unary(op)) {
    const double y = apply_unary(op, of[0].value).value;
    const double s = of[0].slope == 0 ? 0 : slope_unary(op, of[0].value, y) * of[0].slope;
    return {y, s};
  }
  return {apply_binary(op, of[0].value, of[1].value).value, slope_binary(op, of[0], of[1])};
}

std::vector<Dual> duals(const Pool& pool, std::span<const ExprId> roots, const Point& point,
                        const Rate& rate, std::span<const Dual> arguments) {
  const Cone cone(pool, roots, {.delayed = false});
  std::vector<Dual> all;
  for (const ExprId e : cone.nodes()) {
    std::vector<Dual> of;
    const Operands operands = pool.operands(e);
    for (int i = 0; i < operands.size(); ++i)
      of.push_back(all[static_cast<std::size_t>(cone.position(operands[i]))]);
    if (pool.op(e) == Op::Call) {
      all.push_back(
          duals(pool, std::array{pool.function(pool.called(e)).body}, point, rate, of)[0]);
    } else {
      all.push_back(dual_node(pool, e, point, rate, of, arguments));
    }
  }
  std::vector<Dual> result;
  for (const ExprId root : roots)
    result.push_back(all[static_cast<std::size_t>(cone.position(root))]);
  return result;
}

}  // namespace

std::vector<Dual> evaluate_dual(const Pool& pool, std::span<const ExprId> roots, const Point& point,
                                const std::function<double(ExprId)>& rate) {
  return duals(pool, roots, point, rate, {});
}

TEST(RandomExpressions, SameSeedSameExpressions) {
  Pool one, two;
  RandomExpressions a(one, 7, {}), b(two, 7, {});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.real(10), b.real(10));
  EXPECT_GT(one.size(), 200);
}

TEST(RandomExpressions, DualOfProductIsProductRule) {
  Pool pool;
  const ExprId x = variable(pool, {0}), e = mul(pool, x, unary(pool, Op::Sin, x));
  Point p;
  p.variable = [](VarRef) { return 0.5; };
  const Dual d = evaluate_dual(pool, std::array{e}, p, [](ExprId) { return 2.0; })[0];
  EXPECT_DOUBLE_EQ(d.value, 0.5 * std::sin(0.5));
  EXPECT_DOUBLE_EQ(d.slope, 2 * (std::sin(0.5) + 0.5 * std::cos(0.5)));
}

}  // namespace chi::expr::testing
