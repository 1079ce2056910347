#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "numerics/integrator.h"
#include "sim/algebra/solve_failure.h"
#include "sim/algebra/solver_context.h"
#include "sim/algebra/system_solver.h"
#include "sim/interface/run_options.h"
#include "structure/analyse.h"

namespace chi::sim {

struct MotionOptions {
  double rtol = 1e-6;
  double atol = 1e-9;
  SolverChoice solver = SolverChoice::Auto;
  double max_step = std::numeric_limits<double>::infinity();
};

/// What values are for. Sparse matrices keep their pivots from one solution to the next, which
/// shows in the last bits; so what is done for one purpose must not meet what is done for another.
enum class Purpose : std::uint8_t {
  Events,  ///< anything that the course of the run depends on
  Output,  ///< only to be shown
};

/// Why a step failed.
struct MotionFailure {
  numerics::StepStatus status = numerics::StepStatus::Stepped;
  /// The equation that has no value or no solution near, if that was the reason.
  std::optional<SolveFailure> equations;
  std::optional<expr::VarRef> fastest;  ///< the state that changes fastest, by its tolerance
};

/// One mode of one part, moving.
///
///     restart(t, frame)               -- a consistent frame
///     while step(limit) = Stepped:
///       dense() over [t_old(), t()]   -- the states
///       values_at(time, frame)        -- everything, at any time inside the step
///
/// Equations that no derivative needs are not evaluated during a step: values_at may fail inside a
/// step where such an equation has no value. Whoever minds takes the step again, shorter: `retake`.
///
/// The solution at a time does not depend on the times that were asked for before, or on the output
/// grid: nonlinear equations are solved from guesses that are interpolated between the ends of the
/// step.
class Motion {
 public:
  /// `ivp` is square and outlives this, as what the context refers to. `inputs` may be null. The
  /// leaves may grow here, but not later.
  Motion(const SolverContext& context, const structure::BlockOrder& ivp,
         std::span<const expr::VarRef> states, const MotionOptions& options,
         FrameInputs* inputs = nullptr);
  Motion(Motion&&) noexcept;
  Motion& operator=(Motion&&) noexcept;
  ~Motion();

  /// Starts at a frame that is consistent at t: all equations hold. Warm: same equations, states
  /// not far from where they were; keeps the step size. Discrete values are taken from this frame.
  void restart(double t, std::span<const double> frame, numerics::Restart kind);

  /// One step, not past `limit`. A failure leaves everything at the last accepted step, and
  /// `failure()` tells more. Without states a step covers what can be looked at as one smooth
  /// piece.
  numerics::StepStatus step(double limit);
  /// Undoes the last step and takes a shorter one. Requires a step since the restart, and a limit
  /// inside it.
  numerics::StepStatus retake(double limit);
  MotionFailure failure() const;

  double t() const;
  double t_old() const;  ///< start of the last step; t() right after a restart
  std::span<const expr::VarRef> states() const;
  /// The states at t(), as many as `states()`.
  std::span<const double> y() const;
  /// Of the last step; component i is state i, there may be more. Requires a step since the
  /// restart. Valid until the next step or restart.
  const numerics::DenseOutput& dense();

  /// Writes states, `time`, inputs and all unknowns at a time in [t_old(), t()]; the rest of the
  /// frame has to be as it was at the restart. False if the equations have no solution there:
  /// `values_failure()`.
  bool values_at(double time, double* frame, Effort effort = Effort::Near,
                 Purpose purpose = Purpose::Events);
  const SolveFailure& values_failure() const;
  /// Whether nonlinear unknowns moved in the last step as their derivatives say, where the
  /// equations tell these.
  bool is_smooth() const;

  /// Whether the states move against where they went when the last step began.
  bool turned() const;

  /// SystemSolver's, of the last values for events.
  void read_pivots(std::vector<double>& pivots) const;
  SystemSolver::PivotOwner owner_of_pivot(std::size_t pivot) const;

  double suggested_next_step() const;  ///< 0: unknown
  std::string_view method_name() const;
  bool is_multistep() const;                ///< and so starts with a low order
  numerics::IntegratorStats stats() const;  ///< of all methods used

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace chi::sim
