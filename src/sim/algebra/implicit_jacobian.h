#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "numerics/linear_solver.h"
#include "sim/algebra/block_graph.h"
#include "sim/algebra/solver_context.h"
#include "sim/algebra/symbolic_jacobian.h"
#include "structure/analyse.h"

namespace chi::sim {

/// How the unknowns z of equations F(z, s) = 0 change with the given values s, exactly: by the
/// implicit function theorem ∂z/∂s = -(∂F/∂z)⁻¹ ∂F/∂s, with one sparse LU of all equations and one
/// solution per group of columns that share no target.
class ImplicitJacobian {
 public:
  /// Rows of the result: `targets`, each an unknown of the order or one of `given`; columns:
  /// `given`. The order outlives this.
  ImplicitJacobian(const SolverContext& context, const structure::BlockOrder& order,
                   std::span<const expr::VarRef> given, std::span<const expr::VarRef> targets);

  const numerics::SparsePattern& pattern() const { return pattern_; }
  /// At a solution. False if the equations are singular or have no value there.
  bool evaluate(const double* frame, std::span<double> values);
  const SymbolicJacobian& partials() const { return partials_; }

 private:
  void find_pattern(const BlockGraph& graph, std::span<const expr::VarRef> given,
                    std::span<const expr::VarRef> targets);
  void group_columns();

  int unknowns_;
  SymbolicJacobian partials_;  // columns: unknowns, then given values
  numerics::LinearSolver linear_;
  numerics::SparsePattern pattern_;
  std::vector<std::int32_t> target_;  // the unknown behind a row, or -1 - given value
  std::vector<std::vector<int>> groups_;
  std::vector<double> entries_, z_;
};

}  // namespace chi::sim
