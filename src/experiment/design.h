#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "experiment/plan.h"

namespace chi::experiment {

/// The points of a study, in order: for each combination of the values that are varied, the last
/// axis fastest, `count` runs. Point number i is a pure function of the plan and i, so that workers
/// make their own.
///
/// Run k of each combination has the same seed, `plan.seed + k`, and the same drawn values: what
/// differs between two combinations is what was varied (common random numbers).
class Design {
 public:
  /// Requires a plan whose ranges have a count. O(dimensions · count) memory with Latin hypercubes,
  /// else O(values).
  explicit Design(const Plan& plan);

  std::int64_t size() const { return combinations_ * count_; }
  std::int64_t combinations() const { return combinations_; }
  std::int64_t count() const { return count_; }                     ///< runs of each
  const std::vector<std::string>& names() const { return names_; }  ///< of the columns
  Point point(std::int64_t i) const;

 private:
  struct Column {
    const Axis* axis = nullptr;
    const Drawn* drawn = nullptr;
    std::int32_t dimension = -1;  ///< of the samples; none: a grid
  };
  double share(std::int64_t run, std::int32_t dimension) const;
  const Plan& plan_;
  std::vector<Column> columns_;
  std::vector<std::string> names_;
  std::int64_t combinations_ = 1, count_ = 1;
  std::int32_t dimensions_ = 0;
  std::vector<std::vector<std::int32_t>> latin_;  ///< per dimension: the stratum of each run
  std::vector<std::vector<double>> sobol_;        ///< per dimension
};

/// The value below which a drawn number lies with this probability.
double quantile(const Drawn& drawn, double probability);

}  // namespace chi::experiment
