#include "sim/integration/algebraic_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "numerics/step_control.h"
#include "sim/integration/tolerances.h"

namespace chi::sim {
namespace {

using numerics::StepStatus;

// Where values are taken, uneven so that no period is mistaken for rest; the last is predicted from
// the others.
constexpr std::array<double, 5> kPlaces = {0, 0.29, 0.63, 1, 0.47};

// Of the cubic through the first four places, at the fifth.
constexpr std::array<double, 4> weights() {
  std::array<double, 4> w = {1, 1, 1, 1};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      if (j != i) w[i] *= (kPlaces[4] - kPlaces[j]) / (kPlaces[i] - kPlaces[j]);
    }
  }
  return w;
}
constexpr std::array<double, 4> kWeights = weights();

}  // namespace

AlgebraicSteps::AlgebraicSteps(int count, Values values)
    : count_(count),
      values_(std::move(values)),
      samples_(static_cast<std::size_t>(count) * kSamples) {}

std::span<double> AlgebraicSteps::sample(int k) {
  const auto n = static_cast<std::size_t>(count_);
  return std::span(samples_).subspan(static_cast<std::size_t>(k) * n, n);
}

void AlgebraicSteps::restart(double t, std::span<const double>, std::span<const double>,
                             numerics::Restart kind) {
  ++stats_.restarts;
  t_ = t_old_ = t;
  if (kind != numerics::Restart::Warm) h_ = 0;
  started_ = false;
}

StepStatus AlgebraicSteps::step(double t_limit) {
  const double remaining = std::min(t_limit - t_, numerics::kLongestStep);
  if (h_ == 0) h_ = std::isinf(t_limit) ? tolerance::kFirstStep : tolerance::kFirstStep * remaining;
  if (count_ == 0) h_ = remaining;
  const double first = std::min(h_, remaining);
  const double smallest = numerics::smallest_step(t_, first);
  for (bool retried = false;; retried = true) {
    const bool limited = h_ >= 0.99 * remaining;
    const double h = limited ? remaining : h_;
    const Trial trial = try_step(h);
    if (trial == Trial::Good || (trial == Trial::Rough && h <= tolerance::kFinestStep * first)) {
      const double growth = std::clamp(0.9 * std::pow(error_, -0.25), 0.2, retried ? 1.0 : 2.0);
      h_ = limited ? std::max(h_, h * growth) : h * growth;
      t_old_ = t_;
      t_ = limited && t_limit - t_ <= numerics::kLongestStep ? t_limit : t_ + h;
      std::ranges::copy(sample(3), sample(0).begin());
      ++stats_.steps;
      return StepStatus::Stepped;
    }
    ++(trial == Trial::Outside ? stats_.domain_retreats : stats_.rejected);
    h_ = h / 4;
    if (h_ < smallest) return StepStatus::DomainError;
  }
}

AlgebraicSteps::Trial AlgebraicSteps::try_step(double h) {
  error_ = tolerance::kLeastError;
  if (count_ == 0) return Trial::Good;
  for (int k = started_ ? 1 : 0; k < kSamples; ++k) {
    ++stats_.evaluations;
    if (!values_(t_ + kPlaces[static_cast<std::size_t>(k)] * h, sample(k))) return Trial::Outside;
    started_ = true;
  }
  // What is zero but for the rounding of the others says nothing.
  double least = tolerance::kLeastValue;
  for (const double value : sample(0))
    least = std::max(least, tolerance::kBesideLargest * std::abs(value));
  for (std::size_t i = 0; i < static_cast<std::size_t>(count_); ++i) {
    double predicted = 0, size = least;
    for (int k = 0; k < 4; ++k) {
      predicted += kWeights[static_cast<std::size_t>(k)] * sample(k)[i];
      size = std::max(size, std::abs(sample(k)[i]));
    }
    error_ = std::max(error_, std::abs(sample(4)[i] - predicted) / (tolerance::kFollowedTo * size));
  }
  return error_ <= 1 ? Trial::Good : Trial::Rough;
}

const numerics::DenseOutput& AlgebraicSteps::dense_output() {
  dense_.reset(0, 0, t_old_, t_);
  return dense_;
}

}  // namespace chi::sim
