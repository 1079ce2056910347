#pragma once

#include <span>
#include <vector>

namespace chi::numerics {

/// Decides when the Newton iteration of a multistep step is done: when the error that remains, as
/// the rate of convergence tells, is within the tolerance.
///
/// At the first correction of a step there is no rate yet, and that of former steps with the same
/// Jacobian has to do. The tests of CVODE and IDA believe it however small it was. But a rate of
/// 1e-10, measured where the equations were nearly linear, lets any first correction pass later on,
/// where they are not. And one measured between the first two corrections may be that of another
/// variable: a flow is set right at once, the level that it takes to make it flow comes after, step
/// by equal step. Here a rate counts as kLeast at least, so that a correction that stands out makes
/// the iteration go on.
///
/// Where slopes may be infinite, corrections prove nothing: a Jacobian from beside such a place
/// makes any correction small, and what was left to do for a level that rises out of a square
/// root's zero looked like nothing. There the residual has to be seen to fall, or to turn: across
/// the steep corner of an odd root Newton jumps to and fro, and what it looks for lies between.
class NewtonConvergence {
 public:
  enum class Verdict { Converged, NotYet, Diverges };

  void forget() { remaining_ = kUnknown; }  ///< there is a new iteration matrix
  /// Where slopes may be infinite, before `judge`: what the correction is to bring down.
  void look_at(int iteration, std::span<const double> residual, std::span<const double> weights);
  /// Iteration 0, 1, ... of one step; `norm` of its correction.
  Verdict judge(int iteration, double norm, double tolerance);

 private:
  static constexpr double kUnknown = 20;
  static constexpr double kLeast = 0.2;

  double first_ = 0;              // norm of the first correction in this step
  double remaining_ = kUnknown;   // error after a correction / its norm
  std::vector<double> residual_;  // weighted
  double size_ = 0;               // its norm
  bool falls_ = true, turns_ = false;
};

}  // namespace chi::numerics
