#include "numerics/bdf.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "numerics/bdf_history.h"
#include "numerics/lu_solver.h"
#include "numerics/newton_convergence.h"
#include "numerics/nordsieck.h"
#include "numerics/ode_as_dae.h"
#include "numerics/step_control.h"

namespace chi::numerics {
namespace {

// The constants of CVODE.
constexpr int kMaxOrder = BdfCoefficients::kMaxOrder;
constexpr double kNewtonShare = 0.1;  // of the error of a step, for the iteration
constexpr int kMaxIterations = 3;
constexpr double kStaleGamma = 0.3;       // change of γ that asks for new factors
constexpr std::int64_t kFactorLife = 20;  // steps
constexpr std::int64_t kJacobianLife = 50;
constexpr double kWorthwhile = 1.5;  // a smaller growth of the step is left
constexpr double kFirstGrowth = 1e4;
constexpr double kGrowth = 10;
constexpr int kFewFailures = 3;

constexpr int kMostOnTheSpot = 8;   // Jacobians where an iteration has come to
constexpr double kShortest = 1e-3;  // of the usual step: below, the history is not stretched

double growth(double bias, double error, int order) {
  return 1 / (std::pow(bias * error, 1.0 / order) + 1e-6);
}

class Bdf final : public Integrator {
 public:
  Bdf(OdeProblem& problem, const IntegratorOptions& options);

  void restart(double t, std::span<const double> y, std::span<const double> yp,
               Restart kind) override;
  StepStatus step(double t_limit) override;

  int size() const override { return problem_.size(); }
  double t() const override { return t_; }
  double t_old() const override { return t_old_; }
  std::span<const double> y() const override { return y_; }
  std::span<const double> yp() const override { return yp_; }
  double next_step() const override { return next_h_; }
  const DenseOutput& dense_output() override;
  void interpolate(double at, std::span<double> out) override;
  IntegratorStats stats() const override;

 private:
  enum class Trial { Good, Inaccurate, Outside, Unsolved, Singular, Fatal };

  StepStatus begin(double t_limit);
  void begin_at(double h);
  double warm_step();
  Trial try_step(double t_new, double h);
  Trial prepare_matrix(double t_new, double gamma);
  Trial iterate(double t_new, double gamma);
  StepStatus shorten(Trial trial, double h);
  bool lower_to_one();
  void accept(double t_new, double h);
  void plan_next();
  void change_order();
  Trial outcome(EvalStatus status);

  OdeProblem& ode_;
  OdeAsDae problem_;
  IntegratorOptions options_;
  int max_order_;
  ErrorNorm norm_;
  FadingWeights weights_{norm_};
  LuSolver<double> matrix_;
  bool is_rough_;
  NewtonConvergence convergence_;
  Nordsieck history_;
  BdfCoefficients coefficients_;
  std::vector<double> jacobian_;  // -∂f/∂y
  std::vector<double> y_, yp_, y_new_, slope_, correction_, saved_, f_, r_, w_;
  std::array<double, kMaxOrder + 2> tau_ = {};  // from 1: the last steps
  double t_ = 0, t_old_ = 0;
  double next_h_ = 0;
  int next_order_ = 1;
  int wait_ = 2;  // steps until another order is considered
  double max_growth_ = kFirstGrowth;
  double error_ = 0;  // of the last trial, in tolerances
  double saved_quotient_ = 0;
  int failures_ = 0;  // of the error test, in this step
  double factored_gamma_ = 0;
  std::int64_t steps_ = 0;  // since the restart
  std::int64_t factored_at_ = 0, evaluated_at_ = 0;
  bool have_jacobian_ = false, jacobian_fresh_ = false, have_factors_ = false;
  bool begun_ = false, stepped_ = false, dense_made_ = false;
  DenseOutput dense_;
  IntegratorStats stats_;
};

Bdf::Bdf(OdeProblem& problem, const IntegratorOptions& options)
    : ode_(problem),
      problem_(problem, ErrorNorm(step_tolerances(options, 1), problem.size(), {}).typical()),
      options_(options),
      max_order_(options.max_order > 0 ? std::min(options.max_order, kMaxOrder) : kMaxOrder),
      norm_(step_tolerances(options, multistep_share(options.tolerances.relative)), problem.size(),
            {}),
      matrix_(*problem_.jacobian_pattern(),
              prefers_dense(*problem_.jacobian_pattern(), options.matrix)),
      is_rough_(problem.is_rough()),
      history_(problem.size()),
      jacobian_(static_cast<std::size_t>(problem_.jacobian_pattern()->nonzeros())),
      y_(static_cast<std::size_t>(problem.size())),
      yp_(y_.size()),
      y_new_(y_.size()),
      slope_(y_.size()),
      correction_(y_.size()),
      saved_(y_.size()),
      f_(y_.size()),
      r_(y_.size()),
      w_(y_.size()) {}

void Bdf::restart(double t, std::span<const double> y, std::span<const double> yp, Restart kind) {
  CHI_CHECK(y.size() == y_.size(), "state of the wrong size");
  next_h_ = kind == Restart::Warm ? warm_step() : options_.initial_step;
  t_ = t_old_ = t;
  std::copy(y.begin(), y.end(), y_.begin());
  std::fill(yp_.begin(), yp_.end(), 0.0);
  std::copy(yp.begin(), yp.end(), yp_.begin());
  weights_.restart(y);
  if (kind != Restart::Warm) have_jacobian_ = have_factors_ = false;
  begun_ = stepped_ = false;
  ++stats_.restarts;
}

// Before the history is lost: what it says about a first step at order 1.
double Bdf::warm_step() {
  if (!stepped_ || !begun_) return next_h_;
  const double last = std::max(t_ - t_old_, tau_[2]);  // the last may have been cut short
  if (history_.order() < 2) return last;
  const double h = history_.step();
  for (std::size_t i = 0; i < r_.size(); ++i) r_[i] = 2 * history_.row(2)[i] / h / h;
  norm_.set_reference(y_);
  return first_order_step(norm_, t_, r_, last);
}

StepStatus Bdf::begin(double t_limit) {
  const EvalStatus status = problem_.rhs(t_, y_, yp_);
  if (status == EvalStatus::Fatal) return StepStatus::Fatal;
  if (status == EvalStatus::Domain) return StepStatus::DomainError;
  if (next_h_ == 0) {
    norm_.set_reference(y_);
    next_h_ = initial_step(norm_, t_, y_, yp_, 1, &ode_, t_limit, y_new_, f_);
    ++stats_.evaluations;
  }
  weights_.start(t_, yp_);
  begin_at(std::min({next_h_, t_limit - t_, options_.max_step}));
  steps_ = 0;
  evaluated_at_ = factored_at_ = 0;
  begun_ = true;
  return StepStatus::Stepped;
}

// At order 1, with nothing but the present point.
void Bdf::begin_at(double h) {
  history_.start(y_, yp_, h);
  tau_ = {};
  next_h_ = h;
  next_order_ = 1;
  wait_ = 2;
  max_growth_ = kFirstGrowth;
  saved_quotient_ = 0;
}

StepStatus Bdf::step(double t_limit) {
  CHI_CHECK(t_limit > t_, "the limit is not ahead");
  if (!begun_) {
    if (const StepStatus status = begin(t_limit); status != StepStatus::Stepped) return status;
  }
  // So short a step would scale the high rows down below their rounding, and up again after it.
  if (steps_ > 0 && t_limit - t_ < kShortest * next_h_) begin_at(t_limit - t_);
  if (next_order_ != history_.order()) change_order();
  weights_.weights(y_, w_);
  failures_ = 0;
  StepStatus failure = StepStatus::StepTooSmall;
  const double smallest = smallest_step(t_, std::min(next_h_, t_limit - t_));
  for (bool first_try = true;; first_try = false) {
    double h = std::min({next_h_, options_.max_step, kLongestStep});
    const double left = t_limit - t_;
    const bool limited = h * (1 + 1e-9) >= left;
    if (limited) {
      h = left;
    } else if (2 * h > left) {
      h = left / 2;  // rather two steps of the same size than a very short one at the end
    }
    const double t_new = limited ? t_limit : t_ + h;
    if (h < smallest && !(limited && first_try)) return failure;
    if (t_new <= t_) return failure;
    next_h_ = h;
    const Trial trial = try_step(t_new, h);
    if (trial == Trial::Fatal) return StepStatus::Fatal;
    if (trial == Trial::Good) {
      accept(t_new, h);
      return StepStatus::Stepped;
    }
    failure = shorten(trial, h);
    if (failure == StepStatus::DomainError && trial != Trial::Outside) return failure;
  }
}

Bdf::Trial Bdf::outcome(EvalStatus status) {
  if (status == EvalStatus::Fatal) return Trial::Fatal;
  if (status == EvalStatus::Domain) return Trial::Outside;
  return Trial::Good;
}

Bdf::Trial Bdf::try_step(double t_new, double h) {
  coefficients_ = BdfCoefficients(history_.order(), h, tau_);
  const double gamma = h / coefficients_.l[1];
  jacobian_fresh_ = false;
  int left = is_rough_ ? kMostOnTheSpot : 0;
  for (bool on_the_spot = false;;) {
    if (!on_the_spot) {
      history_.predict(h, coefficients_.l[1], y_new_, slope_);
      std::fill(correction_.begin(), correction_.end(), 0.0);
    }
    if (const Trial trial = prepare_matrix(t_new, gamma); trial != Trial::Good) return trial;
    const Trial trial = iterate(t_new, gamma);
    if (trial == Trial::Good) break;
    if (trial != Trial::Unsolved) return trial;
    on_the_spot = jacobian_fresh_;
    if (on_the_spot && left-- == 0) {
      ++stats_.newton_failures;
      return trial;
    }
    have_jacobian_ = false;  // an old Jacobian may be to blame, or one from elsewhere
  }
  error_ = coefficients_.error * weighted_norm(correction_, w_);
  if (!std::isfinite(error_)) return Trial::Outside;
  return error_ <= 1 ? Trial::Good : Trial::Inaccurate;
}

Bdf::Trial Bdf::prepare_matrix(double t_new, double gamma) {
  const bool stale = !have_factors_ || !have_jacobian_ ||
                     std::abs(gamma / factored_gamma_ - 1) > kStaleGamma ||
                     steps_ >= factored_at_ + kFactorLife;
  if (!stale) return Trial::Good;
  for (;;) {
    if (!have_jacobian_ || steps_ > evaluated_at_ + kJacobianLife) {
      ++stats_.jacobians;
      have_jacobian_ = false;
      const EvalStatus status = problem_.jacobian(t_new, y_new_, {}, 1, 0, jacobian_);
      if (status != EvalStatus::Ok) return outcome(status);
      have_jacobian_ = jacobian_fresh_ = true;
      evaluated_at_ = steps_;
    }
    const std::span<double> entries = matrix_.entries();
    for (std::size_t k = 0; k < entries.size(); ++k) entries[k] = gamma * jacobian_[k];
    for (const std::size_t d : problem_.diagonal()) entries[d] += 1;
    ++stats_.factorizations;
    convergence_.forget();
    have_factors_ = matrix_.factor();
    if (have_factors_) {
      factored_gamma_ = gamma;
      factored_at_ = steps_;
      return Trial::Good;
    }
    if (jacobian_fresh_) return Trial::Singular;
    have_jacobian_ = false;
  }
}

// (I - γ ∂f/∂y) δ = γ f - h y'_predicted / l_1 - correction. Factors of another γ do nearly as well
// if δ is scaled.
Bdf::Trial Bdf::iterate(double t_new, double gamma) {
  const double tolerance = kNewtonShare / coefficients_.error;
  const double scale = 2 / (1 + gamma / factored_gamma_);
  for (int m = 0; m < kMaxIterations; ++m) {
    const EvalStatus status = problem_.rhs(t_new, y_new_, f_);
    if (status != EvalStatus::Ok) return outcome(status);
    bdf_residual(gamma, f_, slope_, correction_, r_);
    if (is_rough_) convergence_.look_at(m, r_, w_);
    matrix_.solve(r_);
    ++stats_.newton_iterations;
    const double change = bdf_correct(scale, r_, w_, correction_, y_new_);
    if (!std::isfinite(change)) return Trial::Outside;
    switch (convergence_.judge(m, change, tolerance)) {
      case NewtonConvergence::Verdict::Converged: return Trial::Good;
      case NewtonConvergence::Verdict::Diverges: return Trial::Unsolved;
      case NewtonConvergence::Verdict::NotYet: break;
    }
  }
  return Trial::Unsolved;
}

StepStatus Bdf::shorten(Trial trial, double h) {
  max_growth_ = 1;
  if (trial != Trial::Inaccurate) {
    next_h_ = h / 4;
    if (trial == Trial::Unsolved) return StepStatus::NewtonFailed;
    if (trial == Trial::Singular) return StepStatus::SingularMatrix;
    ++stats_.domain_retreats;
    return StepStatus::DomainError;
  }
  ++stats_.rejected;
  ++failures_;
  if (failures_ <= kFewFailures) {
    double eta = std::max(0.1, growth(6, error_, history_.order() + 1));
    if (failures_ >= 2) eta = std::min(eta, 0.2);
    next_h_ = h * eta;
    return StepStatus::StepTooSmall;
  }
  // The history is of no use here.
  next_h_ = h * 0.1;
  if (!lower_to_one()) return StepStatus::DomainError;
  return StepStatus::StepTooSmall;
}

bool Bdf::lower_to_one() {
  if (problem_.rhs(t_, y_, f_) != EvalStatus::Ok) return false;
  history_.start(y_, f_, next_h_);
  next_order_ = 1;
  wait_ = 10;
  return true;
}

void Bdf::accept(double t_new, double h) {
  history_.advance(h, coefficients_, correction_);
  const int q = history_.order();
  for (int i = q; i >= 2; --i) {
    tau_[static_cast<std::size_t>(i)] = tau_[static_cast<std::size_t>(i) - 1];
  }
  if (q == 1 && steps_ > 0) tau_[2] = tau_[1];
  tau_[1] = h;
  ++steps_;
  ++stats_.steps;
  t_old_ = t_;
  t_ = t_new;
  std::ranges::copy(history_.row(0), y_.begin());
  const std::span<const double> slope = history_.row(1);
  for (std::size_t i = 0; i < yp_.size(); ++i) yp_[i] = slope[i] / h;
  stepped_ = true;
  dense_made_ = false;
  --wait_;
  if (wait_ == 1 && q < max_order_) {
    saved_ = correction_;
    saved_quotient_ = coefficients_.quotient;
  }
  plan_next();
  weights_.accept(y_, h);
  max_growth_ = kGrowth;
}

// Which step and order to try next: those of one order lower and higher count too once the present
// order has been kept for a while.
void Bdf::plan_next() {
  const int q = history_.order();
  const double h = history_.step();
  next_order_ = q;
  next_h_ = h;
  if (max_growth_ == 1) {
    wait_ = std::max(wait_, 2);
    return;
  }
  double best = growth(6, error_, q + 1);
  if (wait_ == 0) {
    wait_ = 2;
    const double same = best;
    double lower = 0, higher = 0;
    if (q > 1) lower = growth(6, coefficients_.lower * weighted_norm(history_.row(q), w_), q);
    if (q < max_order_ && saved_quotient_ != 0) {
      const double factor = coefficients_.quotient / saved_quotient_ * std::pow(h / tau_[2], q + 1);
      const double difference = weighted_norm(correction_, factor, saved_, w_);
      higher = growth(10, coefficients_.higher * difference, q + 2);
    }
    best = std::max({same, lower, higher});
    if (best < kWorthwhile) return;
    if (best == same) {
      next_order_ = q;
    } else if (best == lower) {
      next_order_ = q - 1;
    } else {
      next_order_ = q + 1;
    }
  }
  if (!(best >= kWorthwhile)) return;
  next_h_ = h * std::min(best, max_growth_);
}

void Bdf::change_order() {
  if (next_order_ > history_.order()) {
    history_.raise_order(tau_, correction_);
  } else {
    history_.lower_order(tau_);
  }
  wait_ = history_.order() + 1;
}

const DenseOutput& Bdf::dense_output() {
  CHI_CHECK(stepped_, "no step since the restart");
  if (dense_made_) return dense_;
  const int q = history_.order();
  dense_.reset(size(), q, t_old_, t_);
  for (int k = 0; k <= q; ++k) std::ranges::copy(history_.row(k), dense_.power(k).begin());
  shift_powers(dense_);
  dense_made_ = true;
  return dense_;
}

void Bdf::interpolate(double at, std::span<double> out) {
  CHI_CHECK(stepped_, "no step since the restart");
  const double x = (at - t_) / history_.step();
  const int q = history_.order();
  std::ranges::copy(history_.row(q), out.begin());
  for (int k = q - 1; k >= 0; --k) {
    const std::span<const double> z = history_.row(k);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = out[i] * x + z[i];
  }
}

IntegratorStats Bdf::stats() const {
  IntegratorStats s = stats_;
  s.evaluations += problem_.evaluations();
  return s;
}

}  // namespace

std::unique_ptr<Integrator> make_bdf(OdeProblem& problem, const IntegratorOptions& options) {
  return std::make_unique<Bdf>(problem, options);
}

}  // namespace chi::numerics
