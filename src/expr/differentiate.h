#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "expr/expr.h"

namespace chi::expr {

/// Symbolic derivatives, built by the constructors of build.h, so they share nodes with what they
/// are derivatives of. Rules (docs/theory/symbolic-differentiation.md): `if` keeps its condition
/// and differentiates the branches; `min` and `max` become a plain `if`; `abs` gives `sign`;
/// `floor`, `ceil`, `round`, `sign` give 0. A call of a function with a body gives calls of the
/// derivatives of that function; of a black box, calls of numerical derivatives (`kHasNumeric`
/// tells).

/// ∂root/∂leaf for each root, the constant 0 where it does not occur. `leaf` is a variable or
/// derivative (x and x' are independent), `time`, a discrete value or a parameter. A `delay`
/// depends on its tau only. Forward sweep, O(nodes reached).
std::vector<ExprId> partials(Pool& pool, std::span<const ExprId> roots, ExprId leaf);
ExprId partial(Pool& pool, ExprId root, ExprId leaf);

/// What d/dt makes of a variable. Empty: of x^(k) the node x^(k+1). Give another one to hold
/// variables fixed (return the constant 0) or to use substitutes for derivatives.
using VariableDerivative = std::function<ExprId(Pool&, VarRef)>;

/// The total derivative by time of each root: x becomes x', `time` becomes 1, discrete values 0,
/// d/dt delay(x, tau) = delay(x', tau) (1 - tau'). Each node is differentiated once.
std::vector<ExprId> time_derivative(Pool& pool, std::span<const ExprId> roots,
                                    const VariableDerivative& of_variable = {});
ExprId time_derivative(Pool& pool, ExprId root);

/// The derivatives by time of root i of orders 0 to orders[i]. Lower derivatives are shared between
/// the orders and the roots: a product has O(k^2) nodes at order k, not 2^k.
std::vector<std::vector<ExprId>> time_derivatives(Pool& pool, std::span<const ExprId> roots,
                                                  std::span<const int> orders,
                                                  const VariableDerivative& of_variable = {});

/// A sparse matrix of expressions, by rows; columns ascend within a row, zeros are not stored.
struct Jacobian {
  std::vector<std::int32_t> row_start = {0};  ///< row i: entries row_start[i] to row_start[i + 1]
  std::vector<std::int32_t> column;
  std::vector<ExprId> entry;
  int rows() const { return static_cast<int>(row_start.size()) - 1; }
};

/// ∂root_i/∂leaf_j for all i and j at once; the leaves must differ from each other.
///
/// Reverse accumulation inside a root (a sum of n variables costs n), forward through what roots
/// share (a chain of n shared substitutes costs n): see the theory page. Linear in nodes and
/// entries, except where several roots share a deep structure of ever more variables.
Jacobian jacobian(Pool& pool, std::span<const ExprId> roots, std::span<const ExprId> leaves);

/// The derivative of `f` by its i-th parameter, as a function of the same arguments; made once.
/// Mixed derivatives are taken in the order of the parameters, so that f_12 and f_21 are one
/// function. Requires a real result and a real i-th parameter.
FunctionId derivative(Pool& pool, FunctionId f, int param);

}  // namespace chi::expr
