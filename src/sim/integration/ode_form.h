#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "numerics/problem.h"
#include "sim/algebra/block_graph.h"
#include "sim/algebra/implicit_jacobian.h"
#include "sim/algebra/solver_context.h"
#include "sim/algebra/symbolic_jacobian.h"
#include "sim/algebra/system_solver.h"

namespace chi::sim {

/// One mode of one part as y' = f(t, y): y are the states, f solves the equations that the
/// derivatives of the states need, and only those.
///
/// If all of them can be solved by hand, f is straight code and its Jacobian is symbolic; with
/// implicit blocks f iterates, and the Jacobian comes from the implicit function theorem.
///
/// The iteration starts from the last solution met, moved on by its slope at the start of the step,
/// so that it is short; but when time goes back, which means that a step was given up, it starts
/// again from the `anchor`, the solution at the start of the step. A far trial point can so never
/// lead the next one astray.
class OdeForm final : public numerics::OdeProblem {
 public:
  /// Works in `frame`, which belongs to the caller and is at least as long as the leaves whenever
  /// f is evaluated; everything but states, `time`, inputs and unknowns is taken from it as it is.
  /// `whole` solves all of the IVP; it is shared if the derivatives need all of it and it is plain
  /// code. (Matrices keep their pivots, and the use that others make of them must not show here.)
  OdeForm(const SolverContext& context, SystemSolver& whole, const BlockGraph& graph,
          std::span<const expr::VarRef> states, FrameInputs* inputs, std::vector<double>& frame);

  int size() const override { return static_cast<int>(states_.size()); }
  numerics::EvalStatus rhs(double t, std::span<const double> y, std::span<double> ydot) override;
  const numerics::SparsePattern* jacobian_pattern() const override;
  bool is_rough() override;
  bool has_jacobian() const override { return symbolic_ || implicit_; }
  numerics::EvalStatus jacobian(double t, std::span<const double> y,
                                std::span<double> values) override;

  /// Makes the code of the Jacobian, once; integrators that want it are made afterwards.
  void prepare_jacobian();
  /// About how many entries the Jacobian has.
  double estimated_entries() const { return estimated_entries_; }
  bool is_explicit() const { return direct_; }
  const SystemSolver::Counts& counts() const { return solver_.counts(); }

  /// Solutions of nonlinear equations at t to start from, where they are in the frame, and their
  /// slopes, 0 where these are not known.
  void anchor(double t, std::span<const std::int32_t> places, std::span<const double> values,
              std::span<const double> slopes);
  /// Why the last evaluation that failed did.
  const SolveFailure& failure();

 private:
  SystemSolver& choose_solver(SystemSolver& whole, const BlockGraph& graph);
  void put(double t, std::span<const double> y);
  bool solve();
  numerics::EvalStatus note_failure(double t, std::span<const double> y);

  SolverContext context_;
  std::vector<expr::VarRef> states_, derivatives_;
  structure::BlockOrder part_;       // of the IVP: what the derivatives need, if not shared
  std::optional<SystemSolver> own_;  // and its solver
  SystemSolver& solver_;
  FrameInputs* inputs_;
  std::vector<double>& frame_;
  std::vector<std::int32_t> state_places_, derivative_places_;
  std::int32_t time_place_;
  bool direct_ = false;
  double estimated_entries_ = 0;
  std::vector<expr::ExprId> roots_;  // f as expressions, if direct
  std::optional<code::Formulas> direct_code_;
  std::optional<SymbolicJacobian> symbolic_;
  std::optional<ImplicitJacobian> implicit_;
  std::vector<std::int32_t> guess_places_;
  std::vector<double> guesses_, slopes_;
  double anchor_t_ = 0;
  double last_t_ = 0;
  std::optional<double> failed_t_;  // an evaluation failed there, with these states
  std::vector<double> failed_y_;
  std::vector<double> beside_, slope_;
  SolveFailure failure_;
};

/// x^(k+1) for each state x^(k).
std::vector<expr::VarRef> derivatives_of(std::span<const expr::VarRef> states);

}  // namespace chi::sim
