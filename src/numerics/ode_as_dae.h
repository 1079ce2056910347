#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "numerics/difference_jacobian.h"
#include "numerics/problem.h"

namespace chi::numerics {

/// y' = f(t, y) seen as F = y' - f(t, y) = 0, with an exact ∂F/∂y' = I, and ∂f/∂y by differences if
/// the ODE has no Jacobian. The ODE is held by reference.
class OdeAsDae final : public DaeProblem {
 public:
  /// `typical`: magnitudes for the differences, one per component (`DifferenceJacobian`).
  OdeAsDae(OdeProblem& ode, std::vector<double> typical);

  int size() const override { return ode_.size(); }
  EvalStatus residual(double t, std::span<const double> y, std::span<const double> yp,
                      std::span<double> r) override;
  const SparsePattern* jacobian_pattern() const override { return &pattern_; }
  bool has_jacobian() const override { return true; }
  EvalStatus jacobian(double t, std::span<const double> y, std::span<const double> yp, double cy,
                      double cyp, std::span<double> values) override;

  EvalStatus rhs(double t, std::span<const double> y, std::span<double> ydot);
  /// Where the diagonal sits among the values.
  std::span<const std::size_t> diagonal() const { return diagonal_; }
  std::int64_t evaluations() const { return evaluations_; }  ///< of f so far

 private:
  OdeProblem& ode_;
  SparsePattern ode_pattern_;
  SparsePattern pattern_;                       // with the diagonal
  std::vector<std::size_t> places_, diagonal_;  // of ∂f/∂y and of I in pattern_
  std::vector<double> ode_values_, f_;
  std::optional<DifferenceJacobian> differences_;
  std::int64_t evaluations_ = 0;
};

/// `pattern` with every diagonal entry present.
SparsePattern with_diagonal(const SparsePattern& pattern);

}  // namespace chi::numerics
