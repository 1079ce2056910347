#pragma once
#include <string>
#include <vector>

#include "experiment/evaluate.h"

namespace chi::experiment {

struct Optimum {
  std::vector<double> values;  ///< of the parameters
  double objective = 0;
  std::vector<double> constraints;  ///< left minus right sides: not above 0
  bool is_feasible = false;
  bool is_converged = false;
  std::int64_t runs = 0, failed = 0;
  std::string problem;  ///< why there is no optimum; empty: there is
};

/// The least objective within the bounds, where no constraint is above 0: the setting's first
/// measure and the others. Points spread over the bounds are tried first; from the best of them
/// COBYLA [1] goes on with linear models, and once more with shorter steps from where it ended.
/// Runs that fail are points where nothing is feasible. Derivatives are not used: events make
/// kinks.
///
/// [1] M. J. D. Powell, "A direct search optimization method that models the objective and
///     constraint functions by linear interpolation", in: Advances in Optimization and Numerical
///     Analysis, 1994, 51-67; in the version of NLopt.
Optimum optimize(Evaluator& evaluate, const std::vector<Axis>& vary, bool maximizes,
                 std::int64_t most_points);

/// `max(F) < 10` as the measure `(max(F)) - (10)`. Empty if there is no relation `<`, `<=`, `>` or
/// `>=` outside of brackets.
std::string constraint_measure(const std::string& constraint);

}  // namespace chi::experiment
