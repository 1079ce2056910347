#pragma once
#include <span>
#include <vector>

#include "numerics/dense_output.h"
#include "numerics/step_control.h"

namespace chi::numerics {

/// Turns the derivatives y^(k)(t_new), k = 0 … degree, held in `dense.power(k)`, into the powers of
/// θ that `DenseOutput` promises: Σ_k y^(k) (t - t_new)^k / k! with t - t_new = (θ - 1) h.
void derivatives_to_powers(DenseOutput& dense);
/// The same from the rows h^k y^(k) / k! of a Nordsieck array: from powers of θ - 1 to powers of θ.
void shift_powers(DenseOutput& dense);

/// Error weights for methods that live on past values: 1 / (relative m_i + absolute_i), where m_i
/// is the largest recent |y_i|, fading by a tenth per usual step.
///
/// A component that passes through zero would for an instant have the weight of its absolute
/// tolerance alone. Its past values, which the next prediction is made from, were never that
/// accurate: the error test then fails again and again, until the method crawls at order 1.
class FadingWeights {
 public:
  explicit FadingWeights(const ErrorNorm& norm);
  void restart(std::span<const double> y);  ///< forgets the past
  /// At the start of a motion at t: how far y moves within the resolution of t is no error. Without
  /// that a first step at order 1 can be asked to be shorter than time can tell.
  void start(double t, std::span<const double> yp);
  void accept(std::span<const double> y, double h);  ///< after each step
  void weights(std::span<const double> y, std::span<double> out) const;

 private:
  double relative_;
  std::vector<double> absolute_;
  std::vector<double> recent_;
  double usual_step_ = 0;  // the longest recent step: many tiny steps must not fade the memory
};

/// First step of a multistep method at order 1, whose local error is about h² |y''| / 2, without
/// knowing y'': guesses |y''| ≈ |y'|² / |y| in the error norm; a part of the way to `t_limit` if
/// y' = 0. Not below `shortest_first_step`.
double first_order_step(const ErrorNorm& norm, double t, std::span<const double> y,
                        std::span<const double> yp, double t_limit);

/// The same knowing y'', and never longer than `last`.
double first_order_step(const ErrorNorm& norm, double t, std::span<const double> second,
                        double last);

}  // namespace chi::numerics
