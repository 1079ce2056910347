#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiment/design.h"
#include "experiment/executor.h"
#include "experiment/statistics.h"
#include "experiment/store.h"

namespace chi::experiment {

/// Who watches a study go on. Called by several threads, one at a time, in the order of runs.
class Spectator {
 public:
  virtual ~Spectator() = default;
  /// False: nothing more is wanted.
  virtual bool row(std::int64_t run, const Point& point, const RunResult& result) = 0;
};

/// The runs with one combination of values, taken together.
struct Variant {
  Parameters values;  ///< of what is varied over values
  std::vector<Moments> measures;
  std::int64_t failed = 0;
};

/// A comparison of a measure between the first variant and another one, run by run with common
/// random numbers.
struct Comparison {
  std::size_t variant = 0, measure = 0;
  Moments difference;
};

struct StudyResult {
  std::vector<Variant> variants;
  std::vector<Comparison> comparisons;  ///< of replications
  std::int64_t runs = 0, failed = 0;
  StopCause stopped = StopCause::None;
  bool is_narrow = true;  ///< the intervals that were asked for are reached
};

/// Runs a sweep or replications. Requires a plan that `check_plan` found right.
///
/// Runs that `store` has are taken from there, others are added.
///
/// With `half_width`, the runs of all variants go on together until every interval of every measure
/// is narrower than that share of its mean, at least ten and at most `count` (or a million).
StudyResult run_study(const Subject& subject, const Plan& plan, int jobs, Spectator& spectator,
                      Store* store = nullptr);

/// What is wrong with a plan before any run: names that are no parameters, measures that cannot be,
/// ranges without a count. False exactly when it reported.
bool check_plan(const Subject& subject, const Plan& plan, Diagnostics& diagnostics);

}  // namespace chi::experiment
