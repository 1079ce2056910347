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

#include "base/carried_exception.h"
#include "base/check.h"
#include "numerics/bdf_history.h"
#include "numerics/difference_jacobian.h"
#include "numerics/newton_convergence.h"
#include "numerics/step_control.h"
#include "numerics/sundials_handles.h"

namespace chi::numerics {
namespace {

struct FreeIda {
  void operator()(void* memory) const { IDAFree(&memory); }
};

constexpr int kUsualIterations = 4;  // of Newton, as IDA would have it
constexpr int kMaxIterations = 8;    // where it jumps to and fro

using sundials::check;

class IdaIntegrator final : public Integrator {
 public:
  IdaIntegrator(DaeProblem& problem, const IntegratorOptions& options);

  void restart(double t, std::span<const double> y, std::span<const double> yp,
               Restart kind) override;
  StepStatus step(double t_limit) override;

  int size() const override { return problem_.size(); }
  double t() const override { return t_; }
  double t_old() const override { return t_old_; }
  std::span<const double> y() const override { return sundials::values(y_.get()); }
  std::span<const double> yp() const override { return sundials::values(yp_.get()); }
  double next_step() const override;
  const DenseOutput& dense_output() override;
  void interpolate(double at, std::span<double> out) override;
  IntegratorStats stats() const override;

 private:
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
  void begin(double t_limit);
  double warm_step() const;
  StepStatus creep(double t_limit);
  StepStatus status_of(int flag) const;
  int code_of(EvalStatus status);
  void count_ida(IntegratorStats& s) const;

  DaeProblem& problem_;
  IntegratorOptions options_;
  SparsePattern pattern_;
  bool dense_matrix_;
  ErrorNorm norm_;
  FadingWeights weights_{norm_};
  sundials::Context context_ = sundials::make_context();
  sundials::Vector y_, yp_, next_y_, next_yp_;  // what IDA hands out when it fails is not quite y
  sundials::Vector view_, last_correction_;
  sundials::Matrix matrix_;
  sundials::LinearSolver linear_;
  sundials::NonlinearSolver newton_;
  std::unique_ptr<void, FreeIda> ida_;
  std::vector<double> entries_, beside_;
  int failures_ = 0;  // of the iteration, with few Jacobians between them that helped
  int helped_ = 0;    // Jacobians in a row
  static constexpr int kShorterFirst = 3, kCalm = 10;
  long failures_seen_ = 0;  // of Newton, before it
  std::optional<DifferenceJacobian> differences_;
  NewtonConvergence convergence_;
  CarriedException carried_;  // out of our functions, past theirs
  double share_ = 1;          // of a correction that is made in this iteration
  double t_ = 0, t_old_ = 0;
  double step_before_ = 0;  // length of the step before the last
  double first_step_ = 0;   // proposed for the next begin; 0: from the problem
  bool begun_ = false;      // IDA knows the state
  bool stepped_ = false;
  bool crept_ = false;  // the last step was a straight line of a few ulps
  bool dense_made_ = false;
  bool left_domain_ = false;  // during the last call
  bool fatal_ = false;
  DenseOutput dense_;
  IntegratorStats counts_;  // ours, and IDA's up to its last reinitialisation
};

IdaIntegrator::IdaIntegrator(DaeProblem& problem, const IntegratorOptions& options)
    : problem_(problem),
      options_(options),
      pattern_(problem.jacobian_pattern() ? *problem.jacobian_pattern()
                                          : full_pattern(problem.size(), problem.size())),
      dense_matrix_(prefers_dense(pattern_, options.matrix)),
      norm_(step_tolerances(options, multistep_share(options.tolerances.relative)), problem.size(),
            options.suppress_algebraic ? problem.differential() : std::span<const char>{}),
      entries_(static_cast<std::size_t>(pattern_.nonzeros())),
      beside_(static_cast<std::size_t>(problem.size())) {
  const int n = problem.size();
  y_ = sundials::make_vector(n, context_.get());
  yp_ = sundials::make_vector(n, context_.get());
  next_y_ = sundials::make_vector(n, context_.get());
  next_yp_ = sundials::make_vector(n, context_.get());
  last_correction_ = sundials::make_vector(n, context_.get());
  view_ = sundials::make_view(n, context_.get());
  matrix_ = sundials::make_matrix(pattern_, dense_matrix_, context_.get());
  linear_ = sundials::make_linear_solver(y_.get(), matrix_.get(), dense_matrix_, context_.get());
  if (!problem.has_jacobian()) differences_.emplace(pattern_, norm_.typical());
  N_VConst(0, y_.get());
  N_VConst(0, yp_.get());
  configure();
}

void IdaIntegrator::configure() {
  ida_.reset(IDACreate(context_.get()));
  void* ida = ida_.get();
  check(IDASetErrHandlerFn(ida, sundials::ignore_message, nullptr));
  check(IDAInit(ida, &IdaIntegrator::residual, 0, y_.get(), yp_.get()));
  check(IDASetUserData(ida, this));
  check(IDAWFtolerances(ida, &IdaIntegrator::weights));
  check(IDASetLinearSolver(ida, linear_.get(), matrix_.get()));
  check(IDASetJacFn(ida, &IdaIntegrator::jacobian));
  newton_ = sundials::make_newton(y_.get(), context_.get());
  check(IDASetNonlinearSolver(ida, newton_.get()));
  check(SUNNonlinSolSetConvTestFn(newton_.get(), &IdaIntegrator::convergence, this));
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
  static_cast<IdaIntegrator*>(self)->weights_.weights(sundials::values(y), sundials::values(out));
  return 0;
}

// What IDA wants to hear, and a note for `status_of`.
int IdaIntegrator::code_of(EvalStatus status) {
  if (status == EvalStatus::Ok) return 0;
  if (status == EvalStatus::Fatal) return fatal_ = true, -1;
  ++counts_.domain_retreats;
  return left_domain_ = true, 1;
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
  check(IDAGetNumNonlinSolvConvFails(ida_.get(), &failures));
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
  CHI_CHECK(y.size() == static_cast<std::size_t>(size()) && yp.size() == y.size(),
            "state of the wrong size");
  first_step_ = kind == Restart::Warm ? warm_step() : options_.initial_step;
  t_ = t_old_ = t;
  step_before_ = 0;
  std::copy(y.begin(), y.end(), sundials::values(y_.get()).begin());
  std::copy(yp.begin(), yp.end(), sundials::values(yp_.get()).begin());
  weights_.restart(y);
  begun_ = stepped_ = crept_ = false;
  ++counts_.restarts;
}

// Before the history is lost: what it says about a first step at order 1.
double IdaIntegrator::warm_step() const {
  if (!stepped_ || !begun_) return first_step_;
  int order = 0;
  check(IDAGetLastOrder(ida_.get(), &order));
  // The last step may have been cut short by a limit.
  const double last = std::max(t_ - t_old_, step_before_);
  if (order < 2) return last;
  const sundials::Vector second = sundials::make_vector(size(), context_.get());
  check(IDAGetDky(ida_.get(), t_, 2, second.get()));
  ErrorNorm norm = norm_;
  norm.set_reference(y());
  return first_order_step(norm, t_, sundials::values(second.get()), last);
}

void IdaIntegrator::begin(double t_limit) {
  weights_.start(t_, yp());
  count_ida(counts_);
  check(IDAReInit(ida_.get(), t_, y_.get(), yp_.get()));
  if (first_step_ == 0) {
    norm_.set_reference(y());
    first_step_ = first_order_step(norm_, t_, y(), yp(), t_limit);
  }
  check(IDASetInitStep(ida_.get(), std::min(first_step_, t_limit - t_)));
  begun_ = true;
}

StepStatus IdaIntegrator::step(double t_limit) {
  CHI_CHECK(t_limit > t_, "the limit is not ahead");
  const double limit = std::min(t_limit, std::numeric_limits<double>::max() / 4);
  constexpr double u = std::numeric_limits<double>::epsilon();
  constexpr double kShortest = 1e-100;  // SUNDIALS multiplies steps with one another
  if (limit - t_ <= 256 * u * (std::abs(t_) + std::abs(limit)) + kShortest) return creep(limit);
  if (!begun_) begin(limit);

  left_domain_ = fatal_ = false;
  check(IDASetMinStep(ida_.get(), smallest_step(t_, std::min(next_step(), limit - t_))));
  check(IDASetStopTime(ida_.get(), sundials::stop_time(t_, next_step(), limit)));
  double reached = t_;
  // After a creep IDA may be an ulp behind and first hand out what we already have.
  for (int attempt = 0; attempt < 3 && reached <= t_; ++attempt) {
    const int flag =
        IDASolve(ida_.get(), limit, &reached, next_y_.get(), next_yp_.get(), IDA_ONE_STEP);
    carried_.rethrow();
    if (flag < 0) return status_of(flag);
  }
  if (reached <= t_) return left_domain_ ? StepStatus::DomainError : StepStatus::StepTooSmall;
  std::swap(y_, next_y_);
  std::swap(yp_, next_yp_);
  step_before_ = t_ - t_old_;
  t_old_ = t_;
  t_ = reached;
  weights_.accept(y(), t_ - t_old_);
  stepped_ = true;
  crept_ = dense_made_ = false;
  ++counts_.steps;
  return StepStatus::Stepped;
}

// IDA refuses limits closer than some round-off units: a straight line is exact enough for those.
StepStatus IdaIntegrator::creep(double t_limit) {
  const std::span<double> y = sundials::values(y_.get());
  const std::span<const double> slope = yp();
  dense_.reset(size(), 1, t_, t_limit);
  for (std::size_t i = 0; i < y.size(); ++i) {
    dense_.power(0)[i] = y[i];
    dense_.power(1)[i] = slope[i] * (t_limit - t_);
    y[i] += dense_.power(1)[i];
  }
  t_old_ = t_;
  t_ = t_limit;
  stepped_ = crept_ = dense_made_ = true;
  ++counts_.steps;
  return StepStatus::Stepped;
}

StepStatus IdaIntegrator::status_of(int flag) const {
  if (fatal_) return StepStatus::Fatal;
  switch (flag) {
    case IDA_RES_FAIL:
    case IDA_REP_RES_ERR:
    case IDA_FIRST_RES_FAIL: return StepStatus::DomainError;
    case IDA_CONV_FAIL:
    case IDA_NLS_FAIL:
      if (left_domain_) return StepStatus::DomainError;
      return SUNLinSolLastFlag(linear_.get()) != 0 ? StepStatus::SingularMatrix
                                                   : StepStatus::NewtonFailed;
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL:
      sundials::throw_if_out_of_memory(linear_.get(), dense_matrix_);
      return StepStatus::SingularMatrix;
    case IDA_ERR_FAIL:
    case IDA_ILL_INPUT:  // weights or a step that are not finite
    case IDA_TOO_MUCH_ACC: return StepStatus::StepTooSmall;
    default: CHI_CHECK(false, "unexpected flag from IDASolve"); return StepStatus::Fatal;
  }
}

double IdaIntegrator::next_step() const {
  double h = 0;
  if (!begun_) return first_step_;
  check(IDAGetCurrentStep(ida_.get(), &h));
  return h > 0 ? h : first_step_;
}

const DenseOutput& IdaIntegrator::dense_output() {
  CHI_CHECK(stepped_, "no step since the restart");
  if (dense_made_) return dense_;
  int order = 0;
  check(IDAGetLastOrder(ida_.get(), &order));
  dense_.reset(size(), order, t_old_, t_);
  for (int k = 0; k <= order; ++k) {
    sundials::point_at(view_.get(), dense_.power(k));
    check(IDAGetDky(ida_.get(), t_, k, view_.get()));
  }
  derivatives_to_powers(dense_);
  dense_made_ = true;
  return dense_;
}

void IdaIntegrator::interpolate(double at, std::span<double> out) {
  if (crept_) return dense_.values(at, out);
  sundials::point_at(view_.get(), out);
  check(IDAGetDky(ida_.get(), at, 0, view_.get()));
}

void IdaIntegrator::count_ida(IntegratorStats& s) const {
  long rejected = 0, setups = 0, iterations = 0, failures = 0;
  check(IDAGetNumErrTestFails(ida_.get(), &rejected));
  check(IDAGetNumLinSolvSetups(ida_.get(), &setups));
  check(IDAGetNonlinSolvStats(ida_.get(), &iterations, &failures));
  s.rejected += rejected;
  s.factorizations += setups;
  s.newton_iterations += iterations;
  s.newton_failures += failures;
}

IntegratorStats IdaIntegrator::stats() const {
  IntegratorStats s = counts_;
  count_ida(s);
  return s;
}

}  // namespace

std::unique_ptr<Integrator> make_ida_integrator(DaeProblem& problem,
                                                const IntegratorOptions& options) {
  return std::make_unique<IdaIntegrator>(problem, options);
}

}  // namespace chi::numerics
