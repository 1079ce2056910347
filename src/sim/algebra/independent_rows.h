#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "numerics/rank_revealing.h"
#include "sim/algebra/implicit_block.h"

namespace chi::sim {

/// Equations that may depend on each other at a point. From values near it as many as do not are
/// solved, by the shortest change of the unknowns, and it is told whether the rest then holds by
/// itself. (All together cannot be solved so: where they depend on each other only on their
/// solutions, Newton's steps beside these are long.)
class IndependentRows {
 public:
  /// At the values of the frame, which is made long enough. None if the matrix is too large to
  /// tell, or has no value there.
  static std::unique_ptr<IndependentRows> make(const SolverContext& context,
                                               std::span<const structure::BlockOrder::Row> rows,
                                               std::vector<expr::VarRef> unknowns,
                                               std::vector<double>& frame);

  /// At the point: the rows that depend on each other, and the unknowns that they leave open.
  const numerics::Dependencies& dependencies() const { return dependencies_; }

  enum class Result { Holds, RestIsOff, Unsolved };
  Result solve(std::vector<double>& frame);

 private:
  IndependentRows(const SolverContext& context, std::vector<expr::VarRef> unknowns)
      : context_(context), unknowns_(std::move(unknowns)) {}

  SolverContext context_;
  std::vector<expr::VarRef> unknowns_;
  numerics::Dependencies dependencies_;
  std::vector<structure::BlockOrder::Row> basis_rows_, rest_rows_;
  std::optional<ImplicitBlock> basis_, rest_;
};

}  // namespace chi::sim
