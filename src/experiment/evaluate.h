#pragma once
#include <string>
#include <vector>

#include "experiment/plan.h"

namespace chi::experiment {

/// The runs of a search, of a fit or of a sensitivity study: parameters as numbers.
class Evaluator {
 public:
  /// All outlive it. Each point is run `replications` times with the seeds `seed`, `seed` + 1, ...;
  /// the mean counts.
  Evaluator(const Subject& subject, const Setting& setting, std::vector<std::string> names,
            std::uint64_t seed, std::int64_t replications, int jobs);

  /// The measures at each point, then the samples of the setting. NaN where the run failed:
  /// `last_problem`. Throws `Cancelled` if the work is to end.
  std::vector<std::vector<double>> operator()(const std::vector<std::vector<double>>& points);
  std::vector<double> operator()(const std::vector<double>& point);

  std::int64_t runs() const { return runs_; }
  std::int64_t failed() const { return failed_; }
  const std::string& last_problem() const { return last_problem_; }

 private:
  const Subject& subject_;
  const Setting& setting_;
  std::vector<std::string> names_;
  std::uint64_t seed_;
  std::int64_t replications_;
  int jobs_;
  std::int64_t runs_ = 0, failed_ = 0;
  std::string last_problem_;
};

/// A number as `-p` reads it as a real.
std::string real_text(double value);

}  // namespace chi::experiment
