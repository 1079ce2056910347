#pragma once
#include <span>

#include "numerics/dense_output.h"
#include "numerics/step_control.h"

namespace chi::numerics {

/// Turns the derivatives y^(k)(t_new), k = 0 … degree, held in `dense.power(k)`, into the powers of
/// θ that `DenseOutput` promises: Σ_k y^(k) (t - t_new)^k / k! with t - t_new = (θ - 1) h.
void derivatives_to_powers(DenseOutput& dense);

/// First step of a multistep method at order 1, whose local error is about h² |y''| / 2, without
/// knowing y'': guesses |y''| ≈ |y'|² / |y| in the error norm. `remaining` bounds it if y' = 0.
double first_order_step(const ErrorNorm& norm, std::span<const double> y,
                        std::span<const double> yp, double remaining);

/// The same knowing y'', and never longer than `last`.
double first_order_step(const ErrorNorm& norm, std::span<const double> second, double last);

}  // namespace chi::numerics
