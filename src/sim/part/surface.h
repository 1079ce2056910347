#pragma once
#include <optional>
#include <vector>

#include "expr/expr.h"

namespace chi::sim {

/// What rounding leaves of a constant of a surface, relative: a few operations.
inline constexpr double kSurfaceRounding = 1e-15;

/// Σ factor * term + constant. Terms are what sums, differences and constant factors are made of,
/// each once, ascending.
struct WeightedSum {
  struct Term {
    expr::ExprId e;
    double factor = 1;
  };
  std::vector<Term> terms;
  double constant = 0;
};

/// Empty if e is a very long sum.
std::optional<WeightedSum> weighted_sum(const expr::Pool& pool, expr::ExprId e);

/// The surface e = 0, whatever e is multiplied with: Σ coefficient * term + constant = 0, the first
/// coefficient 1. Terms are what sums, differences and constant factors are made of, ascending.
///
/// `x < 1`, `2*x > 2` and `1 - x >= 0` change on one surface. A motion that slides on it mixes all
/// that changes there (A. F. Filippov, Differential Equations with Discontinuous Righthand Sides),
/// so that they have to be known as one.
struct Surface {
  std::vector<expr::ExprId> terms;
  std::vector<double> coefficients;
  double constant = 0;
  int sign = 1;  ///< of the factor of e

  /// Equal but for what rounding leaves of constants; the sign does not matter.
  bool same_as(const Surface& other) const;
};

/// Empty if nothing can be said: e has no term, a first one that cancels, or is a very long sum.
std::optional<Surface> surface_of(const expr::Pool& pool, expr::ExprId e);

}  // namespace chi::sim
