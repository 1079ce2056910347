#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "numerics/problem.h"
#include "sim/algebra/solve_failure.h"
#include "sim/algebra/solver_context.h"
#include "sim/algebra/symbolic_jacobian.h"
#include "structure/analyse.h"

namespace chi::sim {

/// One mode of one part as F(t, y, y') = 0 of index one, unsolved and sparse.
///
/// The components of y are the states, in their order, and then the other unknowns of the IVP. A
/// derivative x^(k+1) of a state x^(k) is the y' of its component if all that is computed from it
/// are such derivatives. Otherwise it is a component itself, with a row y'_k - y_(k+1): a multistep
/// method knows y' only as a difference quotient of y, and the shorter the step the more an
/// algebraic unknown that follows it would make of the tolerance on y. The other rows are those of
/// the block order.
class DaeForm final : public numerics::DaeProblem {
 public:
  /// `frame`: as for OdeForm.
  DaeForm(const SolverContext& context, const structure::BlockOrder& ivp,
          std::span<const expr::VarRef> states, FrameInputs* inputs, std::vector<double>& frame);

  int size() const override { return static_cast<int>(components_.size()); }
  numerics::EvalStatus residual(double t, std::span<const double> y, std::span<const double> yp,
                                std::span<double> r) override;
  std::span<const char> differential() const override { return differential_; }
  const numerics::SparsePattern* jacobian_pattern() const override { return &pattern_; }
  bool has_jacobian() const override { return true; }
  numerics::EvalStatus jacobian(double t, std::span<const double> y, std::span<const double> yp,
                                double cy, double cyp, std::span<double> values) override;

  std::span<const expr::VarRef> components() const { return components_; }
  /// y, and y' of the states, from a consistent frame.
  void read(const double* frame, std::span<double> y, std::span<double> yp) const;
  /// The components into a frame.
  void write(std::span<const double> y, double* frame) const;
  /// Why the last evaluation that failed did.
  const SolveFailure& failure() const { return failure_; }

 private:
  struct Chain {
    std::int32_t state = 0;  // x^(k)
    std::int32_t next = 0;   // x^(k+1)
  };
  struct Entry {
    std::int32_t to = 0;      // in the values of the pattern
    bool derivative = false;  // belongs to ∂F/∂y'
  };
  void find_components(std::span<const expr::VarRef> states);
  std::vector<char> slopes_among_unknowns(std::span<const expr::VarRef> states) const;
  void prepare_jacobian(std::span<const expr::ExprId> rows);
  void put(double t, std::span<const double> y, std::span<const double> yp);
  numerics::EvalStatus note_failure(const code::FormulaFault& fault);

  SolverContext context_;
  const structure::BlockOrder& order_;
  FrameInputs* inputs_;
  std::vector<double>& frame_;
  std::int32_t time_place_;
  std::vector<expr::VarRef> components_;
  std::vector<char> differential_;
  std::vector<std::int32_t> places_;
  std::vector<std::int32_t> derivative_places_;  // per state
  std::vector<char> has_own_derivative_;         // per state: y' is an unknown
  std::vector<Chain> chains_;
  std::optional<code::Formulas> rows_;
  std::optional<SymbolicJacobian> partials_;  // by the components, then by the derivatives
  numerics::SparsePattern pattern_;
  std::vector<Entry> entries_;  // per entry of `partials_`
  std::vector<Entry> chain_entries_;
  std::vector<double> values_, beside_;
  SolveFailure failure_;
};

}  // namespace chi::sim
