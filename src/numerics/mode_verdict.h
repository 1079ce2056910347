#pragma once
#include <vector>

#include "numerics/function_ref.h"
#include "numerics/mode_problem.h"

namespace chi::numerics {

/// A condition that does not hold just after the instant: its first coefficient that exceeds its
/// error is negative. Order -1 is the impulse, 0 the value, k >= 1 the k-th derivative.
struct Refusal {
  int law = -1, condition = -1;
  int order = 0;
  double value = 0, error = 0;
};

struct Verdict {
  bool accepted = false;
  bool is_singular = false;  ///< the mode has no unique motion
  std::vector<Refusal> refusals = {};
};

/// The only place that decides whether a proposed mode is taken.
using VerifyMode = FunctionRef<Verdict(const Mode&)>;

}  // namespace chi::numerics
