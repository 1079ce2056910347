#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace chi::numerics {

/// The coefficients of one BDF step of order q and size h, after `tau[1]`, `tau[2]`, … the steps
/// before it, the last first. Fixed leading coefficient: the past counts with its true distances,
/// the factor of y' as if all steps were equal [1].
///
/// [1] K. R. Jackson, R. Sacks-Davis, "An alternative implementation of variable step-size
/// multistep formulas for stiff ODEs", ACM Trans. Math. Software 6 (1980); in Nordsieck form as
/// CVODE has it: S. D. Cohen, A. C. Hindmarsh, "CVODE, a stiff/nonstiff ODE solver in C", Computers
/// in Physics 10 (1996). Λ(x) = Σ l_j x^j and the names of the constants are theirs.
struct BdfCoefficients {
  static constexpr int kMaxOrder = 5;
  std::array<double, kMaxOrder + 1> l = {};  ///< of the correction, in each row of the history
  double error = 0;                          ///< local error = error * |correction|
  double lower = 0;                          ///< at order q - 1: lower * |last row|
  double higher = 0;    ///< at order q + 1: higher * |difference of scaled corrections|
  double quotient = 0;  ///< to compare this correction with an earlier one

  BdfCoefficients() = default;
  BdfCoefficients(int q, double h, std::span<const double> tau);
};

/// The past of a BDF method: rows z_j = h^j y^(j) / j!, j = 0 … q, of all components.
///
/// Rows are changed only when a step is accepted, in one sweep that rescales, predicts and
/// corrects; a step that fails leaves nothing to be restored. That keeps the work in the cache:
/// with a library's vector operations, one sweep for each sum, it is most of what a step costs.
class Nordsieck {
 public:
  explicit Nordsieck(int size);

  void start(std::span<const double> y, std::span<const double> yp, double h);
  int order() const { return order_; }
  double step() const { return step_; }  ///< the h of the rows
  std::span<const double> row(int j) const;

  /// The polynomial h ahead: its value into `y`, and h y' / l_1, which the iteration needs, into
  /// `slope`.
  void predict(double h, double l1, std::span<double> y, std::span<double> slope) const;
  /// Goes on by h, with the correction of that step.
  void advance(double h, const BdfCoefficients& c, std::span<const double> correction);
  /// Order one more, with the last correction, or one less. `tau` as for the coefficients.
  void raise_order(std::span<const double> tau, std::span<const double> correction);
  void lower_order(std::span<const double> tau);

 private:
  std::span<double> writable(int j);
  std::size_t size_;
  int order_ = 1;
  double step_ = 0;
  std::vector<double> rows_;
};

/// sqrt(Σ (v_i w_i)² / n), infinite if that is no number.
double weighted_norm(std::span<const double> v, std::span<const double> w);
/// The same of v - factor u.
double weighted_norm(std::span<const double> v, double factor, std::span<const double> u,
                     std::span<const double> w);

/// r = gamma f - slope - correction.
void bdf_residual(double gamma, std::span<const double> f, std::span<const double> slope,
                  std::span<const double> correction, std::span<double> r);
/// Adds factor * r to `correction` and to `y`; returns the norm of what was added.
double bdf_correct(double factor, std::span<const double> r, std::span<const double> w,
                   std::span<double> correction, std::span<double> y);

}  // namespace chi::numerics
