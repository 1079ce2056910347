#include "numerics/algebraic_solver.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace chi::numerics {
namespace {

void add_counts(SolveResult& to, const SolveResult& from) {
  to.iterations += from.iterations;
  to.attempts += from.attempts;
  to.residual_evaluations += from.residual_evaluations;
  to.jacobian_evaluations += from.jacobian_evaluations;
}

constexpr std::array<HomotopyOptions, 4> kHomotopies = {
    {{.kind = HomotopyKind::Newton, .direction = 1.0},
     {.kind = HomotopyKind::FixedPoint, .direction = 1.0},
     {.kind = HomotopyKind::FixedPoint, .direction = -1.0},
     {.kind = HomotopyKind::Newton, .direction = -1.0}}};

}  // namespace

struct AlgebraicSolver::Implementation {
  Implementation(SparsePattern given, AlgebraicOptions chosen)
      : pattern(std::move(given)), options(chosen) {}

  SolveResult solve(const NonlinearProblem& problem, std::span<double> x) {
    if (pattern.rows != pattern.cols) return solve_rectangular(problem, x);
    guess.assign(x.begin(), x.end());
    if (!newton) newton.emplace(pattern, options.rectangular.newton);
    SolveResult result = newton->solve_once(problem, x);
    if (result.converged() || result.status == SolveStatus::Stopped) return result;
    if (result.status == SolveStatus::Singular) {
      if (try_next(result, x, [&](std::span<double> y) { return solve_rectangular(problem, y); })) {
        return result;
      }
    }
    if (try_next(result, x, [&](std::span<double> y) { return newton->solve(problem, y); })) {
      return result;
    }
    for (const HomotopyOptions& homotopy : kHomotopies) {
      if (!options.homotopy || problem.linear) break;
      if (try_next(result, x,
                   [&](std::span<double> y) { return follow_homotopy(problem, y, homotopy); })) {
        return result;
      }
    }
    return result;
  }

  SolveResult solve_rectangular(const NonlinearProblem& problem, std::span<double> x) {
    if (!rectangular) rectangular.emplace(pattern, options.rectangular);
    return rectangular->solve(problem, x);
  }

  // Starts another method from the guess; takes over its result if it converges.
  template <class Method>
  bool try_next(SolveResult& result, std::span<double> x, Method method) {
    if (result.status == SolveStatus::Stopped) return true;
    trial = guess;
    SolveResult next = method(std::span(trial));
    if (!next.converged() && next.status != SolveStatus::Stopped) {
      add_counts(result, next);
      return false;
    }
    add_counts(next, result);
    result = std::move(next);
    std::ranges::copy(trial, x.begin());
    return true;
  }

  SparsePattern pattern;
  AlgebraicOptions options;
  std::optional<NewtonSolver> newton;
  std::optional<RectangularNewton> rectangular;
  std::vector<double> guess, trial;
};

AlgebraicSolver::AlgebraicSolver(SparsePattern pattern, AlgebraicOptions options)
    : implementation_(std::make_unique<Implementation>(std::move(pattern), options)) {}
AlgebraicSolver::AlgebraicSolver(AlgebraicSolver&&) noexcept = default;
AlgebraicSolver& AlgebraicSolver::operator=(AlgebraicSolver&&) noexcept = default;
AlgebraicSolver::~AlgebraicSolver() = default;

SolveResult AlgebraicSolver::solve(const NonlinearProblem& problem, std::span<double> x) {
  return implementation_->solve(problem, x);
}

}  // namespace chi::numerics
