#include "numerics/radau_stages.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "numerics/radau_coefficients.h"

namespace chi::numerics {

using radau::kInverseA;
using radau::kInverseT;
using radau::kPowers;
using radau::kT;

RadauStages::RadauStages(DaeProblem& problem, MatrixKind kind, const ErrorNorm& norm)
    : problem_(problem),
      pattern_(problem.jacobian_pattern() ? *problem.jacobian_pattern()
                                          : full_pattern(problem.size(), problem.size())),
      n_(static_cast<std::size_t>(problem.size())),
      jacobian_(static_cast<std::size_t>(pattern_.nonzeros())),
      mass_(jacobian_.size()),
      end_jacobian_(jacobian_.size()),
      end_mass_(jacobian_.size()),
      real_(pattern_, prefers_dense(pattern_, kind)),
      end_(pattern_, prefers_dense(pattern_, kind)),
      complex_(pattern_, prefers_dense(pattern_, kind)),
      z_(3 * n_),
      r_(3 * n_),
      point_(n_),
      slope_(n_),
      pair_(n_) {
  if (!problem.has_jacobian()) differences_.emplace(pattern_, norm.typical());
}

EvalStatus RadauStages::evaluate_jacobian(double t, std::span<const double> y,
                                          std::span<const double> yp) {
  return evaluate_jacobian(t, y, yp, jacobian_, mass_);
}

EvalStatus RadauStages::evaluate_jacobian(double t, std::span<const double> y,
                                          std::span<const double> yp, std::span<double> jacobian,
                                          std::span<double> mass) {
  if (!differences_) {
    const EvalStatus status = problem_.jacobian(t, y, yp, 1, 0, jacobian);
    return status == EvalStatus::Ok ? problem_.jacobian(t, y, yp, 0, 1, mass) : status;
  }
  EvalStatus status = differences_->evaluate(problem_, t, y, yp, 1, 0, jacobian);
  evaluations_ += differences_->evaluations();
  if (status != EvalStatus::Ok) return status;
  status = differences_->evaluate(problem_, t, y, yp, 0, 1, mass);
  evaluations_ += differences_->evaluations();
  return status;
}

bool RadauStages::factor(double h) {
  const double gamma = radau::kGamma / h;
  const Complex pair(radau::kAlpha / h, -radau::kBeta / h);
  const std::span<double> e1 = real_.entries();
  const std::span<Complex> e2 = complex_.entries();
  for (std::size_t k = 0; k < jacobian_.size(); ++k) {
    e1[k] = jacobian_[k] + gamma * mass_[k];
    e2[k] = {jacobian_[k] + pair.real() * mass_[k], pair.imag() * mass_[k]};
  }
  return real_.factor() && complex_.factor();
}

void RadauStages::start_from_zero() { std::fill(z_.begin(), z_.end(), 0.0); }

void RadauStages::start_from(const DenseOutput& previous, double h, std::span<const double> y) {
  for (std::size_t i = 0; i < 3; ++i) {
    const std::span<double> zi = z(i);
    previous.values(previous.t_new() + radau::kNodes[i] * h, zi);
    for (std::size_t k = 0; k < n_; ++k) zi[k] -= y[k];
  }
}

// R_i = F at stage i, into r_.
EvalStatus RadauStages::evaluate_stages(double t, double h, std::span<const double> y) {
  for (std::size_t i = 0; i < 3; ++i) {
    const std::span<const double> zi = z(i), z0 = z(0), z1 = z(1), z2 = z(2);
    const auto& a = kInverseA[i];
    for (std::size_t k = 0; k < n_; ++k) {
      point_[k] = y[k] + zi[k];
      slope_[k] = (a[0] * z0[k] + a[1] * z1[k] + a[2] * z2[k]) / h;
    }
    ++evaluations_;
    const EvalStatus status = problem_.residual(t + radau::kNodes[i] * h, point_, slope_, r(i));
    if (status != EvalStatus::Ok) return status;
  }
  return EvalStatus::Ok;
}

// From the residuals in r_ to the corrections ΔZ in r_: transform, solve twice, transform back.
void RadauStages::solve_correction() {
  const std::span<double> r0 = r(0), r1 = r(1), r2 = r(2);
  for (std::size_t k = 0; k < n_; ++k) {
    const double a = r0[k], b = r1[k], c = r2[k];
    r0[k] = -(kInverseT[0][0] * a + kInverseT[0][1] * b + kInverseT[0][2] * c);
    pair_[k] = {-(kInverseT[1][0] * a + kInverseT[1][1] * b + kInverseT[1][2] * c),
                -(kInverseT[2][0] * a + kInverseT[2][1] * b + kInverseT[2][2] * c)};
  }
  real_.solve(r0);
  complex_.solve(pair_);
  for (std::size_t k = 0; k < n_; ++k) {
    const double a = r0[k], b = pair_[k].real(), c = pair_[k].imag();
    r0[k] = kT[0][0] * a + kT[0][1] * b + kT[0][2] * c;
    r1[k] = kT[1][0] * a + kT[1][1] * b + kT[1][2] * c;
    r2[k] = kT[2][0] * a + kT[2][1] * b;  // kT[2][2] = 0
  }
}

StageStatus RadauStages::solve(double t, double h, std::span<const double> y, const ErrorNorm& norm,
                               double tolerance, int max_iterations) {
  // Corrections this small are noise: that they do not fall any more is no failure.
  const double roundoff = 100 * std::numeric_limits<double>::epsilon() / norm.relative();
  double last = 0, last_ratio = 0;
  eta_ = std::pow(std::max(eta_, std::numeric_limits<double>::epsilon()), 0.8);
  rate_ = 0;
  step_factor_ = 0.5;  // a hopeless rate does not say how short the step must be
  for (iterations_ = 1; iterations_ <= max_iterations; ++iterations_) {
    const EvalStatus status = evaluate_stages(t, h, y);
    if (status == EvalStatus::Fatal) return StageStatus::Fatal;
    if (status == EvalStatus::Domain) return StageStatus::Domain;
    solve_correction();
    const double a = norm(r(0)), b = norm(r(1)), c = norm(r(2));
    const double size = std::sqrt((a * a + b * b + c * c) / 3);
    if (!std::isfinite(size)) return StageStatus::Domain;

    if (iterations_ > 1 && last > 0) {
      const double ratio = size / last;
      rate_ = iterations_ == 2 ? ratio : std::sqrt(ratio * last_ratio);
      last_ratio = ratio;
      if (rate_ >= 0.99) return size <= roundoff ? StageStatus::Converged : StageStatus::Diverged;
      eta_ = rate_ / (1 - rate_);
      const int left = max_iterations - iterations_;
      const double expected = eta_ * size * std::pow(rate_, left) / tolerance;
      if (expected >= 1 &&
          size > roundoff) {  // it would not converge in the iterations left [1, p. 120]
        step_factor_ = 0.8 * std::pow(std::clamp(expected, 1e-4, 20.0), -1.0 / (4 + left));
        return StageStatus::TooSlow;
      }
    }
    last = size;
    for (std::size_t k = 0; k < z_.size(); ++k) z_[k] += r_[k];
    if (eta_ * size <= tolerance) return StageStatus::Converged;
  }
  return StageStatus::TooSlow;
}

// M (y' - u'(t)), u' = Σ_j kPowers[0][j] Z_j / h.
void RadauStages::add_mass_defect(double h, std::span<const double> yp, std::span<double> out) {
  const std::span<const double> z0 = z(0), z1 = z(1), z2 = z(2);
  for (std::size_t k = 0; k < n_; ++k) {
    slope_[k] = yp[k] - (kPowers[0][0] * z0[k] + kPowers[0][1] * z1[k] + kPowers[0][2] * z2[k]) / h;
  }
  multiply_add(pattern_, mass_, 1, slope_, out);
}

void RadauStages::estimate_error(double h, std::span<const double> yp, std::span<double> error) {
  std::fill(error.begin(), error.end(), 0.0);
  add_mass_defect(h, yp, error);
  real_.solve(error);
}

EvalStatus RadauStages::refine_error(double t, double h, std::span<const double> y,
                                     std::span<const double> yp, std::span<double> error) {
  for (std::size_t k = 0; k < n_; ++k) point_[k] = y[k] + error[k];
  ++evaluations_;
  if (const EvalStatus status = problem_.residual(t, point_, yp, error); status != EvalStatus::Ok) {
    return status;
  }
  for (double& e : error) e = -e;
  add_mass_defect(h, yp, error);
  real_.solve(error);
  return EvalStatus::Ok;
}

EvalStatus RadauStages::estimate_dense_error(double t, double h, std::span<const double> y,
                                             std::span<double> error) {
  constexpr double x = radau::kBetweenNodes;
  const std::span<const double> z0 = z(0), z1 = z(1), z2 = z(2);
  std::array<double, 3> value{}, slope{};
  for (std::size_t j = 0; j < 3; ++j) {
    value[j] = x * (kPowers[0][j] + x * (kPowers[1][j] + x * kPowers[2][j]));
    slope[j] = (kPowers[0][j] + x * (2 * kPowers[1][j] + x * 3 * kPowers[2][j])) / h;
  }
  for (std::size_t k = 0; k < n_; ++k) {
    point_[k] = y[k] + (value[0] * z0[k] + value[1] * z1[k] + value[2] * z2[k]);
    slope_[k] = slope[0] * z0[k] + slope[1] * z1[k] + slope[2] * z2[k];
  }
  ++evaluations_;
  const EvalStatus status = problem_.residual(t + x * h, point_, slope_, error);
  if (status == EvalStatus::Ok) real_.solve(error);
  return status;
}

EvalStatus RadauStages::error_at_end(double t, double h, std::span<const double> y,
                                     std::span<double> error) {
  new_point(y, point_);
  new_slope(h, slope_);
  EvalStatus status = evaluate_jacobian(t + h, point_, slope_, end_jacobian_, end_mass_);
  if (status != EvalStatus::Ok) return status;
  const std::span<double> entries = end_.entries();
  for (std::size_t k = 0; k < entries.size(); ++k) {
    entries[k] = end_jacobian_[k] + radau::kGamma / h * end_mass_[k];
  }
  if (!end_.factor()) return EvalStatus::Domain;
  ++evaluations_;
  status = problem_.residual(t + h, point_, slope_, error);
  if (status == EvalStatus::Ok) end_.solve(error);
  return status;
}

bool RadauStages::is_linear() const {
  constexpr double kSame = 1e-6;  // differences are not better
  const auto same = [](double a, double b) {
    return std::abs(a - b) <= kSame * (std::abs(a) + std::abs(b));
  };
  return std::ranges::equal(jacobian_, end_jacobian_, same) &&
         std::ranges::equal(mass_, end_mass_, same);
}

void RadauStages::take_end_jacobian() {
  std::swap(jacobian_, end_jacobian_);
  std::swap(mass_, end_mass_);
}

void RadauStages::new_point(std::span<const double> y, std::span<double> y_new) const {
  for (std::size_t k = 0; k < n_; ++k) y_new[k] = y[k] + z(2)[k];
}

void RadauStages::new_slope(double h, std::span<double> yp_new) const {
  const auto& a = kInverseA[2];
  for (std::size_t k = 0; k < n_; ++k) {
    yp_new[k] = (a[0] * z(0)[k] + a[1] * z(1)[k] + a[2] * z(2)[k]) / h;
  }
}

void RadauStages::make_polynomial(double t_old, double t_new, std::span<const double> y,
                                  DenseOutput& out) const {
  out.reset(static_cast<int>(n_), 3, t_old, t_new);
  std::copy(y.begin(), y.end(), out.power(0).begin());
  for (std::size_t p = 0; p < 3; ++p) {
    const std::span<double> c = out.power(static_cast<int>(p) + 1);
    for (std::size_t k = 0; k < n_; ++k) {
      c[k] = kPowers[p][0] * z(0)[k] + kPowers[p][1] * z(1)[k] + kPowers[p][2] * z(2)[k];
    }
  }
}

}  // namespace chi::numerics
