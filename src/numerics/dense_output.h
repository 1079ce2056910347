#pragma once
#include <span>
#include <vector>

namespace chi::numerics {

/// The solution inside one step: a polynomial per component,
///
///     y_i(t) = Σ_k c_ik θ^k,  θ = (t - t_old) / (t_new - t_old) ∈ [0, 1],  k = 0 … degree.
///
/// A plain value: copy it to keep the history of a delay equation. Event detection takes the
/// coefficients of one component and isolates roots on them.
class DenseOutput {
 public:
  static constexpr int kMaxDegree = 12;

  /// Room for `size` components up to `degree`: later resets within it allocate nothing.
  void reserve(int size, int degree);
  /// Starts a polynomial of this shape; the maker fills `power(0)` … `power(degree)`.
  void reset(int size, int degree, double t_old, double t_new);
  std::span<double> power(int k);  ///< c_·k for all components
  std::span<const double> power(int k) const;

  int size() const { return size_; }
  int degree() const { return degree_; }
  double t_old() const { return t_old_; }
  double t_new() const { return t_new_; }
  double theta(double t) const { return (t - t_old_) / (t_new_ - t_old_); }

  double value(double t, int component) const;
  void values(double t, std::span<double> y) const;  ///< all components, O(size · degree)
  double derivative(double t, int component) const;  ///< dy_i/dt
  void derivatives(double t, std::span<double> yp) const;

  /// c_i0 … c_i,degree into `c`, which has room for degree + 1.
  void coefficients(int component, std::span<double> c) const;

 private:
  int size_ = 0;
  int degree_ = 0;
  double t_old_ = 0;
  double t_new_ = 0;
  std::vector<double> c_;  // c_[k * size_ + i]
};

/// Σ c_k θ^k.
double evaluate_polynomial(std::span<const double> c, double theta);

}  // namespace chi::numerics
