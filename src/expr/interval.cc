#include "expr/interval.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <unordered_map>

#include "expr/cone.h"
#include "expr/substitute.h"

namespace chi::expr {
namespace {

/// More than the error of one operation or function of the library.
constexpr double kUlps = 6e-16;
constexpr double kTiny = 1e-300;

Interval outwards(double low, double high) {
  if (std::isnan(low) || std::isnan(high)) return Interval::all();
  return {low - kUlps * std::abs(low) - kTiny, high + kUlps * std::abs(high) + kTiny};
}

bool is_finite(const Interval& x) { return std::isfinite(x.low) && std::isfinite(x.high); }

Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Interval operator-(const Interval& a) { return {-a.high, -a.low}; }
Interval operator+(const Interval& a, const Interval& b) {
  return outwards(a.low + b.low, a.high + b.high);
}
Interval operator-(const Interval& a, const Interval& b) { return a + -b; }

Interval operator*(const Interval& a, const Interval& b) {
  if (!is_finite(a) || !is_finite(b)) {
    const bool zero = (a.low == 0 && a.high == 0) || (b.low == 0 && b.high == 0);
    return zero ? Interval{} : Interval::all();
  }
  const auto ends = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return outwards(ends.first, ends.second);
}

Interval operator/(const Interval& a, const Interval& b) {
  if (b.has(0)) return Interval::all();
  return a * outwards(1 / b.high, 1 / b.low);
}

Interval power(const Interval& x, int n) {
  if (n == 0) return Interval::point(1);
  if (n < 0) return Interval::point(1) / power(x, -n);
  if (!is_finite(x)) return n % 2 == 0 ? Interval{0, Interval::all().high} : Interval::all();
  const double a = std::pow(x.low, n), b = std::pow(x.high, n);
  // `pow` is not the product of n factors, but as near to it as n roundings are.
  const double more = n * kUlps * std::max(std::abs(a), std::abs(b));
  if (n % 2 == 1 || x.low >= 0) return outwards(a - more, b + more);
  if (x.high <= 0) return outwards(b - more, a + more);
  return {0, outwards(0, std::max(a, b) + more).high};
}

/// Whether some turn k has from <= phase + 2 pi k <= to.
bool passes(const Interval& x, double phase) {
  constexpr double kTurn = 2 * std::numbers::pi;
  const double slack = 1e-14 * (1 + std::max(std::abs(x.low), std::abs(x.high)));
  const double k = std::ceil((x.low - slack - phase) / kTurn);
  return phase + kTurn * k <= x.high + slack;
}

/// A wave between -1 and 1 with a top at this phase.
template <class F>
Interval wave(const Interval& x, F f, double top) {
  constexpr double kLargest = 1e12;  // beyond it turns are not to be counted
  if (!is_finite(x) || std::max(std::abs(x.low), std::abs(x.high)) > kLargest) return {-1, 1};
  const double a = f(x.low), b = f(x.high);
  Interval result = outwards(std::min(a, b), std::max(a, b));
  if (passes(x, top)) result.high = 1;
  if (passes(x, top + std::numbers::pi)) result.low = -1;
  return {std::max(result.low, -1.0), std::min(result.high, 1.0)};
}

Interval sine(const Interval& x) {
  return wave(
      x, [](double v) { return std::sin(v); }, std::numbers::pi / 2);
}
Interval cosine(const Interval& x) {
  return wave(
      x, [](double v) { return std::cos(v); }, 0);
}

Interval square(const Interval& x) { return power(x, 2); }

const Interval kOne = Interval::point(1);

const Bounds kNothing{Interval::all(), Interval::all()};

Interval not_negative(const Interval& x) { return {std::max(x.low, 0.0), std::max(x.high, 0.0)}; }
Interval square_root(const Interval& x) {
  const Interval inside = not_negative(x);
  return not_negative(outwards(std::sqrt(inside.low), std::sqrt(inside.high)));
}
Interval exponential(const Interval& x) {
  return not_negative(outwards(std::exp(x.low), std::exp(x.high)));
}
Interval hyperbolic_sine(const Interval& x) {
  return outwards(std::sinh(x.low), std::sinh(x.high));
}
Interval hyperbolic_cosine(const Interval& x) {
  const double low = std::cosh(x.low), high = std::cosh(x.high);
  return outwards(x.has(0) ? 1 : std::min(low, high), std::max(low, high));
}

bool lies_in(Domain domain, const Interval& x) {
  return !std::isnan(x.low) && !std::isnan(x.high) && contains(domain, x.low) &&
         contains(domain, x.high);
}

/// A function of one operand: its bounds and, by the chain rule, those of its derivative.
Bounds unary_bounds(Op op, const Bounds& a) {
  const Interval& i = a.value;
  const auto chain = [&](Interval value, Interval derivative) {
    return Bounds{value, derivative * a.slope};
  };
  const auto steps = [&](double low, double high) {
    return low == high ? Bounds{Interval::point(low), {}} : Bounds{{low, high}, Interval::all()};
  };
  switch (op) {
    case Op::Neg: return {-i, -a.slope};
    case Op::Abs:
      if (i.low >= 0) return a;
      if (i.high <= 0) return {-i, -a.slope};
      return {{0, std::max(-i.low, i.high)}, hull(a.slope, -a.slope)};
    case Op::Sign:
      return steps(i.low > 0 ? 1 : i.low == 0 && i.high == 0 ? 0 : -1, i.high < 0 ? -1 : 1);
    case Op::Floor: return steps(std::floor(i.low), std::floor(i.high));
    case Op::Ceil: return steps(std::ceil(i.low), std::ceil(i.high));
    case Op::Round: return steps(std::round(i.low), std::round(i.high));
#define CHI_ELEMENTARY(name, text, value, domain, derivative, ...)                         \
  case Op::name: {                                                                         \
    if (!lies_in(Domain::domain, i)) return kNothing;                                      \
    const auto rises = [](const Interval& over) {                                          \
      const auto f = [](double x) { return value; };                                       \
      return outwards(f(over.low), f(over.high));                                          \
    };                                                                                     \
    const auto falls = [&](const Interval& over) { return rises({over.high, over.low}); }; \
    static_cast<void>(rises), static_cast<void>(falls);                                    \
    return __VA_ARGS__;                                                                    \
  }
#include "expr/elementary.def"
#undef CHI_ELEMENTARY
    default: return kNothing;
  }
}

Bounds binary_bounds(Op op, const Bounds& a, const Bounds& b) {
  switch (op) {
    case Op::Add: return {a.value + b.value, a.slope + b.slope};
    case Op::Sub: return {a.value - b.value, a.slope - b.slope};
    case Op::Mul: return {a.value * b.value, a.slope * b.value + a.value * b.slope};
    case Op::Div: {
      const Interval ratio = a.value / b.value;
      return {ratio, (a.slope - ratio * b.slope) / b.value};
    }
    case Op::Pow: {  // exp(b ln a)
      const Bounds log = unary_bounds(Op::Ln, a);
      return unary_bounds(Op::Exp,
                          {b.value * log.value, b.slope * log.value + b.value * log.slope});
    }
    case Op::Min:
      if (a.value.high < b.value.low) return a;
      if (b.value.high < a.value.low) return b;
      return {{std::min(a.value.low, b.value.low), std::min(a.value.high, b.value.high)},
              hull(a.slope, b.slope)};
    case Op::Max:
      if (a.value.low > b.value.high) return a;
      if (b.value.low > a.value.high) return b;
      return {{std::max(a.value.low, b.value.low), std::max(a.value.high, b.value.high)},
              hull(a.slope, b.slope)};
    case Op::Atan2: {
      if (!(b.value.low > 0)) return {{-4, 4}, Interval::all()};
      return unary_bounds(Op::Atan, binary_bounds(Op::Div, a, b));
    }
    default: return {Interval::all(), Interval::all()};
  }
}

/// Truth values are 0 and 1; [0, 1] is both.
Interval relation_bounds(Op op, const Interval& a, const Interval& b) {
  const Interval no = {}, yes = kOne, either = {0, 1};
  switch (op) {
    case Op::Less: return a.high < b.low ? yes : a.low >= b.high ? no : either;
    case Op::LessEqual: return a.high <= b.low ? yes : a.low > b.high ? no : either;
    case Op::Greater: return a.low > b.high ? yes : a.high <= b.low ? no : either;
    case Op::GreaterEqual: return a.low >= b.high ? yes : a.high < b.low ? no : either;
    default: return either;
  }
}

}  // namespace

std::optional<IntervalFormula> IntervalFormula::make(Pool& pool, ExprId root) {
  const ExprId open = inline_calls(pool, root);
  const Cone cone(pool, std::array{open});
  IntervalFormula result;
  std::unordered_map<ExprId, std::int32_t> number;
  for (const ExprId e : cone.nodes()) {
    const Op op = pool.op(e);
    if (op == Op::Call || op == Op::Delay || op == Op::NoAlternative || op == Op::ParamReal ||
        op == Op::ParamBool) {
      return std::nullopt;
    }
    Node node{.op = op};
    const Operands operands = pool.operands(e);
    const auto of = [&](int i) { return number.at(operands[i]); };
    if (op == Op::Constant) {
      node.constant = pool.constant(e);
    } else if (op == Op::Boolean) {
      node.constant = pool.boolean(e) ? 1 : 0;
    } else if (is_leaf(op)) {
      node.a = static_cast<std::int32_t>(result.leaves_.size());
      result.leaves_.push_back(e);
    } else {
      const int count = operands.size();
      node.a = of(0);
      if (count > 1) node.b = of(1);
      if (count > 2) node.c = of(2);
      if (op == Op::IntPower) node.b = pool.exponent(e);
    }
    number.emplace(e, static_cast<std::int32_t>(result.nodes_.size()));
    result.nodes_.push_back(node);
  }
  result.values_.resize(result.nodes_.size());
  return result;
}

Bounds IntervalFormula::of(const Node& node) const {
  const auto at = [this](std::int32_t i) -> const Bounds& {
    return values_[static_cast<std::size_t>(i)];
  };
  const Op op = node.op;
  if (op == Op::IntPower) {
    const Bounds& a = at(node.a);
    const Interval slope = Interval::point(node.b) * power(a.value, node.b - 1) * a.slope;
    return {power(a.value, node.b), slope};
  }
  if (is_unary(op)) return unary_bounds(op, at(node.a));
  if (is_binary(op)) return binary_bounds(op, at(node.a), at(node.b));
  if (is_relation(op)) return {relation_bounds(op, at(node.a).value, at(node.b).value), {}};
  const Interval a = at(node.a).value;
  switch (op) {
    case Op::Not: return {{1 - a.high, 1 - a.low}, {}};
    case Op::And:
      return {{std::min(a.low, at(node.b).value.low), std::min(a.high, at(node.b).value.high)}, {}};
    case Op::Or:
      return {{std::max(a.low, at(node.b).value.low), std::max(a.high, at(node.b).value.high)}, {}};
    default:  // if
      if (a.low == 1) return at(node.b);
      if (a.high == 0) return at(node.c);
      return {hull(at(node.b).value, at(node.c).value), Interval::all()};
  }
}

Bounds IntervalFormula::evaluate(std::span<const Bounds> of_leaves) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.op == Op::Constant || node.op == Op::Boolean) {
      values_[i] = {Interval::point(node.constant), {}};
    } else if (is_leaf(node.op)) {
      values_[i] = of_leaves[static_cast<std::size_t>(node.a)];
    } else {
      values_[i] = of(node);
    }
  }
  return values_.back();
}

}  // namespace chi::expr
