#include "numerics/homotopy.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "numerics/linear_solver.h"
#include "numerics/newton.h"

namespace chi::numerics {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// The Jacobian of F with its diagonal, bordered by a full column for λ and a full row for the
// tangent.
SparsePattern bordered(const SparsePattern& p) {
  const int n = p.cols;
  PatternBuilder builder(n + 1, n + 1);
  for (int j = 0; j < n; ++j) {
    for (int k = p.column_starts[at(j)]; k < p.column_starts[at(j) + 1]; ++k) {
      builder.add(p.row_indices[at(k)], j);
    }
    builder.add(j, j);
    builder.add(n, j);
    builder.add(j, n);
  }
  builder.add(n, n);
  return builder.build();
}

// A path in z = (x / w, λ).
class PathFollower {
 public:
  PathFollower(const NonlinearProblem& problem, const HomotopyOptions& options)
      : problem_(problem),
        options_(options),
        n_(at(unknown_count(problem))),
        linear_(bordered(*problem.pattern)),
        newton_(*problem.pattern, {.restarts = 0}) {
    for (std::vector<double>* v : {&x0_, &f0_, &x_, &f_, &weights_, &diagonal_}) v->resize(n_);
    for (std::vector<double>* v : {&z_, &trial_, &tangent_, &next_tangent_, &h_}) v->resize(n_ + 1);
    jacobian_.resize(at(problem.pattern->nonzeros()));
    matrix_.resize(at(linear_.pattern().nonzeros()));
  }

  SolveResult run(std::span<double> guess) {
    result_.attempts = 1;
    result_.status = start(guess);
    if (result_.status != SolveStatus::Converged) return std::move(result_);
    result_.status = SolveStatus::TooSlow;
    double length = options_.first_step;
    for (int k = 0; k < options_.max_steps; ++k) {
      ++result_.iterations;
      const std::optional<int> rounds = advance(length);
      if (!rounds) {
        length /= 3;
        if (length > 1e-8) continue;
        result_.status = SolveStatus::NoProgress;
        break;
      }
      const bool crossed = (z_[n_] - 1) * (trial_[n_] - 1) <= 0;
      if (crossed && finish_between(guess)) return std::move(result_);
      z_ = trial_;
      if (!turn_tangent()) {
        result_.status = SolveStatus::Singular;
        break;
      }
      if (*rounds <= 2) length = std::min(length * 2, 5.0);
      if (*rounds >= 4) length /= 2;
      if (!in_sight()) break;
    }
    return std::move(result_);
  }

 private:
  SolveStatus start(std::span<const double> guess) {
    std::ranges::copy(guess, x0_.begin());
    clip_to_bounds(problem_, x0_);
    size_unknowns(problem_, x0_, weights_);
    ++result_.residual_evaluations;
    if (evaluate_residual(problem_, x0_, f0_) != EvalStatus::Ok) return SolveStatus::Undefined;
    for (std::size_t j = 0; j < n_; ++j) z_[j] = x0_[j] / weights_[j];
    z_[n_] = 0.0;
    f_ = f0_;
    x_ = x0_;
    ++result_.jacobian_evaluations;
    if (evaluate_jacobian(problem_, x0_, jacobian_) != EvalStatus::Ok)
      return SolveStatus::Undefined;
    std::ranges::fill(diagonal_, 0.0);
    size_equations(*problem_.pattern, jacobian_, weights_, diagonal_);
    for (double& d : diagonal_) d = options_.direction * (d > 0 ? d : 1.0);
    // λ first; if the Jacobian is singular at the guess that cannot be told apart, so aslant.
    std::ranges::fill(tangent_, 0.0);
    tangent_[n_] = options_.kind == HomotopyKind::Newton ? options_.direction : 1.0;
    if (turn_tangent()) return SolveStatus::Converged;
    for (std::size_t j = 0; j < n_; ++j) tangent_[j] = 0.5 + 0.5 * scatter(0, static_cast<int>(j));
    return turn_tangent() ? SolveStatus::Converged : SolveStatus::Singular;
  }

  // Predictor and corrector: `trial_` is the next point; returns the corrector's rounds, or
  // nothing.
  std::optional<int> advance(double length) {
    constexpr int kMaxRounds = 6;
    for (std::size_t j = 0; j <= n_; ++j) trial_[j] = z_[j] + length * tangent_[j];
    double moved = 0.0, last = 0.0;
    for (int round = 1; round <= kMaxRounds; ++round) {
      if (!evaluate_at(trial_) || !assemble(trial_[n_], tangent_)) return std::nullopt;
      h_[n_] = 0.0;
      linear_.solve(h_);
      double size = 0.0;
      for (std::size_t j = 0; j <= n_; ++j) {
        trial_[j] -= h_[j];
        size += h_[j] * h_[j];
      }
      size = std::sqrt(size);
      moved += size;
      // Another branch may be near: a corrector that wanders, or does not contract, is not trusted.
      if (!(moved <= 0.6 * length) || (round > 1 && size > 0.6 * last)) {
        if (size > 1e-9) return std::nullopt;
      }
      if (size <= 1e-7) return round;
      last = size;
    }
    return std::nullopt;
  }

  // F and its Jacobian at z, and H there into `h_`.
  bool evaluate_at(std::span<const double> z) {
    for (std::size_t j = 0; j < n_; ++j) x_[j] = z[j] * weights_[j];
    ++result_.residual_evaluations;
    ++result_.jacobian_evaluations;
    if (evaluate_residual(problem_, x_, f_) != EvalStatus::Ok) return false;
    if (evaluate_jacobian(problem_, x_, jacobian_) != EvalStatus::Ok) return false;
    const double lambda = z[n_];
    for (std::size_t i = 0; i < n_; ++i) {
      h_[i] = options_.kind == HomotopyKind::Newton
                  ? f_[i] - (1 - lambda) * f0_[i]
                  : lambda * f_[i] + (1 - lambda) * diagonal_[i] * (z[i] - x0_[i] / weights_[i]);
    }
    return true;
  }

  // (∂H/∂z; rowᵀ) at the point evaluated last, factored.
  bool assemble(double lambda, std::span<const double> row) {
    const SparsePattern& from = *problem_.pattern;
    const SparsePattern& to = linear_.pattern();
    const bool fixed_point = options_.kind == HomotopyKind::FixedPoint;
    for (std::size_t j = 0; j <= n_; ++j) {
      int k = j < n_ ? from.column_starts[j] : 0;
      for (int e = to.column_starts[j]; e < to.column_starts[j + 1]; ++e) {
        const int i = to.row_indices[at(e)];
        double value = 0.0;
        if (at(i) == n_) {
          value = row[j];
        } else if (j == n_) {
          value = fixed_point
                      ? f_[at(i)] - diagonal_[at(i)] * (x_[at(i)] - x0_[at(i)]) / weights_[at(i)]
                      : f0_[at(i)];
        } else {
          if (k < from.column_starts[j + 1] && from.row_indices[at(k)] == i) {
            value = jacobian_[at(k++)] * weights_[j] * (fixed_point ? lambda : 1.0);
          }
          if (fixed_point && at(i) == j) value += (1 - lambda) * diagonal_[j];
        }
        matrix_[at(e)] = value;
      }
    }
    return linear_.factor(matrix_) == FactorStatus::Ok;
  }

  // The tangent at z_, on the same side as the last one.
  bool turn_tangent() {
    if (!evaluate_at(z_) || !assemble(z_[n_], tangent_)) return false;
    std::ranges::fill(next_tangent_, 0.0);
    next_tangent_[n_] = 1.0;
    linear_.solve(next_tangent_);
    double squared = 0.0;
    for (const double t : next_tangent_) squared += t * t;
    if (!std::isfinite(squared) || squared == 0.0) return false;
    for (double& t : next_tangent_) t /= std::sqrt(squared);
    tangent_ = next_tangent_;
    return true;
  }

  // Newton's method from where the chord from z_ to trial_ meets λ = 1.
  bool finish_between(std::span<double> x) {
    const double rise = trial_[n_] - z_[n_];
    const double s = rise == 0 ? 1.0 : (1 - z_[n_]) / rise;
    for (std::size_t j = 0; j < n_; ++j) x_[j] = (z_[j] + s * (trial_[j] - z_[j])) * weights_[j];
    SolveResult end = newton_.solve(problem_, x_);
    end.iterations += result_.iterations;
    end.residual_evaluations += result_.residual_evaluations;
    end.jacobian_evaluations += result_.jacobian_evaluations;
    if (!end.converged()) {
      result_.residual_evaluations = end.residual_evaluations;
      result_.jacobian_evaluations = end.jacobian_evaluations;
      return false;
    }
    result_ = std::move(end);
    std::ranges::copy(x_, x.begin());
    return true;
  }

  bool in_sight() const {
    return std::ranges::all_of(z_, [](double v) { return std::abs(v) < 1e8; });
  }

  const NonlinearProblem& problem_;
  const HomotopyOptions& options_;
  std::size_t n_ = 0;
  LinearSolver linear_;
  NewtonSolver newton_;
  SolveResult result_;
  std::vector<double> x0_, f0_, x_, f_, weights_, diagonal_, jacobian_, matrix_;
  std::vector<double> z_, trial_, tangent_, next_tangent_, h_;
};

}  // namespace

SolveResult follow_homotopy(const NonlinearProblem& problem, std::span<double> x,
                            const HomotopyOptions& options) {
  CHI_CHECK(problem.pattern->rows == problem.pattern->cols, "a square system is due");
  return PathFollower(problem, options).run(x);
}

}  // namespace chi::numerics
