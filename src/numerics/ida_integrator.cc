#include "numerics/ida_integrator.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <ida/ida.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include "base/check.h"
#include "numerics/difference_jacobian.h"
#include "numerics/newton_convergence.h"
#include "numerics/step_control.h"
#include "numerics/sundials_integrator.h"

namespace chi::numerics {
namespace {

constexpr int kUsualIterations = 4;  // of Newton, as IDA would have it
constexpr int kMaxIterations = 8;    // where it jumps to and fro

using sundials::check;

constexpr SundialsCalls kCalls = {.last_order = IDAGetLastOrder,
                                  .current_step = IDAGetCurrentStep,
                                  .derivative = IDAGetDky,
                                  .set_first_step = IDASetInitStep,
                                  .set_shortest_step = IDASetMinStep,
                                  .set_stop_time = IDASetStopTime,
                                  .error_test_failures = IDAGetNumErrTestFails,
                                  .linear_setups = IDAGetNumLinSolvSetups,
                                  .newton_counts = IDAGetNonlinSolvStats,
                                  .free = IDAFree};

class IdaIntegrator final : public SundialsIntegrator {
 public:
  IdaIntegrator(DaeProblem& problem, const IntegratorOptions& options);
  void restart(double t, std::span<const double> y, std::span<const double> yp,
               Restart kind) override;

 private:
  StepStatus find_slope() override { return StepStatus::Stepped; }
  double find_first_step(double t_limit) override;
  void reinitialise() override;
  int advance(double limit, double& reached) override;
  void accept() override { std::swap(yp_, next_yp_); }
  Failure failure_of(int flag) const override;

  static int residual(double t, N_Vector y, N_Vector yp, N_Vector r, void* self);
  static int jacobian(double t, double cj, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix j,
                      void* self, N_Vector, N_Vector, N_Vector);
  int fill_jacobian(double t, double cj, N_Vector y, N_Vector yp, SUNMatrix j);
  EvalStatus evaluate_jacobian(double t, double cj, std::span<const double> y,
                               std::span<const double> yp);
  void move_aside(double sign, std::span<const double> y, std::span<const double> yp);
  static int convergence(SUNNonlinearSolver solver, N_Vector y, N_Vector correction,
                         double tolerance, N_Vector weights, void* self);
  static int weights(N_Vector y, N_Vector out, void* self);
  bool states_rest(N_Vector correction, N_Vector weights) const;
  double excess_of(N_Vector correction, N_Vector weights) const;
  void configure();

  DaeProblem& problem_;
  SparsePattern pattern_;
  sundials::Vector next_yp_, last_correction_;
  std::vector<double> entries_, beside_;
  int failures_ = 0;  // of the iteration, with few Jacobians between them that helped
  int helped_ = 0;    // Jacobians in a row
  static constexpr int kShorterFirst = 3, kCalm = 10;
  long failures_seen_ = 0;  // of Newton, before it
  std::optional<DifferenceJacobian> differences_;
  NewtonConvergence convergence_;
  double share_ = 1;  // of a correction that is made in this iteration
};

IdaIntegrator::IdaIntegrator(DaeProblem& problem, const IntegratorOptions& options)
    : SundialsIntegrator(
          problem.size(), options, kCalls,
          options.suppress_algebraic ? problem.differential() : std::span<const char>{}),
      problem_(problem),
      pattern_(problem.jacobian_pattern() ? *problem.jacobian_pattern()
                                          : full_pattern(problem.size(), problem.size())),
      next_yp_(sundials::make_vector(problem.size(), context_.get())),
      last_correction_(sundials::make_vector(problem.size(), context_.get())),
      entries_(static_cast<std::size_t>(pattern_.nonzeros())),
      beside_(static_cast<std::size_t>(problem.size())) {
  dense_matrix_ = prefers_dense(pattern_, options.matrix);
  matrix_ = sundials::make_matrix(pattern_, dense_matrix_, context_.get());
  linear_ = sundials::make_linear_solver(y_.get(), matrix_.get(), dense_matrix_, context_.get());
  if (!problem.has_jacobian()) differences_.emplace(pattern_, norm_.typical());
  configure();
}

void IdaIntegrator::configure() {
  memory_.reset(IDACreate(context_.get()));
  void* ida = memory_.get();
  check(IDASetErrHandlerFn(ida, sundials::ignore_message, nullptr));
  check(IDAInit(ida, &IdaIntegrator::residual, 0, y_.get(), yp_.get()));
  check(IDASetUserData(ida, this));
  check(IDAWFtolerances(ida, &IdaIntegrator::weights));
  check(IDASetLinearSolver(ida, linear_.get(), matrix_.get()));
  check(IDASetJacFn(ida, &IdaIntegrator::jacobian));
  iteration_ = sundials::make_newton(y_.get(), context_.get());
  check(IDASetNonlinearSolver(ida, iteration_.get()));
  check(SUNNonlinSolSetConvTestFn(iteration_.get(), &IdaIntegrator::convergence, this));
  check(IDASetMaxNumSteps(ida, -1));
  if (options_.max_order > 0) check(IDASetMaxOrd(ida, std::min(options_.max_order, 5)));
  check(IDASetMaxErrTestFails(ida, 200));  // the smallest step ends the attempts, not a count
  check(IDASetMaxConvFails(ida, 200));
  check(IDASetMaxNonlinIters(ida, kMaxIterations));
  if (std::isfinite(options_.max_step)) check(IDASetMaxStep(ida, options_.max_step));
  const std::span<const char> differential = problem_.differential();
  if (options_.suppress_algebraic && !differential.empty()) {
    const sundials::Vector id = sundials::make_vector(size(), context_.get());
    std::copy(differential.begin(), differential.end(), sundials::values(id.get()).begin());
    check(IDASetId(ida, id.get()));
    check(IDASetSuppressAlg(ida, SUNTRUE));
  }
}

int IdaIntegrator::convergence(SUNNonlinearSolver solver, N_Vector y, N_Vector correction,
                               double tolerance, N_Vector weights, void* self) {
  auto& s = *static_cast<IdaIntegrator*>(self);
  int iteration = 0;
  SUNNonlinSolGetCurIter(solver, &iteration);
  if (iteration == 0) s.share_ = 1;
  if (s.share_ < 1) {
    N_VLinearSum(1, y, s.share_ - 1, correction, y);
    N_VScale(s.share_, correction, correction);
  }
  const int found = sundials::judge(s.convergence_, solver, correction, tolerance, weights);
  if (found == SUN_NLS_SUCCESS) return found;
  const auto is_last = [&] {
    return iteration + 1 >= (s.share_ < 1 ? kMaxIterations : kUsualIterations);
  };
  if (s.share_ < 1 && is_last() && s.states_rest(correction, weights)) return SUN_NLS_SUCCESS;
  const double excess = iteration > 0 ? s.excess_of(correction, weights) : 0;
  if (excess > 0) N_VLinearSum(1, y, -excess, correction, y);
  N_VScale(1 - excess, correction, s.last_correction_.get());
  s.share_ *= 1 - excess;
  const bool has_hope = s.share_ < 1 || found == SUN_NLS_CONTINUE;
  return has_hope && !is_last() ? SUN_NLS_CONTINUE : SUN_NLS_CONV_RECVR;
}

// Across the corner of an odd root Newton jumps to and fro: from x to -x and back. What it looks
// for lies between: a share of the correction is too much.
double IdaIntegrator::excess_of(N_Vector correction, N_Vector weights) const {
  constexpr double kOpposite = -0.7;  // the cosine
  constexpr double kSlow = 0.5;
  const std::span<const double> now = sundials::values(correction);
  const std::span<const double> last = sundials::values(last_correction_.get());
  const std::span<const double> w = sundials::values(weights);
  double both = 0, now2 = 0, last2 = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const double a = now[i] * w[i], b = last[i] * w[i];
    both += a * b;
    now2 += a * a;
    last2 += b * b;
  }
  const double ratio = std::sqrt(now2 / last2);
  if (!(ratio > kSlow && both < kOpposite * std::sqrt(now2 * last2))) return 0;
  return ratio / (1 + ratio);
}

// Where the slope of an algebraic variable is infinite, as that of a flow at the end of its root,
// the rounding of the states makes more of it than its tolerance, and Newton jumps to and fro
// across that. (Corrections of the states that are merely within their tolerance prove nothing
// there: a huge slope makes them small.)
bool IdaIntegrator::states_rest(N_Vector correction, N_Vector weights) const {
  const std::span<const char> counts = problem_.differential();
  if (!options_.suppress_algebraic || counts.empty()) return false;
  const double rounding = 8 * std::numeric_limits<double>::epsilon() / norm_.relative();
  const std::span<const double> v = sundials::values(correction), w = sundials::values(weights);
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (counts[i] && !(std::abs(v[i]) * w[i] <= rounding)) return false;
  }
  return true;
}

int IdaIntegrator::weights(N_Vector y, N_Vector out, void* self) {
  static_cast<IdaIntegrator*>(self)->weigh(y, out);
  return 0;
}

int IdaIntegrator::residual(double t, N_Vector y, N_Vector yp, N_Vector r, void* self) {
  auto& s = *static_cast<IdaIntegrator*>(self);
  ++s.counts_.evaluations;
  return s.carried_.guard(-1, [&] {
    return s.code_of(
        s.problem_.residual(t, sundials::values(y), sundials::values(yp), sundials::values(r)));
  });
}

int IdaIntegrator::jacobian(double t, double cj, N_Vector y, N_Vector yp, N_Vector, SUNMatrix j,
                            void* self, N_Vector, N_Vector, N_Vector) {
  auto& s = *static_cast<IdaIntegrator*>(self);
  return s.carried_.guard(-1, [&] { return s.fill_jacobian(t, cj, y, yp, j); });
}

int IdaIntegrator::fill_jacobian(double t, double cj, N_Vector y, N_Vector yp, SUNMatrix j) {
  const std::span<const double> at = sundials::values(y), slope = sundials::values(yp);
  long failures = 0;
  check(IDAGetNumNonlinSolvConvFails(memory_.get(), &failures));
  const bool has_helped = std::exchange(failures_seen_, failures) == failures;
  helped_ = has_helped ? helped_ + 1 : 0;
  if (!has_helped) ++failures_;
  if (helped_ >= kCalm) failures_ = 0;
  // On the spot, where a slope may be boundless, a step that is far too long would do as well.
  const bool is_beside = has_helped || failures_ % (kShorterFirst + 1) != kShorterFirst;
  EvalStatus status = EvalStatus::Domain;
  for (const double sign : {1.0, -1.0}) {
    if (!is_beside || status != EvalStatus::Domain) break;
    move_aside(sign, at, slope);
    status = evaluate_jacobian(t, cj, beside_, slope);
  }
  if (status == EvalStatus::Domain) status = evaluate_jacobian(t, cj, at, slope);
  if (status == EvalStatus::Ok) sundials::store(pattern_, entries_, dense_matrix_, j);
  return code_of(status);
}

EvalStatus IdaIntegrator::evaluate_jacobian(double t, double cj, std::span<const double> y,
                                            std::span<const double> yp) {
  ++counts_.jacobians;
  convergence_.forget();
  if (!differences_) return problem_.jacobian(t, y, yp, 1, cj, entries_);
  const EvalStatus status = differences_->evaluate(problem_, t, y, yp, 1, cj, entries_);
  counts_.evaluations += differences_->evaluations();
  return status;
}

// A point that the tolerance cannot tell from y. Beside the end of a root slopes may be larger than
// any that the step will meet, and then every correction is small, whatever is wrong: but that far
// away they are not.
void IdaIntegrator::move_aside(double sign, std::span<const double> y, std::span<const double> yp) {
  constexpr double kPart = 0.3;
  weights_.weights(y, beside_);
  for (std::size_t i = 0; i < beside_.size(); ++i) {
    const double by = kPart / beside_[i];
    beside_[i] = y[i] + (yp[i] < 0 ? -sign : sign) * by;
  }
}

void IdaIntegrator::restart(double t, std::span<const double> y, std::span<const double> yp,
                            Restart kind) {
  CHI_CHECK(yp.size() == y.size(), "the equations need y' at the start");
  SundialsIntegrator::restart(t, y, yp, kind);
}

double IdaIntegrator::find_first_step(double t_limit) {
  return first_order_step(norm_, t_, y(), yp(), t_limit);
}

void IdaIntegrator::reinitialise() { check(IDAReInit(memory_.get(), t_, y_.get(), yp_.get())); }

int IdaIntegrator::advance(double limit, double& reached) {
  return IDASolve(memory_.get(), limit, &reached, next_y_.get(), next_yp_.get(), IDA_ONE_STEP);
}

IdaIntegrator::Failure IdaIntegrator::failure_of(int flag) const {
  switch (flag) {
    case IDA_RES_FAIL:
    case IDA_REP_RES_ERR:
    case IDA_FIRST_RES_FAIL: return Failure::Domain;
    case IDA_CONV_FAIL:
    case IDA_NLS_FAIL: return Failure::Convergence;
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL: return Failure::LinearSolver;
    case IDA_ERR_FAIL:
    case IDA_ILL_INPUT:  // weights or a step that are not finite
    case IDA_TOO_MUCH_ACC: return Failure::Accuracy;
    default: CHI_CHECK(false, "unexpected flag from IDASolve"); return Failure::Accuracy;
  }
}

}  // namespace

std::unique_ptr<Integrator> make_ida_integrator(DaeProblem& problem,
                                                const IntegratorOptions& options) {
  return std::make_unique<IdaIntegrator>(problem, options);
}

}  // namespace chi::numerics
