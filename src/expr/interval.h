#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "expr/expr.h"

namespace chi::expr {

/// All numbers from `low` to `high`.
struct Interval {
  double low = 0, high = 0;

  static Interval point(double x) { return {x, x}; }
  static Interval all() {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  bool has(double x) const { return low <= x && x <= high; }
};

/// Bounds of a function of time and of its derivative on a piece of time.
struct Bounds {
  Interval value, slope;
};

/// An expression evaluated on intervals (R. E. Moore, "Methods and Applications of Interval
/// Analysis", 1979), with its derivative by the rules of forward differentiation: whatever the
/// leaves do within their bounds, the expression stays within those of the result. Rounded
/// outwards. Where it may be undefined, or jumps, the bounds are all numbers.
class IntervalFormula {
 public:
  /// None if the expression has parts without bounds: black boxes and delays.
  static std::optional<IntervalFormula> make(Pool& pool, ExprId root);

  /// What the bounds are asked for: variables, derivatives, `time` and discrete values.
  std::span<const ExprId> leaves() const { return leaves_; }
  /// `of_leaves` in the order of `leaves`.
  Bounds evaluate(std::span<const Bounds> of_leaves);

 private:
  struct Node {
    Op op = Op::Constant;
    std::int32_t a = -1, b = -1, c = -1;  // nodes; of a leaf: its number; IntPower: b the exponent
    double constant = 0;
  };
  Bounds of(const Node& node) const;

  std::vector<ExprId> leaves_;
  std::vector<Node> nodes_;
  std::vector<Bounds> values_;
};

}  // namespace chi::expr
