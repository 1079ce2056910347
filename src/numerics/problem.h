#pragma once
#include <span>

#include "numerics/sparse_matrix.h"

namespace chi::numerics {

/// What an evaluation says of itself. `Domain`: these arguments lie where the functions have no
/// value (sqrt of a negative number, division by zero); a shorter step may avoid them. `Fatal`:
/// stop now.
enum class EvalStatus { Ok, Domain, Fatal };

/// y' = f(t, y), as the integrators see it. Holds no solver state; must give the same values for
/// the same arguments between two restarts of an integrator.
class OdeProblem {
 public:
  virtual ~OdeProblem() = default;
  virtual int size() const = 0;
  virtual EvalStatus rhs(double t, std::span<const double> y, std::span<double> ydot) = 0;
  /// Whether f may have places with derivatives that are infinite, or jump, as sqrt and abs have at
  /// zero: there the error of a step is not what the methods take it for.
  virtual bool is_rough() { return false; }

  /// Where ∂f/∂y may be nonzero; null: anywhere. Must not change during the life of an integrator.
  virtual const SparsePattern* jacobian_pattern() const { return nullptr; }
  virtual bool has_jacobian() const { return false; }  ///< false: difference quotients are taken
  /// ∂f/∂y, in the order of the pattern (of `full_pattern` if that is null).
  virtual EvalStatus jacobian(double t, std::span<const double> y, std::span<double> values);
};

/// F(t, y, y') = 0 of index at most one, as the integrators see it; otherwise as `OdeProblem`.
class DaeProblem {
 public:
  virtual ~DaeProblem() = default;
  virtual int size() const = 0;
  virtual EvalStatus residual(double t, std::span<const double> y, std::span<const double> yp,
                              std::span<double> r) = 0;
  /// Per component 1 if its derivative occurs in F, 0 if it is algebraic. Empty: all are
  /// differential.
  virtual std::span<const char> differential() const { return {}; }

  /// Where ∂F/∂y or ∂F/∂y' may be nonzero; null: anywhere.
  virtual const SparsePattern* jacobian_pattern() const { return nullptr; }
  virtual bool has_jacobian() const { return false; }
  /// cy ∂F/∂y + cyp ∂F/∂y', in the order of the pattern. BDF asks for (1, α/h), Radau for (1, 0)
  /// and (0, 1).
  virtual EvalStatus jacobian(double t, std::span<const double> y, std::span<const double> yp,
                              double cy, double cyp, std::span<double> values);
};

}  // namespace chi::numerics
