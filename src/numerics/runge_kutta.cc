#include "numerics/runge_kutta.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/check.h"
#include "numerics/runge_kutta_tableaus.h"
#include "numerics/step_control.h"

namespace chi::numerics {
namespace {

// Controller constants of DOPRI5 [2, vol. II, IV.2].
constexpr double kSafety = 0.9;
constexpr double kBeta = 0.04;
constexpr double kExponent = 0.2 - 0.75 * kBeta;
constexpr double kMaxShrink = 5;
constexpr double kMaxGrowth = 10;

// A step longer than this part of the way to the limit is stretched onto it.
constexpr double kStretch = 1.01;

// What the interpolant may be off y' = f in the middle of a step, times the step, in tolerances. In
// smooth problems it is a few; behind a square root's zero it is a few times the error, which the
// pair, made for powers of h, does not see: it may take it for a hundredth, or for nothing.
constexpr double kMostDefect = 30;
// That is asked behind restarts and steps that failed, until it has so often told nothing new, and
// wherever the estimate sees less of an error than steps of the right length have.
constexpr int kOften = 10;
constexpr double kLittle = 0.05;

template <class Method>
class RungeKutta final : public Integrator {
 public:
  RungeKutta(OdeProblem& problem, const IntegratorOptions& options);

  void restart(double t, std::span<const double> y, std::span<const double> yp,
               Restart kind) override;
  StepStatus step(double t_limit) override;

  int size() const override { return static_cast<int>(n_); }
  double t() const override { return t_; }
  double t_old() const override { return t_old_; }
  std::span<const double> y() const override { return y_; }
  std::span<const double> yp() const override { return stage(stepped_ ? kLast : 0); }
  double next_step() const override { return h_; }
  const DenseOutput& dense_output() override;
  void interpolate(double at, std::span<double> out) override { dense_output().values(at, out); }
  bool looks_stiff() const override { return stiff_steps_ >= 15; }
  IntegratorStats stats() const override { return stats_; }

 private:
  static constexpr std::size_t kLast = Method::kStages - 1;
  static constexpr const auto& kTableau = Method::kTableau;
  enum class Trial { Good, Inaccurate, Outside, Fatal };

  std::span<double> stage(std::size_t j) { return {k_.data() + j * n_, n_}; }
  std::span<const double> stage(std::size_t j) const { return {k_.data() + j * n_, n_}; }
  EvalStatus evaluate(double t, std::span<const double> y, std::span<double> out);
  StepStatus start(double t_limit);
  Trial try_step(double h);
  template <std::size_t row>
  EvalStatus fill_stage(double h);
  template <std::size_t row, std::size_t... j>
  void combine(double h, std::span<double> out, std::index_sequence<j...>) const;
  template <std::size_t... j>
  void combine_error(double h, std::index_sequence<j...>);
  EvalStatus defect(double h, double& size);
  void accept(double t_new);
  void choose_next_step(double h, bool limited, bool after_rejection);
  void watch_stiffness(double h);
  bool goes_to_and_fro(double h) const;

  OdeProblem& problem_;
  IntegratorOptions options_;
  std::size_t n_;
  ErrorNorm norm_;
  double t_ = 0, t_old_ = 0, t_restart_ = 0;
  double h_ = 0;        // to try next
  double first_h_ = 0;  // what the first step since the restart would have allowed
  double error_ = 0;    // of the last trial
  double old_error_ = 1e-4;
  bool started_ = false;  // stage(0) holds f(t, y)
  bool stepped_ = false;  // stage(kLast) holds f(t, y); dense output is defined
  bool dense_made_ = false;
  int stiff_steps_ = 0, calm_steps_ = 0;
  std::vector<double> y_, y_new_, point_;  // after a step y_new_ holds the old y
  std::vector<double> slope_;              // in the middle of the step, if f is rough
  int agreed_ = 0;                         // steps in a row whose defect said nothing new
  std::vector<double> k_;                  // K_j, one after the other
  DenseOutput dense_;
  IntegratorStats stats_;
};

template <class Method>
RungeKutta<Method>::RungeKutta(OdeProblem& problem, const IntegratorOptions& options)
    : problem_(problem),
      options_(options),
      n_(static_cast<std::size_t>(problem.size())),
      norm_(step_tolerances(options, Method::kShare), problem.size(), {}),
      y_(n_),
      y_new_(n_),
      point_(n_),
      slope_(problem.is_rough() ? n_ : 0),
      k_(n_ * Method::kStages) {
  dense_.reserve(problem.size(), 4);
}

template <class Method>
void RungeKutta<Method>::restart(double t, std::span<const double> y, std::span<const double> yp,
                                 Restart kind) {
  CHI_CHECK(y.size() == n_, "state of the wrong size");
  ++stats_.restarts;
  t_ = t_old_ = t_restart_ = t;
  std::copy(y.begin(), y.end(), y_.begin());
  std::fill(stage(0).begin(), stage(0).end(), 0);
  std::copy(yp.begin(), yp.end(), stage(0).begin());
  if (kind != Restart::Warm) {
    h_ = kind == Restart::Again ? first_h_ : options_.initial_step;
    stiff_steps_ = calm_steps_ = 0;
  }
  old_error_ = 1e-4;
  agreed_ = 0;
  started_ = stepped_ = false;
}

template <class Method>
EvalStatus RungeKutta<Method>::evaluate(double t, std::span<const double> y,
                                        std::span<double> out) {
  ++stats_.evaluations;
  return problem_.rhs(t, y, out);
}

template <class Method>
StepStatus RungeKutta<Method>::start(double t_limit) {
  const EvalStatus status = evaluate(t_, y_, stage(0));
  if (status == EvalStatus::Fatal) return StepStatus::Fatal;
  if (status == EvalStatus::Domain) return StepStatus::DomainError;
  if (options_.fixed_step > 0) h_ = options_.fixed_step;
  if (h_ == 0) {
    norm_.set_reference(y_);
    h_ = initial_step(norm_, t_, y_, stage(0), 5, &problem_, t_limit, point_, stage(1));
    ++stats_.evaluations;
  }
  started_ = true;
  return StepStatus::Stepped;
}

template <class Method>
StepStatus RungeKutta<Method>::step(double t_limit) {
  CHI_CHECK(t_limit > t_, "the limit is not ahead");
  if (stepped_) {
    std::copy(stage(kLast).begin(), stage(kLast).end(), stage(0).begin());
    stepped_ = false;
  } else if (!started_) {
    if (const StepStatus status = start(t_limit); status != StepStatus::Stepped) return status;
  }
  StepStatus failure = StepStatus::StepTooSmall;
  const double smallest = smallest_step(t_, std::min(h_, t_limit - t_));
  for (bool after_rejection = false;; after_rejection = true) {
    h_ = std::min({h_, options_.max_step, kLongestStep});
    const bool limited = t_ + kStretch * h_ >= t_limit;
    const double t_new = limited ? t_limit : t_ + h_;
    const double h = t_new - t_;
    if (h < smallest && !(limited && !after_rejection)) return failure;

    const Trial trial = try_step(h);
    if (trial != Trial::Good) agreed_ = 0;
    if (trial == Trial::Fatal) return StepStatus::Fatal;
    if (trial == Trial::Good) {
      choose_next_step(h, limited, after_rejection);
      if (t_ == t_restart_) first_h_ = h_;
      accept(t_new);
      return StepStatus::Stepped;
    }
    if (trial == Trial::Outside) {
      ++stats_.domain_retreats;
      failure = StepStatus::DomainError;
      if (options_.fixed_step > 0) return failure;
      h_ = h / 4;
    } else {
      ++stats_.rejected;
      failure = StepStatus::StepTooSmall;
      h_ = h / std::min(kMaxShrink, std::pow(error_, kExponent) / kSafety);
    }
  }
}

// y_new, the error and, if the error passes, f at y_new.
template <class Method>
typename RungeKutta<Method>::Trial RungeKutta<Method>::try_step(double h) {
  constexpr std::size_t kBeforeError = Method::kLastStageInError ? kLast : kLast - 1;
  EvalStatus status = EvalStatus::Ok;
  [&]<std::size_t... row>(std::index_sequence<row...>) {
    (void)(((status = fill_stage<row + 1>(h)) == EvalStatus::Ok) && ...);
  }
  (std::make_index_sequence<kBeforeError>{});
  if (status == EvalStatus::Fatal) return Trial::Fatal;
  if (status == EvalStatus::Domain) return Trial::Outside;

  if constexpr (!Method::kLastStageInError) {
    combine<kLast>(h, y_new_, std::make_index_sequence<kLast>{});
  }
  combine_error(h, std::make_index_sequence<Method::kStages>{});
  norm_.set_reference(y_, y_new_);
  error_ = norm_(point_);
  if (!std::isfinite(error_)) return Trial::Outside;
  if (options_.fixed_step == 0 && error_ > 1) return Trial::Inaccurate;

  if constexpr (!Method::kLastStageInError) {
    status = evaluate(t_ + h, y_new_, stage(kLast));
    if (status == EvalStatus::Fatal) return Trial::Fatal;
    if (status == EvalStatus::Domain) return Trial::Outside;
  }
  if (slope_.empty() || options_.fixed_step > 0) return Trial::Good;
  if (agreed_ >= kOften && error_ > kLittle) return Trial::Good;
  double off = 0;
  status = defect(h, off);
  if (status == EvalStatus::Fatal) return Trial::Fatal;
  // Beside the end of its domain f may have no value where the interpolant is: that says nothing.
  if (status == EvalStatus::Domain || !std::isfinite(off)) return Trial::Good;
  agreed_ = off / kMostDefect <= error_ ? agreed_ + 1 : 0;
  error_ = std::max(error_, off / kMostDefect);
  return error_ > 1 ? Trial::Inaccurate : Trial::Good;
}

template <class Method>
EvalStatus RungeKutta<Method>::defect(double h, double& size) {
  constexpr double theta = 0.5;
  std::array<double, Method::kStages> value{}, slope{};
  for (std::size_t j = 0; j < Method::kStages; ++j) {
    double power = 1;
    for (std::size_t p = 0; p < 4; ++p) {
      slope[j] += kTableau.d[j][p] * static_cast<double>(p + 1) * power;
      power *= theta;
      value[j] += kTableau.d[j][p] * power;
    }
  }
  for (std::size_t i = 0; i < n_; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < Method::kStages; ++j) sum += value[j] * k_[j * n_ + i];
    point_[i] = y_[i] + h * sum;
  }
  const EvalStatus status = evaluate(t_ + theta * h, point_, slope_);
  if (status != EvalStatus::Ok) return status;
  for (std::size_t i = 0; i < n_; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < Method::kStages; ++j) sum += slope[j] * k_[j * n_ + i];
    point_[i] = h * (sum - slope_[i]);
  }
  size = norm_(point_);
  return status;
}

template <class Method>
template <std::size_t row>
EvalStatus RungeKutta<Method>::fill_stage(double h) {
  std::span<double> point = row == kLast ? y_new_ : point_;
  combine<row>(h, point, std::make_index_sequence<row>{});
  return evaluate(t_ + kTableau.c[row] * h, point, stage(row));
}

template <class Method>
template <std::size_t row, std::size_t... j>
void RungeKutta<Method>::combine(double h, std::span<double> out, std::index_sequence<j...>) const {
  const double* k = k_.data();
  for (std::size_t i = 0; i < n_; ++i) {
    const double slope = ((kTableau.a[row][j] == 0 ? 0 : kTableau.a[row][j] * k[j * n_ + i]) + ...);
    out[i] = y_[i] + h * slope;
  }
}

template <class Method>
template <std::size_t... j>
void RungeKutta<Method>::combine_error(double h, std::index_sequence<j...>) {
  const double* k = k_.data();
  for (std::size_t i = 0; i < n_; ++i) {
    point_[i] = h * ((kTableau.e[j] == 0 ? 0 : kTableau.e[j] * k[j * n_ + i]) + ...);
  }
}

template <class Method>
void RungeKutta<Method>::accept(double t_new) {
  watch_stiffness(t_new - t_);
  std::swap(y_, y_new_);
  t_old_ = t_;
  t_ = t_new;
  stepped_ = true;
  dense_made_ = false;
  ++stats_.steps;
}

// PI control [2]. A step cut short by the limit says little: the size wanted before it stands.
template <class Method>
void RungeKutta<Method>::choose_next_step(double h, bool limited, bool after_rejection) {
  if (options_.fixed_step > 0) return;
  const double wanted = h_;
  const double shrink = std::pow(error_, kExponent) / std::pow(old_error_, kBeta) / kSafety;
  h_ = h / std::clamp(shrink, 1 / kMaxGrowth, kMaxShrink);
  if (after_rejection) h_ = std::min(h_, h);
  if (limited && !after_rejection) {
    h_ = std::max(h_, wanted);
  } else {
    old_error_ = std::max(error_, 1e-4);
  }
}

// A component that moves towards the same side at both ends of the step, faster than its tolerance,
// and yet gets nowhere: where a slope is steep in a narrow place only, as that of a square root at
// zero, most stages do not see it.
template <class Method>
bool RungeKutta<Method>::goes_to_and_fro(double h) const {
  constexpr double kNowhere = 0.1;
  for (std::size_t i = 0; i < n_; ++i) {
    const double first = h * k_[i], last = h * k_[kLast * n_ + i];
    if (!(first * last > 0)) continue;
    const double way = std::min(std::abs(first), std::abs(last));
    const double tolerance = norm_.absolute()[i] + norm_.relative() * std::abs(y_[i]);
    if (way > tolerance && std::abs(y_new_[i] - y_[i]) < kNowhere * way) return true;
  }
  return false;
}

// h|λ| ≈ h |f(Y) - f(Z)| / |Y - Z| for the two stages Y, Z at c = 1. Fifteen steps beyond the
// stability bound, with fewer than six calm ones in a row between them, make a stiff problem [2].
template <class Method>
void RungeKutta<Method>::watch_stiffness(double h) {
  constexpr std::size_t other = Method::kStiffStage;
  double slopes = 0, points = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    double distance = 0;
    for (std::size_t j = 0; j < kLast; ++j) {
      distance += (kTableau.a[kLast][j] - kTableau.a[other][j]) * k_[j * n_ + i];
    }
    const double slope = k_[kLast * n_ + i] - k_[other * n_ + i];
    slopes += slope * slope;
    points += distance * distance;
  }
  // |Y - Z| = h sqrt(points), so h|λ| = sqrt(slopes / points).
  constexpr double bound = Method::kStabilityBound * Method::kStabilityBound;
  if ((points > 0 && slopes > bound * points) || goes_to_and_fro(h)) {
    calm_steps_ = 0;
    ++stiff_steps_;
  } else if (stiff_steps_ > 0 && stiff_steps_ < 15 && ++calm_steps_ == 6) {
    stiff_steps_ = calm_steps_ = 0;
  }
}

template <class Method>
const DenseOutput& RungeKutta<Method>::dense_output() {
  CHI_CHECK(stepped_, "no step since the restart");
  if (dense_made_) return dense_;
  dense_.reset(size(), 4, t_old_, t_);
  const double h = t_ - t_old_;
  std::copy(y_new_.begin(), y_new_.end(), dense_.power(0).begin());
  for (std::size_t p = 0; p < 4; ++p) {
    const std::span<double> c = dense_.power(static_cast<int>(p) + 1);
    for (std::size_t i = 0; i < n_; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < Method::kStages; ++j) sum += kTableau.d[j][p] * k_[j * n_ + i];
      c[i] = h * sum;
    }
  }
  dense_made_ = true;
  return dense_;
}

}  // namespace

std::unique_ptr<Integrator> make_runge_kutta(OdeProblem& problem, const IntegratorOptions& options,
                                             ExplicitMethod method) {
  if (method == ExplicitMethod::Fehlberg) {
    return std::make_unique<RungeKutta<Fehlberg>>(problem, options);
  }
  return std::make_unique<RungeKutta<DormandPrince>>(problem, options);
}

}  // namespace chi::numerics
