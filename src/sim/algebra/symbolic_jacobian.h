#pragma once
#include <optional>
#include <span>
#include <vector>

#include "numerics/sparse_matrix.h"
#include "sim/algebra/solver_context.h"

namespace chi::sim {

/// ∂roots/∂leaves as code over a frame, exact and sparse. Entries that are numbers are evaluated
/// once and for all.
class SymbolicJacobian {
 public:
  /// Requires that the leaves of the roots have their places. Linear in nodes and entries.
  SymbolicJacobian(const SolverContext& context, std::span<const expr::ExprId> roots,
                   std::span<const expr::ExprId> leaves);

  const numerics::SparsePattern& pattern() const { return pattern_; }
  bool is_constant() const { return places_.empty(); }
  /// In the order of the pattern. False if some entry has no value: `fault()`.
  bool evaluate(const double* frame, std::span<double> values);
  /// The same; an entry without a value is NaN, and the others are computed all the same.
  bool evaluate_each(const double* frame, std::span<double> values);
  code::FormulaFault fault() const;  ///< its `root` is the row of the entry

 private:
  void fill(std::span<double> values) const;
  void order_by_columns(std::span<const std::int32_t> row_start,
                        std::span<const std::int32_t> column, std::vector<int>& position);

  numerics::SparsePattern pattern_;
  std::vector<double> constants_;  // the values, 0 where an entry varies
  std::vector<int> places_;        // of the varying entries
  std::vector<int> rows_;          // and their rows
  std::optional<code::Formulas> formulas_;
  std::vector<double> out_;
};

}  // namespace chi::sim
