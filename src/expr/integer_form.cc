#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "expr/cone.h"
#include "expr/linearity.h"

namespace chi::expr {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

constexpr std::int64_t kSmall = 1'000'000;
constexpr std::int64_t kLarge = std::int64_t{1} << 53;

// A fraction in lowest terms with a positive denominator; `ok` is false once a number got too
// large.
struct Rational {
  std::int64_t num = 0;
  std::int64_t den = 1;
  bool ok = true;
};

constexpr Rational kTooLarge{0, 1, false};

// All inputs are below 2^53 in size, so a product of two needs checking and a quotient does not.
std::optional<std::int64_t> product(std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  if (__builtin_mul_overflow(a, b, &r) || r > kLarge || r < -kLarge) return std::nullopt;
  return r;
}

Rational make(std::int64_t num, std::int64_t den) {
  const std::int64_t g = std::gcd(num, den);
  return {num / g, den / g, true};
}

Rational times(const Rational& a, const Rational& b) {
  if (!a.ok || !b.ok) return kTooLarge;
  const std::int64_t g = std::gcd(a.num, b.den), h = std::gcd(b.num, a.den);
  const auto num = product(a.num / g, b.num / h), den = product(a.den / h, b.den / g);
  return num && den ? make(*num, *den) : kTooLarge;
}

Rational plus(const Rational& a, const Rational& b) {
  if (!a.ok || !b.ok) return kTooLarge;
  const auto x = product(a.num, b.den), y = product(b.num, a.den), den = product(a.den, b.den);
  if (!x || !y || !den || std::abs(*x + *y) > kLarge) return kTooLarge;
  return make(*x + *y, *den);
}

// The double as a small fraction with a power of two below, if it is one.
std::optional<Rational> small_fraction(double v) {
  double den = 1;
  while (den <= static_cast<double>(kSmall)) {
    const double num = v * den;
    if (num == std::floor(num)) {
      if (std::fabs(num) > static_cast<double>(kSmall)) return std::nullopt;
      return make(static_cast<std::int64_t>(num), static_cast<std::int64_t>(den));
    }
    den *= 2;
  }
  return std::nullopt;
}

// Coefficients flow from the root, whose own is 1, down to the leaves: one visit per node.
class Extraction {
 public:
  Extraction(const Pool& pool, ExprId root)
      : pool_(pool), cone_(pool, std::array{root}), weight_(at(cone_.size()), Rational{}) {}

  std::optional<IntegerForm> run() {
    weight_[at(cone_.size() - 1)] = {1, 1, true};
    for (int p = cone_.size() - 1; p >= 0; --p) {
      const Rational w = weight_[at(p)];
      if (!w.ok) return std::nullopt;
      if (w.num != 0 && !pass_on(cone_[p], w)) return std::nullopt;
    }
    return cleared();
  }

 private:
  bool pass_on(ExprId e, const Rational& w) {
    const Operands operands = pool_.operands(e);
    switch (pool_.op(e)) {
      case Op::Constant: return take_constant(e, w);
      case Op::Variable:
      case Op::DiscreteReal:
      case Op::Time: terms_.push_back({e, w}); return true;
      case Op::Neg: return give(operands[0], times(w, {-1, 1, true}));
      case Op::Add: return give(operands[0], w) && give(operands[1], w);
      case Op::Sub: return give(operands[0], w) && give(operands[1], times(w, {-1, 1, true}));
      case Op::Mul: return scale(operands[0], operands[1], w, false);
      case Op::Div: return scale(operands[1], operands[0], w, true);
      default: return false;
    }
  }

  bool give(ExprId e, const Rational& w) {
    Rational& sum = weight_[at(cone_.position(e))];
    sum = plus(sum, w);
    return sum.ok;
  }

  // Constants stand first in products, so only that place is looked at.
  bool scale(ExprId by, ExprId x, const Rational& w, bool inverse) {
    if (pool_.op(by) != Op::Constant) return false;
    const auto c = small_fraction(pool_.constant(by));
    if (!c || (inverse && c->num == 0)) return false;
    if (!inverse) return give(x, times(w, *c));
    return give(x, times(w, c->num < 0 ? Rational{-c->den, -c->num, true}
                                       : Rational{c->den, c->num, true}));
  }

  bool take_constant(ExprId e, const Rational& w) {
    const auto c = small_fraction(pool_.constant(e));
    if (!c) return false;
    constant_ = plus(constant_, times(w, *c));
    return constant_.ok;
  }

  std::optional<IntegerForm> cleared() const {
    std::int64_t den = constant_.den;
    for (const auto& [leaf, w] : terms_) {
      const auto common = product(den / std::gcd(den, w.den), w.den);
      if (!common) return std::nullopt;
      den = *common;
    }
    IntegerForm form;
    std::int64_t factor = 0;
    const auto whole = [&](const Rational& r) { return product(r.num, den / r.den); };
    for (auto t = terms_.rbegin(); t != terms_.rend(); ++t) {
      const auto n = whole(t->second);
      if (!n) return std::nullopt;
      form.terms.push_back({t->first, *n});
      factor = std::gcd(factor, *n);
    }
    const auto n = whole(constant_);
    if (!n) return std::nullopt;
    factor = std::gcd(factor, *n);
    if (factor == 0) return form;  // 0 = 0
    if (!form.terms.empty() && form.terms[0].coefficient < 0) factor = -factor;
    for (IntegerForm::Term& term : form.terms) term.coefficient /= factor;
    form.constant = *n / factor;
    return form;
  }

  const Pool& pool_;
  Cone cone_;
  std::vector<Rational> weight_;
  std::vector<std::pair<ExprId, Rational>> terms_;  // descending by leaf
  Rational constant_;
};

}  // namespace

std::optional<IntegerForm> integer_form(const Pool& pool, ExprId e) {
  return Extraction(pool, e).run();
}

}  // namespace chi::expr
