#pragma once

namespace chi::numerics {

/// Decides when the Newton iteration of a multistep step is done: when the error that remains, as
/// the rate of convergence tells, is within the tolerance.
///
/// At the first correction of a step there is no rate yet, and that of former steps with the same
/// Jacobian has to do. The tests of CVODE and IDA believe it however small it was. But a rate of
/// 1e-10, measured where the equations were nearly linear, lets any first correction pass later on,
/// where they are not. Here a former rate counts as kLeast at least, so that a first correction
/// that stands out makes the iteration go on and the rate is measured anew.
class NewtonConvergence {
 public:
  enum class Verdict { Converged, NotYet, Diverges };

  void forget() { remaining_ = kUnknown; }  ///< there is a new iteration matrix
  /// Iteration 0, 1, ... of one step; `norm` of its correction.
  Verdict judge(int iteration, double norm, double tolerance);

 private:
  static constexpr double kUnknown = 20;
  static constexpr double kLeast = 0.2;

  double first_ = 0;             // norm of the first correction in this step
  double remaining_ = kUnknown;  // error after a correction / its norm
};

}  // namespace chi::numerics
