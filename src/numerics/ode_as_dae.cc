#include "numerics/ode_as_dae.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace chi::numerics {

SparsePattern with_diagonal(const SparsePattern& pattern) {
  PatternBuilder diagonal(pattern.rows, pattern.cols);
  for (int i = 0; i < pattern.rows; ++i) diagonal.add(i, i);
  return merge(pattern, diagonal.build());
}

OdeAsDae::OdeAsDae(OdeProblem& ode, std::vector<double> typical)
    : ode_(ode),
      ode_pattern_(ode.jacobian_pattern() ? *ode.jacobian_pattern()
                                          : full_pattern(ode.size(), ode.size())),
      pattern_(with_diagonal(ode_pattern_)),
      ode_values_(static_cast<std::size_t>(ode_pattern_.nonzeros())),
      f_(static_cast<std::size_t>(ode.size())) {
  for (int j = 0; j < pattern_.cols; ++j) {
    diagonal_.push_back(static_cast<std::size_t>(find_entry(pattern_, j, j)));
    const int end = ode_pattern_.column_starts[static_cast<std::size_t>(j) + 1];
    for (int k = ode_pattern_.column_starts[static_cast<std::size_t>(j)]; k < end; ++k) {
      const int row = ode_pattern_.row_indices[static_cast<std::size_t>(k)];
      places_.push_back(static_cast<std::size_t>(find_entry(pattern_, row, j)));
    }
  }
  if (!ode.has_jacobian()) differences_.emplace(ode_pattern_, std::move(typical));
}

EvalStatus OdeAsDae::rhs(double t, std::span<const double> y, std::span<double> ydot) {
  ++evaluations_;
  return ode_.rhs(t, y, ydot);
}

EvalStatus OdeAsDae::residual(double t, std::span<const double> y, std::span<const double> yp,
                              std::span<double> r) {
  const EvalStatus status = rhs(t, y, r);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = yp[i] - r[i];
  return status;
}

EvalStatus OdeAsDae::jacobian(double t, std::span<const double> y, std::span<const double>,
                              double cy, double cyp, std::span<double> values) {
  std::fill(values.begin(), values.end(), 0.0);
  if (cy != 0) {
    EvalStatus status = EvalStatus::Ok;
    if (differences_) {
      status = rhs(t, y, f_);
      if (status == EvalStatus::Ok) status = differences_->evaluate(ode_, t, y, f_, ode_values_);
      evaluations_ += differences_->evaluations();
    } else {
      status = ode_.jacobian(t, y, ode_values_);
    }
    if (status != EvalStatus::Ok) return status;
    for (std::size_t k = 0; k < places_.size(); ++k) values[places_[k]] = -cy * ode_values_[k];
  }
  for (const std::size_t d : diagonal_) values[d] += cyp;
  return EvalStatus::Ok;
}

}  // namespace chi::numerics
