#pragma once
#include <span>
#include <vector>

#include "numerics/problem.h"

namespace chi::numerics {

/// Jacobians by one-sided difference quotients, with one evaluation per group of columns that share
/// no row [1]. The increment of y_j is sqrt(u) max(|y_j|, typical_j), towards where y_j is moving;
/// if the problem has no value there, the other way is tried.
///
/// [1] A. R. Curtis, M. J. D. Powell, J. K. Reid, "On the estimation of sparse Jacobian matrices",
///     IMA J. Appl. Math. 13, 1974, 117-119.
class DifferenceJacobian {
 public:
  /// `typical`: a magnitude per component below which a value is as good as zero.
  DifferenceJacobian(SparsePattern pattern, std::vector<double> typical);

  /// ∂f/∂y at (t, y), where f has the value `f0`, into `values` in the order of the pattern.
  EvalStatus evaluate(OdeProblem& problem, double t, std::span<const double> y,
                      std::span<const double> f0, std::span<double> values);
  /// cy ∂F/∂y + cyp ∂F/∂y' at (t, y, yp).
  EvalStatus evaluate(DaeProblem& problem, double t, std::span<const double> y,
                      std::span<const double> yp, double cy, double cyp, std::span<double> values);

  int groups() const { return static_cast<int>(starts_.size()) - 1; }
  int evaluations() const { return evaluations_; }  ///< of f or F, in the last call

 private:
  void choose_increments(std::span<const double> y, std::span<const double> yp, double cy,
                         double cyp);
  template <class Evaluate>
  EvalStatus difference(std::span<const double> base, std::span<double> values, Evaluate evaluate);

  SparsePattern pattern_;
  std::vector<double> typical_;
  std::vector<int> columns_;  // by group: those of group g are columns_[starts_[g] .. starts_[g+1])
  std::vector<int> starts_;
  std::vector<double> increments_, y_, yp_, base_, moved_;
  int evaluations_ = 0;
};

}  // namespace chi::numerics
