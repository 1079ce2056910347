#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace chi::experiment {

double normal_quantile(double probability);
double student_quantile(double probability, double degrees_of_freedom);

/// The first points of Sobol's sequence, per dimension, shifted by half a step: none is 0.
std::vector<std::vector<double>> sobol_points(std::int32_t dimensions, std::int64_t count);

/// Mean and variance of numbers that come one by one (B. P. Welford, Technometrics 4, 1962, 419).
class Moments {
 public:
  void add(double value);
  std::int64_t count() const { return count_; }
  double mean() const { return mean_; }
  double variance() const;  ///< of one of them, without bias; NaN if there are less than two
  double least() const { return least_; }
  double most() const { return most_; }
  /// Half of Student's interval for the mean, if they are independent and normal.
  double half_width(double confidence) const;

 private:
  std::int64_t count_ = 0;
  double mean_ = 0, squares_ = 0, least_ = 0, most_ = 0;
};

}  // namespace chi::experiment
