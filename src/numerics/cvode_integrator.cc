#include "numerics/cvode_integrator.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include <cvode/cvode.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include "base/check.h"
#include "numerics/newton_convergence.h"
#include "numerics/ode_as_dae.h"
#include "numerics/step_control.h"
#include "numerics/sundials_integrator.h"

namespace chi::numerics {
namespace {

using sundials::check;

constexpr SundialsCalls kCalls = {.last_order = CVodeGetLastOrder,
                                  .current_step = CVodeGetCurrentStep,
                                  .derivative = CVodeGetDky,
                                  .set_first_step = CVodeSetInitStep,
                                  .set_shortest_step = CVodeSetMinStep,
                                  .set_stop_time = CVodeSetStopTime,
                                  .error_test_failures = CVodeGetNumErrTestFails,
                                  .linear_setups = CVodeGetNumLinSolvSetups,
                                  .newton_counts = CVodeGetNonlinSolvStats,
                                  .free = CVodeFree};

class CvodeIntegrator final : public SundialsIntegrator {
 public:
  CvodeIntegrator(OdeProblem& problem, const IntegratorOptions& options, MultistepMethod method);
  IntegratorStats stats() const override;

 private:
  StepStatus find_slope() override;
  double find_first_step(double t_limit) override;
  void reinitialise() override;
  int advance(double limit, double& reached) override;
  void accept() override;
  Failure failure_of(int flag) const override;
  double inside(double at) const override;

  static int rhs(double t, N_Vector y, N_Vector ydot, void* self);
  static int linear_system(double t, N_Vector y, N_Vector f, SUNMatrix m, booleantype jacobian_ok,
                           booleantype* jacobian_current, double gamma, void* self, N_Vector,
                           N_Vector, N_Vector);
  static int convergence(SUNNonlinearSolver solver, N_Vector y, N_Vector correction,
                         double tolerance, N_Vector weights, void* self);
  static int weights(N_Vector y, N_Vector out, void* self);
  void look_at_residual(SUNNonlinearSolver solver, N_Vector sum, N_Vector correction,
                        N_Vector weights);
  void configure(MultistepMethod method);
  EvalStatus evaluate(double t, std::span<const double> y, std::span<double> ydot);

  OdeProblem& problem_;
  std::optional<OdeAsDae> implicit_;  // BDF only, as the next three
  std::vector<double> jacobian_;      // -∂f/∂y, in the pattern of `implicit_`
  std::vector<double> entries_;       // I - γ ∂f/∂y
  bool is_rough_;
  NewtonConvergence convergence_;
  std::vector<double> work_f_;
};

CvodeIntegrator::CvodeIntegrator(OdeProblem& problem, const IntegratorOptions& options,
                                 MultistepMethod method)
    : SundialsIntegrator(problem.size(), options, kCalls, {}),
      problem_(problem),
      is_rough_(problem.is_rough()),
      work_f_(work_.size()) {
  if (method == MultistepMethod::Bdf) {
    implicit_.emplace(problem, norm_.typical());
    const SparsePattern& pattern = *implicit_->jacobian_pattern();
    jacobian_.resize(static_cast<std::size_t>(pattern.nonzeros()));
    entries_.resize(jacobian_.size());
    dense_matrix_ = prefers_dense(pattern, options.matrix);
    matrix_ = sundials::make_matrix(pattern, dense_matrix_, context_.get());
    linear_ = sundials::make_linear_solver(y_.get(), matrix_.get(), dense_matrix_, context_.get());
    iteration_ = sundials::make_newton(y_.get(), context_.get());
  } else {
    iteration_ = sundials::make_fixed_point(y_.get(), context_.get());
  }
  configure(method);
}

void CvodeIntegrator::configure(MultistepMethod method) {
  memory_.reset(CVodeCreate(method == MultistepMethod::Bdf ? CV_BDF : CV_ADAMS, context_.get()));
  void* cvode = memory_.get();
  check(CVodeSetErrHandlerFn(cvode, sundials::ignore_message, nullptr));
  check(CVodeInit(cvode, &CvodeIntegrator::rhs, 0, y_.get()));
  check(CVodeSetUserData(cvode, this));
  check(CVodeWFtolerances(cvode, &CvodeIntegrator::weights));
  if (implicit_) {
    check(CVodeSetLinearSolver(cvode, linear_.get(), matrix_.get()));
    check(CVodeSetLinSysFn(cvode, &CvodeIntegrator::linear_system));
  }
  check(CVodeSetNonlinearSolver(cvode, iteration_.get()));
  if (implicit_) {
    check(SUNNonlinSolSetConvTestFn(iteration_.get(), &CvodeIntegrator::convergence, this));
  }
  check(CVodeSetMaxNumSteps(cvode, -1));
  const int highest = method == MultistepMethod::Bdf ? 5 : 12;
  if (options_.max_order > 0) check(CVodeSetMaxOrd(cvode, std::min(options_.max_order, highest)));
  check(CVodeSetMaxHnilWarns(cvode, -1));
  check(CVodeSetMaxErrTestFails(cvode, 200));  // the smallest step ends the attempts, not a count
  check(CVodeSetMaxConvFails(cvode, 200));
  if (std::isfinite(options_.max_step)) check(CVodeSetMaxStep(cvode, options_.max_step));
}

EvalStatus CvodeIntegrator::evaluate(double t, std::span<const double> y, std::span<double> ydot) {
  ++counts_.evaluations;
  return problem_.rhs(t, y, ydot);
}

int CvodeIntegrator::convergence(SUNNonlinearSolver solver, N_Vector sum, N_Vector correction,
                                 double tolerance, N_Vector weights, void* self) {
  auto& s = *static_cast<CvodeIntegrator*>(self);
  if (s.is_rough_) s.look_at_residual(solver, sum, correction, weights);
  return sundials::judge(s.convergence_, solver, correction, tolerance, weights);
}

// Of y = ypred + sum, rl1 zn1 + sum = γ f(y), as it was before the last correction.
void CvodeIntegrator::look_at_residual(SUNNonlinearSolver solver, N_Vector sum, N_Vector correction,
                                       N_Vector weights) {
  double t = 0, gamma = 0, rl1 = 0;
  N_Vector ypred = nullptr, yn = nullptr, fn = nullptr, zn1 = nullptr;
  void* self = nullptr;
  check(
      CVodeGetNonlinearSystemData(memory_.get(), &t, &ypred, &yn, &fn, &gamma, &rl1, &zn1, &self));
  sundials::point_at(view_.get(), work_);
  N_VLinearSum(1, sum, -1, correction, view_.get());
  N_VLinearSum(rl1, zn1, 1, view_.get(), view_.get());
  N_VLinearSum(-gamma, fn, 1, view_.get(), view_.get());
  int iteration = 0;
  SUNNonlinSolGetCurIter(solver, &iteration);
  convergence_.look_at(iteration, work_, sundials::values(weights));
}

int CvodeIntegrator::weights(N_Vector y, N_Vector out, void* self) {
  static_cast<CvodeIntegrator*>(self)->weigh(y, out);
  return 0;
}

int CvodeIntegrator::rhs(double t, N_Vector y, N_Vector ydot, void* self) {
  auto& s = *static_cast<CvodeIntegrator*>(self);
  return s.carried_.guard(
      -1, [&] { return s.code_of(s.evaluate(t, sundials::values(y), sundials::values(ydot))); });
}

int CvodeIntegrator::linear_system(double t, N_Vector y, N_Vector f, SUNMatrix m,
                                   booleantype jacobian_ok, booleantype* jacobian_current,
                                   double gamma, void* self, N_Vector, N_Vector, N_Vector) {
  auto& s = *static_cast<CvodeIntegrator*>(self);
  s.convergence_.forget();
  *jacobian_current = SUNFALSE;
  if (!jacobian_ok) {
    ++s.counts_.jacobians;
    const int code = s.carried_.guard(-1, [&] {
      return s.code_of(
          s.implicit_->jacobian(t, sundials::values(y), sundials::values(f), 1, 0, s.jacobian_));
    });
    if (code != 0) return code;
    *jacobian_current = SUNTRUE;
  }
  for (std::size_t k = 0; k < s.entries_.size(); ++k) s.entries_[k] = gamma * s.jacobian_[k];
  for (const std::size_t d : s.implicit_->diagonal()) s.entries_[d] += 1;
  sundials::store(*s.implicit_->jacobian_pattern(), s.entries_, s.dense_matrix_, m);
  return 0;
}

// CVODE interpolates up to its own time plus a hundred ulps, and takes a limit no further away for
// reached; a creep may be further ahead.
double CvodeIntegrator::inside(double at) const {
  constexpr double kAhead = 99;  // less, and slopes at the limit would be those before it
  double own = 0;
  check(CVodeGetCurrentTime(memory_.get(), &own));
  return std::min(at, own + kAhead * std::numeric_limits<double>::epsilon() * std::abs(own));
}

StepStatus CvodeIntegrator::find_slope() {
  const EvalStatus status = evaluate(t_, y(), sundials::values(yp_.get()));
  if (status == EvalStatus::Fatal) return StepStatus::Fatal;
  return status == EvalStatus::Domain ? StepStatus::DomainError : StepStatus::Stepped;
}

double CvodeIntegrator::find_first_step(double t_limit) {
  ++counts_.evaluations;
  return initial_step(norm_, t_, y(), yp(), 1, &problem_, t_limit, work_, work_f_);
}

void CvodeIntegrator::reinitialise() { check(CVodeReInit(memory_.get(), t_, y_.get())); }

int CvodeIntegrator::advance(double limit, double& reached) {
  return CVode(memory_.get(), limit, next_y_.get(), &reached, CV_ONE_STEP);
}

void CvodeIntegrator::accept() { check(CVodeGetDky(memory_.get(), inside(t_), 1, yp_.get())); }

CvodeIntegrator::Failure CvodeIntegrator::failure_of(int flag) const {
  switch (flag) {
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR: return Failure::Domain;
    case CV_CONV_FAILURE:
    case CV_NLS_FAIL: return Failure::Convergence;
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL: return Failure::LinearSolver;
    case CV_ERR_FAILURE:
    case CV_ILL_INPUT:  // weights or a step that are not finite
    case CV_TOO_MUCH_ACC: return Failure::Accuracy;
    default: CHI_CHECK(false, "unexpected flag from CVode"); return Failure::Accuracy;
  }
}

IntegratorStats CvodeIntegrator::stats() const {
  IntegratorStats s = SundialsIntegrator::stats();
  if (implicit_) s.evaluations += implicit_->evaluations();
  return s;
}

}  // namespace

std::unique_ptr<Integrator> make_cvode_integrator(OdeProblem& problem,
                                                  const IntegratorOptions& options,
                                                  MultistepMethod method) {
  return std::make_unique<CvodeIntegrator>(problem, options, method);
}

}  // namespace chi::numerics
