#include "numerics/cvode_integrator.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <cvode/cvode.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include "base/carried_exception.h"
#include "base/check.h"
#include "numerics/bdf_history.h"
#include "numerics/newton_convergence.h"
#include "numerics/ode_as_dae.h"
#include "numerics/step_control.h"
#include "numerics/sundials_handles.h"

namespace chi::numerics {
namespace {

struct FreeCvode {
  void operator()(void* memory) const { CVodeFree(&memory); }
};

using sundials::check;

class CvodeIntegrator final : public Integrator {
 public:
  CvodeIntegrator(OdeProblem& problem, const IntegratorOptions& options, MultistepMethod method);

  void restart(double t, std::span<const double> y, std::span<const double> yp,
               Restart kind) override;
  StepStatus step(double t_limit) override;

  int size() const override { return problem_.size(); }
  double t() const override { return t_; }
  double t_old() const override { return t_old_; }
  std::span<const double> y() const override { return sundials::values(y_.get()); }
  std::span<const double> yp() const override { return yp_; }
  double next_step() const override;
  const DenseOutput& dense_output() override;
  void interpolate(double at, std::span<double> out) override;
  IntegratorStats stats() const override;

 private:
  static int rhs(double t, N_Vector y, N_Vector ydot, void* self);
  static int linear_system(double t, N_Vector y, N_Vector f, SUNMatrix m, booleantype jacobian_ok,
                           booleantype* jacobian_current, double gamma, void* self, N_Vector,
                           N_Vector, N_Vector);
  static int convergence(SUNNonlinearSolver solver, N_Vector y, N_Vector correction,
                         double tolerance, N_Vector weights, void* self);
  void look_at_residual(SUNNonlinearSolver solver, N_Vector sum, N_Vector correction,
                        N_Vector weights);
  static int weights(N_Vector y, N_Vector out, void* self);
  void configure(MultistepMethod method);
  StepStatus begin(double t_limit);
  EvalStatus evaluate(double t, std::span<const double> y, std::span<double> ydot);
  double warm_step();
  double inside(double at) const;
  StepStatus creep(double t_limit);
  StepStatus status_of(int flag) const;
  int code_of(EvalStatus status);
  void count_cvode(IntegratorStats& s) const;

  OdeProblem& problem_;
  IntegratorOptions options_;
  ErrorNorm norm_;
  FadingWeights weights_{norm_};
  sundials::Context context_ = sundials::make_context();
  sundials::Vector y_, next_y_, view_;  // what CVODE hands out when it fails is not quite y
  std::optional<OdeAsDae> implicit_;    // BDF only, as the next seven
  std::vector<double> jacobian_;        // -∂f/∂y, in the pattern of `implicit_`
  std::vector<double> entries_;         // I - γ ∂f/∂y
  bool dense_matrix_ = true;
  sundials::Matrix matrix_;
  sundials::LinearSolver linear_;
  sundials::NonlinearSolver newton_;
  bool is_rough_;
  NewtonConvergence convergence_;
  CarriedException carried_;              // out of our functions, past theirs
  sundials::NonlinearSolver functional_;  // Adams only
  std::unique_ptr<void, FreeCvode> cvode_;
  std::vector<double> yp_, work_, work_f_;
  double t_ = 0, t_old_ = 0;
  double step_before_ = 0;  // length of the step before the last
  double first_step_ = 0;
  bool begun_ = false;
  bool stepped_ = false;
  bool crept_ = false;
  bool dense_made_ = false;
  bool left_domain_ = false;
  bool fatal_ = false;
  DenseOutput dense_;
  IntegratorStats counts_;
};

CvodeIntegrator::CvodeIntegrator(OdeProblem& problem, const IntegratorOptions& options,
                                 MultistepMethod method)
    : problem_(problem),
      options_(options),
      norm_(step_tolerances(options, multistep_share(options.tolerances.relative)), problem.size(),
            {}),
      y_(sundials::make_vector(problem.size(), context_.get())),
      next_y_(sundials::make_vector(problem.size(), context_.get())),
      view_(sundials::make_view(problem.size(), context_.get())),
      is_rough_(problem.is_rough()),
      yp_(static_cast<std::size_t>(problem.size())),
      work_(yp_.size()),
      work_f_(yp_.size()) {
  if (method == MultistepMethod::Bdf) {
    implicit_.emplace(problem, norm_.typical());
    const SparsePattern& pattern = *implicit_->jacobian_pattern();
    jacobian_.resize(static_cast<std::size_t>(pattern.nonzeros()));
    entries_.resize(jacobian_.size());
    dense_matrix_ = prefers_dense(pattern, options.matrix);
    matrix_ = sundials::make_matrix(pattern, dense_matrix_, context_.get());
    linear_ = sundials::make_linear_solver(y_.get(), matrix_.get(), dense_matrix_, context_.get());
  } else {
    functional_ = sundials::make_fixed_point(y_.get(), context_.get());
  }
  N_VConst(0, y_.get());
  configure(method);
}

void CvodeIntegrator::configure(MultistepMethod method) {
  cvode_.reset(CVodeCreate(method == MultistepMethod::Bdf ? CV_BDF : CV_ADAMS, context_.get()));
  void* cvode = cvode_.get();
  check(CVodeSetErrHandlerFn(cvode, sundials::ignore_message, nullptr));
  check(CVodeInit(cvode, &CvodeIntegrator::rhs, 0, y_.get()));
  check(CVodeSetUserData(cvode, this));
  check(CVodeWFtolerances(cvode, &CvodeIntegrator::weights));
  if (implicit_) {
    check(CVodeSetLinearSolver(cvode, linear_.get(), matrix_.get()));
    check(CVodeSetLinSysFn(cvode, &CvodeIntegrator::linear_system));
    newton_ = sundials::make_newton(y_.get(), context_.get());
    check(CVodeSetNonlinearSolver(cvode, newton_.get()));
    check(SUNNonlinSolSetConvTestFn(newton_.get(), &CvodeIntegrator::convergence, this));
  } else {
    check(CVodeSetNonlinearSolver(cvode, functional_.get()));
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
  check(CVodeGetNonlinearSystemData(cvode_.get(), &t, &ypred, &yn, &fn, &gamma, &rl1, &zn1, &self));
  sundials::point_at(view_.get(), work_);
  N_VLinearSum(1, sum, -1, correction, view_.get());
  N_VLinearSum(rl1, zn1, 1, view_.get(), view_.get());
  N_VLinearSum(-gamma, fn, 1, view_.get(), view_.get());
  int iteration = 0;
  SUNNonlinSolGetCurIter(solver, &iteration);
  convergence_.look_at(iteration, work_, sundials::values(weights));
}

int CvodeIntegrator::weights(N_Vector y, N_Vector out, void* self) {
  static_cast<CvodeIntegrator*>(self)->weights_.weights(sundials::values(y), sundials::values(out));
  return 0;
}

// What CVODE wants to hear, and a note for `status_of`.
int CvodeIntegrator::code_of(EvalStatus status) {
  if (status == EvalStatus::Ok) return 0;
  if (status == EvalStatus::Fatal) return fatal_ = true, -1;
  ++counts_.domain_retreats;
  return left_domain_ = true, 1;
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

void CvodeIntegrator::restart(double t, std::span<const double> y, std::span<const double> yp,
                              Restart kind) {
  CHI_CHECK(y.size() == yp_.size(), "state of the wrong size");
  first_step_ = kind == Restart::Warm ? warm_step() : options_.initial_step;
  t_ = t_old_ = t;
  step_before_ = 0;
  std::copy(y.begin(), y.end(), sundials::values(y_.get()).begin());
  std::fill(yp_.begin(), yp_.end(), 0);
  std::copy(yp.begin(), yp.end(), yp_.begin());
  weights_.restart(y);
  begun_ = stepped_ = crept_ = false;
  ++counts_.restarts;
}

// Before the history is lost: what it says about a first step at order 1.
double CvodeIntegrator::warm_step() {
  if (!stepped_ || !begun_) return first_step_;
  int order = 0;
  check(CVodeGetLastOrder(cvode_.get(), &order));
  // The last step may have been cut short by a limit.
  const double last = std::max(t_ - t_old_, step_before_);
  if (order < 2) return last;
  sundials::point_at(view_.get(), work_);
  check(CVodeGetDky(cvode_.get(), inside(t_), 2, view_.get()));
  norm_.set_reference(y());
  return first_order_step(norm_, t_, work_, last);
}

// CVODE interpolates up to its own time plus a hundred ulps, and takes a limit no further away for
// reached; a creep may be further ahead.
double CvodeIntegrator::inside(double at) const {
  constexpr double kAhead = 99;  // less, and slopes at the limit would be those before it
  double own = 0;
  check(CVodeGetCurrentTime(cvode_.get(), &own));
  return std::min(at, own + kAhead * std::numeric_limits<double>::epsilon() * std::abs(own));
}

StepStatus CvodeIntegrator::begin(double t_limit) {
  const EvalStatus status = evaluate(t_, y(), yp_);
  if (status == EvalStatus::Fatal) return StepStatus::Fatal;
  if (status == EvalStatus::Domain) return StepStatus::DomainError;
  if (first_step_ == 0) {
    norm_.set_reference(y());
    first_step_ = initial_step(norm_, t_, y(), yp_, 1, &problem_, t_limit, work_, work_f_);
    ++counts_.evaluations;
  }
  weights_.start(t_, yp_);
  count_cvode(counts_);
  check(CVodeReInit(cvode_.get(), t_, y_.get()));
  check(CVodeSetInitStep(cvode_.get(), std::min(first_step_, t_limit - t_)));
  begun_ = true;
  return StepStatus::Stepped;
}

StepStatus CvodeIntegrator::step(double t_limit) {
  CHI_CHECK(t_limit > t_, "the limit is not ahead");
  const double limit = std::min(t_limit, std::numeric_limits<double>::max() / 4);
  left_domain_ = fatal_ = false;
  constexpr double u = std::numeric_limits<double>::epsilon();
  constexpr double kShortest = 1e-100;  // SUNDIALS multiplies steps with one another
  const bool close = limit - t_ <= 256 * u * (std::abs(t_) + std::abs(limit)) + kShortest;
  if (!begun_) {
    if (const StepStatus s = begin(limit); s != StepStatus::Stepped) return s;
    if (close) begun_ = false;  // the creep moves the starting point
  }
  if (close) return creep(limit);

  check(CVodeSetMinStep(cvode_.get(), smallest_step(t_, std::min(next_step(), limit - t_))));
  check(CVodeSetStopTime(cvode_.get(), sundials::stop_time(t_, next_step(), limit)));
  double reached = t_;
  // After a creep CVODE may be an ulp behind and first hand out what we already have.
  for (int attempt = 0; attempt < 3 && reached <= t_; ++attempt) {
    const int flag = CVode(cvode_.get(), limit, next_y_.get(), &reached, CV_ONE_STEP);
    carried_.rethrow();
    if (flag < 0) return status_of(flag);
  }
  if (reached <= t_) return left_domain_ ? StepStatus::DomainError : StepStatus::StepTooSmall;
  std::swap(y_, next_y_);
  step_before_ = t_ - t_old_;
  t_old_ = t_;
  t_ = reached;
  weights_.accept(y(), t_ - t_old_);
  stepped_ = true;
  crept_ = dense_made_ = false;
  sundials::point_at(view_.get(), yp_);
  check(CVodeGetDky(cvode_.get(), inside(t_), 1, view_.get()));
  ++counts_.steps;
  return StepStatus::Stepped;
}

// CVODE refuses limits closer than some round-off units: a straight line is exact enough for those.
StepStatus CvodeIntegrator::creep(double t_limit) {
  const std::span<double> y = sundials::values(y_.get());
  dense_.reset(size(), 1, t_, t_limit);
  for (std::size_t i = 0; i < y.size(); ++i) {
    dense_.power(0)[i] = y[i];
    dense_.power(1)[i] = yp_[i] * (t_limit - t_);
    y[i] += dense_.power(1)[i];
  }
  t_old_ = t_;
  t_ = t_limit;
  stepped_ = crept_ = dense_made_ = true;
  ++counts_.steps;
  return StepStatus::Stepped;
}

StepStatus CvodeIntegrator::status_of(int flag) const {
  if (fatal_) return StepStatus::Fatal;
  switch (flag) {
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR: return StepStatus::DomainError;
    case CV_CONV_FAILURE:
    case CV_NLS_FAIL:
      if (left_domain_) return StepStatus::DomainError;
      return linear_ && SUNLinSolLastFlag(linear_.get()) != 0 ? StepStatus::SingularMatrix
                                                              : StepStatus::NewtonFailed;
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL:
      sundials::throw_if_out_of_memory(linear_.get(), dense_matrix_);
      return StepStatus::SingularMatrix;
    case CV_ERR_FAILURE:
    case CV_ILL_INPUT:  // weights or a step that are not finite
    case CV_TOO_MUCH_ACC: return StepStatus::StepTooSmall;
    default: CHI_CHECK(false, "unexpected flag from CVode"); return StepStatus::Fatal;
  }
}

double CvodeIntegrator::next_step() const {
  double h = 0;
  if (!begun_) return first_step_;
  check(CVodeGetCurrentStep(cvode_.get(), &h));
  return h > 0 ? h : first_step_;
}

const DenseOutput& CvodeIntegrator::dense_output() {
  CHI_CHECK(stepped_, "no step since the restart");
  if (dense_made_) return dense_;
  int order = 0;
  check(CVodeGetLastOrder(cvode_.get(), &order));
  dense_.reset(size(), order, t_old_, t_);
  for (int k = 0; k <= order; ++k) {
    sundials::point_at(view_.get(), dense_.power(k));
    check(CVodeGetDky(cvode_.get(), inside(t_), k, view_.get()));
  }
  derivatives_to_powers(dense_);
  dense_made_ = true;
  return dense_;
}

void CvodeIntegrator::interpolate(double at, std::span<double> out) {
  if (crept_) return dense_.values(at, out);
  sundials::point_at(view_.get(), out);
  check(CVodeGetDky(cvode_.get(), inside(at), 0, view_.get()));
}

void CvodeIntegrator::count_cvode(IntegratorStats& s) const {
  long rejected = 0, setups = 0, iterations = 0, failures = 0;
  check(CVodeGetNumErrTestFails(cvode_.get(), &rejected));
  check(CVodeGetNumLinSolvSetups(cvode_.get(), &setups));
  check(CVodeGetNonlinSolvStats(cvode_.get(), &iterations, &failures));
  s.rejected += rejected;
  s.factorizations += setups;
  s.newton_iterations += iterations;
  s.newton_failures += failures;
}

IntegratorStats CvodeIntegrator::stats() const {
  IntegratorStats s = counts_;
  count_cvode(s);
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
