#pragma once
#include <span>
#include <vector>

#include "numerics/integrator.h"

namespace chi::numerics {

/// No step is longer: it keeps time finite where nothing changes.
inline constexpr double kLongestStep = 1e300;

/// The tolerances for one step: the share of `options`, or else `share`, of what the user asks.
Tolerances step_tolerances(const IntegratorOptions& options, double share);

/// The share of a multistep method of order 5. Its errors add up, and the number of its steps grows
/// with the power -1/6 of the tolerance: 0.06, and less for tolerances below 1e-6.
double multistep_share(double relative);

/// The error norm of a run: root mean square of v_i / w_i, w_i = relative |y_i| + absolute_i.
/// Components with `counts` 0 are left out (the norm is over the others).
class ErrorNorm {
 public:
  /// `counts` is empty (all count) or has one entry per component.
  ErrorNorm(const Tolerances& tolerances, int size, std::span<const char> counts);

  void set_reference(std::span<const double> y);                             ///< w from |y_i|
  void set_reference(std::span<const double> y, std::span<const double> z);  ///< from the larger
  double operator()(std::span<const double> v) const;  ///< infinite if some v_i is not finite
  double relative() const { return relative_; }
  std::span<const double> absolute() const { return absolute_; }
  /// Per component the size below which the absolute tolerance rules: absolute_i / relative.
  std::vector<double> typical() const;

 private:
  double relative_ = 0;
  std::vector<double> absolute_;
  std::vector<double> inverse_;  // 1 / w_i, or 0 for a component that does not count
  std::vector<char> counts_;
  double counted_ = 0;
};

/// Below this a step cannot be told from no step: some round-off units of t or, where t is small,
/// of the step that was tried first.
double smallest_step(double t, double first_tried);

/// A first step guess is not shorter: from values that are tiny beside their slopes it would be,
/// and no time between `t` and `t` + step be left for the error test to choose from.
double shortest_first_step(double t);

/// A first step where nothing moves and slopes tell no unit of time: this part of the way to
/// `t_limit` or, if nothing limits it, of |t| or 1.
double step_at_rest(double t, double t_limit, double part);

/// First step for a method of order p, from |y|, |y'| and, if `problem` is given, a difference
/// quotient of y' along an explicit Euler step, not beyond `t_limit`: one evaluation, into `work_y`
/// and `work_f`. If that fails, or the limit is too near for it, a cautious guess is returned.
///
/// After [1], made independent of the unit of time: with d₁ = |y'| and r = |y''| / |y'| the
/// derivative of order p + 1 is guessed as d₁ r^p. Not below `shortest_first_step`. [1] E. Hairer,
/// S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed., p. 169.
double initial_step(const ErrorNorm& norm, double t, std::span<const double> y,
                    std::span<const double> yp, int order, OdeProblem* problem, double t_limit,
                    std::span<double> work_y, std::span<double> work_f);

}  // namespace chi::numerics
