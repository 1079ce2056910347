#pragma once
#include <string>
#include <vector>

#include "experiment/evaluate.h"

namespace chi::experiment {

/// The derivative of a measure by a parameter at a point.
struct Derivative {
  double value = 0, error = 0;  ///< estimated
  double from_left = 0, from_right = 0;
  bool exists = true;  ///< false: the two sides differ by more than their errors, as where an event
                       ///< appears, or a surface is touched
};

/// By differences at ever smaller distances, from both sides, extrapolated to the limit [1] with an
/// estimate of the error. Each run goes through its own events, so that the times of events and the
/// jumps of the sensitivities at them are in the differences. Rows: parameters; columns: measures.
///
/// [1] L. F. Richardson and J. A. Gaunt, Phil. Trans. Royal Society A 226, 1927, 299-361; by the
///     algorithm of E. H. Neville.
std::vector<std::vector<Derivative>> derivatives(Evaluator& evaluate,
                                                 const std::vector<double>& point,
                                                 const std::vector<double>& scales);

/// Screening by elementary effects (M. D. Morris, Technometrics 33, 1991, 161-174).
struct Effect {
  double mean = 0;      ///< μ
  double absolute = 0;  ///< μ*: of the absolute values (F. Campolongo et al., 2007)
  double spread = 0;    ///< σ: nonlinear, or together with others
};
std::vector<std::vector<Effect>> morris(Evaluator& evaluate, const std::vector<Axis>& vary,
                                        std::int64_t trajectories, std::uint64_t seed);

/// Shares of the variance, with half widths of 95 % intervals by bootstrap: first-order indices by
/// the estimator of Saltelli et al. (Comp. Phys. Comm. 181, 2010, 259-270, table 2b), total ones by
/// that of Jansen (2f).
struct Index {
  double first = 0, first_half_width = 0;
  double total = 0, total_half_width = 0;
};
std::vector<std::vector<Index>> sobol_indices(Evaluator& evaluate, const std::vector<Axis>& vary,
                                              std::int64_t samples, std::uint64_t seed);

}  // namespace chi::experiment
