#pragma once
#include <optional>
#include <span>
#include <vector>

#include "expr/expr.h"

namespace chi::sim {

/// 0 = row solved for one leaf.
struct Isolated {
  expr::ExprId value;  ///< free of the leaf
  /// What `value` divides by and is no number: the leaf is determined while these are not zero.
  std::vector<expr::ExprId> divisors;
};

/// Solves an equation for a leaf in which it is linear, by taking the terms around it to the other
/// side one by one; so `x' = f` gives f itself. Where the leaf occurs more than once, by its
/// coefficient. Empty if the leaf occurs otherwise, or with the coefficient 0. O(nodes reached).
std::optional<Isolated> isolate(expr::Pool& pool, expr::ExprId row, expr::ExprId leaf);

/// Solves linear equations with numbers for coefficients, as many as leaves, by the inverse of
/// their matrix: leaf i is the i-th result. Empty if the coefficients vary, or the matrix is not
/// far from singular, so that no digits to speak of are lost. For a handful of equations: the
/// results have as many terms as the inverse has entries.
std::optional<std::vector<expr::ExprId>> isolate_all(expr::Pool& pool,
                                                     std::span<const expr::ExprId> rows,
                                                     std::span<const expr::ExprId> leaves);

/// Σ |term| over the terms that e is the sum of: what e is measured by when it nearly vanishes.
/// None if e is no sum.
expr::ExprId size_of_terms(expr::Pool& pool, expr::ExprId e);

}  // namespace chi::sim
