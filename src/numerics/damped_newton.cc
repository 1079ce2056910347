#include "numerics/damped_newton.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/check.h"

namespace chi::numerics {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kPatience = 10;          // steps more, if they may be no noise
constexpr double kStagnation = 1e-8;   // steps smaller than this that do not shrink are noise
constexpr int kLargestReported = 500;  // equations for which dependencies are worked out

std::size_t at(int index) { return static_cast<std::size_t>(index); }

double size_of(double row) { return row > 0 ? row : 1.0; }

double norm_of(std::span<const double> residual, std::span<const double> scale) {
  double most = 0.0;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    most = std::max(most, std::abs(residual[i]) / size_of(scale[i]));
  }
  return most;
}

bool may_restart(SolveStatus status) {
  return status != SolveStatus::Converged && status != SolveStatus::Stopped;
}

}  // namespace

DampedNewton::DampedNewton(const SparsePattern& pattern, NewtonOptions options,
                           NewtonBackend& backend, double residual_limit)
    : options_(options), pattern_(pattern), backend_(backend), residual_limit_(residual_limit) {
  for (std::vector<double>* v :
       {&x_, &trial_, &step_, &correction_, &last_correction_, &weights_, &best_, &guess_}) {
    v->resize(at(pattern.cols));
  }
  for (std::vector<double>* v : {&residual_, &trial_residual_, &row_size_, &row_scale_, &terms_}) {
    v->resize(at(pattern.rows));
  }
  jacobian_.resize(at(pattern.nonzeros()));
}

SolveResult DampedNewton::solve(const NonlinearProblem& problem, std::span<double> x,
                                int restarts) {
  CHI_CHECK(problem.pattern->nonzeros() == pattern_.nonzeros(), "another pattern");
  problem_ = &problem;
  result_ = {};
  best_norm_ = std::numeric_limits<double>::infinity();
  best_is_known_ = false;
  std::ranges::fill(row_scale_, 0.0);
  std::ranges::copy(x, guess_.begin());
  std::ranges::copy(x, x_.begin());
  SolveStatus status = attempt();
  std::vector<int> directions;  // the unknowns to perturb first
  if (status == SolveStatus::Singular) directions = dependent_unknowns();
  const bool hopeless = problem.linear && status != SolveStatus::OutOfBounds;
  for (int round = 1; round <= restarts && may_restart(status) && !hopeless; ++round) {
    perturb_guess(round, directions);
    ++result_.attempts;
    const SolveStatus again = attempt();
    if (again == SolveStatus::Converged || again == SolveStatus::Stopped) status = again;
  }
  result_.status = status;
  finish(x);
  return std::move(result_);
}

SolveStatus DampedNewton::attempt() {
  clip_to_bounds(*problem_, x_);
  if (const EvalStatus status = residual_at(x_, residual_); status != EvalStatus::Ok) {
    return status == EvalStatus::Fatal ? SolveStatus::Stopped : SolveStatus::Undefined;
  }
  damping_ = 1.0;
  lingers_ = 0;
  stays_near_ = false;
  std::ranges::fill(step_, 0.0);
  bool follows_step = false;  // whether damping can be predicted from the step before
  int nudges = 0;
  for (int k = 0; k < options_.max_iterations; ++k) {
    if (std::ranges::all_of(residual_, [](double r) { return r == 0.0; })) {
      return converged_at(x_, residual_);
    }
    const SolveStatus prepared = factor_jacobian();
    if (prepared == SolveStatus::Singular) {
      if (is_isolated_solution()) return converged_at(x_, residual_);
      if (!leave(k, nudges)) return prepared;
      follows_step = false;
      continue;
    }
    if (prepared != SolveStatus::Converged) return prepared;
    note_if_best(x_, residual_);
    backend_.step(residual_, step_);
    backend_.bend(*problem_, x_, step_);
    ++result_.iterations;
    step_size_ = largest(step_, weights_);
    if (follows_step) predict_damping();
    const std::optional<SolveStatus> ended = take_step();
    if (ended == SolveStatus::NoProgress && is_almost_singular()) {
      if (is_isolated_solution()) return converged_at(x_, residual_);
      follows_step = false;
      stays_near_ = true;
      if (leave(k, nudges)) continue;
    }
    if (ended) return *ended;
    follows_step = true;
  }
  const bool ends = step_size_ <= kStagnation && is_balanced(x_, residual_, step_);
  return ends ? converged_at(x_, residual_) : SolveStatus::TooSlow;
}

SolveStatus DampedNewton::factor_jacobian() {
  ++result_.jacobian_evaluations;
  const EvalStatus status = evaluate_jacobian(*problem_, x_, jacobian_);
  if (status == EvalStatus::Fatal) return SolveStatus::Stopped;
  if (status == EvalStatus::Domain) return SolveStatus::Undefined;
  measure_rows(x_);
  for (std::size_t i = 0; i < row_scale_.size(); ++i) {
    if (row_scale_[i] == 0.0) row_scale_[i] = row_size_[i];
  }
  const bool ok = backend_.factor(*problem_, jacobian_);
  return ok ? SolveStatus::Converged : SolveStatus::Singular;
}

void DampedNewton::measure_rows(std::span<const double> x) {
  size_unknowns(*problem_, x, weights_);
  std::ranges::fill(row_size_, 0.0);
  size_equations(pattern_, jacobian_, weights_, row_size_);
}

// One accepted step from x_ to trial_, or the reason why the attempt ends.
std::optional<SolveStatus> DampedNewton::take_step() {
  const double step_norm = root_mean_square(step_, weights_);
  bool grown = false;
  while (true) {
    for (std::size_t j = 0; j < x_.size(); ++j) trial_[j] = x_[j] + damping_ * step_[j];
    const bool clipped = clip_to_bounds(*problem_, trial_);
    if (clipped && trial_ == x_) return SolveStatus::OutOfBounds;
    const EvalStatus status = residual_at(trial_, trial_residual_);
    if (status == EvalStatus::Fatal) return SolveStatus::Stopped;
    if (status == EvalStatus::Domain) {
      if (!shorten(damping_ / 2, clipped)) return SolveStatus::NoProgress;
      grown = true;  // do not try the long step again
      continue;
    }
    backend_.step(trial_residual_, correction_);
    const double correction_norm = root_mean_square(correction_, weights_);
    const double allowed = allowed_damping(step_norm);
    // The restricted test of [1]: about the corner of sqrt(x) full steps go to and fro for ever.
    if (!(correction_norm < (1 - damping_ / 4) * step_norm)) {
      const bool has_ended = is_stagnant(1.0) && is_balanced(x_, residual_, step_);
      if (has_ended && is_noise()) return better_end();
      if (!shorten(std::min(allowed, damping_ / 2), clipped)) {
        if (has_ended) return better_end();
        return clipped ? SolveStatus::OutOfBounds : SolveStatus::NoProgress;
      }
      continue;
    }
    if (!clipped && !grown && damping_ < 1.0 && std::min(1.0, allowed) >= 4 * damping_) {
      damping_ = std::min(1.0, allowed);
      grown = true;
      continue;
    }
    return accept(correction_norm / step_norm, clipped);
  }
}

std::optional<SolveStatus> DampedNewton::accept(double rate, bool clipped) {
  const double size = largest(correction_, weights_);
  const bool full = damping_ == 1.0 && !clipped;
  last_step_norm_ = root_mean_square(step_, weights_);
  last_damping_ = damping_;
  std::swap(last_correction_, correction_);
  std::swap(x_, trial_);
  std::swap(residual_, trial_residual_);
  const double remaining = full ? rate * size : size;
  if (remaining <= options_.tolerance) {
    if (const std::optional<SolveStatus> ended = add_correction()) return ended;
  }
  if (full && rate > 0.5 && is_stagnant(rate) && is_balanced(x_, residual_, last_correction_)) {
    if (is_noise() || ++lingers_ > kPatience) return better_end();
  }
  return std::nullopt;
}

// The last simplified correction costs nothing and is one step of iterative refinement. After a
// long step it may be small only because the Jacobian it was computed with was large, so then the
// residual is held against the Jacobian at the new point.
std::optional<SolveStatus> DampedNewton::add_correction() {
  constexpr double kLong = 1e-3, kRounding = 1e-13;
  for (std::size_t j = 0; j < x_.size(); ++j) trial_[j] = x_[j] + last_correction_[j];
  clip_to_bounds(*problem_, trial_);
  if (residual_at(trial_, trial_residual_) != EvalStatus::Ok) {
    trial_ = x_;
    trial_residual_ = residual_;
  }
  if (step_size_ > kLong && !problem_->linear) {
    ++result_.jacobian_evaluations;
    if (evaluate_jacobian(*problem_, trial_, jacobian_) != EvalStatus::Ok) return std::nullopt;
    measure_rows(trial_);
    if (norm_of(trial_residual_, row_size_) > kRounding) return std::nullopt;
  }
  if (!is_balanced(trial_, trial_residual_, last_correction_)) return std::nullopt;
  return converged_at(trial_, trial_residual_);
}

// Full steps this small that do not get smaller: rounding in F is all that is left. Damped ones, at
// a corner as that of sqrt, say so only where F is no more than that.
bool DampedNewton::is_stagnant(double rate) const {
  if (rate < 0.5) return false;
  const bool is_small = step_size_ <= kStagnation;
  const bool is_solved = norm_of(residual_, row_size_) <= 64 * kEpsilon;
  return damping_ < 1.0 ? is_small && is_solved : is_small || is_solved;
}

// Beside the zero of a square root steps far smaller than the unknown may still be as long as its
// distance from there, and go to and fro: then there is more to do than F's rounding hides.
bool DampedNewton::is_noise() {
  if (!problem_->sizes || problem_->sizes(x_, terms_) != EvalStatus::Ok) return true;
  return is_rounding(pattern_, jacobian_, residual_, terms_);
}

// Where all unknowns have their nominal size, or the last step was small for each of them, a small
// step says enough. An unknown far below that size, as the concentration of ions in water is, can
// be wrong by orders of magnitude within a step that is small; then the residuals tell. Those of
// too many or dependent equations are limited anyway, and known values that are nothing but
// rounding would count.
bool DampedNewton::is_balanced(std::span<const double> x, std::span<const double> residual,
                               std::span<const double> last) {
  constexpr double kSmall = 1e-6;
  if (!problem_->sizes || std::isfinite(residual_limit_)) return true;
  bool settled = true;
  for (std::size_t j = 0; j < x.size(); ++j) {
    settled = settled && std::abs(last[j]) <= kSmall * std::abs(x[j]);
  }
  if (settled || problem_->sizes(x, terms_) != EvalStatus::Ok) return true;
  return numerics::is_balanced(pattern_, jacobian_, residual, terms_);
}

SolveStatus DampedNewton::better_end() {
  const bool trial_is_better = norm_of(trial_residual_, row_size_) < norm_of(residual_, row_size_);
  return trial_is_better ? converged_at(trial_, trial_residual_) : converged_at(x_, residual_);
}

// λ' of [1, (3.48)]: the a posteriori estimate of the damping that the curvature allows.
double DampedNewton::allowed_damping(double step_norm) const {
  double sum = 0.0;
  for (std::size_t j = 0; j < step_.size(); ++j) {
    const double d = (correction_[j] - (1 - damping_) * step_[j]) / weights_[j];
    sum += d * d;
  }
  const double curvature = std::sqrt(sum / static_cast<double>(step_.size()));
  return 0.5 * step_norm * damping_ * damping_ / curvature;
}

// μ of [1, (3.47)]: the a priori estimate.
void DampedNewton::predict_damping() {
  double sum = 0.0;
  for (std::size_t j = 0; j < step_.size(); ++j) {
    const double d = (last_correction_[j] - step_[j]) / weights_[j];
    sum += d * d;
  }
  const double change = std::sqrt(sum / static_cast<double>(step_.size()));
  const double step_norm = root_mean_square(step_, weights_);
  const double correction_norm = root_mean_square(last_correction_, weights_);
  const double predicted = last_damping_ * last_step_norm_ * correction_norm / (change * step_norm);
  // Tiny steps are noise or the end: what they say about curvature means nothing.
  const bool tiny = std::isnan(predicted) || step_size_ <= kStagnation;
  damping_ = tiny ? 1.0 : std::min(1.0, predicted);
  damping_ = std::max(damping_, options_.least_damping);
}

// A point that was moved onto a border tells nothing of the curvature along the step.
bool DampedNewton::shorten(double damping, bool clipped) {
  if (clipped) {
    damping = std::min(damping_ / 2, 0.9 * fraction_to_border(*problem_, x_, step_));
  }
  if (!(damping >= options_.least_damping)) return false;
  damping_ = damping;
  return true;
}

// The scaled Jacobian, where it is singular; false if it is too large to look at closely.
bool DampedNewton::decompose() {
  if (pattern_.rows > kLargestReported) return false;
  const std::size_t rows = at(pattern_.rows);
  std::vector<double> matrix(rows * at(pattern_.cols), 0.0);
  for (std::size_t j = 0; j < x_.size(); ++j) {
    for (int k = pattern_.column_starts[j]; k < pattern_.column_starts[j + 1]; ++k) {
      const std::size_t i = at(pattern_.row_indices[at(k)]);
      matrix[j * rows + i] = jacobian_[at(k)] * weights_[j] / size_of(row_size_[i]);
    }
  }
  seen_.factor(pattern_.rows, pattern_.cols, matrix);
  return true;
}

// Whether steps are long only because the Jacobian is as good as singular, at a point that must be
// near to the solution: all of it, or some slopes, which were there before.
bool DampedNewton::is_almost_singular() {
  constexpr double kVanished = 1e-10;
  if (!(options_.around_singular_guess > 0) || !(step_size_ > 1)) return false;
  for (std::size_t i = 0; i < row_size_.size(); ++i) {
    if (row_size_[i] < kVanished * row_scale_[i]) return true;
  }
  return decompose() && seen_.rank() < pattern_.cols;
}

// Whether the equations hold here, and here only, though the Jacobian is singular: as those of
// pipes side by side, c q|q| each, where none of them carries anything. Beside this point, where
// the Jacobian sees no difference, equations are off by much more than rounding, and the Jacobian
// is regular. An unknown that has lost its factor, as T in q T = p, makes no difference anywhere.
bool DampedNewton::is_isolated_solution() {
  constexpr double kBeside = 1e-3;
  if (!problem_->sizes || problem_->sizes(x_, terms_) != EvalStatus::Ok) return false;
  if (!is_rounding(pattern_, jacobian_, residual_, terms_)) return false;
  if (!decompose() || seen_.rank() == pattern_.cols) return false;
  const std::size_t open = at(pattern_.cols - seen_.rank());
  std::vector<double> unseen(open * x_.size()), there(jacobian_.size());
  seen_.null_space(unseen);
  for (int side = 0; side < 2; ++side) {
    std::ranges::copy(x_, trial_.begin());
    for (std::size_t k = 0; k < open; ++k) {
      const double part = kBeside * (1 + 0.5 * scatter(0, static_cast<int>(k)));
      for (std::size_t j = 0; j < x_.size(); ++j) {
        trial_[j] += (side == 0 ? part : -part) * weights_[j] * unseen[k * x_.size() + j];
      }
    }
    const bool has_values = residual_at(trial_, trial_residual_) == EvalStatus::Ok &&
                            problem_->sizes(trial_, terms_) == EvalStatus::Ok;
    if (!has_values || is_rounding(pattern_, jacobian_, trial_residual_, terms_) ||
        evaluate_jacobian(*problem_, trial_, there) != EvalStatus::Ok ||
        !backend_.factor(*problem_, there)) {
      return false;
    }
  }
  return true;
}

// Leaves a guess where the Jacobian is singular by the shortest step that solves what it does see:
// pipes side by side, none of which carries anything, share what comes. Whether that is a move.
bool DampedNewton::step_across() {
  if (!decompose()) return false;
  for (std::size_t i = 0; i < residual_.size(); ++i) {
    trial_residual_[i] = -residual_[i] / size_of(row_size_[i]);
  }
  seen_.solve(trial_residual_, step_);
  for (std::size_t j = 0; j < x_.size(); ++j) trial_[j] = x_[j] + weights_[j] * step_[j];
  clip_to_bounds(*problem_, trial_);
  if (trial_ == x_ || residual_at(trial_, trial_residual_) != EvalStatus::Ok) return false;
  std::swap(x_, trial_);
  std::swap(residual_, trial_residual_);
  return true;
}

// Whether a point where the Jacobian is singular could be left.
bool DampedNewton::leave(int iteration, int& nudges) {
  constexpr int kMostNudges = 3;
  damping_ = 1.0;
  if (iteration == 0) {
    if (!(options_.around_singular_guess > 0) || problem_->linear) return false;
    stays_near_ = true;
    if (step_across()) return true;
  }
  return nudges < kMostNudges && nudge(nudges++);
}

// Leaves a point where the Jacobian is singular by a small move onwards, the same one every time.
// At the corner of x|x|, where damped steps from the wrong side end, that leads to the right one.
bool DampedNewton::nudge(int round) {
  const double size = 1e-3 * std::pow(10.0, round);
  for (std::size_t j = 0; j < x_.size(); ++j) {
    const double way = std::copysign(size, step_[j]);
    trial_[j] = x_[j] + way * weights_[j] * (1 + 0.5 * scatter(round, static_cast<int>(j)));
  }
  clip_to_bounds(*problem_, trial_);
  if (residual_at(trial_, trial_residual_) != EvalStatus::Ok) return false;
  std::swap(x_, trial_);
  std::swap(residual_, trial_residual_);
  return true;
}

// Rounds 1 and 2 move the unknowns that the singular Jacobian does not see, upwards; later ones
// scatter all of them ever wider.
void DampedNewton::perturb_guess(int round, const std::vector<int>& directions) {
  size_unknowns(*problem_, guess_, weights_);
  std::ranges::copy(guess_, x_.begin());
  if (round <= 2) {
    const double size = round == 1 ? 0.1 : 1.0;
    if (directions.empty()) {
      for (std::size_t j = 0; j < x_.size(); ++j) x_[j] += size * weights_[j];
    }
    for (const int j : directions) x_[at(j)] += size * weights_[at(j)];
    return;
  }
  const double size = std::pow(10.0, (round - 3) / 3.0 - 1.0);
  for (std::size_t j = 0; j < x_.size(); ++j) {
    x_[j] += size * weights_[j] * scatter(round, static_cast<int>(j));
  }
}

std::vector<int> DampedNewton::dependent_unknowns() const {
  if (pattern_.rows > kLargestReported) return {};
  return find_dependencies(pattern_, jacobian_).cols;
}

EvalStatus DampedNewton::residual_at(std::span<const double> x, std::span<double> out) {
  ++result_.residual_evaluations;
  return evaluate_residual(*problem_, x, out);
}

SolveStatus DampedNewton::converged_at(std::span<const double> x,
                                       std::span<const double> residual) {
  if (norm_of(residual, row_size_) > residual_limit_) {
    note_if_best(x, residual);
    return SolveStatus::Inconsistent;
  }
  for (std::size_t j = 0; stays_near_ && j < x.size(); ++j) {
    const double away = std::abs(x[j] - guess_[j]);
    if (away > options_.around_singular_guess * weights_[j]) return SolveStatus::Singular;
  }
  std::ranges::copy(x, best_.begin());
  best_is_known_ = true;
  report_worst(residual);
  result_.rank_deficiency = backend_.rank_deficiency();
  return SolveStatus::Converged;
}

void DampedNewton::note_if_best(std::span<const double> x, std::span<const double> residual) {
  const double norm = norm_of(residual, row_scale_);
  if (best_is_known_ && !(norm < best_norm_)) return;
  std::ranges::copy(x, best_.begin());
  best_norm_ = norm;
  best_is_known_ = true;
}

void DampedNewton::report_worst(std::span<const double> residual) {
  result_.residual_norm = 0.0;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    const double norm = std::abs(residual[i]) / size_of(row_size_[i]);
    if (i > 0 && !(norm > result_.residual_norm)) continue;
    result_.residual_norm = norm;
    result_.worst_equation = static_cast<int>(i);
    result_.worst_residual = residual[i];
  }
}

void DampedNewton::finish(std::span<double> x) {
  if (best_is_known_) std::ranges::copy(best_, x.begin());
  if (result_.status == SolveStatus::Converged) return;
  std::ranges::copy(x, x_.begin());
  const bool has_residual = residual_at(x_, residual_) == EvalStatus::Ok;
  ++result_.jacobian_evaluations;
  const bool has_jacobian = evaluate_jacobian(*problem_, x_, jacobian_) == EvalStatus::Ok;
  if (has_jacobian) measure_rows(x_);
  if (has_residual) report_worst(residual_);
  if (!has_jacobian || pattern_.rows > kLargestReported) return;
  Dependencies found = find_dependencies(pattern_, jacobian_);
  result_.singular_rows = std::move(found.rows);
  result_.singular_cols = std::move(found.cols);
}

}  // namespace chi::numerics
