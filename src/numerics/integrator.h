#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "numerics/dense_output.h"
#include "numerics/problem.h"

namespace chi::numerics {

/// What the user asks of the solution: an error of about w_i = relative |y_i| + absolute_i.
///
/// Each method lets a single step err by a fixed share of that, in the root mean square of error_i
/// / w_i, chosen so that on well-conditioned problems the errors of all steps together, at the
/// steps and between them, stay within ten times the tolerance
/// (tests/convergence/tolerance_test.cc).
struct Tolerances {
  double relative = 1e-6;
  double absolute = 1e-9;
  std::vector<double> absolute_each = {};  ///< per component; replaces `absolute` unless empty
};

enum class MatrixKind { Auto, Dense, Sparse };  ///< Auto: by size and density (`prefers_dense`)

struct IntegratorOptions {
  Tolerances tolerances = {};
  double initial_step = 0;  ///< 0: chosen from the problem
  double max_step = std::numeric_limits<double>::infinity();
  double fixed_step =
      0;  ///< one-step methods only: this step, no error control (to measure orders)
  /// Leave algebraic components out of the error test. At the steps they are as accurate as the
  /// iteration is; nothing bounds their error between steps.
  bool suppress_algebraic = false;
  /// Multistep methods only: no order above it; 0: the method's own (5 for BDF and IDA, 12 for
  /// Adams).
  int max_order = 0;
  double share = 0;  ///< of the tolerance, for one step; 0: the method's own
  MatrixKind matrix = MatrixKind::Auto;
};

enum class StepStatus {
  Stepped,
  NewtonFailed,    ///< the implicit equations resisted down to the smallest step
  SingularMatrix,  ///< the iteration matrix is singular, with a fresh Jacobian and the smallest
                   ///< step
  StepTooSmall,    ///< the error test asks for steps below the resolution of time
  DomainError,     ///< the problem has no value there, down to the smallest step
  Fatal,           ///< the problem said so
};

/// Cold: nothing is known. Warm: the solution may have jumped or the equations switched, but size
/// and pattern are the same, so the old step size and Jacobian are good first guesses. Again: the
/// equations are in force again after others were, so the first step is as long as the one behind
/// the restart before turned out to allow.
enum class Restart { Cold, Warm, Again };

/// Counts since construction.
struct IntegratorStats {
  std::int64_t steps = 0;
  std::int64_t rejected = 0;         ///< trial steps that failed the error test
  std::int64_t domain_retreats = 0;  ///< trial steps given up because the problem had no value
  std::int64_t newton_failures = 0;
  std::int64_t evaluations = 0;  ///< of f or F, those for difference quotients included
  std::int64_t jacobians = 0;
  std::int64_t factorizations = 0;
  std::int64_t newton_iterations = 0;
  std::int64_t restarts = 0;
};

/// Integrates one smooth mode, one step at a time.
///
/// Knows no events and no output points: it steps as its error control wants, and gives the
/// solution inside the last step by a polynomial. So results cannot depend on the output grid, and
/// detection, location and handling of events are the caller's, the same for every method.
///
///     restart(t, y, y')                       -- at a consistent point
///     while step(t_limit) = Stepped:          -- t_limit: next time event, never overstepped
///       look at dense_output() over [t_old(), t()]
///       at an event: restart(t*, y*, y'*, Warm or Cold); without a change just go on
///
/// The problem is held by reference and outlives the integrator. Deterministic; forward in time
/// only.
class Integrator {
 public:
  virtual ~Integrator() = default;

  /// Starts at (t, y). A DAE needs y' with F(t, y, y') = 0; an ODE ignores `yp` (it may be empty).
  /// Nothing is evaluated yet: failures show in the first step.
  virtual void restart(double t, std::span<const double> y, std::span<const double> yp,
                       Restart kind) = 0;

  /// Takes one step, not past `t_limit`, onto it exactly if it lies within reach. Any failure
  /// leaves t, y, y' at the last accepted step. Requires t_limit > t(); infinity is allowed.
  virtual StepStatus step(double t_limit) = 0;

  virtual int size() const = 0;
  virtual double t() const = 0;
  virtual double t_old() const = 0;  ///< start of the last step; t() right after a restart
  virtual std::span<const double> y() const = 0;
  /// y' at t(). Right after a restart of an ODE method: as given, or zero.
  virtual std::span<const double> yp() const = 0;
  virtual double next_step() const = 0;  ///< the size the method would like to try next; 0: unknown

  /// The polynomial of the last step, made when first asked for. Requires a step since the restart.
  /// Valid until the next `step` or `restart`; copy it to keep it.
  virtual const DenseOutput& dense_output() = 0;

  /// y at one time in [t_old(), t()]; cheaper than `dense_output()` if that is all one needs.
  virtual void interpolate(double at, std::span<double> y) = 0;

  /// Explicit methods: stability, not accuracy, has been limiting the steps for a while.
  virtual bool looks_stiff() const { return false; }
  virtual IntegratorStats stats() const = 0;
};

/// Whether dense linear algebra suits a Jacobian: small, or more than a quarter full.
bool prefers_dense(const SparsePattern& pattern, MatrixKind kind);

}  // namespace chi::numerics
