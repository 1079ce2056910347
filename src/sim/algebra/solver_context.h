#pragma once
#include <functional>
#include <span>

#include "code/formulas.h"
#include "expr/expr.h"

namespace chi::sim {

/// What the solvers of one part of a model share. Everything referred to outlives them.
///
/// The frame of the part, an array of doubles with the places of `leaves`, belongs to the caller
/// and is handed over with each call. All leaves are entered when a solver is made, so a frame as
/// long as `leaves` is long enough afterwards.
struct SolverContext {
  expr::Pool& pool;
  code::FormulaLeaves& leaves;
  code::Boxes* boxes = nullptr;
  std::function<double(expr::VarRef)> nominal = {};  ///< positive; empty: 1
  std::function<double(expr::VarRef)> lower = {};    ///< empty: -inf
  std::function<double(expr::VarRef)> upper = {};    ///< empty: inf
};

/// Values of a frame that are neither states nor results of equations but move with time: delays.
struct FrameInputs {
  virtual ~FrameInputs() = default;
  /// Called when states and `time` are in the frame, before equations are solved.
  virtual void set(double time, double* frame) = 0;
};

/// The leaf of x^(k).
expr::ExprId leaf_of(expr::Pool& pool, expr::VarRef x);

/// Gives every leaf of the roots its place. O(nodes reached).
void enter_leaves(const SolverContext& context, std::span<const expr::ExprId> roots);

}  // namespace chi::sim
