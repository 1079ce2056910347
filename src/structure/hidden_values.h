#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "expr/expr.h"
#include "graph/sigma.h"
#include "structure/analyse.h"

namespace chi::structure {

/// Rows whose highest derivatives cancel in the sum Σ coefficient * f_i^(c_i - θ), θ the smallest
/// c_i in it, as numbers show; the coefficients are expressions.
struct ValueConstraint {
  std::int32_t row = 0;                                    ///< c_row = θ: the sum can stand for it
  std::vector<std::pair<std::int32_t, expr::ExprId>> sum;  ///< rows and coefficients
  std::vector<expr::ExprId> divisors;  ///< of coefficients: it holds while these are not zero
  std::vector<expr::ExprId> leading;   ///< derivatives that are in no sum: they cancel
  bool rests_on_known = false;         ///< it holds for the present known values only
  std::vector<expr::ExprId> entries;   ///< of the Jacobian, that decide it
};

/// Where the Jacobian J = ∂f_i/∂x_j^(d_j - c_i) is singular at every point near the present one,
/// though its pattern is not: a coefficient is zero, or rows cancel through the values of variables
/// (the linear combination method [1], with coefficients found by elimination on expressions, and
/// pivots told from zeros by their values at drawn points; for initial values this is the numerical
/// index calculation of P4 §2.1 with exact derivatives in the place of difference quotients).
///
/// One for each fine block that has one. Blocks of more than 200 rows, combinations of more than
/// 12, rows that are not linear in their highest derivatives and coefficients that depend on these
/// in turn are left alone: what is found is right, but not all is found.
///
/// [1] G. Tan, N. S. Nedialkov and J. D. Pryce, "Conversion methods for improving structural
///     analysis of differential-algebraic equation systems", BIT 57, 2017, 845-865.
std::vector<ValueConstraint> hidden_by_values(expr::Pool& pool, std::span<const expr::ExprId> rows,
                                              std::span<const expr::VarId> unknowns,
                                              const graph::Signature& sigma,
                                              const graph::Offsets& offsets, Probe& probe);

}  // namespace chi::structure
