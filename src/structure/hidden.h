#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graph/sigma.h"
#include "structure/row_matrix.h"

namespace chi::structure {

/// Rows whose highest derivatives cancel in a sum: Σ coefficient * f_i^(c_i - θ), θ the smallest
/// c_i in it, has lower derivatives than the offsets say, and can stand for `row`.
struct HiddenConstraint {
  std::int32_t row = 0;                                    ///< c_row = θ
  std::vector<std::pair<std::int32_t, std::int64_t>> sum;  ///< rows and coefficients, ascending
};

/// Where the Jacobian J = ∂f_i/∂x_j^(d_j - c_i) is singular whatever the values are, because some
/// of its rows are whole numbers and linearly dependent within a diagonal block of J.
///
/// Replacing the rows by the sums lowers the value of the best transversal: within the block no
/// row can be matched for the sum any more, outside it only earlier blocks have entries, and they
/// are square (the linear combination method of [1], with constant coefficients). Near linear.
///
/// [1] G. Tan, N. S. Nedialkov and J. D. Pryce, "Conversion methods for improving structural
///     analysis of differential-algebraic equation systems", BIT 57, 2017, 845-865.
std::vector<HiddenConstraint> hidden_constraints(const RowMatrix& matrix,
                                                 const graph::Signature& sigma,
                                                 const graph::Offsets& offsets);

}  // namespace chi::structure
