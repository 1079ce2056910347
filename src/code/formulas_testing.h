#pragma once
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "code/formulas.h"
#include "expr/build.h"
#include "expr/evaluate.h"

// For the tests of formulas only.
namespace chi::code::testing {

/// Random graphs of expressions: operands are drawn among all nodes drawn before, so that much is
/// shared, also between branches. Nodes are as drawn, without simplification.
class RandomGraph {
 public:
  RandomGraph(expr::Pool& pool, std::uint64_t seed) : pool_(pool), rng_(seed) {
    using namespace expr;
    box_ = pool.add_opaque(2, false);
    truth_box_ = pool.add_opaque(1, true);
    by_first_ = pool.add_derivative(box_, 0, {});
    by_both_ = pool.add_derivative(by_first_, 1, {});
    const ExprId p = param_real(pool, 0), q = param_real(pool, 1);
    inner_ =
        pool.add_function(2, pool.intern(Op::Div, p.index, pool.intern(Op::Sqrt, q.index).index));
    const ExprId called = pool.intern_call(inner_, std::array{q, p});
    const ExprId boxed = pool.intern_call(box_, std::array{q, called});
    const ExprId below = pool.intern(Op::Less, p.index, q.index);
    outer_ = pool.add_function(2, pool.intern(Op::PlainIf, below.index, boxed.index, called.index));
    for (int v = 0; v < 4; ++v) {
      reals_.push_back(variable(pool, {v}));
      reals_.push_back(variable(pool, {v}, 1));
      reals_.push_back(constant(pool, number()));
    }
    reals_.push_back(time(pool));
    reals_.push_back(discrete_real(pool, {0}));
    truths_ = {boolean(pool, true), discrete_bool(pool, {1}), discrete_bool(pool, {2})};
  }

  void grow(int count) {
    for (int i = 0; i < count; ++i) {
      if (below(4) == 0) {
        truths_.push_back(truth());
      } else {
        reals_.push_back(real());
      }
    }
  }

  std::vector<expr::ExprId> roots(int count) {
    std::vector<expr::ExprId> roots;
    for (int i = 0; i < count; ++i)
      roots.push_back(below(6) == 0 ? recent(truths_) : recent(reals_));
    return roots;
  }

  double number() {
    constexpr std::array kNice = {0.0, 1.0, -1.0, 2.0, 0.5, -2.0, 3.0, 1e200};
    if (below(3) == 0) return kNice[below(kNice.size())];
    return static_cast<double>(below(4001)) / 1000.0 - 2;
  }

  /// The black boxes: one is undefined for some arguments.
  double box(expr::FunctionId f, std::span<const double> x) const {
    if (f == truth_box_) return x[0] > 0.5 ? 1.0 : 0.0;
    return x[0] * x[0] * x[1] + (x[1] > 1.75 ? std::numeric_limits<double>::quiet_NaN() : x[0]);
  }

  expr::Point point() {
    std::array<double, 8> x{};
    for (double& value : x) value = number();
    const double d = number();
    expr::Point p;
    p.time = number();
    p.variable = [x](expr::VarRef v) {
      return x[static_cast<std::size_t>(v.var.index * 2 + v.order)];
    };
    const double b1 = static_cast<double>(below(2)), b2 = static_cast<double>(below(2));
    p.discrete = [=](expr::DiscreteId i) { return i.index == 0 ? d : i.index == 1 ? b1 : b2; };
    p.opaque = [this](expr::FunctionId f, std::span<const double> a) { return box(f, a); };
    return p;
  }

 private:
  std::uint64_t below(std::uint64_t n) { return rng_() % n; }
  // Often one of the last few, so that graphs grow deep.
  expr::ExprId recent(const std::vector<expr::ExprId>& all) {
    const std::size_t n = all.size();
    if (below(2) == 0) return all[below(n)];
    return all[n - 1 - below(std::min<std::size_t>(n, 8))];
  }
  expr::ExprId make(expr::Op op, expr::ExprId a, expr::ExprId b = {}, expr::ExprId c = {}) {
    return pool_.intern(op, a.index, b.index, c.index);
  }

  expr::ExprId real() {
    using expr::Op;
    const expr::ExprId a = recent(reals_), b = recent(reals_);
    constexpr int kUnary = expr::kUnaryCount;
    constexpr int kBinary = static_cast<int>(Op::Atan2) - static_cast<int>(Op::Add) + 1;
    switch (below(12)) {
      case 0:
      case 1:
        return make(static_cast<Op>(static_cast<int>(Op::Neg) + static_cast<int>(below(kUnary))),
                    a);
      case 2: return pool_.intern(Op::IntPower, a.index, static_cast<int>(below(9)) - 3);
      case 3:
      case 4:
      case 5: return make(below(2) == 0 ? Op::If : Op::PlainIf, recent(truths_), a, b);
      case 6: return call(a, b);
      case 7: return below(8) == 0 ? pool_.intern(Op::NoAlternative) : make(Op::Mul, a, b);
      default:
        return make(static_cast<Op>(static_cast<int>(Op::Add) + static_cast<int>(below(kBinary))),
                    a, b);
    }
  }

  expr::ExprId call(expr::ExprId a, expr::ExprId b) {
    const std::array functions{box_, by_first_, by_both_, inner_, outer_};
    return pool_.intern_call(functions[below(functions.size())], std::array{a, b});
  }

  expr::ExprId truth() {
    using expr::Op;
    switch (below(8)) {
      case 0: return make(Op::Not, recent(truths_));
      case 1: return make(Op::And, recent(truths_), recent(truths_));
      case 2: return make(Op::Or, recent(truths_), recent(truths_));
      case 3: return make(Op::PlainIf, recent(truths_), recent(truths_), recent(truths_));
      case 4: return pool_.intern_call(truth_box_, std::array{recent(reals_)});
      default:
        return make(static_cast<Op>(static_cast<int>(Op::Less) + static_cast<int>(below(6))),
                    recent(reals_), recent(reals_));
    }
  }

  expr::Pool& pool_;
  std::mt19937_64 rng_;
  expr::FunctionId box_, truth_box_, by_first_, by_both_, inner_, outer_;
  std::vector<expr::ExprId> reals_, truths_;
};

/// The frame that holds a point.
inline std::vector<double> frame_of(const expr::Pool& pool, const FormulaLeaves& leaves,
                                    const expr::Point& point) {
  std::vector<double> frame;
  for (std::int32_t i = 0; i < leaves.size(); ++i)
    frame.push_back(expr::evaluate(pool, leaves.leaf(i), point).value);
  return frame;
}

class GraphBoxes : public Boxes {
 public:
  explicit GraphBoxes(const RandomGraph& graph) : graph_(graph) {}
  double call(expr::FunctionId f, std::span<const double> arguments) override {
    ++calls;
    return graph_.box(f, arguments);
  }
  int calls = 0;

 private:
  const RandomGraph& graph_;
};

}  // namespace chi::code::testing
