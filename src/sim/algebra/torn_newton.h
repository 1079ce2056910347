#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "code/formulas.h"
#include "sim/algebra/solver_context.h"
#include "structure/analyse.h"

namespace chi::sim {

/// The quick way to solve a nonlinear block from a guess that is near: inside a step, where the
/// same block is solved again and again.
///
/// The block is torn (graph/tearing.h): equations that are linear in an unknown with a number for a
/// coefficient give it by an assignment, and Newton's method is left with the few unknowns that
/// were cut. Their equations, with the assignments put in, and the exact derivatives of these are
/// one piece of code. Plain steps, no damping: whenever that is not plain sailing, `solve` says so
/// and the caller takes the robust method with all unknowns.
///
/// Assignments one after the other can magnify rounding. So the caller compares the first solution
/// with that of the robust method before it relies on this.
class TornNewton {
 public:
  /// None if too many unknowns are left, or some equation looks into the past.
  static std::optional<TornNewton> make(const SolverContext& context,
                                        std::span<const structure::BlockOrder::Row> rows,
                                        std::span<const expr::VarRef> unknowns);

  /// From the guess in the frame to the solution. False: the unknowns in the frame are anything.
  bool solve(double* frame);
  int iterations() const { return iterations_; }  ///< of the last solve
  /// Whether the last step was small for each of the unknowns it is about, small as they may be.
  bool is_settled() const { return is_settled_; }
  int torn() const { return static_cast<int>(torn_places_.size()); }

 private:
  TornNewton(code::Formulas equations, code::Formulas assignments)
      : equations_(std::move(equations)), assignments_(std::move(assignments)) {}
  bool factor_and_step();

  code::Formulas equations_;    // residuals, then the entries of their Jacobian
  code::Formulas assignments_;  // of the other unknowns
  std::vector<std::int32_t> torn_places_, assigned_places_;
  std::vector<double> nominal_;  // of the torn ones
  struct Bent {
    std::size_t assigned = 0;  ///< its number
    double nominal = 1;
  };
  std::vector<Bent> bent_;                 // assigned unknowns in which equations are not linear
  std::vector<std::size_t> entry_places_;  // of the entries, in the dense matrix by rows
  std::vector<double> values_, matrix_, step_, assigned_;
  int iterations_ = 0;
  bool is_settled_ = true;
};

}  // namespace chi::sim
