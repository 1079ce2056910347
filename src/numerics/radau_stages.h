#pragma once
#include <array>
#include <complex>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "numerics/dense_output.h"
#include "numerics/difference_jacobian.h"
#include "numerics/lu_solver.h"
#include "numerics/step_control.h"

namespace chi::numerics {

/// How a Newton iteration for the stages ended.
enum class StageStatus { Converged, Diverged, TooSlow, Domain, Fatal };

/// The stage equations of one step of Radau IIA, F(t + c_i h, y + Z_i, Σ_j a⁻¹_ij Z_j / h) = 0, and
/// their simplified Newton iteration in transformed variables, after RADAU5 [1, IV.8].
///
/// Owns the Jacobians, the real and the complex factors, and the Z_i. Decides nothing: the caller
/// says when to evaluate, to factor and to give up. Nothing is allocated after construction, except
/// by KLU when it chooses new pivots.
///
/// [1] E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed. 1996.
class RadauStages {
 public:
  RadauStages(DaeProblem& problem, MatrixKind kind, const ErrorNorm& norm);

  /// ∂F/∂y and ∂F/∂y' at one point.
  EvalStatus evaluate_jacobian(double t, std::span<const double> y, std::span<const double> yp);
  /// The factors of ∂F/∂y + γ/h ∂F/∂y' and ∂F/∂y + (α - iβ)/h ∂F/∂y'. False: singular.
  bool factor(double h);

  void start_from_zero();
  /// Starts from the polynomial of the previous step, continued beyond its end.
  void start_from(const DenseOutput& previous, double h, std::span<const double> y);

  /// Newton from the present Z. Converged when the remaining error is estimated to be below
  /// `tolerance` in `norm`. If not, `step_factor()` says by how much to shorten the step.
  StageStatus solve(double t, double h, std::span<const double> y, const ErrorNorm& norm,
                    double tolerance, int max_iterations);
  double rate() const { return rate_; }           ///< of convergence in the last `solve`, Θ in [1]
  int iterations() const { return iterations_; }  ///< in the last `solve`
  double step_factor() const { return step_factor_; }
  void forget_rate() { eta_ = 1; }  ///< the next `solve` expects nothing

  /// The difference to the embedded solution of order 3, filtered: E⁻¹ M (y' - u'(t)), where u is
  /// the collocation polynomial, M = ∂F/∂y' and E = ∂F/∂y + γ/h M [1, (8.19), written for F].
  void estimate_error(double h, std::span<const double> yp, std::span<double> error);
  /// Once more with F at y + error, which tames the estimate in the first step and after a
  /// rejection [1, (8.20)].
  EvalStatus refine_error(double t, double h, std::span<const double> y, std::span<const double> yp,
                          std::span<double> error);

  /// What the dense output misses between the stages: E⁻¹ F at u(t + θh), u'(t + θh), for the θ
  /// where the interpolation error of a polynomial of degree 3 is largest. In the stiff components,
  /// where `estimate_error` vanishes, this is that error; elsewhere it is small beside
  /// `estimate_error`.
  EvalStatus estimate_dense_error(double t, double h, std::span<const double> y,
                                  std::span<double> error);

  /// What one more correction of the last stage would be, by the Jacobian there. Where Newton's own
  /// Jacobian was far too large, as beside the end of a square root, it took corrections for small
  /// of which nothing came, and called that convergence.
  EvalStatus error_at_end(double t, double h, std::span<const double> y, std::span<double> error);
  bool is_linear() const;    ///< the Jacobian of `error_at_end` is the present one
  void take_end_jacobian();  ///< that of `error_at_end`, instead of one more evaluation

  void new_point(std::span<const double> y, std::span<double> y_new) const;
  void new_slope(double h, std::span<double> yp_new) const;
  void make_polynomial(double t_old, double t_new, std::span<const double> y,
                       DenseOutput& out) const;

  int evaluations() const { return evaluations_; }  ///< of F, since construction

 private:
  using Complex = std::complex<double>;
  std::span<double> z(std::size_t i) { return {z_.data() + i * n_, n_}; }
  std::span<const double> z(std::size_t i) const { return {z_.data() + i * n_, n_}; }
  std::span<double> r(std::size_t i) { return {r_.data() + i * n_, n_}; }
  EvalStatus evaluate_jacobian(double t, std::span<const double> y, std::span<const double> yp,
                               std::span<double> jacobian, std::span<double> mass);
  EvalStatus evaluate_stages(double t, double h, std::span<const double> y);
  void solve_correction();
  void add_mass_defect(double h, std::span<const double> yp, std::span<double> out);

  DaeProblem& problem_;
  SparsePattern pattern_;
  std::size_t n_;
  std::vector<double> jacobian_, mass_;
  std::vector<double> end_jacobian_, end_mass_;  // at the last stage
  LuSolver<double> real_;
  LuSolver<double> end_;
  LuSolver<Complex> complex_;
  std::optional<DifferenceJacobian> differences_;
  std::vector<double> z_, r_;  // three stages one after the other
  std::vector<double> point_, slope_;
  std::vector<Complex> pair_;
  double eta_ = 1;  // Θ / (1 - Θ) of the last convergence
  double rate_ = 0;
  double step_factor_ = 0.5;
  int iterations_ = 0;
  int evaluations_ = 0;
};

}  // namespace chi::numerics
