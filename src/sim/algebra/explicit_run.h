#pragma once
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sim/algebra/solve_failure.h"
#include "sim/algebra/solver_context.h"

namespace chi::sim {

/// Unknowns one after the other, for which the equations were solved by hand: x1 := e1, x2 := e2,
/// ...
///
/// What earlier ones give is put into later ones, so that all is one list of formulas over values
/// known before, which share their common parts. A division by what is no number is watched: the
/// equation does not determine its unknown where the divisor is zero, or is lost in the rounding of
/// its terms.
class ExplicitRun {
 public:
  struct Assignment {
    std::int32_t block = 0;  ///< of the block order; those of one block follow each other
    std::int32_t row = 0;    ///< into the rows of the block order
    expr::VarRef unknown;
    expr::ExprId value;
    std::vector<expr::ExprId> divisors;
  };
  ExplicitRun(const SolverContext& context, std::vector<Assignment> assignments);

  std::span<const Assignment> assignments() const { return assignments_; }  ///< resolved
  /// What is assigned to an unknown; none if nothing is.
  expr::ExprId value_of(expr::VarRef unknown) const;
  bool is_watched() const { return !watched_.empty(); }

  struct Divisor {
    std::size_t assignment = 0;  ///< into `assignments()`
    expr::ExprId written;        ///< before what earlier assignments give was put in
    double value = 0;            ///< in the last `solve`
  };
  std::size_t divisors() const { return watched_.size(); }
  Divisor divisor(std::size_t k) const;

  /// Writes all results. False if some value does not exist; the frame is then as before.
  bool solve(const SolverContext& context, double* frame);
  /// Whether an equation all but fails to determine its unknown at the values of the frame:
  /// `failed()`.
  bool is_singular_at(const SolverContext& context, const double* frame);
  /// After a failure: per assignment whether it has a value, and these values are written.
  std::vector<char> solve_each(double* frame);

  /// After a failure: the assignment at fault, and whether its divisor vanished.
  std::size_t failed() const { return failed_; }
  bool is_singular() const { return singular_; }
  const std::optional<code::FormulaFault>& fault() const { return fault_; }

 private:
  struct Watched {
    std::size_t assignment = 0;
    expr::ExprId written;
    expr::ExprId divisor;
    expr::ExprId size;  // none: a plain zero is all to look for
  };
  void compile(const SolverContext& context);
  bool is_lost(std::size_t k, double rounding) const;
  bool judge();

  std::vector<Assignment> assignments_;
  std::vector<std::pair<expr::VarRef, expr::ExprId>> by_unknown_;  // ascending
  std::vector<Watched> watched_;
  std::vector<std::int32_t> places_;
  std::optional<code::Formulas> formulas_;  // values, then divisor and size of each watched one
  std::vector<double> out_;
  std::size_t failed_ = 0;
  bool singular_ = false;
  std::optional<code::FormulaFault> fault_;
};

}  // namespace chi::sim
