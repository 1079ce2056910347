#include "expr/evaluate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "base/check.h"
#include "expr/cone.h"

namespace chi::expr {
namespace {

constexpr Follow kPresent{.delayed = false};

class Evaluator {
 public:
  Evaluator(const Pool& pool, const Point& point) : pool_(pool), point_(point) {}

  std::vector<Value> run(std::span<const ExprId> roots) {
    const Cone cone(pool_, roots, kPresent);
    frames_.push_back({&cone, {}, {}});
    std::vector<Value> values;
    while (true) {
      Frame& frame = frames_.back();
      if (frame.next() < frame.cone->size()) {
        step(frame);
        continue;
      }
      if (frames_.size() == 1) break;
      const Value result = frame.values.back();  // the body is the last node of its own cone
      frames_.pop_back();
      frames_.back().values.push_back(result);
    }
    for (const ExprId root : roots) values.push_back(at(frames_.back(), root));
    return values;
  }

 private:
  // One evaluation of a cone: the equations', or that of a function body for given arguments.
  struct Frame {
    const Cone* cone = nullptr;
    std::vector<Value> arguments;
    std::vector<Value> values;
    int next() const { return static_cast<int>(values.size()); }
  };

  static Value at(const Frame& frame, ExprId e) {
    return frame.values[static_cast<std::size_t>(frame.cone->position(e))];
  }

  // Gives the next node its value, or opens a frame that will.
  void step(Frame& frame) {
    const ExprId e = (*frame.cone)[frame.next()];
    const Op op = pool_.op(e);
    if (op == Op::Call) {
      call(frame, e);
    } else {
      frame.values.push_back(is_leaf(op) ? leaf(frame, e) : operation(frame, e));
    }
  }

  Value leaf(const Frame& frame, ExprId e) const {
    switch (pool_.op(e)) {
      case Op::Constant: return {pool_.constant(e), {}, Fault::None};
      case Op::Boolean: return {pool_.boolean(e) ? 1.0 : 0.0, {}, Fault::None};
      case Op::Variable: return {point_.variable(pool_.variable(e)), {}, Fault::None};
      case Op::Time: return {point_.time, {}, Fault::None};
      case Op::DiscreteReal:
      case Op::DiscreteBool: {
        const double value = point_.discrete(pool_.discrete(e));
        const bool failed = std::isnan(value);
        return {value, failed ? e : ExprId{}, failed ? Fault::NotANumber : Fault::None};
      }
      case Op::ParamReal:
      case Op::ParamBool: return frame.arguments[static_cast<std::size_t>(pool_.param(e))];
      default: return {std::numeric_limits<double>::quiet_NaN(), e, Fault::NoAlternative};
    }
  }

  Value operation(const Frame& frame, ExprId e) const {
    const Op op = pool_.op(e);
    const Operands operands = pool_.operands(e);
    if (op == Op::Delay) {
      const Value tau = at(frame, operands[1]);
      if (tau.where) return tau;
      if (!(tau.value > 0)) {
        return applied(e, {std::numeric_limits<double>::quiet_NaN(), Fault::OutsideDomain});
      }
      const double past = point_.delayed(e, tau.value);
      return applied(e, {past, std::isnan(past) ? Fault::NotANumber : Fault::None});
    }
    const Value a = at(frame, operands[0]);
    if (a.where) return a;
    if (op == Op::And || op == Op::Or)
      return (a.value != 0) == (op == Op::Or) ? a : at(frame, operands[1]);
    if (is_if(op)) return at(frame, operands[a.value != 0 ? 1 : 2]);
    if (op == Op::Not) return {a.value != 0 ? 0.0 : 1.0, {}, Fault::None};
    if (op == Op::IntPower) return applied(e, apply_int_power(a.value, pool_.exponent(e)));
    if (is_unary(op)) return applied(e, apply_unary(op, a.value));
    const Value b = at(frame, operands[1]);
    return b.where ? b : applied(e, apply_binary(op, a.value, b.value));
  }

  static Value applied(ExprId e, Applied r) {
    return {r.value, r.fault == Fault::None ? ExprId{} : e, r.fault};
  }

  void call(Frame& frame, ExprId e) {
    const Operands operands = pool_.operands(e);
    std::vector<Value> arguments;
    for (int i = 0; i < operands.size(); ++i) arguments.push_back(at(frame, operands[i]));
    const FunctionId f = pool_.called(e);
    if (const ExprId body = pool_.function(f).body) {
      frames_.push_back({&body_cone(f, body), std::move(arguments), {}});
      return;
    }
    for (const Value& argument : arguments) {
      if (argument.where) return frame.values.push_back(argument);
    }
    std::vector<double> numbers;
    for (const Value& argument : arguments) numbers.push_back(argument.value);
    const double value = black_box(f, numbers);
    frame.values.push_back(applied(e, {value, value != value ? Fault::NotANumber : Fault::None}));
  }

  const Cone& body_cone(FunctionId f, ExprId body) {
    std::unique_ptr<Cone>& cone = bodies_[f];
    if (!cone) cone = std::make_unique<Cone>(pool_, std::array{body}, kPresent);
    return *cone;
  }

  // A black box, or a derivative of one of order m: 2^m values of it, for the sum over all signs of
  // the central difference quotient. The step balances truncation and rounding for that order.
  double black_box(FunctionId f, const std::vector<double>& arguments) const {
    std::vector<int> by;
    for (; pool_.function(f).parent; f = pool_.function(f).parent)
      by.push_back(pool_.function(f).param);
    const int m = static_cast<int>(by.size());
    const double relative = std::pow(std::numeric_limits<double>::epsilon(), 1.0 / (m + 2));
    std::vector<double> steps;
    for (const int i : by)
      steps.push_back(relative * std::max(1.0, std::fabs(arguments[static_cast<std::size_t>(i)])));
    double sum = 0;
    for (std::uint32_t signs = 0; signs < 1u << m; ++signs) {
      std::vector<double> moved = arguments;
      double weight = 1;
      for (int k = 0; k < m; ++k) {
        const double sign = (signs >> k & 1u) != 0 ? -1 : 1;
        const auto at_k = static_cast<std::size_t>(k);
        moved[static_cast<std::size_t>(by[at_k])] += sign * steps[at_k];
        weight *= sign / (2 * steps[at_k]);
      }
      sum += weight * point_.opaque(f, moved);
    }
    return sum;
  }

  const Pool& pool_;
  const Point& point_;
  std::vector<Frame> frames_;
  std::map<FunctionId, std::unique_ptr<Cone>> bodies_;
};

}  // namespace

std::vector<Value> evaluate(const Pool& pool, std::span<const ExprId> roots, const Point& point) {
  return Evaluator(pool, point).run(roots);
}

Value evaluate(const Pool& pool, ExprId root, const Point& point) {
  return evaluate(pool, std::array{root}, point)[0];
}

}  // namespace chi::expr
