#include "numerics/radau.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "numerics/ode_as_dae.h"
#include "numerics/radau_stages.h"
#include "numerics/step_control.h"

namespace chi::numerics {
namespace {

// Constants of RADAU5 [1], except the rate below which a Jacobian is kept: ours are symbolic,
// cheap.
constexpr double kShare = 1;  // of the tolerance, for one step
constexpr int kMaxIterations = 7;
constexpr int kMaxFixedIterations = 50;  // a fixed step cannot be shortened instead
constexpr double kSafety = 0.9;
constexpr double kMaxShrink = 5;
constexpr double kMaxGrowth = 8;
constexpr double kKeepJacobianRate = 0.001;
constexpr double kKeepStepUpTo = 1.2;
constexpr double kMostLeft = 0.1;  // of the tolerance, by the Jacobian at the end of the step
constexpr double kStretch = 1.01;  // a step this near the limit is stretched onto it

class Radau final : public Integrator {
 public:
  Radau(DaeProblem* dae, OdeProblem* ode, const IntegratorOptions& options);

  void restart(double t, std::span<const double> y, std::span<const double> yp,
               Restart kind) override;
  StepStatus step(double t_limit) override;

  int size() const override { return problem_.size(); }
  double t() const override { return t_; }
  double t_old() const override { return t_old_; }
  std::span<const double> y() const override { return y_; }
  std::span<const double> yp() const override { return yp_; }
  double next_step() const override { return h_; }
  const DenseOutput& dense_output() override;
  void interpolate(double at, std::span<double> out) override { dense_output().values(at, out); }
  IntegratorStats stats() const override;

 private:
  enum class Trial { Good, Inaccurate, Outside, Unsolved, Misled, Singular, Fatal };

  StepStatus start(double t_limit);
  Trial try_step(double h);
  Trial try_with_jacobian(double h);
  Trial prepare_matrices(double h);
  Trial solve_stages(double h);
  Trial judge_error(double h);
  Trial judge_jacobian(double h);
  StepStatus shorten(Trial trial, double h);
  void accept(double h, double t_new, bool limited);
  double newton_share() const;

  IntegratorOptions options_;
  ErrorNorm norm_;               // for the error test
  ErrorNorm newton_norm_;        // for the iteration, where algebraic components always count
  std::optional<OdeAsDae> ode_;  // if the problem is an ODE
  DaeProblem& problem_;
  RadauStages stages_;
  double newton_tolerance_;
  double t_ = 0, t_old_ = 0;
  double h_ = 0;           // to try next
  double first_h_ = 0;     // what the first step since the restart would have allowed
  double factored_h_ = 0;  // the factors belong to this step and the present Jacobian; 0: none
  double error_ = 0;
  double accepted_h_ = 0, accepted_error_ = 0;  // of the last accepted step; 0: none
  bool started_ = false;
  bool stepped_ = false;
  bool have_jacobian_ = false;
  bool jacobian_fresh_ = false;     // evaluated at the present t, y
  bool have_end_jacobian_ = false;  // of the trial step
  bool is_linear_ = false;          // the present Jacobian was the same a step later
  bool after_rejection_ = false;
  std::vector<double> y_, yp_, y_new_, work_;
  DenseOutput dense_;
  IntegratorStats stats_;
};

Radau::Radau(DaeProblem* dae, OdeProblem* ode, const IntegratorOptions& options)
    : options_(options),
      norm_(step_tolerances(options, kShare), dae ? dae->size() : ode->size(),
            options.suppress_algebraic && dae ? dae->differential() : std::span<const char>{}),
      newton_norm_(step_tolerances(options, kShare), dae ? dae->size() : ode->size(), {}),
      ode_(ode ? std::optional<OdeAsDae>(std::in_place, *ode, norm_.typical()) : std::nullopt),
      problem_(dae ? *dae : static_cast<DaeProblem&>(*ode_)),
      stages_(problem_, options.matrix, norm_),
      y_(static_cast<std::size_t>(problem_.size())),
      yp_(y_.size()),
      y_new_(y_.size()),
      work_(y_.size()) {
  const double relative = std::max(norm_.relative(), 1e-15);
  newton_tolerance_ = std::max(10 * std::numeric_limits<double>::epsilon() / relative,
                               std::min(0.03, std::sqrt(relative)));
  dense_.reserve(problem_.size(), 3);
}

void Radau::restart(double t, std::span<const double> y, std::span<const double> yp, Restart kind) {
  CHI_CHECK(y.size() == y_.size() && (ode_ || yp.size() == y.size()), "state of the wrong size");
  ++stats_.restarts;
  t_ = t_old_ = t;
  std::copy(y.begin(), y.end(), y_.begin());
  std::fill(yp_.begin(), yp_.end(), 0.0);
  std::copy(yp.begin(), yp.end(), yp_.begin());
  if (kind != Restart::Warm) {
    h_ = kind == Restart::Again ? first_h_ : options_.initial_step;
    have_jacobian_ = false;
    factored_h_ = 0;
  }
  jacobian_fresh_ = false;
  is_linear_ = false;
  accepted_h_ = 0;
  started_ = stepped_ = after_rejection_ = false;
  stages_.forget_rate();
}

StepStatus Radau::start(double t_limit) {
  if (ode_) {
    const EvalStatus status = ode_->rhs(t_, y_, yp_);
    if (status == EvalStatus::Fatal) return StepStatus::Fatal;
    if (status == EvalStatus::Domain) return StepStatus::DomainError;
  }
  if (options_.fixed_step > 0) h_ = options_.fixed_step;
  if (h_ == 0) {
    norm_.set_reference(y_);
    h_ = initial_step(norm_, t_, y_, yp_, 3, nullptr, t_limit, {}, {});
  }
  started_ = true;
  return StepStatus::Stepped;
}

StepStatus Radau::step(double t_limit) {
  CHI_CHECK(t_limit > t_, "the limit is not ahead");
  if (!started_) {
    if (const StepStatus status = start(t_limit); status != StepStatus::Stepped) return status;
  }
  norm_.set_reference(y_);
  newton_norm_.set_reference(y_);
  StepStatus failure = StepStatus::StepTooSmall;
  const double smallest = smallest_step(t_, std::min(h_, t_limit - t_));
  for (bool first_try = true;; first_try = false) {
    h_ = std::min({h_, options_.max_step, kLongestStep});
    const bool limited = t_ + kStretch * h_ >= t_limit;
    const double t_new = limited ? t_limit : t_ + h_;
    const double h = t_new - t_;
    if (h < smallest && !(limited && first_try)) return failure;

    const Trial trial = try_step(h);
    if (trial == Trial::Fatal) return StepStatus::Fatal;
    if (trial == Trial::Good) {
      accept(h, t_new, limited);
      return StepStatus::Stepped;
    }
    failure = shorten(trial, h);
    if (options_.fixed_step > 0) return failure;
  }
}

Radau::Trial Radau::try_step(double h) {
  const Trial trial = try_with_jacobian(h);
  const bool may_blame_jacobian = trial == Trial::Unsolved || trial == Trial::Misled;
  if (!may_blame_jacobian || jacobian_fresh_) return trial;
  have_jacobian_ = false;
  return try_with_jacobian(h);
}

Radau::Trial Radau::try_with_jacobian(double h) {
  have_end_jacobian_ = false;
  Trial trial = prepare_matrices(h);
  if (trial == Trial::Good) trial = solve_stages(h);
  if (trial == Trial::Good) trial = judge_error(h);
  return trial == Trial::Good ? judge_jacobian(h) : trial;
}

Radau::Trial Radau::prepare_matrices(double h) {
  for (;;) {
    if (!have_jacobian_) {
      ++stats_.jacobians;
      const EvalStatus status = stages_.evaluate_jacobian(t_, y_, yp_);
      if (status == EvalStatus::Fatal) return Trial::Fatal;
      if (status == EvalStatus::Domain) return Trial::Outside;
      have_jacobian_ = jacobian_fresh_ = true;
      factored_h_ = 0;
      is_linear_ = false;
    }
    if (std::abs(factored_h_ - h) <= 1e-6 * h) return Trial::Good;  // t + h was rounded
    ++stats_.factorizations;
    factored_h_ = 0;
    if (stages_.factor(h)) {
      factored_h_ = h;
      return Trial::Good;
    }
    if (jacobian_fresh_) return Trial::Singular;
    have_jacobian_ = false;
  }
}

Radau::Trial Radau::solve_stages(double h) {
  if (accepted_h_ > 0) {
    stages_.start_from(dense_, h, y_);
  } else {
    stages_.start_from_zero();
  }
  const StageStatus status =
      stages_.solve(t_, h, y_, newton_norm_, newton_tolerance_,
                    options_.fixed_step > 0 ? kMaxFixedIterations : kMaxIterations);
  stats_.newton_iterations += stages_.iterations();
  switch (status) {
    case StageStatus::Converged: return Trial::Good;
    case StageStatus::Fatal: return Trial::Fatal;
    case StageStatus::Domain: return Trial::Outside;
    case StageStatus::Diverged:
    case StageStatus::TooSlow: break;
  }
  ++stats_.newton_failures;
  return Trial::Unsolved;
}

Radau::Trial Radau::judge_error(double h) {
  stages_.new_point(y_, y_new_);
  if (options_.fixed_step > 0) return Trial::Good;
  stages_.estimate_error(h, yp_, work_);
  error_ = norm_(work_);
  EvalStatus status = EvalStatus::Ok;
  if (error_ >= 1 && (accepted_h_ == 0 || after_rejection_)) {
    status = stages_.refine_error(t_, h, y_, yp_, work_);
    if (status == EvalStatus::Ok) error_ = norm_(work_);
  }
  if (error_ < 1 && status == EvalStatus::Ok) {
    status = stages_.estimate_dense_error(t_, h, y_, work_);
    if (status == EvalStatus::Ok) error_ = std::max(error_, norm_(work_));
  }
  if (status == EvalStatus::Fatal) return Trial::Fatal;
  if (status == EvalStatus::Domain || !std::isfinite(error_)) return Trial::Outside;
  error_ = std::max(error_, 1e-10);
  return error_ < 1 ? Trial::Good : Trial::Inaccurate;
}

// The rate of convergence speaks for a Jacobian only if all components had their share in it. Those
// that move most may hide others, for which the entries are far too large.
Radau::Trial Radau::judge_jacobian(double h) {
  if (options_.fixed_step > 0 || is_linear_) return Trial::Good;
  ++stats_.jacobians;
  ++stats_.factorizations;
  const EvalStatus status = stages_.error_at_end(t_, h, y_, work_);
  if (status == EvalStatus::Fatal) return Trial::Fatal;
  have_end_jacobian_ = status == EvalStatus::Ok;
  if (have_end_jacobian_ && !(newton_norm_(work_) <= kMostLeft)) return Trial::Misled;
  is_linear_ = have_end_jacobian_ && stages_.is_linear();
  return Trial::Good;
}

// The safety factor, smaller the more iterations Newton needed [1, (8.21)].
double Radau::newton_share() const {
  constexpr double twice = 2.0 * kMaxIterations;
  return kSafety * (1 + twice) / (stages_.iterations() + twice);
}

StepStatus Radau::shorten(Trial trial, double h) {
  after_rejection_ = true;
  if (trial == Trial::Outside) {
    ++stats_.domain_retreats;
    h_ = h / 4;
    return StepStatus::DomainError;
  }
  if (trial == Trial::Singular) {
    h_ = h / 2;
    return StepStatus::SingularMatrix;
  }
  if (trial == Trial::Misled) {
    ++stats_.newton_failures;
    h_ = h / 4;
    return StepStatus::NewtonFailed;
  }
  if (trial == Trial::Unsolved) {
    h_ = h * stages_.step_factor();
    return StepStatus::NewtonFailed;
  }
  ++stats_.rejected;
  h_ = accepted_h_ == 0
           ? h / 10
           : h / std::clamp(std::pow(error_, 0.25) / newton_share(), 1 / kMaxGrowth, kMaxShrink);
  return StepStatus::StepTooSmall;
}

// Gustafsson's predictive control [1, (8.25)], and the keeping of Jacobian and factors. A step cut
// short by the limit says little: the size wanted before it stands.
void Radau::accept(double h, double t_new, bool limited) {
  const double wanted = h_;
  if (options_.fixed_step == 0) {
    double shrink = std::pow(error_, 0.25) / newton_share();
    if (accepted_h_ > 0) {
      const double predicted =
          accepted_h_ / h * std::pow(error_ * error_ / accepted_error_, 0.25) / kSafety;
      shrink = std::max(shrink, predicted);
    }
    h_ = h / std::clamp(shrink, 1 / kMaxGrowth, kMaxShrink);
    if (after_rejection_) h_ = std::min(h_, h);
    if (limited && !after_rejection_) h_ = std::max(h_, wanted);
  }
  if (accepted_h_ == 0) first_h_ = h_;
  stages_.make_polynomial(t_, t_new, y_, dense_);
  stages_.new_slope(h, yp_);
  std::swap(y_, y_new_);
  t_old_ = t_;
  t_ = t_new;
  accepted_h_ = h;
  accepted_error_ = std::max(error_, 1e-2);
  stepped_ = true;
  after_rejection_ = jacobian_fresh_ = false;
  ++stats_.steps;
  if (stages_.rate() > kKeepJacobianRate) {
    have_jacobian_ = jacobian_fresh_ = have_end_jacobian_;
    factored_h_ = 0;
    is_linear_ = false;
    if (have_end_jacobian_) stages_.take_end_jacobian();
  } else if (h_ >= h && h_ <= kKeepStepUpTo * h) {
    h_ = h;
  }
}

const DenseOutput& Radau::dense_output() {
  CHI_CHECK(stepped_, "no step since the restart");
  return dense_;
}

IntegratorStats Radau::stats() const {
  IntegratorStats s = stats_;
  s.evaluations = ode_ ? ode_->evaluations() : stages_.evaluations();
  return s;
}

}  // namespace

std::unique_ptr<Integrator> make_radau(OdeProblem& problem, const IntegratorOptions& options) {
  return std::make_unique<Radau>(nullptr, &problem, options);
}

std::unique_ptr<Integrator> make_radau(DaeProblem& problem, const IntegratorOptions& options) {
  return std::make_unique<Radau>(&problem, nullptr, options);
}

}  // namespace chi::numerics
