#pragma once
#include <cstdint>
#include <vector>

#include "sim/modes/plan.h"

namespace chi::sim {

/// How deep a jump reaches (jump.h), by what of the equations does not hold before it.
struct JumpDepth {
  int depth = 0;
  std::vector<std::int32_t> violated_rows;  ///< constraints that ask for more than depth 0,
  std::vector<double> violations;           ///< and by how much they are off
  /// Per kept row, by the order of the derivative of an impulse: what the row is at the instant. It
  /// is the sum of other rows and their derivatives; and where a row begins to hold with a step,
  /// its derivative is an impulse. Empty: nothing.
  std::vector<std::vector<double>> sources;

  double source(std::size_t row, int order) const {
    const auto k = static_cast<std::size_t>(order);
    return row < sources.size() && k < sources[row].size() ? sources[row][k] : 0;
  }
};

/// With the values before the jump; what is off by less than `tolerance` holds.
JumpDepth jump_depth(const SolverContext& context, Plan& plan, std::vector<double>& frame,
                     double tolerance);

}  // namespace chi::sim
