#include "experiment/statistics.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/random/sobol.hpp>
#include <cmath>
#include <limits>

namespace chi::experiment {

double normal_quantile(double probability) {
  return boost::math::quantile(boost::math::normal(), probability);
}

double student_quantile(double probability, double degrees_of_freedom) {
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), probability);
}

std::vector<std::vector<double>> sobol_points(std::int32_t dimensions, std::int64_t count) {
  std::vector<std::vector<double>> points(static_cast<std::size_t>(dimensions));
  if (dimensions == 0) return points;
  boost::random::sobol engine(static_cast<std::size_t>(dimensions));
  for (std::vector<double>& column : points) column.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::vector<double>& column : points)
      column.push_back(static_cast<double>(engine() >> 11) * 0x1p-53 + 0x1p-54);
  }
  return points;
}

void Moments::add(double value) {
  ++count_;
  const double distance = value - mean_;
  mean_ += distance / static_cast<double>(count_);
  squares_ += distance * (value - mean_);
  least_ = count_ == 1 ? value : std::min(least_, value);
  most_ = count_ == 1 ? value : std::max(most_, value);
}

double Moments::variance() const {
  if (count_ < 2) return std::numeric_limits<double>::quiet_NaN();
  return squares_ / static_cast<double>(count_ - 1);
}

double Moments::half_width(double confidence) const {
  if (count_ < 2) return std::numeric_limits<double>::infinity();
  const auto n = static_cast<double>(count_);
  return student_quantile(0.5 * (1 + confidence), n - 1) * std::sqrt(variance() / n);
}

}  // namespace chi::experiment
