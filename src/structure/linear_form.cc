#include "structure/linear_form.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "expr/build.h"

namespace chi::structure {
namespace {

using expr::ExprId;
using expr::Op;

constexpr std::int64_t kSmall = 1'000'000;
constexpr std::int64_t kLargest = std::int64_t{1} << 53;  // whole numbers that are doubles
constexpr int kLongest = 1'000'000;

// A number as the modeller wrote it: a double that is nearest to a short decimal, such as 0.1,
// stands for that decimal. What depends on each other in the text does so here.
std::optional<Rational> short_decimal(double v) {
  constexpr double kMostDigits = 1e9;
  for (double den = 10; den <= kMostDigits; den *= 10) {
    const double num = std::round(v * den);
    if (std::fabs(num) > static_cast<double>(kSmall)) return std::nullopt;
    if (num / den != v) continue;
    const auto whole = static_cast<std::int64_t>(num);
    const auto below = static_cast<std::int64_t>(den);
    const std::int64_t common = std::gcd(whole, below);
    return Rational{whole / common, below / common, true};
  }
  return std::nullopt;
}

std::optional<Rational> small_fraction(double v) {
  double den = 1;
  while (den <= static_cast<double>(kSmall)) {
    const double num = v * den;
    if (num == std::floor(num)) {
      if (std::fabs(num) > static_cast<double>(kSmall)) return std::nullopt;
      return Rational{static_cast<std::int64_t>(num), static_cast<std::int64_t>(den), true};
    }
    den *= 2;
  }
  return short_decimal(v);
}

// Weights flow from the roots to the leaves. Operands have smaller ids than their node, so taking
// nodes in descending order meets each with its whole weight.
class Descent {
 public:
  Descent(const expr::Pool& pool, BodyForms& bodies) : pool_(pool), bodies_(bodies) {}

  LinearForm run(std::span<const Weighted> parts) {
    for (const Weighted& w : parts) push(w.node, w.weight);
    for (int steps = 0; !heap_.empty(); ++steps) {
      const Weighted next = pop();
      if (!next.weight.ok) return as_it_stands(parts);
      if (next.weight.num == 0) {
        form_.cancelled = true;
      } else if (steps > kLongest || !pass_on(next.node, next.weight)) {
        terms_.push_back(next);
      }
    }
    if (!constant_.ok || !clear()) return as_it_stands(parts);
    return std::move(form_);
  }

 private:
  static bool lower(const Weighted& a, const Weighted& b) { return a.node < b.node; }

  void push(ExprId node, const Rational& weight) {
    heap_.push_back({node, weight});
    std::push_heap(heap_.begin(), heap_.end(), lower);
  }

  Weighted pop() {
    Weighted top = heap_.front();
    top.weight = {};
    while (!heap_.empty() && heap_.front().node == top.node) {
      std::pop_heap(heap_.begin(), heap_.end(), lower);
      top.weight = plus(top.weight, heap_.back().weight);
      heap_.pop_back();
    }
    return top;
  }

  // False if the node is a term.
  bool pass_on(ExprId e, const Rational& w) {
    const Op op = pool_.op(e);
    const expr::Operands operands = pool_.operands(e);
    switch (op) {
      case Op::Constant: return take_constant(e, w);
      case Op::Neg: push(operands[0], times(w, {-1, 1, true})); return true;
      case Op::Add:
      case Op::Sub:
        push(operands[0], w);
        push(operands[1], op == Op::Add ? w : times(w, {-1, 1, true}));
        return true;
      case Op::Mul: return scale(operands[0], operands[1], w, false);
      case Op::Div: return scale(operands[1], operands[0], w, true);
      case Op::Call: return call(e, w);
      default: return false;
    }
  }

  bool call(ExprId e, const Rational& w) {
    const LinearForm* const form = bodies_.find(pool_, pool_.called(e));
    if (form == nullptr) return false;
    const Rational share = times(w, {1, form->factor, true});
    const Rational more = plus(constant_, times(share, {form->constant, 1, true}));
    if (!share.ok || !more.ok) return false;
    const expr::Operands operands = pool_.operands(e);
    constant_ = more;
    for (const LinearForm::Term& term : form->terms) {
      push(operands[pool_.param(term.node)], times(share, {term.coefficient, 1, true}));
    }
    return true;
  }

  // Constants stand first in products, so only that place is looked at.
  bool scale(ExprId by, ExprId x, const Rational& w, bool divide) {
    if (pool_.op(by) != Op::Constant) return false;
    const auto c = small_fraction(pool_.constant(by));
    if (!c || c->num == 0) return false;
    const Rational scaled = times(w, divide ? inverse(*c) : *c);
    if (!scaled.ok) return false;
    push(x, scaled);
    return true;
  }

  bool take_constant(ExprId e, const Rational& w) {
    const auto c = small_fraction(pool_.constant(e));
    if (!c) return false;
    const Rational more = plus(constant_, times(w, *c));
    if (!more.ok) return false;
    constant_ = more;
    return true;
  }

  // To whole numbers; false if they are too large.
  bool clear() {
    std::int64_t common = constant_.den;
    for (const Weighted& t : terms_) {
      const std::int64_t more = t.weight.den / std::gcd(common, t.weight.den);
      if (!product(common, more, common)) return false;
    }
    form_.factor = common;
    for (auto t = terms_.rbegin(); t != terms_.rend(); ++t) {
      std::int64_t whole = 0;
      if (!product(t->weight.num, common / t->weight.den, whole)) return false;
      if (std::abs(whole) > kLargest) return false;
      form_.terms.push_back({t->node, whole});
    }
    return product(constant_.num, common / constant_.den, form_.constant) &&
           std::abs(form_.constant) <= kLargest;
  }

  static LinearForm as_it_stands(std::span<const Weighted> parts) {
    LinearForm form;
    form.is_exact = false;
    for (const Weighted& w : parts) form.terms.push_back({w.node, w.weight.num});
    return form;
  }

  const expr::Pool& pool_;
  BodyForms& bodies_;
  std::vector<Weighted> heap_;
  std::vector<Weighted> terms_;  // descending by node
  Rational constant_;
  LinearForm form_;
};

}  // namespace

const LinearForm* BodyForms::find(const expr::Pool& pool, expr::FunctionId f) {
  const auto [at, is_new] = known_.try_emplace(f);
  Entry& entry = at->second;  // stays where it is
  const ExprId body = pool.function(f).body;
  if (is_new && body && !pool.has(body, expr::kHasCall | expr::kBoolean)) {
    entry.form = linear_form(pool, body, *this);
    entry.is_linear = entry.form.is_exact && !entry.form.cancelled &&
                      std::ranges::all_of(entry.form.terms, [&](const LinearForm::Term& t) {
                        return pool.op(t.node) == Op::ParamReal;
                      });
  }
  return entry.is_linear ? &entry.form : nullptr;
}

LinearForm linear_form(const expr::Pool& pool, std::span<const Weighted> parts) {
  BodyForms bodies;
  return Descent(pool, bodies).run(parts);
}

LinearForm linear_form(const expr::Pool& pool, expr::ExprId e, BodyForms& bodies) {
  return Descent(pool, bodies).run(std::array{Weighted{e, {1, 1, true}}});
}

LinearForm linear_form(const expr::Pool& pool, expr::ExprId e) {
  BodyForms bodies;
  return linear_form(pool, e, bodies);
}

expr::ExprId build(expr::Pool& pool, const LinearForm& form) {
  ExprId total = expr::constant(pool, static_cast<double>(form.constant));
  for (const LinearForm::Term& term : form.terms) {
    const ExprId factor = expr::constant(pool, static_cast<double>(std::abs(term.coefficient)));
    const ExprId part = expr::mul(pool, factor, term.node);
    total = term.coefficient < 0 ? expr::sub(pool, total, part) : expr::add(pool, total, part);
  }
  return total;
}

}  // namespace chi::structure
