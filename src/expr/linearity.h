#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "expr/differentiate.h"
#include "expr/expr.h"

namespace chi::expr {

/// How an expression depends on a set of unknowns.
enum class Linearity : std::uint8_t {
  Free,       ///< not at all
  Constant,   ///< affine, the coefficients are numbers
  Varying,    ///< affine, the coefficients are expressions free of the unknowns
  Nonlinear,  ///< not seen to be affine
};

/// The linearity of each root in `unknowns` (leaves). Structural: `x*x - x*x + x` is Nonlinear. An
/// `if` is affine if its branches are and its condition is free of unknowns; then its coefficients
/// vary. A call of unknowns is what the body is, if that calls nothing; other calls of unknowns are
/// Nonlinear: use `inline_calls` first. One sweep, O(nodes reached).
std::vector<Linearity> linearity(const Pool& pool, std::span<const ExprId> roots,
                                 std::span<const ExprId> unknowns);

/// root_i = Σ_j a_ij unknown_j + b_i, an identity of real numbers. Rows of nonlinear roots are
/// empty and their b_i is none.
struct LinearForms {
  std::vector<Linearity> kind;
  Jacobian a;  ///< rows: roots, columns: unknowns
  std::vector<ExprId> b;
};
LinearForms linear_forms(Pool& pool, std::span<const ExprId> roots,
                         std::span<const ExprId> unknowns);

/// f = a * (its i-th parameter) + b, where a is the derivative and b, the result, is free of the
/// parameter; none if the body is not seen to be like that. Made once.
FunctionId rest_of(Pool& pool, FunctionId f, int param);

/// e = rate * time + offset while no event happens: neither contains `time`, a delay or a leaf in
/// `moving`, the variables and derivatives that change between events. Empty if e is not like that.
/// A guard a >= b with a - b of this form is due at time -offset / rate.
struct TimeLine {
  ExprId rate;
  ExprId offset;
};
std::optional<TimeLine> affine_in_time(Pool& pool, ExprId e, std::span<const ExprId> moving);

/// 0 = e as 0 = Σ coefficient * leaf + constant in whole numbers without a common factor, the first
/// coefficient positive. A leaf is a variable, derivative, discrete value or `time`.
struct IntegerForm {
  struct Term {
    ExprId leaf;
    std::int64_t coefficient = 0;
  };
  std::vector<Term> terms;  ///< ascending by leaf, no zero coefficients
  std::int64_t constant = 0;
};

/// The integer form of the equation 0 = e, exact: sums, differences and products with and quotients
/// by constants that are fractions of whole numbers up to 10^6 with denominators up to 10^6 (0.5
/// and x/3 are, 0.1 is not: as a binary number it is no small fraction). Empty if e is not of that
/// form or a number outgrows 2^53. O(nodes reached).
std::optional<IntegerForm> integer_form(const Pool& pool, ExprId e);

}  // namespace chi::expr
