#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "expr/interval.h"
#include "numerics/dense_output.h"
#include "numerics/function_ref.h"

namespace chi::sim {

/// Where in a window a function of states and time can be zero, proved by its bounds on pieces of
/// the window: what no sample would show cannot hide.
///
/// A piece on which the bounds exclude zero has no root; one on which the derivative has one sign
/// has a root exactly if its ends differ in sign; others are halved. What is left when pieces get
/// too short or too many is in doubt: a root that touches, or an expression with too wide bounds.
class IntervalSearch {
 public:
  /// What a leaf of the formula is in a window.
  struct Leaf {
    std::int32_t component = -1;  ///< of the dense output; -1: none
    bool is_time = false;
    std::int32_t place = -1;  ///< of a value that does not change, in the frame
  };
  /// `leaves` as those of the formula.
  IntervalSearch(expr::IntervalFormula formula, std::vector<Leaf> leaves)
      : formula_(std::move(formula)), leaves_(std::move(leaves)), bounds_(leaves_.size()) {}

  /// A piece of the window, θ from 0 to 1.
  struct Piece {
    double from = 0, to = 0;
    bool crosses = false;  ///< it has one root, and a crossing; otherwise in doubt
  };
  struct Window {
    double begin = 0, end = 0;                     ///< in time
    const numerics::DenseOutput* dense = nullptr;  ///< of the states; may be none without any
    const double* frame = nullptr;
    double shift = 0;  ///< added to the formula's value
  };
  /// All pieces of [from, 1] up to the first that crosses, in order. `g` is the function itself,
  /// known up to `rounding`. A value at `from` within `noise` of zero is where the motion starts,
  /// not a root.
  std::vector<Piece> find(const Window& window, double from, double noise, double rounding,
                          numerics::FunctionRef<double(double)> g);

 private:
  expr::Bounds bounds(const Window& window, double from, double to);

  expr::IntervalFormula formula_;
  std::vector<Leaf> leaves_;
  std::vector<expr::Bounds> bounds_;
};

}  // namespace chi::sim
